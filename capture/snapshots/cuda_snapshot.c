/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of PyTorch's memory as it is collected: frames, stacks, entries, segments. */
#include "capture/snapshots/cuda_snapshot.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

#include <assert.h>

enum pr_status pr_cuda_begin(struct pr_cuda_snapshot *s, struct pr_profile *profile, const struct pr_limits *limits,
                             struct pr_error *err)
{
    *s = (struct pr_cuda_snapshot){.streams = {.words = 1, .limit = PR_CUDA_MOST_STREAMS}};
    s->known = calloc(PR_CUDA_KNOWN_STACKS, sizeof *s->known);
    return s->known ? pr_stacks_init(&s->stacks, profile, limits, err) : pr_fail_memory(err);
}

void pr_cuda_end(struct pr_cuda_snapshot *s)
{
    free(s->entries);
    free(s->runs);
    free(s->blocks);
    free(s->segments);
    free(s->python);
    free(s->known);
    pr_idset_clear(&s->streams);
    pr_stacks_clear(&s->stacks);
}

/* True if NUMBER is one; else it is noted why not. */
static bool is_good(struct pr_cuda_snapshot *s, uint32_t number)
{
    if (number != PR_NO_ID)
        return true;
    s->full = s->full || pr_stacks_is_full(&s->stacks);
    s->no_memory = s->no_memory || !s->full;
    return false;
}

/* Room for one more. */
static bool has_room(struct pr_cuda_snapshot *s, void *array, size_t *capacity, size_t count, size_t size)
{
    if (!s->no_memory && !pr_grow(array, capacity, count + 1, size))
        s->no_memory = true;
    return !s->no_memory;
}

/* Files of Python end in .py, or are made up: "<string>", "<eval_with_key>.0". C++ has "??" where it knows none. */
static bool is_python(struct pr_text file)
{
    return (file.length > 3 && !memcmp(file.bytes + file.length - 3, ".py", 3)) || pr_text_starts(file, "<");
}

pr_frame_id pr_cuda_frame(struct pr_cuda_snapshot *s, pr_str function, pr_str file, int64_t line)
{
    const struct pr_text name = pr_strings_get(&s->stacks.profile->strings, file);
    const enum pr_frame_kind kind = is_python(name) ? PR_FRAME_PYTHON : PR_FRAME_NATIVE;
    const int32_t known = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    const pr_frame_id frame =
        pr_stacks_frame(&s->stacks, function, pr_text_is(name, "??") ? 0 : file, known, kind);
    return is_good(s, frame) ? frame : 0;
}

static bool is_native(const struct pr_cuda_snapshot *s, pr_frame_id frame)
{
    return pr_stacks_frame_get(&s->stacks, frame).kind == PR_FRAME_NATIVE;
}

/* The child of NODE with FRAME; PR_NO_ID: no room for it. */
static pr_node_id child_of(struct pr_cuda_snapshot *s, pr_node_id node, pr_frame_id frame)
{
    if (!pr_grow(&s->python, &s->python_capacity, s->stacks.nodes.count + (size_t)1, sizeof *s->python)) {
        s->no_memory = true;
        return PR_NO_ID;
    }
    const pr_node_id child = pr_stacks_node(&s->stacks, node, frame, false);
    return is_good(s, child) ? child : PR_NO_ID;
}

static pr_node_id add_node(struct pr_cuda_snapshot *s, pr_node_id node, pr_frame_id frame)
{
    if (s->no_memory || s->full)
        return node;
    const pr_node_id child = child_of(s, node, frame);
    if (child == PR_NO_ID)
        return node;
    if (!s->python_count)
        s->python[s->python_count++] = PR_ROOT;
    if (child < s->python_count)
        return child;
    assert(child == s->python_count);
    const pr_node_id above = s->python[node];
    const bool native = is_native(s, frame);
    s->has_native = s->has_native || native;
    s->python[s->python_count++] = native ? above : child;
    if (!native && above != node) { /* this node goes on after frames of C++, which the other stack lacks */
        const pr_node_id other = add_node(s, above, frame);
        s->python[child] = other;
    }
    return child;
}

/* Whether LEAF is the stack of these frames. Nodes of a stack lie next to each other, so this costs little. */
static bool is_stack(const struct pr_cuda_snapshot *s, pr_node_id leaf, const pr_frame_id *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (leaf == PR_ROOT || pr_stacks_node_frame(&s->stacks, leaf) != frames[i])
            return false;
        leaf = pr_stacks_parent(&s->stacks, leaf);
    }
    return leaf == PR_ROOT;
}

/* What gathered the stack, the allocator itself, and what every tensor asks it by. */
static bool is_plumbing(const struct pr_cuda_snapshot *s, pr_frame_id id)
{
    static const char *const names[] = {"torch::unwind::",
                                        "torch::CapturedTraceback::",
                                        "torch::cuda::(anonymous namespace)::gather",
                                        "c10::cuda::CUDACachingAllocator::",
                                        "c10::hip::HIPCachingAllocator::",
                                        "at::detail::empty_"};
    const struct pr_frame frame = pr_stacks_frame_get(&s->stacks, id);
    const struct pr_text name = pr_strings_get(&s->stacks.profile->strings, frame.function);
    return frame.kind == PR_FRAME_NATIVE && pr_text_starts_with_one(name, names, sizeof names / sizeof *names);
}

/* Most stacks of a trace were there before, and each frame costs a look-up: a stack that is known costs one. */
pr_node_id pr_cuda_stack(struct pr_cuda_snapshot *s, const pr_frame_id *frames, uint32_t count)
{
    for (; count > 1 && is_plumbing(s, *frames); count--)
        frames++;
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    struct pr_cuda_known *known = &s->known[hash >> 48 & (PR_CUDA_KNOWN_STACKS - 1)];
    if (known->leaf && known->hash == hash && is_stack(s, known->leaf, frames, count))
        return known->leaf;
    pr_node_id leaf = PR_ROOT;
    for (uint32_t i = count; i-- > 0;)
        leaf = add_node(s, leaf, frames[i]);
    *known = (struct pr_cuda_known){hash, leaf};
    return leaf;
}

pr_node_id pr_cuda_shown_stack(const struct pr_cuda_snapshot *s, pr_node_id leaf)
{
    const pr_node_id python = leaf < s->python_count ? s->python[leaf] : PR_ROOT;
    return python == PR_ROOT ? leaf : python;
}

const char *const pr_cuda_action_names[PR_CUDA_ACTIONS] = {
    [PR_CUDA_ALLOC] = "alloc",
    [PR_CUDA_FREE_REQUESTED] = "free_requested",
    [PR_CUDA_FREE_COMPLETED] = "free_completed",
    [PR_CUDA_SEGMENT_ALLOC] = "segment_alloc",
    [PR_CUDA_SEGMENT_FREE] = "segment_free",
    [PR_CUDA_SEGMENT_MAP] = "segment_map",
    [PR_CUDA_SEGMENT_UNMAP] = "segment_unmap",
    [PR_CUDA_SNAPSHOT] = "snapshot",
    [PR_CUDA_OOM] = "oom",
    [PR_CUDA_ANNOTATE] = "annotate",
};

enum pr_cuda_action pr_cuda_action_of(struct pr_text name)
{
    enum pr_cuda_action action = PR_CUDA_ALLOC;
    while (action < PR_CUDA_ACTIONS && !pr_text_is(name, pr_cuda_action_names[action]))
        action++;
    return action;
}

uint32_t pr_cuda_stream(struct pr_cuda_snapshot *s, int64_t number)
{
    const uint64_t key = (uint64_t)number;
    const uint32_t stream = pr_idset_add(&s->streams, &key, 1);
    if (stream == PR_NO_ID) {
        s->full = s->full || s->streams.count >= PR_CUDA_MOST_STREAMS;
        s->no_memory = s->no_memory || !s->full;
        return 0;
    }
    return stream;
}

void pr_cuda_add_entry(struct pr_cuda_snapshot *s, uint64_t list, const struct pr_cuda_entry *entry)
{
    struct pr_cuda_run *last = s->run_count ? &s->runs[s->run_count - 1] : NULL;
    if (!last || last->list != list) {
        if (!has_room(s, &s->runs, &s->run_capacity, s->run_count, sizeof *s->runs))
            return;
        last = &s->runs[s->run_count++];
        *last = (struct pr_cuda_run){.list = list, .first = s->entry_count, .device = PR_NO_ID};
    }
    if (!has_room(s, &s->entries, &s->entry_capacity, s->entry_count, sizeof *s->entries))
        return;
    s->entries[s->entry_count++] = *entry;
    last->count++;
}

void pr_cuda_set_device(struct pr_cuda_snapshot *s, uint64_t list, uint32_t device)
{
    for (size_t i = 0; i < s->run_count; i++)
        if (s->runs[i].list == list)
            s->runs[i].device = device;
    if (device >= s->device_count)
        s->device_count = device + 1;
}

void pr_cuda_add_segment(struct pr_cuda_snapshot *s, const struct pr_cuda_segment *segment)
{
    if (!has_room(s, &s->segments, &s->segment_capacity, s->segment_count, sizeof *s->segments))
        return;
    s->segments[s->segment_count++] = *segment;
    if (segment->device >= s->device_count)
        s->device_count = segment->device + 1;
}

void pr_cuda_add_block(struct pr_cuda_snapshot *s, const struct pr_cuda_block *block)
{
    if (!s->segment_count || !has_room(s, &s->blocks, &s->block_capacity, s->block_count, sizeof *s->blocks))
        return;
    s->blocks[s->block_count] = *block;
    s->blocks[s->block_count++].segment = (uint32_t)(s->segment_count - 1);
}
