/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: look-ups in the steps and moves of a profile. */
#include "profrender/window.h"

#include "capture/base/checked.h"
#include "capture/model/run_times.h"

struct pr_window pr_window_all(const struct pr_profile *profile)
{
    return (struct pr_window){0, profile->bin_count ? profile->bin_count - 1 : 0};
}

bool pr_window_of_time(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms, struct pr_window *window)
{
    bool any = false;
    for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
        if (profile->bins[bin].end_ms <= from_ms && bin + 1 < profile->bin_count)
            continue;
        if (profile->bins[bin].start_ms >= to_ms && any)
            break;
        if (!any)
            window->first = bin;
        window->last = bin;
        any = true;
    }
    return any && from_ms <= to_ms;
}

uint32_t pr_window_highest(const struct pr_profile *profile, const struct pr_window *window)
{
    uint32_t highest = window->first;
    for (uint32_t bin = window->first; bin <= window->last; bin++) {
        if (profile->bins[bin].peak_bytes >= profile->bins[highest].peak_bytes)
            highest = bin;
    }
    return highest;
}

void pr_window_peak(const struct pr_profile *profile, const struct pr_window *window, int64_t *value, int64_t *count)
{
    uint32_t bin = pr_window_highest(profile, window);
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        value[fact] = count[fact] = 0;
        for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++) {
            if (profile->steps[i].bin > bin)
                break;
            value[fact] = profile->steps[i].bytes;
            count[fact] = profile->steps[i].count;
        }
    }
}

void pr_window_leaks(const struct pr_profile *profile, const struct pr_window *window, int64_t *value, int64_t *count)
{
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        value[fact] = count[fact] = 0;
        for (size_t i = profile->fact_first_lifetime[fact]; i < profile->fact_first_lifetime[fact + 1]; i++) {
            const struct pr_lifetime *move = &profile->moves[i];
            if (move->from < window->first || move->from > window->last || move->to <= window->last)
                continue;
            value[fact] = (int64_t)((uint64_t)value[fact] + (uint64_t)move->bytes);
            count[fact] += move->count;
        }
    }
}

/* A metric of the whole run with the values of the window instead. */
static struct pr_metric in_window(const struct pr_metric *whole, int64_t *value, int64_t *count, size_t facts)
{
    struct pr_metric metric = *whole;
    metric.value = value;
    metric.count = count;
    metric.total_value = metric.total_count = 0;
    for (size_t i = 0; i < facts; i++) {
        metric.total_value = pr_add_saturated(metric.total_value, value[i]);
        metric.total_count = pr_add_saturated(metric.total_count, count[i]);
    }
    return metric;
}

enum pr_status pr_window_view(const struct pr_profile *profile, const struct pr_window *window, struct pr_profile *view,
                              void **columns, struct pr_error *err)
{
    size_t facts = profile->fact_count, column_bytes, bytes;
    int peak = pr_profile_metric(profile, "peak"), leaked = pr_profile_metric(profile, "leaked");
    struct pr_metric *metrics = NULL;
    if (pr_mul_size(facts, 4 * sizeof(int64_t), &column_bytes) &&
        pr_add_size(column_bytes, 2 * sizeof *metrics, &bytes))
        metrics = calloc(1, bytes);
    if (!metrics)
        return pr_fail_memory(err);
    int64_t *column = (int64_t *)(metrics + 2);
    *view = *profile;
    *columns = metrics;
    view->metrics = metrics;
    view->metric_count = 0;
    if (peak >= 0) {
        pr_window_peak(profile, window, column, column + facts);
        metrics[view->metric_count++] = in_window(&profile->metrics[peak], column, column + facts, facts);
    }
    if (leaked >= 0) {
        column += 2 * facts;
        pr_window_leaks(profile, window, column, column + facts);
        metrics[view->metric_count++] = in_window(&profile->metrics[leaked], column, column + facts, facts);
    }
    uint32_t highest = pr_window_highest(profile, window);
    view->peak_bytes = profile->bins[highest].peak_bytes;
    view->peak_at_ms = (struct pr_maybe){true, pr_times_peak_of_bin_ms(profile, highest)};
    view->peak_bin = highest;
    view->objects.known = false;
    view->moment_count = 0;
    return PR_OK;
}

/* How much of the slice is in the window. */
static int64_t overlap(const struct pr_slice *slice, int64_t from_ns, int64_t to_ns)
{
    const int64_t end_ns = pr_add_saturated(slice->start_ns, slice->duration_ns);
    const int64_t first = slice->start_ns > from_ns ? slice->start_ns : from_ns;
    const int64_t last = end_ns < to_ns ? end_ns : to_ns;
    return last > first ? last - first : 0;
}

/* VIEW has one metric, WHOLE without values and counts. NULL: no memory; else the values, all 0. */
static int64_t *view_one(const struct pr_profile *profile, const struct pr_metric *whole, struct pr_profile *view,
                         void **columns)
{
    size_t column_bytes, bytes;
    struct pr_metric *metric = NULL;
    if (pr_mul_size(profile->fact_count, sizeof(int64_t), &column_bytes) &&
        pr_add_size(column_bytes, sizeof *metric, &bytes))
        metric = calloc(1, bytes);
    if (!metric)
        return NULL;
    int64_t *value = (int64_t *)(metric + 1);
    *metric = *whole;
    metric->value = value;
    metric->count = NULL;
    metric->exact = NULL;
    metric->total_value = metric->total_count = 0;
    *view = *profile;
    *columns = metric;
    view->metrics = metric;
    view->metric_count = 1;
    view->exact_count = 0;
    view->slice_count = 0;
    view->moment_count = 0;
    return value;
}

static void add_to_view(void *columns, int64_t *value, uint32_t fact, int64_t amount)
{
    struct pr_metric *metric = columns;
    value[fact] = pr_add_saturated(value[fact], amount);
    metric->total_value = pr_add_saturated(metric->total_value, amount);
}

enum pr_status pr_window_view_of_time(const struct pr_profile *profile, int metric, int64_t from_ns, int64_t to_ns,
                                      struct pr_profile *view, void **columns, struct pr_error *err)
{
    const struct pr_slices slices = pr_profile_slices_of(profile, metric);
    int64_t *value = view_one(profile, &profile->metrics[metric], view, columns);
    if (!value)
        return pr_fail_memory(err);
    for (size_t i = 0; i < slices.count; i++) {
        const struct pr_slice *slice = &slices.slice[i];
        add_to_view(*columns, value, slice->fact, overlap(slice, from_ns, to_ns));
    }
    return PR_OK;
}

enum pr_status pr_window_view_of_moments(const struct pr_profile *profile, int64_t from_ns, int64_t to_ns,
                                         struct pr_profile *view, void **columns, struct pr_error *err)
{
    int64_t *value = view_one(profile, &profile->metrics[pr_profile_moment_metric(profile)], view, columns);
    if (!value)
        return pr_fail_memory(err);
    for (size_t i = 0; i < profile->moment_count; i++) {
        const struct pr_moment *moment = &profile->moments[i];
        if (moment->at_ns >= from_ns && moment->at_ns < to_ns)
            add_to_view(*columns, value, moment->fact, moment->bytes);
    }
    view->objects.known = false;
    return PR_OK;
}
