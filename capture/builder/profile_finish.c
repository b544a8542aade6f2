/* SPDX-License-Identifier: Apache-2.0 */
/* From what was collected to a profile: frames get what they were defined as, columns are copied, secrets hidden. */
#include "capture/builder/profile_builder_internal.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "capture/model/runtime_names.h"
#include "capture/model/time_slices.h"

#include <stdlib.h>
#include <string.h>

static void *copy(struct pr_profile_builder *c, const void *array, size_t count, size_t size)
{
    void *memory = pr_arena_array(&c->profile->arena, count, size);
    if (memory && count)
        memcpy(memory, array, count * size);
    return memory;
}

static bool finish_threads(struct pr_profile_builder *c)
{
    struct pr_profile *profile = c->profile;
    const struct pr_process none = {profile->meta.pid.known ? (uint64_t)profile->meta.pid.value : 0, 0};
    const uint32_t processes = c->process_ids.count;
    profile->thread_count = c->thread_ids.count;
    profile->threads = copy(c, c->threads, c->thread_ids.count, sizeof *c->threads);
    profile->process_count = processes ? processes : 1;
    profile->processes = copy(c, processes ? c->processes : &none, profile->process_count, sizeof none);
    return profile->threads && profile->processes;
}

/* The stack table leaves a column of allocators, which only memory has, and metrics without our own members. */
static bool finish_metrics(struct pr_profile_builder *c, struct pr_metric **metrics)
{
    struct pr_profile *profile = c->profile;
    profile->fact_allocator = NULL;
    profile->metrics = *metrics = copy(c, profile->metrics, c->metric_count, sizeof **metrics);
    for (uint32_t i = 0; *metrics && i < c->metric_count; i++)
        (*metrics)[i].decimals = c->metrics[i].decimals;
    return *metrics != NULL;
}

static int compare_threads(const void *a, const void *b, const void *context)
{
    const uint64_t *keys = context;
    uint32_t x = pr_low(keys[*(const uint32_t *)a]), y = pr_low(keys[*(const uint32_t *)b]);
    return PR_ORDER(x, y);
}

/* The exact rows of one metric, in ORDER. */
static struct pr_exact *copy_exact(struct pr_profile_builder *c, const struct pr_built_metric *metric,
                                   const uint32_t *order)
{
    struct pr_exact *exact = pr_arena_array(&c->profile->arena, c->exact_ids.count, sizeof *exact);
    for (uint32_t i = 0; exact && i < c->exact_ids.count; i++)
        if (order[i] < metric->exact_rows)
            exact[i] = metric->exact[order[i]];
    return exact;
}

static bool finish_exact(struct pr_profile_builder *c, struct pr_metric *metrics)
{
    struct pr_profile *profile = c->profile;
    const uint32_t count = c->exact_ids.count;
    if (!count)
        return true;
    uint32_t *order = malloc(count * sizeof *order);
    pr_frame_id *frame = pr_arena_array(&profile->arena, count, sizeof *frame);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    bool done = order && frame && thread;
    for (uint32_t i = 0; done && i < count; i++)
        order[i] = i;
    done = done && pr_sort(order, count, sizeof *order, compare_threads, c->exact_ids.keys);
    for (uint32_t i = 0; done && i < count; i++) {
        frame[i] = pr_high(c->exact_ids.keys[order[i]]);
        thread[i] = pr_low(c->exact_ids.keys[order[i]]);
    }
    for (uint32_t i = 0; done && i < c->metric_count; i++) {
        metrics[i].exact = copy_exact(c, &c->metrics[i], order);
        done = metrics[i].exact != NULL;
    }
    free(order);
    profile->exact_count = done ? count : 0;
    profile->exact_frame = frame;
    profile->exact_thread = thread;
    profile->tree_estimated = true;
    return done;
}

/* Slices and moments have one clock, which begins with the first of them. */
static bool finish_time(struct pr_profile_builder *c)
{
    int64_t first_ns = pr_time_moments_first_ns(&c->moments);
    if (!pr_slices_finish(c->slices, &c->slice_count, c->builder.merged, pr_build_thread_of, &c->builder, &first_ns) ||
        !pr_time_moments_finish(&c->moments, c->builder.merged, first_ns, c->profile))
        return false;
    struct pr_slice *taken = c->slices;
    c->slices = NULL;
    if (!pr_arena_take(&c->profile->arena, taken))
        return false;
    c->profile->slices = taken;
    c->profile->slice_count = c->slice_count;
    c->profile->slice_resolution_ns = c->slice_resolution_ns;
    c->profile->slices_lack_clock = c->slices_lack_clock;
    if (c->slices_epoch_ns.known && (c->slice_count || c->profile->moment_count))
        c->profile->slices_start_ms =
            (struct pr_maybe){true, pr_add_saturated(c->slices_epoch_ns.value, first_ns) / PR_NS_PER_MS};
    return true;
}

static bool finish_notes(struct pr_profile_builder *c)
{
    char folded[PR_FOLD_WORDS];
    if (pr_stacks_fold_words(&c->builder, folded))
        pr_build_note(c, "%s", folded);
    c->profile->notes = copy(c, c->notes, c->note_count, sizeof *c->notes);
    c->profile->note_count = c->note_count;
    return c->profile->notes != NULL;
}

/* What a frame finally is: itself, or what its number was defined as. */
static pr_frame_id final_frame(struct pr_profile_builder *c, pr_frame_id frame)
{
    const uint64_t *key = &c->builder.frames.keys[(size_t)frame * 2];
    if (key[1] != PR_FORWARD_KEY)
        return frame;
    pr_frame_id defined = c->defined[key[0]];
    if (defined != PR_NO_ID)
        return defined;
    const pr_str function = pr_strings_add(&c->profile->strings, "(unknown)", strlen("(unknown)"));
    if (function == PR_NO_STR)
        return PR_NO_ID;
    return pr_stacks_frame(&c->builder, function, 0, 0, PR_FRAME_OTHER);
}

/* The number in KEPT of what FRAME finally is. */
static pr_frame_id keep_frame(struct pr_profile_builder *c, struct pr_idset *kept, pr_frame_id frame)
{
    frame = final_frame(c, frame);
    if (frame == PR_SEEN_THROUGH || frame == PR_NO_ID)
        return frame;
    const uint64_t *keys = c->builder.frames.keys;
    const uint64_t key[2] = {keys[(size_t)frame * 2], keys[(size_t)frame * 2 + 1]};
    return pr_idset_add(kept, key, 2);
}

/* Gives the nodes their final frames, and finds out whether all frames are still different from each other. */
static bool resolve_nodes(struct pr_profile_builder *c, struct pr_idset *kept)
{
    struct pr_stack_table *b = &c->builder;
    pr_frame_id *origin = calloc(b->frames.count + (size_t)1, sizeof *origin); /* [kept] + 1: what it was */
    pr_frame_id frame = origin ? 0 : PR_NO_ID;
    b->apart = true;
    for (pr_node_id node = 1; frame != PR_NO_ID && node < b->nodes.count; node++) {
        const pr_frame_id was = pr_stacks_node_frame(b, node);
        frame = keep_frame(c, kept, was);
        if (frame == PR_NO_ID)
            break;
        pr_stacks_set_frame(b, node, frame);
        b->apart = b->apart && frame != PR_SEEN_THROUGH && (!origin[frame] || origin[frame] == was + 1);
        if (b->apart)
            origin[frame] = was + 1;
    }
    free(origin);
    return frame != PR_NO_ID;
}

static void count_undefined(struct pr_profile_builder *c)
{
    for (uint32_t i = 0; i < c->forward_ids.count; i++)
        pr_damage_add(&c->profile->damage, PR_DAMAGE_FRAMES, c->defined[i] == PR_NO_ID, PR_NO_OFFSET);
}

/* Takes the forward frames out of the tree, the exact rows and the list of frames. */
static bool resolve_frames(struct pr_profile_builder *c)
{
    struct pr_stack_table *b = &c->builder;
    struct pr_idset kept = {.words = 2};
    count_undefined(c);
    b->apart = !c->forward_ids.count && !b->fold.first; /* what is folded may be the same fact */
    if (b->apart)
        return true;
    pr_frame_id frame = resolve_nodes(c, &kept) ? 0 : PR_NO_ID;
    for (uint32_t i = 0; frame != PR_NO_ID && i < c->exact_ids.count; i++) {
        uint64_t *key = &c->exact_ids.keys[i];
        frame = keep_frame(c, &kept, pr_high(*key));
        *key = pr_pair(frame, pr_low(*key));
    }
    pr_idset_clear(&b->frames);
    b->frames = kept;
    return frame != PR_NO_ID;
}

static bool is_allocator(const struct pr_profile_builder *c, pr_node_id node)
{
    const pr_frame_id frame = pr_stacks_node_frame(&c->builder, node);
    if (frame == PR_SEEN_THROUGH)
        return true;
    const struct pr_frame place = pr_stacks_frame_get(&c->builder, frame);
    return place.kind != PR_FRAME_PYTHON && pr_runtime_allocator(pr_profile_text(c->profile, place.function));
}

/* Takes allocation functions out of the ends of stacks; one that nothing calls stays. */
static void see_through_allocators(struct pr_profile_builder *c)
{
    struct pr_stack_table *b = &c->builder;
    for (uint32_t fact = 0; fact < b->facts.count; fact++) {
        pr_node_id node = pr_stacks_fact_node(b, fact);
        for (; node != PR_ROOT && pr_stacks_parent(b, node) != PR_ROOT && is_allocator(c, node);
             node = pr_stacks_parent(b, node)) {
            pr_stacks_set_frame(b, node, PR_SEEN_THROUGH);
            b->apart = false;
        }
    }
}

/* The columns of values, which may be the largest part of what was collected. */
static void clear_values(struct pr_profile_builder *c)
{
    for (uint32_t i = 0; i < c->metric_count; i++) {
        free(c->metrics[i].value);
        free(c->metrics[i].count);
        c->metrics[i].value = c->metrics[i].count = NULL;
    }
}

static enum pr_status make_profile(struct pr_profile_builder *c, struct pr_fact_column *raw)
{
    for (uint32_t i = 0; i < c->metric_count; i++) {
        struct pr_built_metric *m = &c->metrics[i];
        if (!pr_build_reach(c, m, c->builder.facts.count + 1)) /* one more: a column is never NULL */
            return PR_FAILED;
        raw[i] = (struct pr_fact_column){.name = m->name, .title = m->title, .unit = m->unit,
                                         .count_name = m->count_name, .value = m->value, .count = m->count,
                                         .below_zero = true};
    }
    struct pr_error later = {0};
    struct pr_metric *metrics;
    free(c->last_fact);
    free(c->first_child);
    c->last_fact = NULL;
    c->first_child = NULL;
    if (!resolve_frames(c))
        return PR_FAILED;
    if (c->skips_allocators)
        see_through_allocators(c);
    if (pr_stacks_finish(&c->builder, 0, 0, raw, c->metric_count, &later) == PR_FAILED)
        return PR_FAILED;
    clear_values(c);
    const bool done = finish_threads(c) && finish_metrics(c, &metrics) && finish_exact(c, metrics) &&
                      finish_time(c) && finish_notes(c);
    return done ? PR_OK : PR_FAILED;
}

static void clear(struct pr_profile_builder *c)
{
    clear_values(c);
    for (uint32_t i = 0; i < c->metric_count; i++)
        free(c->metrics[i].exact);
    free(c->metrics);
    free(c->threads);
    free(c->processes);
    free(c->slices);
    pr_time_moments_clear(&c->moments);
    free(c->notes);
    free(c->defined);
    free(c->low_forward);
    free(c->first_child);
    free(c->last_fact);
    pr_idset_clear(&c->thread_ids);
    pr_idset_clear(&c->process_ids);
    pr_idset_clear(&c->exact_ids);
    pr_idset_clear(&c->forward_ids);
    pr_stacks_clear(&c->builder);
}

enum pr_status pr_build_finish(struct pr_profile_builder *c, enum pr_status status)
{
    if (status == PR_END)
        status = PR_OK;
    if (status != PR_FAILED && c->status != PR_OK)
        status = c->status;
    struct pr_fact_column *raw = calloc(c->metric_count + (size_t)1, sizeof *raw);
    if (status != PR_FAILED && (!raw || make_profile(c, raw) == PR_FAILED)) {
        if (c->err) /* without memory nothing is kept: this is now the reason */
            *c->err = (struct pr_error){0};
        status = pr_fail_memory(c->err);
    }
    free(raw);
    clear(c);
    return status;
}
