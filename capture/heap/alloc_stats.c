/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation statistics: sums by place and by module, the five largest of each. */
#include "capture/heap/alloc_stats.h"

#include "profrender/buf.h"
#include "capture/model/charged_modules.h"

#include <stdlib.h>

static const char no_stack[] = "<stack trace unavailable>";

/* Sums of one place or module. */
struct sum {
    uint64_t bytes, count;
    uint32_t first_fact; /* the first one seen; UINT32_MAX = none */
    bool last;           /* the one that comes last among equals */
};

/* Larger first. Of equal values memray's heap keeps the one that came last, and the one without a stack last. */
static bool before(const struct sum *a, const struct sum *b, bool by_size)
{
    uint64_t x = by_size ? a->bytes : a->count, y = by_size ? b->bytes : b->count;
    if (x != y)
        return x > y;
    if (a->last != b->last)
        return b->last;
    return a->first_fact > b->first_fact;
}

/* Indices of the largest sums, at most PR_TOP_COUNT. */
static uint32_t greatest(const struct sum *sums, uint32_t count, bool by_size, uint32_t top[PR_TOP_COUNT])
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sums[i].first_fact == UINT32_MAX)
            continue;
        uint32_t at = found < PR_TOP_COUNT ? found++ : PR_TOP_COUNT;
        for (; at > 0 && before(&sums[i], &sums[top[at - 1]], by_size); at--) {
            if (at < PR_TOP_COUNT)
                top[at] = top[at - 1];
        }
        if (at < PR_TOP_COUNT)
            top[at] = i;
    }
    return found;
}

/* A stack without an allocation only made objects. */
static void add(struct sum *sum, const struct pr_fact_column *allocated, uint32_t fact)
{
    const int64_t bytes = pr_fact_value(allocated, fact), count = pr_fact_count(allocated, fact);
    if (!bytes && !count)
        return;
    sum->bytes += (uint64_t)bytes;
    sum->count += (uint64_t)count;
    if (sum->first_fact == UINT32_MAX)
        sum->first_fact = fact;
}

static struct sum *new_sums(uint32_t count)
{
    struct sum *sums = calloc(count + (size_t)1, sizeof *sums);
    for (uint32_t i = 0; sums && i < count; i++)
        sums[i].first_fact = UINT32_MAX;
    return sums;
}

/* "function:file:line" of a frame; PR_NO_STR: out of memory. */
static pr_str place_name(struct pr_strings *strings, const struct pr_frame *frame)
{
    struct pr_text function = pr_strings_get(strings, frame->function), file = pr_strings_get(strings, frame->file);
    struct pr_buf name = {0};
    pr_buf_add(&name, function.bytes, function.length);
    pr_buf_byte(&name, ':');
    pr_buf_add(&name, file.bytes, file.length);
    pr_buf_printf(&name, ":%d", (int)frame->line);
    pr_str string = name.failed ? PR_NO_STR : pr_strings_add(strings, name.bytes, name.length);
    pr_buf_clear(&name);
    return string;
}

static bool fill_places(struct pr_strings *strings, const struct pr_stacks *stacks, const struct sum *sums,
                        bool by_size, struct pr_top *tops, uint32_t *count)
{
    uint32_t top[PR_TOP_COUNT], none = stacks->frame_count;
    *count = greatest(sums, none + 1, by_size, top);
    for (uint32_t i = 0; i < *count; i++) {
        const struct sum *sum = &sums[top[i]];
        pr_str name = top[i] == none ? pr_strings_add(strings, no_stack, sizeof no_stack - 1)
                                     : place_name(strings, &stacks->frames[top[i]]);
        if (name == PR_NO_STR)
            return false;
        tops[i] = (struct pr_top){name, sum->bytes, sum->count};
    }
    return true;
}

static bool places(struct pr_profile *profile, const struct pr_stacks *stacks, const struct pr_fact_column *allocated)
{
    struct pr_alloc_stats *stats = &profile->stats;
    uint32_t none = stacks->frame_count;
    struct sum *sums = new_sums(none + 1);
    if (!sums)
        return false;
    sums[none].last = true;
    for (uint32_t fact = 0; fact < stacks->fact_count; fact++) {
        pr_node_id node = stacks->leaf[fact];
        add(&sums[node ? stacks->tree.frame[node] : none], allocated, fact);
    }
    bool good = fill_places(&profile->strings, stacks, sums, true, stats->by_size, &stats->by_size_count) &&
                fill_places(&profile->strings, stacks, sums, false, stats->by_count, &stats->by_count_count);
    free(sums);
    return good;
}

static uint32_t fill_modules(const struct sum *sums, uint32_t count, bool by_size, struct pr_top *tops)
{
    uint32_t top[PR_TOP_COUNT], found = greatest(sums, count, by_size, top);
    for (uint32_t i = 0; i < found; i++)
        tops[i] = (struct pr_top){top[i], sums[top[i]].bytes, sums[top[i]].count};
    return found;
}

static enum pr_status modules(struct pr_profile *profile, const struct pr_stacks *stacks,
                              const struct pr_fact_column *allocated, struct pr_error *err)
{
    struct pr_alloc_stats *stats = &profile->stats;
    pr_str *module = calloc(stacks->tree.count, sizeof *module);
    struct sum *sums = NULL;
    enum pr_status status = module ? pr_modules_of_nodes(&profile->meta, &profile->strings, stacks->frames,
                                                         stacks->frame_count, &stacks->tree, module, err)
                                   : pr_fail_memory(err);
    if (status == PR_OK && !(sums = new_sums(profile->strings.count)))
        status = pr_fail_memory(err);
    if (status == PR_OK) {
        for (uint32_t fact = 0; fact < stacks->fact_count; fact++)
            add(&sums[module[stacks->leaf[fact]]], allocated, fact);
        stats->modules_by_size_count = fill_modules(sums, profile->strings.count, true, stats->modules_by_size);
        stats->modules_by_count_count = fill_modules(sums, profile->strings.count, false, stats->modules_by_count);
    }
    free(sums);
    free(module);
    return status;
}

enum pr_status pr_alloc_stats_tops(struct pr_profile *profile, const struct pr_stacks *stacks,
                                   const struct pr_fact_column *allocated, struct pr_error *err)
{
    return places(profile, stacks, allocated) ? modules(profile, stacks, allocated, err) : pr_fail_memory(err);
}

/* The stacks as they were recorded, in the form that a profile uses. Owned. */
struct recorded {
    struct pr_frame *frames;
    pr_node_id *parent, *leaf;
    pr_frame_id *frame;
};

static void recorded_clear(struct recorded *recorded)
{
    free(recorded->frames);
    free(recorded->parent);
    free(recorded->leaf);
    free(recorded->frame);
}

static bool recorded_make(const struct pr_stack_table *b, struct recorded *recorded, struct pr_stacks *stacks)
{
    recorded->frames = calloc(b->frames.count + (size_t)1, sizeof *recorded->frames);
    recorded->parent = calloc(b->nodes.count, sizeof *recorded->parent);
    recorded->leaf = calloc(b->facts.count + (size_t)1, sizeof *recorded->leaf);
    recorded->frame = calloc(b->nodes.count, sizeof *recorded->frame);
    if (!recorded->frames || !recorded->parent || !recorded->leaf || !recorded->frame)
        return false;
    for (uint32_t i = 0; i < b->frames.count; i++)
        recorded->frames[i] = pr_stacks_frame_get(b, i);
    for (uint32_t node = 1; node < b->nodes.count; node++) {
        recorded->parent[node] = pr_stacks_parent(b, node);
        recorded->frame[node] = pr_stacks_node_frame(b, node);
    }
    for (uint32_t fact = 0; fact < b->facts.count; fact++)
        recorded->leaf[fact] = pr_stacks_fact_node(b, fact);
    *stacks = (struct pr_stacks){b->frames.count, recorded->frames,
                                 {b->nodes.count, recorded->parent, recorded->frame}, b->facts.count, recorded->leaf};
    return true;
}

enum pr_status pr_alloc_stats_make(const struct pr_stack_table *builder, const struct pr_fact_column *allocated,
                                   const struct pr_sizes *sizes, struct pr_error *err)
{
    struct pr_profile *profile = builder->profile;
    struct pr_alloc_stats *stats = &profile->stats;
    for (uint32_t fact = 0; fact < builder->facts.count; fact++) {
        const uint64_t count = (uint64_t)pr_fact_count(allocated, fact);
        stats->allocation_count += count;
        stats->allocated_bytes += (uint64_t)pr_fact_value(allocated, fact);
        stats->count_by_allocator[pr_stacks_fact_allocator(builder, fact)] += count;
    }
    stats->histogram_count = pr_sizes_histogram(sizes, stats->histogram);
    struct recorded recorded = {0};
    struct pr_stacks stacks;
    enum pr_status status = PR_OK;
    if (!pr_sizes_list(sizes, &profile->arena, &stats->sizes, &stats->size_count) ||
        !recorded_make(builder, &recorded, &stacks))
        status = pr_fail_memory(err);
    if (status == PR_OK)
        status = pr_alloc_stats_tops(profile, &stacks, allocated, err);
    recorded_clear(&recorded);
    stats->known = status != PR_FAILED;
    return status;
}
