/* SPDX-License-Identifier: Apache-2.0 */
/* The little that a profile does by itself: look up its columns by name, and be freed. */
#include "profrender/profile.h"

#include <stdlib.h>
#include <string.h>

const char *pr_allocator_name(unsigned allocator)
{
    static const char *const names[PR_ALLOC_COUNT] = {
        [PR_ALLOC_NONE] = "",
        [PR_ALLOC_PYMALLOC_FREE] = "PYMALLOC_FREE",
        [PR_ALLOC_PYMALLOC_MALLOC] = "PYMALLOC_MALLOC",
        [PR_ALLOC_PYMALLOC_CALLOC] = "PYMALLOC_CALLOC",
        [PR_ALLOC_PYMALLOC_REALLOC] = "PYMALLOC_REALLOC",
        [PR_ALLOC_FREE] = "FREE",
        [PR_ALLOC_MALLOC] = "MALLOC",
        [PR_ALLOC_REALLOC] = "REALLOC",
        [PR_ALLOC_CALLOC] = "CALLOC",
        [PR_ALLOC_POSIX_MEMALIGN] = "POSIX_MEMALIGN",
        [PR_ALLOC_ALIGNED_ALLOC] = "ALIGNED_ALLOC",
        [PR_ALLOC_MEMALIGN] = "MEMALIGN",
        [PR_ALLOC_VALLOC] = "VALLOC",
        [PR_ALLOC_PVALLOC] = "PVALLOC",
        [PR_ALLOC_MMAP] = "MMAP",
        [PR_ALLOC_MUNMAP] = "MUNMAP",
    };
    return allocator < PR_ALLOC_COUNT ? names[allocator] : "";
}

int pr_profile_metric(const struct pr_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->metric_count; i++)
        if (!strcmp(profile->metrics[i].name, name))
            return (int)i;
    return -1;
}

bool pr_metric_counts_calls(const struct pr_metric *metric)
{
    return metric->count_name && !strcmp(metric->count_name, "calls");
}

bool pr_metric_is_of_objects(const struct pr_metric *metric)
{
    static const char *const names[] = {"retained", "held_by", "unreachable", "shallow"};
    const bool counts = metric->count_name && !strcmp(metric->count_name, "objects");
    for (size_t i = 0; counts && metric->unit == PR_UNIT_BYTES && i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric->name, names[i]))
            return true;
    return false;
}

/* Slices of an input that is combined with others have values in the metrics of their input only. */
static int metric_of_layer(const struct pr_profile *profile, const struct pr_slice *first)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].unit == PR_UNIT_NANOSECONDS && profile->metrics[i].value[first->fact])
            return (int)i;
    }
    return -1;
}

int pr_profile_time_metric(const struct pr_profile *profile)
{
    return profile->slice_count ? metric_of_layer(profile, profile->slices) : -1;
}

/* The first of the slices from FROM on that is in a layer after LAYER. */
static size_t end_of_layer(const struct pr_profile *profile, size_t from, uint32_t layer)
{
    size_t to = profile->slice_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (profile->slices[middle].layer > layer)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

struct pr_slices pr_profile_slices_of(const struct pr_profile *profile, int metric)
{
    for (size_t first = 0, end; metric >= 0 && first < profile->slice_count; first = end) {
        end = end_of_layer(profile, first, profile->slices[first].layer);
        if (metric_of_layer(profile, &profile->slices[first]) == metric)
            return (struct pr_slices){profile->slices + first, end - first};
    }
    return (struct pr_slices){NULL, 0};
}

/* What was allocated, or else the first event that was counted. */
int pr_profile_moment_metric(const struct pr_profile *profile)
{
    for (int is_event = 0; profile->moment_count && is_event < 2; is_event++) {
        for (uint32_t i = 0; i < profile->metric_count; i++) {
            const struct pr_metric *metric = &profile->metrics[i];
            const bool is_allocated = metric->unit == PR_UNIT_BYTES && !strcmp(metric->name, "allocated");
            const bool is_counted = metric->unit != PR_UNIT_NANOSECONDS && metric->count_name &&
                                    !strcmp(metric->count_name, "samples");
            if ((is_event ? is_counted : is_allocated) && metric->value[profile->moments[0].fact])
                return (int)i;
        }
    }
    return -1;
}

int pr_profile_series(const struct pr_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->series_count; i++)
        if (!strcmp(profile->series[i].name, name))
            return (int)i;
    return -1;
}

void pr_profile_free(struct pr_profile *profile)
{
    if (!profile)
        return;
    pr_strings_clear(&profile->strings);
    pr_arena_clear(&profile->arena);
    free(profile);
}
