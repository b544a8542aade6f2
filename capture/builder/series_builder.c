/* SPDX-License-Identifier: Apache-2.0 */
/* Points are appended; sorting and thinning wait until there are many, or all. */
#include "capture/builder/series_builder.h"

#include "capture/model/series.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <string.h>

void pr_timeline_init(struct pr_timeline *t, struct pr_profile *profile)
{
    *t = (struct pr_timeline){.profile = profile};
}

static uint32_t find(const struct pr_timeline *t, const char *name)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!strcmp(t->series[i].name, name))
            return i;
    return PR_NO_SERIES;
}

uint32_t pr_timeline_series(struct pr_timeline *t, const char *name, const char *title, enum pr_unit unit)
{
    const uint32_t known = find(t, name);
    if (known != PR_NO_SERIES)
        return known;
    if (t->count == PR_MAX_SERIES)
        return PR_NO_SERIES;
    struct pr_timeline_series made = {.name = pr_arena_copy(&t->profile->arena, name, strlen(name)),
                                      .title = pr_arena_copy(&t->profile->arena, title, strlen(title)),
                                      .unit = unit};
    if (!made.name || !made.title ||
        !pr_grow(&t->series, &t->capacity, t->count + (size_t)1, sizeof *t->series)) {
        t->no_memory = true;
        return PR_NO_SERIES;
    }
    t->series[t->count] = made;
    return t->count++;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_point *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->at_ms, y->at_ms);
}

static bool put_in_order(struct pr_timeline_series *series)
{
    if (series->unordered && !pr_sort(series->points, series->count, sizeof *series->points, compare, NULL))
        return false;
    series->unordered = false;
    return true;
}

/* The higher of two neighbours stays. */
static bool halve(struct pr_timeline_series *series)
{
    size_t kept = 0;
    if (!put_in_order(series))
        return false;
    for (size_t i = 0; i < series->count; i += 2) {
        const size_t next = i + 1 < series->count ? i + 1 : i;
        series->points[kept++] = series->points[series->points[next].value > series->points[i].value ? next : i];
    }
    series->count = kept;
    return true;
}

void pr_timeline_add(struct pr_timeline *t, uint32_t series, int64_t at_ms, int64_t value)
{
    if (series == PR_NO_SERIES || t->no_memory)
        return;
    struct pr_timeline_series *s = &t->series[series];
    if ((s->count == PR_MAX_POINTS && !halve(s)) ||
        !pr_grow(&s->points, &s->capacity, s->count + 1, sizeof *s->points)) {
        t->no_memory = true;
        return;
    }
    if (value == INT64_MAX || value == INT64_MIN || at_ms == INT64_MAX || at_ms == INT64_MIN)
        pr_damage_add(&t->profile->damage, PR_DAMAGE_BOUNDED, 1, PR_NO_OFFSET);
    s->unordered |= s->count && at_ms < s->points[s->count - 1].at_ms;
    s->points[s->count++] = (struct pr_point){at_ms, value};
}

void pr_timeline_drop(struct pr_timeline *t, const char *name)
{
    const uint32_t series = find(t, name);
    if (series != PR_NO_SERIES)
        t->series[series].count = 0;
}

static bool copy_points(struct pr_timeline_series *from, struct pr_profile *profile, struct pr_series *series)
{
    int64_t *at_ms = pr_arena_array(&profile->arena, from->count, sizeof *at_ms);
    int64_t *value = pr_arena_array(&profile->arena, from->count, sizeof *value);
    if (!at_ms || !value || !put_in_order(from))
        return false;
    for (size_t i = 0; i < from->count; i++) {
        at_ms[i] = from->points[i].at_ms;
        value[i] = from->points[i].value;
    }
    *series = (struct pr_series){from->name, from->title, from->unit, from->count, at_ms, value};
    return true;
}

/* A run began no later than its first point, and ended no earlier than its last one. */
static void widen(struct pr_meta *meta, const struct pr_series *series)
{
    const int64_t first = series->at_ms[0], last = series->at_ms[series->count - 1];
    if (meta->no_date)
        return;
    if (!meta->start_ms.known || first < meta->start_ms.value)
        meta->start_ms = (struct pr_maybe){true, first};
    if (!meta->end_ms.known || last > meta->end_ms.value)
        meta->end_ms = (struct pr_maybe){true, last};
}

static bool copy_series(struct pr_timeline *t)
{
    struct pr_profile *profile = t->profile;
    struct pr_series *series = pr_arena_array(&profile->arena, t->count, sizeof *series);
    uint32_t count = 0;
    for (uint32_t i = 0; series && i < t->count; i++) {
        if (!t->series[i].count)
            continue;
        if (!copy_points(&t->series[i], profile, &series[count]))
            return false;
        widen(&profile->meta, &series[count++]);
    }
    profile->series = series;
    profile->series_count = count;
    return series && pr_series_sort(series, count);
}

enum pr_status pr_timeline_finish(struct pr_timeline *t, struct pr_error *err)
{
    const bool done = !t->no_memory && copy_series(t);
    for (uint32_t i = 0; i < t->count; i++)
        free(t->series[i].points);
    free(t->series);
    t->series = NULL;
    t->count = 0;
    return done ? PR_OK : pr_fail_memory(err);
}

int64_t pr_mib_to_bytes(struct pr_decimal mib)
{
    return pr_double_scaled((double)pr_decimal_scaled(mib, 6), 1048576e-6);
}
