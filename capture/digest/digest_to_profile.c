/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: what was read is checked, array by array, and becomes the profile. */
#include "capture/digest/digest_to_profile.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/heap/time_bins.h"
#include "capture/digest/digest_coarsen.h"
#include "capture/digest/digest_drop_native.h"
#include "capture/heap/lifetimes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct settle {
    const struct pr_digest_rows *rows;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_error *err;
};

static enum pr_status wrong(const struct settle *s, const char *what, const char *why)
{
    return pr_fail(s->err, PR_ERR_DAMAGED, PR_NO_OFFSET, what, "the digest holds what cannot be: %s", why);
}

static size_t count_of(const struct settle *s, enum pr_digest_array array)
{
    return s->rows->count[array];
}

/* ---- values that are numbers of something ----------------------------------------------------------------------- */

/* The bound that all values of a column must be below. */
static uint64_t bound_of(const struct settle *s, unsigned below)
{
    switch (below) {
    case PR_DIGEST_ANY:
        return UINT64_MAX;
    case PR_DIGEST_POSITIVE:
        return (uint64_t)INT64_MAX + 1;
    case PR_DIGEST_OF_STRINGS:
        return s->profile->strings.count;
    case PR_DIGEST_OF_ALLOCATORS:
        return PR_ALLOC_COUNT;
    case PR_DIGEST_OF_KINDS:
        return PR_FRAME_OTHER + 1;
    case PR_DIGEST_OF_UNITS:
        return PR_UNIT_CORES + 1;
    case PR_DIGEST_OF_DECIMALS:
        return 19; /* those that fit in 64 bits */
    case PR_DIGEST_OF_LINKS:
        return PR_LINK_CONTEXT + 1;
    case PR_DIGEST_OF_OOM:
        return PR_OOM_YES + 1;
    default:
        return count_of(s, below);
    }
}

static enum pr_status check_column(const struct settle *s, const struct pr_digest_column *column)
{
    const bool is_run = column->array == PR_DIGEST_RUN;
    const size_t stride = pr_digest_row_bytes[column->array], count = is_run ? 1 : count_of(s, column->array);
    const char *at = is_run ? (const char *)&s->rows->run : s->rows->rows[column->array];
    const uint64_t bound = bound_of(s, column->below);
    for (size_t i = 0; i < count; i++) {
        if (pr_digest_load(at + i * stride + column->offset, column->kind) >= bound)
            return wrong(s, column->name, "a number is out of range");
    }
    return PR_OK;
}

static enum pr_status check_columns(const struct settle *s)
{
    for (size_t i = 0; i < pr_digest_column_count; i++) {
        const struct pr_digest_column *column = &pr_digest_columns[i];
        if (column->below != PR_DIGEST_ANY && check_column(s, column) == PR_FAILED)
            return PR_FAILED;
    }
    return PR_OK;
}

/* ---- counts that have to agree ---------------------------------------------------------------------------------- */

static enum pr_status check_count(const struct settle *s, enum pr_digest_array array, const char *name, size_t count)
{
    return count_of(s, array) == count ? PR_OK : wrong(s, name, "it has not as many values as it should");
}

static enum pr_status check_facts(const struct settle *s)
{
    const struct pr_digest_run *run = &s->rows->run;
    const size_t facts = count_of(s, PR_DIGEST_FACT_LEAF);
    if (facts > UINT32_MAX - 1)
        return wrong(s, "fact.leaf", "there are too many");
    if (check_count(s, PR_DIGEST_FACT_THREAD, "fact.thread", facts) == PR_FAILED ||
        check_count(s, PR_DIGEST_FACT_HYBRID, "fact.hybrid", run->has_hybrid ? facts : 0) == PR_FAILED)
        return PR_FAILED;
    return check_count(s, PR_DIGEST_FACT_ALLOCATOR, "fact.allocator", run->has_allocators ? facts : 0);
}

static enum pr_status check_limit(const struct settle *s, const char *what, uint64_t count, uint64_t limit)
{
    if (count <= limit)
        return PR_OK;
    return pr_fail(s->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "%" PRIu64 " %s, more than the limit of %" PRIu64, count,
                   what, limit);
}

static enum pr_status check_limits(const struct settle *s)
{
    const struct pr_limits *limits = &s->options->limits;
    if (check_limit(s, "frames", count_of(s, PR_DIGEST_FRAMES), limits->max_frames) == PR_FAILED ||
        check_limit(s, "stacks", count_of(s, PR_DIGEST_NODE_PARENT), limits->max_nodes) == PR_FAILED)
        return PR_FAILED;
    return check_limit(s, "threads", count_of(s, PR_DIGEST_THREADS), limits->max_threads);
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static enum pr_status check_frames(const struct settle *s)
{
    struct pr_idset names = {.words = 1}, frames = {.words = 2};
    const struct pr_frame *frame = s->rows->rows[PR_DIGEST_FRAMES];
    enum pr_status status = PR_OK;
    for (uint32_t i = 0; i < count_of(s, PR_DIGEST_FRAMES) && status == PR_OK; i++) {
        const uint64_t name = pr_pair(frame[i].function, frame[i].file);
        const uint32_t name_id = pr_idset_add(&names, &name, 1);
        const uint64_t key[2] = {pr_pair(name_id, (uint32_t)frame[i].line),
                                 pr_pair((uint32_t)frame[i].definition_line, frame[i].kind)};
        const uint32_t id = name_id == PR_NO_ID ? PR_NO_ID : pr_idset_add(&frames, key, 2);
        if (id == PR_NO_ID)
            status = pr_fail_memory(s->err);
        else if (id != i)
            status = wrong(s, "frames", "one is there twice");
    }
    pr_idset_clear(&names);
    pr_idset_clear(&frames);
    return status;
}

/* Parents come first, no two children of a node have the same frame, no stack is too deep. */
static enum pr_status check_nodes(const struct settle *s, uint32_t count, uint32_t *depth, struct pr_idset *nodes)
{
    const pr_node_id *parent = s->rows->rows[PR_DIGEST_NODE_PARENT];
    const pr_frame_id *frame = s->rows->rows[PR_DIGEST_NODE_FRAME];
    const uint64_t most = s->options->limits.max_depth;
    for (uint32_t node = 1; node < count; node++) {
        if (parent[node] >= node)
            return wrong(s, "node.parent", "a node comes before its parent");
        if (frame[node] >= count_of(s, PR_DIGEST_FRAMES))
            return wrong(s, "node.frame", "a number is out of range");
        depth[node] = depth[parent[node]] + 1;
        if (depth[node] / 2 > most) /* Python frames, and native ones between them */
            return pr_fail(s->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "a stack has more frames than the limit allows");
        const uint64_t key = pr_pair(parent[node], frame[node]);
        const uint32_t known = nodes->count, id = pr_idset_add(nodes, &key, 1);
        if (id == PR_NO_ID)
            return pr_fail_memory(s->err);
        if (id != known)
            return wrong(s, "node.frame", "a stack is there twice");
    }
    return PR_OK;
}

static enum pr_status check_tree(const struct settle *s)
{
    const size_t count = count_of(s, PR_DIGEST_NODE_PARENT);
    if (!count || count > UINT32_MAX - 1)
        return wrong(s, "node.parent", "there is no tree");
    if (check_count(s, PR_DIGEST_NODE_FRAME, "node.frame", count) == PR_FAILED || check_frames(s) == PR_FAILED)
        return PR_FAILED;
    if (((const pr_node_id *)s->rows->rows[PR_DIGEST_NODE_PARENT])[PR_ROOT] != PR_ROOT)
        return wrong(s, "node.parent", "the root has a parent");
    struct pr_idset nodes = {.words = 1};
    uint32_t *depth = calloc(count, sizeof *depth);
    const enum pr_status status = depth ? check_nodes(s, (uint32_t)count, depth, &nodes) : pr_fail_memory(s->err);
    free(depth);
    pr_idset_clear(&nodes);
    return status;
}

static void take_tree(const struct settle *s)
{
    const struct pr_digest_rows *rows = s->rows;
    struct pr_profile *profile = s->profile;
    profile->processes = rows->rows[PR_DIGEST_PROCESSES];
    profile->process_count = (uint32_t)count_of(s, PR_DIGEST_PROCESSES);
    profile->threads = rows->rows[PR_DIGEST_THREADS];
    profile->thread_count = (uint32_t)count_of(s, PR_DIGEST_THREADS);
    profile->frames = rows->rows[PR_DIGEST_FRAMES];
    profile->frame_count = (uint32_t)count_of(s, PR_DIGEST_FRAMES);
    profile->tree = (struct pr_tree){(uint32_t)count_of(s, PR_DIGEST_NODE_PARENT), rows->rows[PR_DIGEST_NODE_PARENT],
                                     rows->rows[PR_DIGEST_NODE_FRAME]};
    profile->fact_count = count_of(s, PR_DIGEST_FACT_LEAF);
    profile->fact_leaf = rows->rows[PR_DIGEST_FACT_LEAF];
    profile->fact_thread = rows->rows[PR_DIGEST_FACT_THREAD];
    profile->fact_hybrid = rows->rows[PR_DIGEST_FACT_HYBRID];
    profile->fact_allocator = rows->rows[PR_DIGEST_FACT_ALLOCATOR];
}

/* In a profile without facts, columns of facts that it has are not NULL. */
static void take_empty_columns(const struct settle *s)
{
    static const pr_node_id none[1];
    static const uint8_t no_allocator[1];
    struct pr_profile *profile = s->profile;
    if (profile->fact_count)
        return;
    profile->fact_leaf = none;
    profile->fact_thread = none;
    profile->fact_hybrid = s->rows->run.has_hybrid ? none : NULL;
    profile->fact_allocator = s->rows->run.has_allocators ? no_allocator : NULL;
}

/* ---- metrics, series -------------------------------------------------------------------------------------------- */

static int64_t sum_of(const int64_t *values, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = pr_add_saturated(sum, values[i]);
    return sum;
}

static bool has_counts(const struct pr_digest_metric *metric)
{
    return metric->count_name && *metric->count_name;
}

/* Several inputs of different kinds: each metric is that of one of them. */
static enum pr_status take_inputs(const struct settle *s)
{
    struct pr_part *input = s->rows->rows[PR_DIGEST_INPUTS];
    const struct pr_digest_metric *metric = s->rows->rows[PR_DIGEST_METRICS];
    const size_t count = count_of(s, PR_DIGEST_INPUTS);
    for (size_t i = 0; i < count; i++) {
        if (!input[i].format || !input[i].format_title)
            return wrong(s, "input.format", "an input has no format");
        if (input[i].compression && !*input[i].compression)
            input[i].compression = NULL;
    }
    for (size_t i = 0; i < count_of(s, PR_DIGEST_METRICS); i++) {
        if (metric[i].part >= (count ? count : 1))
            return wrong(s, "metric.input", "a number is out of range");
    }
    s->profile->parts = input;
    s->profile->part_count = (uint32_t)count;
    return PR_OK;
}

static enum pr_status check_metrics(const struct settle *s)
{
    const struct pr_digest_metric *metric = s->rows->rows[PR_DIGEST_METRICS];
    const size_t count = count_of(s, PR_DIGEST_METRICS), facts = s->profile->fact_count;
    size_t with_counts = 0, with_exact = 0, values, counts, exact;
    for (size_t i = 0; i < count; i++) {
        if (!metric[i].name || !metric[i].title)
            return wrong(s, "metric.name", "a metric has no name");
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(metric[k].name, metric[i].name))
                return wrong(s, "metric.name", "a metric is there twice");
        }
        with_counts += has_counts(&metric[i]);
        with_exact += metric[i].has_exact;
    }
    if (!pr_mul_size(count, facts, &values) || !pr_mul_size(with_counts, facts, &counts) ||
        !pr_mul_size(with_exact, count_of(s, PR_DIGEST_EXACT_FRAME), &exact))
        return wrong(s, "metric.name", "there are too many");
    if (check_count(s, PR_DIGEST_VALUES, "metric.value", values) == PR_FAILED ||
        check_count(s, PR_DIGEST_COUNTS, "metric.count", counts) == PR_FAILED)
        return PR_FAILED;
    return check_count(s, PR_DIGEST_EXACT, "exact.self", exact);
}

/* Allocations are never below 0; differences of samples may be. */
static enum pr_status check_signs(const struct settle *s)
{
    static const enum pr_digest_array arrays[] = {PR_DIGEST_VALUES, PR_DIGEST_COUNTS};
    for (int k = 0; k < 2 && s->rows->run.has_allocators; k++) {
        const int64_t *value = s->rows->rows[arrays[k]];
        for (size_t i = 0; i < count_of(s, arrays[k]); i++) {
            if (value[i] < 0)
                return wrong(s, "metric.value", "a number is out of range");
        }
    }
    return PR_OK;
}

/* The functions for which metrics have exact figures, thread by thread. */
static enum pr_status take_exact(const struct settle *s)
{
    const uint32_t *thread = s->rows->rows[PR_DIGEST_EXACT_THREAD];
    const size_t count = count_of(s, PR_DIGEST_EXACT_FRAME);
    if (check_count(s, PR_DIGEST_EXACT_THREAD, "exact.thread", count) == PR_FAILED)
        return PR_FAILED;
    for (size_t i = 1; i < count; i++) {
        if (thread[i] < thread[i - 1])
            return wrong(s, "exact.thread", "threads are not in order");
    }
    s->profile->tree_estimated = s->rows->run.tree_estimated;
    s->profile->exact_count = count;
    s->profile->exact_frame = s->rows->rows[PR_DIGEST_EXACT_FRAME];
    s->profile->exact_thread = thread;
    return PR_OK;
}

/* The COUNT values at *NEXT, which moves on; a column without values is not NULL. */
static const int64_t *take_values(const int64_t **next, size_t count)
{
    static const int64_t none[1];
    const int64_t *values = *next;
    if (!count)
        return none;
    *next += count;
    return values;
}

static enum pr_status take_metrics(const struct settle *s)
{
    static const struct pr_exact none[1];
    const struct pr_digest_metric *row = s->rows->rows[PR_DIGEST_METRICS];
    const int64_t *value = s->rows->rows[PR_DIGEST_VALUES], *counted = s->rows->rows[PR_DIGEST_COUNTS];
    const struct pr_exact *exact = s->rows->rows[PR_DIGEST_EXACT];
    const size_t count = count_of(s, PR_DIGEST_METRICS), facts = s->profile->fact_count;
    if (take_exact(s) == PR_FAILED || take_inputs(s) == PR_FAILED || check_metrics(s) == PR_FAILED ||
        check_signs(s) == PR_FAILED)
        return PR_FAILED;
    struct pr_metric *metrics = pr_arena_array(&s->profile->arena, count, sizeof *metrics);
    if (!metrics)
        return pr_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        struct pr_metric *metric = &metrics[i];
        *metric = (struct pr_metric){.name = row[i].name,
                                     .title = row[i].title,
                                     .unit = (enum pr_unit)row[i].unit,
                                     .decimals = row[i].decimals,
                                     .part = row[i].part,
                                     .value = take_values(&value, facts)};
        metric->total_value = sum_of(metric->value, facts);
        if (has_counts(&row[i])) {
            metric->count_name = row[i].count_name;
            metric->count = take_values(&counted, facts);
            metric->total_count = sum_of(metric->count, facts);
        }
        if (row[i].has_exact)
            metric->exact = exact ? exact : none;
        if (row[i].has_exact && exact)
            exact += s->profile->exact_count;
    }
    s->profile->metrics = metrics;
    s->profile->metric_count = (uint32_t)count;
    return PR_OK;
}

/* ARRAY + INDEX, or NULL for a missing array, whose INDEX is 0. */
static const int64_t *part_from(const int64_t *array, size_t index)
{
    return index ? array + index : array;
}

static enum pr_status take_series(const struct settle *s)
{
    const struct pr_digest_series *row = s->rows->rows[PR_DIGEST_SERIES];
    const int64_t *at_ms = s->rows->rows[PR_DIGEST_TIMES], *value = s->rows->rows[PR_DIGEST_POINTS];
    const size_t count = count_of(s, PR_DIGEST_SERIES);
    size_t times = 0, points = 0;
    struct pr_series *series = pr_arena_array(&s->profile->arena, count, sizeof *series);
    if (!series)
        return pr_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        const size_t own = row[i].clock == i ? (size_t)row[i].count : 0;
        if (!row[i].name || !row[i].title || row[i].clock > i)
            return wrong(s, "series.name", "a series has no name, or no times");
        if (own > count_of(s, PR_DIGEST_TIMES) - times || row[i].count > count_of(s, PR_DIGEST_POINTS) - points ||
            row[i].count != row[row[i].clock].count || row[row[i].clock].clock != row[i].clock)
            return wrong(s, "series.points", "it has not as many values as it should");
        series[i] = (struct pr_series){row[i].name,
                                       row[i].title,
                                       (enum pr_unit)row[i].unit,
                                       (size_t)row[i].count,
                                       row[i].clock == i ? part_from(at_ms, times) : series[row[i].clock].at_ms,
                                       part_from(value, points)};
        times += own;
        points += (size_t)row[i].count;
    }
    s->profile->series = series;
    s->profile->series_count = (uint32_t)count;
    if (check_count(s, PR_DIGEST_TIMES, "series.at_ms", times) == PR_FAILED)
        return PR_FAILED;
    return check_count(s, PR_DIGEST_POINTS, "series.value", points);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* FIRST goes from 0 to COUNT, never back. */
static enum pr_status check_ranges(const struct settle *s, enum pr_digest_array array, const char *name, size_t count)
{
    const size_t *first = s->rows->rows[array], facts = s->profile->fact_count;
    if (check_count(s, array, name, facts + 1) == PR_FAILED)
        return PR_FAILED;
    if (first[0] || first[facts] != count)
        return wrong(s, name, "it does not cover all");
    for (size_t i = 0; i < facts; i++) {
        if (first[i] > first[i + 1])
            return wrong(s, name, "it goes back");
    }
    return PR_OK;
}

static enum pr_status check_bins(const struct settle *s)
{
    const struct pr_bin *bin = s->rows->rows[PR_DIGEST_BINS];
    const size_t count = count_of(s, PR_DIGEST_BINS);
    if (count > PR_LIFETIME_NEVER)
        return wrong(s, "bin.end_ms", "there are too many");
    for (size_t i = 0; i < count; i++) {
        if (i && bin[i].end_ms < bin[i - 1].end_ms)
            return wrong(s, "bin.end_ms", "time goes back");
        if (bin[i].peak_bytes > s->rows->run.peak_bytes)
            return wrong(s, "bin.peak_bytes", "one is higher than the highest");
    }
    return s->rows->run.peak_bin < count ? PR_OK : wrong(s, "peak_bin", "a number is out of range");
}

/* By bin, each at most once per fact. */
static enum pr_status check_steps(const struct settle *s)
{
    const size_t *first = s->rows->rows[PR_DIGEST_FIRST_STEP];
    const struct pr_step *step = s->rows->rows[PR_DIGEST_STEPS];
    for (size_t fact = 0; fact < s->profile->fact_count; fact++) {
        for (size_t i = first[fact] + 1; i < first[fact + 1]; i++) {
            if (step[i].bin <= step[i - 1].bin)
                return wrong(s, "step.bin", "steps are not in order");
        }
    }
    return PR_OK;
}

static bool is_before(const struct pr_lifetime *a, const struct pr_lifetime *b)
{
    return a->from < b->from || (a->from == b->from && a->to < b->to);
}

/* By `from`, then `to`, each at most once per fact; no sum of their counts overflows. */
static enum pr_status check_moves(const struct settle *s)
{
    const size_t *first = s->rows->rows[PR_DIGEST_FIRST_MOVE];
    const struct pr_lifetime *move = s->rows->rows[PR_DIGEST_MOVES];
    const size_t bins = count_of(s, PR_DIGEST_BINS);
    int64_t sum = 0;
    for (size_t fact = 0; fact < s->profile->fact_count; fact++) {
        for (size_t i = first[fact]; i < first[fact + 1]; i++) {
            if (move[i].to <= move[i].from || (move[i].to >= bins && move[i].to != PR_NEVER))
                return wrong(s, "move.to", "a number is out of range");
            if (i > first[fact] && !is_before(&move[i - 1], &move[i]))
                return wrong(s, "move.from", "moves are not in order");
            sum = pr_add_saturated(sum, move[i].count);
        }
    }
    return sum < INT64_MAX ? PR_OK : wrong(s, "move.count", "a number is out of range");
}

/* By thread, then start. */
static enum pr_status take_slices(const struct settle *s)
{
    const struct pr_slice *slice = s->rows->rows[PR_DIGEST_SLICES];
    const uint32_t *thread = s->profile->fact_thread;
    const size_t count = count_of(s, PR_DIGEST_SLICES);
    for (size_t i = 0; i < count; i++) {
        if (slice[i].duration_ns > INT64_MAX - slice[i].start_ns)
            return wrong(s, "stretch.duration_ns", "a number is out of range");
        if (i && (thread[slice[i].fact] < thread[slice[i - 1].fact] ||
                  (thread[slice[i].fact] == thread[slice[i - 1].fact] && slice[i].start_ns < slice[i - 1].start_ns)))
            return wrong(s, "stretch.start_ns", "stretches are not in order");
    }
    s->profile->slice_count = count;
    s->profile->slices = slice;
    s->profile->slice_resolution_ns = s->rows->run.slice_resolution_ns;
    return PR_OK;
}

static enum pr_status take_time(const struct settle *s)
{
    const struct pr_digest_rows *rows = s->rows;
    struct pr_profile *profile = s->profile;
    if (take_slices(s) == PR_FAILED)
        return PR_FAILED;
    if (!count_of(s, PR_DIGEST_BINS))
        return count_of(s, PR_DIGEST_STEPS) || count_of(s, PR_DIGEST_MOVES) ? wrong(s, "bin.end_ms", "there is none")
                                                                            : PR_OK;
    if (check_bins(s) == PR_FAILED ||
        check_ranges(s, PR_DIGEST_FIRST_STEP, "fact.first_step", count_of(s, PR_DIGEST_STEPS)) == PR_FAILED ||
        check_ranges(s, PR_DIGEST_FIRST_MOVE, "fact.first_move", count_of(s, PR_DIGEST_MOVES)) == PR_FAILED ||
        check_steps(s) == PR_FAILED || check_moves(s) == PR_FAILED)
        return PR_FAILED;
    profile->bins = rows->rows[PR_DIGEST_BINS];
    profile->bin_count = (uint32_t)count_of(s, PR_DIGEST_BINS);
    profile->fact_first_step = rows->rows[PR_DIGEST_FIRST_STEP];
    profile->steps = rows->rows[PR_DIGEST_STEPS];
    profile->fact_first_lifetime = rows->rows[PR_DIGEST_FIRST_MOVE];
    profile->moves = rows->rows[PR_DIGEST_MOVES];
    return PR_OK;
}

/* ---- what exists once ------------------------------------------------------------------------------------------- */

/* Copies the rows of ARRAY, of which there are at most MOST, and returns how many; UINT32_MAX: there are more. */
static uint32_t take_few(const struct settle *s, enum pr_digest_array array, void *to, size_t most)
{
    const size_t count = count_of(s, array);
    if (count > most)
        return UINT32_MAX;
    if (count)
        memcpy(to, s->rows->rows[array], count * pr_digest_row_bytes[array]);
    return (uint32_t)count;
}

static enum pr_status check_sizes(const struct settle *s)
{
    const struct pr_size_count *size = s->rows->rows[PR_DIGEST_SIZES];
    for (size_t i = 1; i < count_of(s, PR_DIGEST_SIZES); i++) {
        if (size[i].bytes <= size[i - 1].bytes)
            return wrong(s, "stats.size.bytes", "sizes are not in order");
    }
    return PR_OK;
}

static enum pr_status take_stats(const struct settle *s)
{
    const struct pr_digest_run *run = &s->rows->run;
    struct pr_alloc_stats *stats = &s->profile->stats;
    if (!run->has_stats)
        return PR_OK;
    stats->known = true;
    stats->allocation_count = run->allocation_count;
    stats->allocated_bytes = run->allocated_bytes;
    stats->sizes = s->rows->rows[PR_DIGEST_SIZES];
    stats->size_count = count_of(s, PR_DIGEST_SIZES);
    const uint32_t allocators = take_few(s, PR_DIGEST_ALLOCATORS, stats->count_by_allocator, PR_ALLOC_COUNT);
    stats->histogram_count = take_few(s, PR_DIGEST_HISTOGRAM, stats->histogram, PR_HISTOGRAM_BINS);
    stats->by_size_count = take_few(s, PR_DIGEST_PLACES_BY_SIZE, stats->by_size, PR_TOP_COUNT);
    stats->by_count_count = take_few(s, PR_DIGEST_PLACES_BY_COUNT, stats->by_count, PR_TOP_COUNT);
    stats->modules_by_size_count = take_few(s, PR_DIGEST_MODULES_BY_SIZE, stats->modules_by_size, PR_TOP_COUNT);
    stats->modules_by_count_count = take_few(s, PR_DIGEST_MODULES_BY_COUNT, stats->modules_by_count, PR_TOP_COUNT);
    if (allocators == UINT32_MAX || stats->histogram_count == UINT32_MAX || stats->by_size_count == UINT32_MAX ||
        stats->by_count_count == UINT32_MAX || stats->modules_by_size_count == UINT32_MAX ||
        stats->modules_by_count_count == UINT32_MAX)
        return wrong(s, "stats", "there are too many");
    return check_sizes(s);
}

/* The exceptions with their frames, which are in one list; conclusions from the facts are drawn again. */
static enum pr_status take_failure(const struct settle *s)
{
    const struct pr_digest_exception *row = s->rows->rows[PR_DIGEST_EXCEPTIONS];
    const struct pr_trace_frame *frames = s->rows->rows[PR_DIGEST_TRACE_FRAMES];
    const size_t count = count_of(s, PR_DIGEST_EXCEPTIONS);
    struct pr_failure *failure = &s->profile->run.failure;
    size_t left = count_of(s, PR_DIGEST_TRACE_FRAMES);
    if (count > UINT32_MAX || failure->final_exception >= (count ? count : 1))
        return wrong(s, "failure.final_exception", "a number is out of range");
    struct pr_exception *exceptions = pr_arena_array(&s->profile->arena, count, sizeof *exceptions);
    if (!exceptions)
        return pr_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        if (row[i].frame_count > left)
            return wrong(s, "exception.frames", "it has not as many values as it should");
        exceptions[i] = (struct pr_exception){.type = row[i].type,
                                              .message = row[i].message,
                                              .link = (enum pr_exception_link)row[i].link,
                                              .depth = row[i].depth,
                                              .frame_count = row[i].frame_count,
                                              .frames = frames};
        frames = row[i].frame_count ? frames + row[i].frame_count : frames;
        left -= row[i].frame_count;
    }
    if (left)
        return wrong(s, "exception.frames", "it has not as many values as it should");
    failure->exception_count = (uint32_t)count;
    failure->exceptions = exceptions;
    pr_failure_settle(failure);
    return PR_OK;
}

static void take_run(const struct settle *s)
{
    const struct pr_digest_run *run = &s->rows->run;
    struct pr_profile *profile = s->profile;
    const char *format = profile->meta.format, *title = profile->meta.format_title;
    profile->meta = run->meta;
    if (!run->meta.format || !run->meta.format_title) {
        profile->meta.format = format;
        profile->meta.format_title = title;
    }
    if (!profile->meta.python_allocator)
        profile->meta.python_allocator = "";
    profile->meta.site_packages = s->rows->rows[PR_DIGEST_SITE_PACKAGES];
    profile->meta.site_packages_count = (uint32_t)count_of(s, PR_DIGEST_SITE_PACKAGES);
    profile->meta.sys_path = s->rows->rows[PR_DIGEST_SYS_PATH];
    profile->meta.sys_path_count = (uint32_t)count_of(s, PR_DIGEST_SYS_PATH);
    profile->notes = (const char *const *)s->rows->rows[PR_DIGEST_NOTES];
    profile->note_count = (uint32_t)count_of(s, PR_DIGEST_NOTES);
    profile->origin = run->origin;
    profile->records = run->records;
    profile->damage = run->damage;
    profile->run = run->run;
    profile->peak_bytes = run->peak_bytes;
    profile->peak_at_ms = run->peak_at_ms;
    profile->peak_bin = run->peak_bin;
}

/* ---- the options it was made with ------------------------------------------------------------------------------- */

static const char *bins_text(uint32_t bins, char text[16])
{
    snprintf(text, 16, "%" PRIu32, bins);
    return bins == PR_BINS_AUTO ? "auto" : bins ? text : "samples";
}

/* True if a load with at most MAX_BINS would have given the same bins. */
static bool is_same_bins(const struct pr_profile *profile, uint32_t max_bins)
{
    const uint32_t made = profile->origin.max_bins, count = profile->bin_count;
    if (max_bins == made)
        return true;
    if (!max_bins || !made || max_bins < count)
        return false;
    const bool is_finest = count > profile->records.samples; /* one for each sample, and one after the last */
    return is_finest || max_bins < 2 * (uint64_t)count - 1; /* with half the width, that many or one more */
}

/* Bins can be merged, but not split. */
static enum pr_status choose_bins(const struct settle *s)
{
    const uint32_t max_bins = s->options->max_bins;
    char had[16], number[16];
    if (!(s->options->insist & PR_INSIST_MAX_BINS) || !s->profile->bin_count || is_same_bins(s->profile, max_bins))
        return PR_OK;
    if (max_bins && s->profile->origin.max_bins && max_bins < s->profile->bin_count)
        return pr_profile_coarsen(s->profile, max_bins, s->err);
    const char *want = bins_text(max_bins, number);
    return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                   "the digest was made with --bins %s and cannot answer for %s; make "
                   "another: profrender digest --bins %s",
                   bins_text(s->profile->origin.max_bins, had), want, want);
}

/* Names that replaced addresses in a profile of another tool cannot be undone: the offsets are gone. */
static enum pr_status leave_names_out(struct pr_profile *profile, struct pr_error *err)
{
    struct pr_meta *meta = &profile->meta;
    if (meta->native_files > meta->native_files_unnamed)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "the digest has functions in the place of addresses; make one with --native off");
    meta->native_files = meta->native_files_unnamed = 0;
    meta->native_unnamed_file = 0;
    return PR_OK;
}

/* Native stacks can be left out, but missing names can no longer be found. */
static enum pr_status choose_native(const struct settle *s)
{
    struct pr_profile *profile = s->profile;
    const struct pr_meta *meta = &profile->meta;
    const enum pr_native_use wanted = s->options->native;
    if ((wanted == PR_NATIVE_OFF || wanted == PR_NATIVE_OFFSETS) && profile->fact_hybrid) {
        profile->origin.native = wanted;
        return pr_profile_drop_native(profile, s->err);
    }
    if (wanted == PR_NATIVE_OFFSETS)
        return leave_names_out(profile, s->err);
    if (wanted != PR_NATIVE_REQUIRE)
        return PR_OK;
    if (!profile->fact_hybrid && pr_profile_has_allocations(profile))
        return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "the digest has no native frames");
    if (!meta->native_files_unnamed)
        return PR_OK; /* most profiles of other tools came with their names */
    return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                   "the digest has no names for native frames from %" PRIu32 " of %" PRIu32 " files",
                   meta->native_files_unnamed, meta->native_files);
}

/* Only what would change the result is refused: without temporaries it does not matter what temporary means. */
static enum pr_status check_options(const struct settle *s)
{
    const struct pr_load_options *options = s->options;
    if (options->insist & PR_INSIST_TEMPORARY_THRESHOLD && pr_profile_metric(s->profile, "temporary") >= 0 &&
        options->temporary_threshold != s->profile->origin.temporary_threshold)
        return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "made with --temporary-threshold %" PRIu32 " and cannot answer for %" PRIu32
                       "; make another, with profrender digest --temporary-threshold %" PRIu32,
                       s->profile->origin.temporary_threshold, options->temporary_threshold,
                       options->temporary_threshold);
    return choose_bins(s) == PR_FAILED ? PR_FAILED : choose_native(s);
}

enum pr_status pr_digest_to_profile(const struct pr_digest_rows *rows, const struct pr_load_options *options,
                                    struct pr_profile *profile, struct pr_error *err)
{
    const struct settle s = {rows, options, profile, err};
    if (check_limits(&s) == PR_FAILED || check_columns(&s) == PR_FAILED || check_tree(&s) == PR_FAILED ||
        check_facts(&s) == PR_FAILED)
        return PR_FAILED;
    take_run(&s);
    take_tree(&s);
    take_empty_columns(&s);
    if (take_metrics(&s) == PR_FAILED || take_series(&s) == PR_FAILED || take_time(&s) == PR_FAILED ||
        take_stats(&s) == PR_FAILED || take_failure(&s) == PR_FAILED)
        return PR_FAILED;
    return check_options(&s);
}
