/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series of processes that ran at the same time, added up: each point is a change of the sum, from the first sample of
 * a process to its last one. A heap also has its exact peak, which is between two samples or after the last one: no
 * process may have held more than the sum.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/merge_internal.h"

static struct pr_merged_series *series_for(struct pr_merger *m, const struct pr_series *series)
{
    for (uint32_t i = 0; i < m->series_count; i++) {
        if (!strcmp(m->series[i].name, series->name) && m->series[i].unit == series->unit)
            return &m->series[i];
    }
    if (!pr_grow(&m->series, &m->series_capacity, m->series_count + (size_t)1, sizeof *m->series))
        return NULL;
    struct pr_merged_series *made = &m->series[m->series_count];
    *made = (struct pr_merged_series){.name = pr_arena_copy(&m->arena, series->name, strlen(series->name)),
                                      .title = pr_arena_copy(&m->arena, series->title, strlen(series->title)),
                                      .unit = series->unit,
                                      .last_ms = INT64_MIN};
    if (!made->name || !made->title)
        return NULL;
    m->series_count++;
    return made;
}

/* Whether SERIES lacks the point of the peak; that of a sum has it. */
static bool lacks_exact_peak(const struct pr_profile *profile, const struct pr_series *series)
{
    return series->count && profile->peak_at_ms.known && profile->origin.runs <= 1 && !strcmp(series->name, "heap");
}

static bool add_series(struct pr_merger *m, const struct pr_profile *profile, const struct pr_series *series)
{
    struct pr_merged_series *sum = series_for(m, series);
    bool lacks_peak = lacks_exact_peak(profile, series);
    size_t need;
    if (!sum || !pr_add_size(sum->count + 2, series->count, &need) ||
        !pr_grow(&sum->changes, &sum->capacity, need, sizeof *sum->changes))
        return false;
    uint64_t before = 0;
    int64_t last_ms = INT64_MIN;
    for (size_t i = 0; i < series->count || lacks_peak;) {
        const bool is_peak = lacks_peak && (i == series->count || series->at_ms[i] > profile->peak_at_ms.value);
        const int64_t at_ms = is_peak ? profile->peak_at_ms.value : series->at_ms[i];
        const uint64_t value = is_peak ? (uint64_t)profile->peak_bytes : (uint64_t)series->value[i];
        lacks_peak &= !is_peak;
        i += !is_peak;
        sum->changes[sum->count++] = (struct pr_step_change){at_ms, value - before};
        before = value;
        last_ms = at_ms > last_ms ? at_ms : last_ms;
    }
    if (series->count && last_ms < INT64_MAX) /* after its last sample a process is taken to hold nothing */
        sum->changes[sum->count++] = (struct pr_step_change){last_ms + 1, 0 - before};
    sum->last_ms = last_ms > sum->last_ms ? last_ms : sum->last_ms;
    return true;
}

enum pr_status pr_merge_series(struct pr_merger *m, const struct pr_profile *profile, struct pr_error *err)
{
    for (uint32_t i = 0; i < profile->series_count; i++) {
        if (!add_series(m, profile, &profile->series[i]))
            return pr_fail_memory(err);
    }
    return PR_OK;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_step_change *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->at_ms, y->at_ms);
}

/* One point for each moment at which something changed, up to the last sample. */
static bool finish_series(struct pr_merged_series *sum, struct pr_arena *arena, struct pr_series *series)
{
    int64_t *at_ms = pr_arena_array(arena, sum->count, sizeof *at_ms);
    int64_t *value = pr_arena_array(arena, sum->count, sizeof *value);
    if (!at_ms || !value || !pr_sort(sum->changes, sum->count, sizeof *sum->changes, compare, NULL))
        return false;
    uint64_t now = 0;
    size_t count = 0;
    for (size_t i = 0; i < sum->count && sum->changes[i].at_ms <= sum->last_ms; i++) {
        now += sum->changes[i].difference;
        count += !count || at_ms[count - 1] != sum->changes[i].at_ms;
        at_ms[count - 1] = sum->changes[i].at_ms;
        value[count - 1] = (int64_t)now;
    }
    *series = (struct pr_series){sum->name, sum->title, sum->unit, count, at_ms, value};
    return true;
}

enum pr_status pr_merge_series_finish(struct pr_merger *m, struct pr_profile *profile, struct pr_error *err)
{
    struct pr_series *series = pr_arena_array(&profile->arena, m->series_count, sizeof *series);
    if (!series)
        return pr_fail_memory(err);
    for (uint32_t i = 0; i < m->series_count; i++) {
        struct pr_merged_series *sum = &m->series[i];
        sum->name = pr_arena_copy(&profile->arena, sum->name, strlen(sum->name));
        sum->title = pr_arena_copy(&profile->arena, sum->title, strlen(sum->title));
        if (!sum->name || !sum->title || !finish_series(sum, &profile->arena, &series[i]))
            return pr_fail_memory(err);
    }
    profile->series = series;
    profile->series_count = m->series_count;
    return PR_OK;
}
