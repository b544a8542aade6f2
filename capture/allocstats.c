/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of allocations: sums by place and by module, the five greatest of each. */
#include "capture/allocstats.h"

#include "capture/base/buf.h"
#include "capture/base/checked.h"
#include "capture/modules.h"

#include <stdlib.h>

static const char no_stack[] = "<stack trace unavailable>";

/* Sums of one place or module. */
struct sum {
    uint64_t bytes, count;
    uint32_t first_fact; /* the first one seen; UINT32_MAX = none */
    bool last;           /* the one that comes last among equals */
};

/* Greater first. memray's heap keeps, of equal values, the one that came in last, and the one without a stack last. */
static bool before(const struct sum *a, const struct sum *b, bool by_size)
{
    uint64_t x = by_size ? a->bytes : a->count, y = by_size ? b->bytes : b->count;
    if (x != y)
        return x > y;
    if (a->last != b->last)
        return b->last;
    return a->first_fact > b->first_fact;
}

/* Indices of the greatest sums, at most PR_TOP_COUNT. */
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

static void add(struct sum *sum, int64_t bytes, int64_t count, uint32_t fact)
{
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
static pr_str place_name(const struct pr_builder *b, pr_frame_id id)
{
    struct pr_strings *strings = &b->profile->strings;
    struct pr_frame frame = pr_builder_frame_get(b, id);
    struct pr_text function = pr_strings_get(strings, frame.function), file = pr_strings_get(strings, frame.file);
    struct pr_buf name = {0};
    pr_buf_add(&name, function.bytes, function.length);
    pr_buf_byte(&name, ':');
    pr_buf_add(&name, file.bytes, file.length);
    pr_buf_printf(&name, ":%d", (int)frame.line);
    pr_str string = name.failed ? PR_NO_STR : pr_strings_add(strings, name.bytes, name.length);
    pr_buf_clear(&name);
    return string;
}

static bool fill_places(const struct pr_builder *b, const struct sum *sums, bool by_size, struct pr_top *tops, uint32_t *count)
{
    uint32_t top[PR_TOP_COUNT], none = b->frames.count;
    *count = greatest(sums, none + 1, by_size, top);
    for (uint32_t i = 0; i < *count; i++) {
        const struct sum *sum = &sums[top[i]];
        struct pr_strings *strings = &b->profile->strings;
        pr_str name = top[i] == none ? pr_strings_add(strings, no_stack, sizeof no_stack - 1)
                                     : place_name(b, top[i]);
        if (name == PR_NO_STR)
            return false;
        tops[i] = (struct pr_top){name, sum->bytes, sum->count};
    }
    return true;
}

static bool places(const struct pr_builder *b, const int64_t *bytes, const int64_t *count)
{
    struct pr_alloc_stats *stats = &b->profile->stats;
    uint32_t none = b->frames.count;
    struct sum *sums = new_sums(none + 1);
    if (!sums)
        return false;
    sums[none].last = true;
    for (uint32_t fact = 0; fact < b->facts.count; fact++) {
        pr_node_id node = pr_builder_fact_node(b, fact);
        add(&sums[node ? pr_builder_node_frame(b, node) : none], bytes[fact], count[fact], fact);
    }
    bool good = fill_places(b, sums, true, stats->by_size, &stats->by_size_count) &&
                fill_places(b, sums, false, stats->by_count, &stats->by_count_count);
    free(sums);
    return good;
}

/* The tree as it was recorded, in the form that pr_modules_of_nodes takes. Owned. */
struct recorded {
    struct pr_frame *frames;
    pr_node_id *parent;
    pr_frame_id *frame;
};

static bool recorded_tree(const struct pr_builder *b, struct recorded *tree)
{
    tree->frames = calloc(b->frames.count + (size_t)1, sizeof *tree->frames);
    tree->parent = calloc(b->nodes.count, sizeof *tree->parent);
    tree->frame = calloc(b->nodes.count, sizeof *tree->frame);
    if (!tree->frames || !tree->parent || !tree->frame)
        return false;
    for (uint32_t i = 0; i < b->frames.count; i++)
        tree->frames[i] = pr_builder_frame_get(b, i);
    for (uint32_t node = 1; node < b->nodes.count; node++) {
        tree->parent[node] = pr_builder_parent(b, node);
        tree->frame[node] = pr_builder_node_frame(b, node);
    }
    return true;
}

static enum pr_status modules(const struct pr_builder *b, const int64_t *bytes, const int64_t *count, struct pr_error *err)
{
    struct pr_profile *profile = b->profile;
    struct pr_alloc_stats *stats = &profile->stats;
    struct recorded recorded = {0};
    pr_str *module = calloc(b->nodes.count, sizeof *module);
    struct sum *sums = NULL;
    enum pr_status status = PR_FAILED;
    if (!module || !recorded_tree(b, &recorded)) {
        pr_fail_memory(err);
        goto out;
    }
    const struct pr_tree tree = {b->nodes.count, recorded.parent, recorded.frame};
    status = pr_modules_of_nodes(&profile->meta, &profile->strings, recorded.frames, b->frames.count, &tree, module, err);
    if (status == PR_FAILED)
        goto out;
    sums = new_sums(profile->strings.count);
    if (!sums) {
        status = pr_fail_memory(err);
        goto out;
    }
    for (uint32_t fact = 0; fact < b->facts.count; fact++)
        add(&sums[module[pr_builder_fact_node(b, fact)]], bytes[fact], count[fact], fact);
    uint32_t top[PR_TOP_COUNT];
    stats->modules_by_size_count = greatest(sums, profile->strings.count, true, top);
    for (uint32_t i = 0; i < stats->modules_by_size_count; i++)
        stats->modules_by_size[i] = (struct pr_top){top[i], sums[top[i]].bytes, sums[top[i]].count};
    stats->modules_by_count_count = greatest(sums, profile->strings.count, false, top);
    for (uint32_t i = 0; i < stats->modules_by_count_count; i++)
        stats->modules_by_count[i] = (struct pr_top){top[i], sums[top[i]].bytes, sums[top[i]].count};
out:
    free(sums);
    free(module);
    free(recorded.frames);
    free(recorded.parent);
    free(recorded.frame);
    return status;
}

enum pr_status pr_alloc_stats_make(const struct pr_builder *builder, const int64_t *bytes, const int64_t *count,
                                   const struct pr_sizes *sizes, struct pr_error *err)
{
    struct pr_alloc_stats *stats = &builder->profile->stats;
    for (uint32_t fact = 0; fact < builder->facts.count; fact++) {
        stats->allocation_count += (uint64_t)count[fact];
        stats->allocated_bytes += (uint64_t)bytes[fact];
        stats->count_by_allocator[pr_builder_fact_allocator(builder, fact)] += (uint64_t)count[fact];
    }
    stats->histogram_count = pr_sizes_histogram(sizes, stats->histogram);
    if (!places(builder, bytes, count))
        return pr_fail_memory(err);
    enum pr_status status = modules(builder, bytes, count, err);
    stats->known = status != PR_FAILED;
    return status;
}
