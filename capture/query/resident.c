/* SPDX-License-Identifier: Apache-2.0 */
/* Resident memory: the heap, what it gave back, the base, files, the rest. */
#include "profrender/resident.h"

#include "profrender/heap_words.h"

#include "capture/base/checked.h"
#include "capture/model/run_figures.h"

#include <assert.h>

bool pr_resident_begin(const struct pr_profile *profile, struct pr_resident_walk *walk)
{
    const bool of_devices = pr_heap_words(profile)->of_devices; /* which is not resident */
    *walk = (struct pr_resident_walk){
        .rss = pr_run_series(profile, "rss"),
        .heap = of_devices ? NULL : pr_run_series(profile, "heap"),
        .files = pr_run_series(profile, "rss_file"),
        .shared = pr_run_series(profile, "rss_shmem"),
    };
    return walk->rss && (walk->heap || walk->files);
}

/* The last sample at or before a moment; not known: none is. AT goes on from call to call. */
static struct pr_maybe value_at(const struct pr_series *series, int64_t ms, size_t *at)
{
    while (*at + 1 < series->count && series->at_ms[*at + 1] <= ms)
        (*at)++;
    if (series->at_ms[*at] > ms || series->value[*at] < 0)
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, series->value[*at]};
}

/* The heap at a moment; the highest one until then is kept. */
static struct pr_maybe heap_at(struct pr_resident_walk *walk, int64_t ms)
{
    struct pr_maybe now = {true, 0};
    if (!walk->heap)
        return now;
    for (size_t i = walk->heap_at; i < walk->heap->count && walk->heap->at_ms[i] <= ms; i++)
        walk->highest_heap = walk->heap->value[i] > walk->highest_heap ? walk->heap->value[i] : walk->highest_heap;
    return value_at(walk->heap, ms, &walk->heap_at);
}

/* Takes at most WANTED of what is LEFT. */
static int64_t take(int64_t *left, int64_t wanted)
{
    const int64_t part = wanted < 0 ? 0 : wanted < *left ? wanted : *left;
    *left -= part;
    return part;
}

struct pr_resident_parts pr_resident_at(struct pr_resident_walk *walk, int64_t at_ms, int64_t rss)
{
    struct pr_resident_parts parts = {.known = false};
    const struct pr_maybe none = {true, 0};
    const struct pr_maybe heap = heap_at(walk, at_ms);
    const struct pr_maybe files = walk->files ? value_at(walk->files, at_ms, &walk->files_at) : none;
    const struct pr_maybe shared = walk->shared ? value_at(walk->shared, at_ms, &walk->shared_at) : none;
    if (!heap.known || !files.known || !shared.known || rss < 0)
        return parts;
    int64_t left = rss;
    parts.known = true;
    parts.bytes[PR_RESIDENT_FILES] = take(&left, pr_add_saturated(files.value, shared.value));
    parts.bytes[PR_RESIDENT_HEAP] = take(&left, heap.value);
    if (!walk->base.known)
        walk->base = (struct pr_maybe){true, walk->heap ? left : 0};
    parts.bytes[PR_RESIDENT_BASE] = take(&left, walk->base.value);
    parts.bytes[PR_RESIDENT_FREED] = take(&left, pr_subtract_saturated(walk->highest_heap, heap.value));
    parts.bytes[PR_RESIDENT_REST] = left;
    assert(left >= 0);
    return parts;
}
