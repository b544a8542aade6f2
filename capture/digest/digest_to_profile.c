/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: what was read becomes the profile, array by array. */
#include "capture/digest/digest_settle.h"

#include "capture/base/checked.h"
#include "capture/heap/time_bins.h"
#include "capture/heap/lifetimes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static void take_tree(const struct pr_settle *s)
{
    const struct pr_digest_rows *rows = s->rows;
    struct pr_profile *profile = s->profile;
    profile->processes = rows->rows[PR_DIGEST_PROCESSES];
    profile->process_count = (uint32_t)pr_settle_count(s, PR_DIGEST_PROCESSES);
    profile->threads = rows->rows[PR_DIGEST_THREADS];
    profile->thread_count = (uint32_t)pr_settle_count(s, PR_DIGEST_THREADS);
    profile->frames = rows->rows[PR_DIGEST_FRAMES];
    profile->frame_count = (uint32_t)pr_settle_count(s, PR_DIGEST_FRAMES);
    profile->tree = (struct pr_tree){(uint32_t)pr_settle_count(s, PR_DIGEST_NODE_PARENT),
                                     rows->rows[PR_DIGEST_NODE_PARENT], rows->rows[PR_DIGEST_NODE_FRAME]};
    profile->fact_count = pr_settle_count(s, PR_DIGEST_FACT_LEAF);
    profile->fact_leaf = rows->rows[PR_DIGEST_FACT_LEAF];
    profile->fact_thread = rows->rows[PR_DIGEST_FACT_THREAD];
    profile->fact_hybrid = rows->rows[PR_DIGEST_FACT_HYBRID];
    profile->fact_allocator = rows->rows[PR_DIGEST_FACT_ALLOCATOR];
}

/* In a profile without facts, columns of facts that it has are not NULL. */
static void take_empty_columns(const struct pr_settle *s)
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
static enum pr_status take_inputs(const struct pr_settle *s)
{
    struct pr_part *input = s->rows->rows[PR_DIGEST_INPUTS];
    const struct pr_digest_metric *metric = s->rows->rows[PR_DIGEST_METRICS];
    const size_t count = pr_settle_count(s, PR_DIGEST_INPUTS);
    for (size_t i = 0; i < count; i++) {
        if (!input[i].format || !input[i].format_title)
            return pr_settle_wrong(s, "input.format", "an input has no format");
        if (input[i].compression && !*input[i].compression)
            input[i].compression = NULL;
    }
    for (size_t i = 0; i < pr_settle_count(s, PR_DIGEST_METRICS); i++) {
        if (metric[i].part >= (count ? count : 1))
            return pr_settle_wrong(s, "metric.input", "a number is out of range");
    }
    s->profile->parts = input;
    s->profile->part_count = (uint32_t)count;
    return PR_OK;
}

static enum pr_status check_metrics(const struct pr_settle *s)
{
    const struct pr_digest_metric *metric = s->rows->rows[PR_DIGEST_METRICS];
    const size_t count = pr_settle_count(s, PR_DIGEST_METRICS), facts = s->profile->fact_count;
    size_t with_counts = 0, with_exact = 0, values, counts, exact;
    for (size_t i = 0; i < count; i++) {
        if (!metric[i].name || !metric[i].title)
            return pr_settle_wrong(s, "metric.name", "a metric has no name");
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(metric[k].name, metric[i].name))
                return pr_settle_wrong(s, "metric.name", "a metric occurs twice");
        }
        with_counts += has_counts(&metric[i]);
        with_exact += metric[i].has_exact;
    }
    if (!pr_mul_size(count, facts, &values) || !pr_mul_size(with_counts, facts, &counts) ||
        !pr_mul_size(with_exact, pr_settle_count(s, PR_DIGEST_EXACT_FRAME), &exact))
        return pr_settle_wrong(s, "metric.name", "there are too many");
    if (pr_settle_check_count(s, PR_DIGEST_VALUES, "metric.value", values) == PR_FAILED ||
        pr_settle_check_count(s, PR_DIGEST_COUNTS, "metric.count", counts) == PR_FAILED)
        return PR_FAILED;
    return pr_settle_check_count(s, PR_DIGEST_EXACT, "exact.self", exact);
}

/* Allocations are never below 0; differences of samples may be. */
static enum pr_status check_signs(const struct pr_settle *s)
{
    static const enum pr_digest_array arrays[] = {PR_DIGEST_VALUES, PR_DIGEST_COUNTS};
    for (int k = 0; k < 2 && s->rows->run.has_allocators; k++) {
        const int64_t *value = s->rows->rows[arrays[k]];
        for (size_t i = 0; i < pr_settle_count(s, arrays[k]); i++) {
            if (value[i] < 0)
                return pr_settle_wrong(s, "metric.value", "a number is out of range");
        }
    }
    return PR_OK;
}

/* The functions for which metrics have exact figures, thread by thread. */
static enum pr_status take_exact(const struct pr_settle *s)
{
    const uint32_t *thread = s->rows->rows[PR_DIGEST_EXACT_THREAD];
    const size_t count = pr_settle_count(s, PR_DIGEST_EXACT_FRAME);
    if (pr_settle_check_count(s, PR_DIGEST_EXACT_THREAD, "exact.thread", count) == PR_FAILED)
        return PR_FAILED;
    for (size_t i = 1; i < count; i++) {
        if (thread[i] < thread[i - 1])
            return pr_settle_wrong(s, "exact.thread", "threads are not in order");
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

static enum pr_status take_metrics(const struct pr_settle *s)
{
    static const struct pr_exact none[1];
    const struct pr_digest_metric *row = s->rows->rows[PR_DIGEST_METRICS];
    const int64_t *value = s->rows->rows[PR_DIGEST_VALUES], *counted = s->rows->rows[PR_DIGEST_COUNTS];
    const struct pr_exact *exact = s->rows->rows[PR_DIGEST_EXACT];
    const size_t count = pr_settle_count(s, PR_DIGEST_METRICS), facts = s->profile->fact_count;
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

static enum pr_status take_series(const struct pr_settle *s)
{
    const struct pr_digest_series *row = s->rows->rows[PR_DIGEST_SERIES];
    const int64_t *at_ms = s->rows->rows[PR_DIGEST_TIMES], *value = s->rows->rows[PR_DIGEST_POINTS];
    const size_t count = pr_settle_count(s, PR_DIGEST_SERIES);
    size_t times = 0, points = 0;
    struct pr_series *series = pr_arena_array(&s->profile->arena, count, sizeof *series);
    if (!series)
        return pr_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        const size_t own = row[i].clock == i ? (size_t)row[i].count : 0;
        if (!row[i].name || !row[i].title || row[i].clock > i)
            return pr_settle_wrong(s, "series.name", "a series has no name, or no times");
        if (own > pr_settle_count(s, PR_DIGEST_TIMES) - times ||
            row[i].count > pr_settle_count(s, PR_DIGEST_POINTS) - points || row[i].count != row[row[i].clock].count ||
            row[row[i].clock].clock != row[i].clock)
            return pr_settle_wrong(s, "series.points", "it has the wrong number of values");
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
    if (pr_settle_check_count(s, PR_DIGEST_TIMES, "series.at_ms", times) == PR_FAILED)
        return PR_FAILED;
    return pr_settle_check_count(s, PR_DIGEST_POINTS, "series.value", points);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* FIRST goes from 0 to COUNT, never back. */
static enum pr_status check_ranges(const struct pr_settle *s, enum pr_digest_array array, const char *name,
                                   size_t count)
{
    const size_t *first = s->rows->rows[array], facts = s->profile->fact_count;
    if (pr_settle_check_count(s, array, name, facts + 1) == PR_FAILED)
        return PR_FAILED;
    if (first[0] || first[facts] != count)
        return pr_settle_wrong(s, name, "it does not cover all");
    for (size_t i = 0; i < facts; i++) {
        if (first[i] > first[i + 1])
            return pr_settle_wrong(s, name, "it goes back");
    }
    return PR_OK;
}

static enum pr_status check_bins(const struct pr_settle *s)
{
    const struct pr_bin *bin = s->rows->rows[PR_DIGEST_BINS];
    const size_t count = pr_settle_count(s, PR_DIGEST_BINS);
    if (count > PR_LIFETIME_NEVER)
        return pr_settle_wrong(s, "bin.end_ms", "there are too many");
    for (size_t i = 0; i < count; i++) {
        if (i && bin[i].end_ms < bin[i - 1].end_ms)
            return pr_settle_wrong(s, "bin.end_ms", "time goes back");
        if (bin[i].peak_bytes > s->rows->run.peak_bytes)
            return pr_settle_wrong(s, "bin.peak_bytes", "one is higher than the highest");
    }
    return s->rows->run.peak_bin < count ? PR_OK : pr_settle_wrong(s, "peak_bin", "a number is out of range");
}

/* By bin, each at most once per fact. */
static enum pr_status check_steps(const struct pr_settle *s)
{
    const size_t *first = s->rows->rows[PR_DIGEST_FIRST_STEP];
    const struct pr_step *step = s->rows->rows[PR_DIGEST_STEPS];
    for (size_t fact = 0; fact < s->profile->fact_count; fact++) {
        for (size_t i = first[fact] + 1; i < first[fact + 1]; i++) {
            if (step[i].bin <= step[i - 1].bin)
                return pr_settle_wrong(s, "step.bin", "steps are not in order");
        }
    }
    return PR_OK;
}

static bool is_before(const struct pr_lifetime *a, const struct pr_lifetime *b)
{
    return a->from < b->from || (a->from == b->from && a->to < b->to);
}

/* By `from`, then `to`, each at most once per fact; no sum of their counts overflows. */
static enum pr_status check_moves(const struct pr_settle *s)
{
    const size_t *first = s->rows->rows[PR_DIGEST_FIRST_MOVE];
    const struct pr_lifetime *move = s->rows->rows[PR_DIGEST_MOVES];
    const size_t bins = pr_settle_count(s, PR_DIGEST_BINS);
    int64_t sum = 0;
    for (size_t fact = 0; fact < s->profile->fact_count; fact++) {
        for (size_t i = first[fact]; i < first[fact + 1]; i++) {
            if (move[i].to <= move[i].from || (move[i].to >= bins && move[i].to != PR_NEVER))
                return pr_settle_wrong(s, "move.to", "a number is out of range");
            if (i > first[fact] && !is_before(&move[i - 1], &move[i]))
                return pr_settle_wrong(s, "move.from", "moves are not in order");
            sum = pr_add_saturated(sum, move[i].count);
        }
    }
    return sum < INT64_MAX ? PR_OK : pr_settle_wrong(s, "move.count", "a number is out of range");
}

static bool are_in_order(const struct pr_slice *one, const struct pr_slice *next, const uint32_t *thread)
{
    if (one->layer != next->layer)
        return one->layer < next->layer;
    if (thread[one->fact] != thread[next->fact])
        return thread[one->fact] < thread[next->fact];
    return one->start_ns <= next->start_ns;
}

static enum pr_status take_slices(const struct pr_settle *s)
{
    const struct pr_slice *slice = s->rows->rows[PR_DIGEST_SLICES];
    const uint32_t *thread = s->profile->fact_thread;
    const size_t count = pr_settle_count(s, PR_DIGEST_SLICES);
    for (size_t i = 0; i < count; i++) {
        if (slice[i].duration_ns > INT64_MAX - slice[i].start_ns)
            return pr_settle_wrong(s, "stretch.duration_ns", "a number is out of range");
        if (i && !are_in_order(&slice[i - 1], &slice[i], thread))
            return pr_settle_wrong(s, "stretch.start_ns", "stretches are not in order");
    }
    s->profile->slice_count = count;
    s->profile->slices = slice;
    s->profile->slice_resolution_ns = s->rows->run.slice_resolution_ns;
    s->profile->slices_lack_clock = s->rows->run.slices_lack_clock;
    s->profile->slices_start_ms = s->rows->run.slices_start_ms;
    return PR_OK;
}

/* By time, then fact, each once. */
static enum pr_status take_moments(const struct pr_settle *s)
{
    const struct pr_moment *moment = s->rows->rows[PR_DIGEST_MOMENTS];
    const size_t count = pr_settle_count(s, PR_DIGEST_MOMENTS);
    for (size_t i = 0; i < count; i++) {
        if (!moment[i].bytes || moment[i].at_ns == INT64_MAX)
            return pr_settle_wrong(s, "moment.bytes", "a number is out of range");
        if (i && (moment[i].at_ns < moment[i - 1].at_ns ||
                  (moment[i].at_ns == moment[i - 1].at_ns && moment[i].fact <= moment[i - 1].fact)))
            return pr_settle_wrong(s, "moment.at_ns", "moments are not in order");
    }
    s->profile->moment_count = count;
    s->profile->moments = moment;
    s->profile->moment_resolution_ns = s->rows->run.moment_resolution_ns;
    return PR_OK;
}

static enum pr_status take_devices(const struct pr_settle *s)
{
    const struct pr_device *devices = s->rows->rows[PR_DIGEST_DEVICES];
    const size_t count = pr_settle_count(s, PR_DIGEST_DEVICES);
    for (size_t i = 0; i < count; i++) {
        if (devices[i].busy_ns > devices[i].span_ns || devices[i].starved_ns.value > devices[i].span_ns)
            return pr_settle_wrong(s, "device.busy_ns", "a number is out of range");
    }
    s->profile->device_count = (uint32_t)count;
    s->profile->devices = devices;
    s->profile->device_oom_count = (uint32_t)pr_settle_count(s, PR_DIGEST_DEVICE_OOMS);
    s->profile->device_ooms = s->rows->rows[PR_DIGEST_DEVICE_OOMS];
    return PR_OK;
}

static enum pr_status take_time(const struct pr_settle *s)
{
    const struct pr_digest_rows *rows = s->rows;
    struct pr_profile *profile = s->profile;
    if (take_slices(s) == PR_FAILED || take_moments(s) == PR_FAILED || take_devices(s) == PR_FAILED)
        return PR_FAILED;
    if (!pr_settle_count(s, PR_DIGEST_BINS))
        return pr_settle_count(s, PR_DIGEST_STEPS) || pr_settle_count(s, PR_DIGEST_MOVES)
                   ? pr_settle_wrong(s, "bin.end_ms", "there are no time bins")
                   : PR_OK;
    if (check_bins(s) == PR_FAILED ||
        check_ranges(s, PR_DIGEST_FIRST_STEP, "fact.first_step", pr_settle_count(s, PR_DIGEST_STEPS)) == PR_FAILED ||
        check_ranges(s, PR_DIGEST_FIRST_MOVE, "fact.first_move", pr_settle_count(s, PR_DIGEST_MOVES)) == PR_FAILED ||
        check_steps(s) == PR_FAILED || check_moves(s) == PR_FAILED)
        return PR_FAILED;
    profile->bins = rows->rows[PR_DIGEST_BINS];
    profile->bin_count = (uint32_t)pr_settle_count(s, PR_DIGEST_BINS);
    profile->fact_first_step = rows->rows[PR_DIGEST_FIRST_STEP];
    profile->steps = rows->rows[PR_DIGEST_STEPS];
    profile->fact_first_lifetime = rows->rows[PR_DIGEST_FIRST_MOVE];
    profile->moves = rows->rows[PR_DIGEST_MOVES];
    return PR_OK;
}

/* ---- what exists once ------------------------------------------------------------------------------------------- */

/* Copies the rows of ARRAY, of which there are at most MOST, and returns how many; UINT32_MAX: there are more. */
static uint32_t take_few(const struct pr_settle *s, enum pr_digest_array array, void *to, size_t most)
{
    const size_t count = pr_settle_count(s, array);
    if (count > most)
        return UINT32_MAX;
    if (count)
        memcpy(to, s->rows->rows[array], count * pr_digest_row_bytes[array]);
    return (uint32_t)count;
}

static enum pr_status check_sizes(const struct pr_settle *s)
{
    const struct pr_size_count *size = s->rows->rows[PR_DIGEST_SIZES];
    for (size_t i = 1; i < pr_settle_count(s, PR_DIGEST_SIZES); i++) {
        if (size[i].bytes <= size[i - 1].bytes)
            return pr_settle_wrong(s, "stats.size.bytes", "sizes are not in order");
    }
    return PR_OK;
}

static enum pr_status take_stats(const struct pr_settle *s)
{
    const struct pr_digest_run *run = &s->rows->run;
    struct pr_alloc_stats *stats = &s->profile->stats;
    if (!run->has_stats)
        return PR_OK;
    stats->known = true;
    stats->allocation_count = run->allocation_count;
    stats->allocated_bytes = run->allocated_bytes;
    stats->sizes = s->rows->rows[PR_DIGEST_SIZES];
    stats->size_count = pr_settle_count(s, PR_DIGEST_SIZES);
    const uint32_t allocators = take_few(s, PR_DIGEST_ALLOCATORS, stats->count_by_allocator, PR_ALLOC_COUNT);
    stats->histogram_count = take_few(s, PR_DIGEST_HISTOGRAM, stats->histogram, PR_HISTOGRAM_BINS);
    stats->by_size_count = take_few(s, PR_DIGEST_PLACES_BY_SIZE, stats->by_size, PR_TOP_COUNT);
    stats->by_count_count = take_few(s, PR_DIGEST_PLACES_BY_COUNT, stats->by_count, PR_TOP_COUNT);
    stats->modules_by_size_count = take_few(s, PR_DIGEST_MODULES_BY_SIZE, stats->modules_by_size, PR_TOP_COUNT);
    stats->modules_by_count_count = take_few(s, PR_DIGEST_MODULES_BY_COUNT, stats->modules_by_count, PR_TOP_COUNT);
    if (allocators == UINT32_MAX || stats->histogram_count == UINT32_MAX || stats->by_size_count == UINT32_MAX ||
        stats->by_count_count == UINT32_MAX || stats->modules_by_size_count == UINT32_MAX ||
        stats->modules_by_count_count == UINT32_MAX)
        return pr_settle_wrong(s, "stats", "there are too many");
    return check_sizes(s);
}

/* The exceptions with their frames, which are in one list; conclusions from the facts are drawn again. */
static enum pr_status take_failure(const struct pr_settle *s)
{
    const struct pr_digest_exception *row = s->rows->rows[PR_DIGEST_EXCEPTIONS];
    const struct pr_trace_frame *frames = s->rows->rows[PR_DIGEST_TRACE_FRAMES];
    const size_t count = pr_settle_count(s, PR_DIGEST_EXCEPTIONS);
    struct pr_failure *failure = &s->profile->run.failure;
    size_t left = pr_settle_count(s, PR_DIGEST_TRACE_FRAMES);
    if (count > UINT32_MAX || failure->final_exception >= (count ? count : 1))
        return pr_settle_wrong(s, "failure.final_exception", "a number is out of range");
    struct pr_exception *exceptions = pr_arena_array(&s->profile->arena, count, sizeof *exceptions);
    if (!exceptions)
        return pr_fail_memory(s->err);
    for (size_t i = 0; i < count; i++) {
        if (row[i].frame_count > left)
            return pr_settle_wrong(s, "exception.frames", "it has the wrong number of values");
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
        return pr_settle_wrong(s, "exception.frames", "it has the wrong number of values");
    failure->exception_count = (uint32_t)count;
    failure->exceptions = exceptions;
    pr_failure_settle(failure);
    return PR_OK;
}

static enum pr_status take_marks(const struct pr_settle *s)
{
    const struct pr_mark *marks = s->rows->rows[PR_DIGEST_MARKS];
    const size_t count = pr_settle_count(s, PR_DIGEST_MARKS);
    bool in_order = count <= PR_MARKS_MAX;
    for (size_t i = 1; in_order && i < count; i++)
        in_order = marks[i - 1].at_ms <= marks[i].at_ms;
    if (!in_order)
        return pr_settle_wrong(s, "mark.at_ms", "they are too many, or not in order");
    s->profile->run.marks = marks;
    s->profile->run.mark_count = (uint32_t)count;
    return PR_OK;
}

static void take_run(const struct pr_settle *s)
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
    profile->meta.site_packages_count = (uint32_t)pr_settle_count(s, PR_DIGEST_SITE_PACKAGES);
    profile->meta.sys_path = s->rows->rows[PR_DIGEST_SYS_PATH];
    profile->meta.sys_path_count = (uint32_t)pr_settle_count(s, PR_DIGEST_SYS_PATH);
    profile->notes = (const char *const *)s->rows->rows[PR_DIGEST_NOTES];
    profile->note_count = (uint32_t)pr_settle_count(s, PR_DIGEST_NOTES);
    profile->origin = run->origin;
    profile->records = run->records;
    profile->damage = run->damage;
    profile->run = run->run;
    profile->peak_bytes = run->peak_bytes;
    profile->peak_at_ms = run->peak_at_ms;
    profile->peak_bin = run->peak_bin;
}

enum pr_status pr_digest_to_profile(const struct pr_digest_rows *rows, const struct pr_load_options *options,
                                    struct pr_profile *profile, struct pr_error *err)
{
    const struct pr_settle s = {rows, options, profile, err};
    if (pr_settle_check(&s) == PR_FAILED)
        return PR_FAILED;
    take_run(&s);
    take_tree(&s);
    take_empty_columns(&s);
    if (take_metrics(&s) == PR_FAILED || take_series(&s) == PR_FAILED || take_time(&s) == PR_FAILED ||
        take_stats(&s) == PR_FAILED || take_failure(&s) == PR_FAILED || take_marks(&s) == PR_FAILED)
        return PR_FAILED;
    return pr_settle_options(&s);
}
