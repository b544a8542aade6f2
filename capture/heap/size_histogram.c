/* SPDX-License-Identifier: Apache-2.0 */
/* Counting by size: an array for small sizes, a set for the others; and the logarithmic histogram made of them. */
#include "capture/heap/size_histogram.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <math.h>
#include <stdlib.h>

bool pr_sizes_add_many(struct pr_sizes *sizes, uint64_t size, uint64_t count)
{
    uint32_t known = sizes->large.count;
    if (!sizes->small && !(sizes->small = calloc(PR_SMALL_SIZES, sizeof *sizes->small)))
        return false;
    if (size < PR_SMALL_SIZES) {
        sizes->small[size] += count;
        return true;
    }
    sizes->large.words = 1;
    if (!pr_grow(&sizes->large_count, &sizes->large_capacity, known + (size_t)1, sizeof *sizes->large_count))
        return false;
    uint32_t index = pr_idset_add(&sizes->large, &size, 1);
    if (index == PR_NO_ID)
        return false;
    if (index == known)
        sizes->large_count[index] = 0;
    sizes->large_count[index] += count;
    return true;
}

/* The smallest size but 0, and the largest; false without any allocation. */
static bool range(const struct pr_sizes *sizes, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    if (!sizes->small)
        return false;
    bool any = sizes->small[0] > 0;
    for (uint64_t size = 1; size < PR_SMALL_SIZES; size++) {
        if (sizes->small[size]) {
            any = true;
            *low = size < *low ? size : *low;
            *high = size;
        }
    }
    for (uint32_t i = 0; i < sizes->large.count; i++) {
        uint64_t size = sizes->large.keys[i];
        any = true;
        *low = size < *low ? size : *low;
        *high = size > *high ? size : *high;
    }
    if (*low == UINT64_MAX) /* nothing but size 0 */
        *low = *high = 1;
    return any;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_size_count *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->bytes, y->bytes);
}

bool pr_sizes_list(const struct pr_sizes *sizes, struct pr_arena *arena, const struct pr_size_count **list,
                   size_t *count)
{
    size_t most = sizes->large.count, made = 0;
    *list = NULL;
    *count = 0;
    if (!sizes->small)
        return true;
    for (uint64_t size = 0; size < PR_SMALL_SIZES; size++)
        most += sizes->small[size] > 0;
    struct pr_size_count *all = pr_arena_array(arena, most, sizeof *all);
    if (!all)
        return false;
    for (uint64_t size = 0; size < PR_SMALL_SIZES; size++) {
        if (sizes->small[size])
            all[made++] = (struct pr_size_count){size, sizes->small[size]};
    }
    for (uint32_t i = 0; i < sizes->large.count; i++)
        all[made++] = (struct pr_size_count){sizes->large.keys[i], sizes->large_count[i]};
    *list = all;
    *count = made;
    return pr_sort(all, made, sizeof *all, compare, NULL);
}

static void count(struct pr_histogram_bin *bins, uint64_t size, uint64_t n, double low, double step)
{
    size_t at = 0;
    if (size) {
        /*
         * Python's x // step, as memray has it: exact, where floor(x / step) is one too many for x just below a
         * bound.
         */
        double x = log((double)size) - low, steps = round((x - fmod(x, step)) / step);
        at = steps < 0 ? 0 : steps > PR_HISTOGRAM_BINS - 1 ? PR_HISTOGRAM_BINS - 1 : (size_t)steps;
    }
    bins[at].count += n;
}

uint32_t pr_sizes_histogram(const struct pr_sizes *sizes, struct pr_histogram_bin bins[PR_HISTOGRAM_BINS])
{
    uint64_t smallest, largest;
    if (!range(sizes, &smallest, &largest))
        return 0;
    double low = log((double)smallest), high = log((double)largest);
    if (smallest == largest)
        low /= 2;
    double step = (high - low) / PR_HISTOGRAM_BINS;
    if (step <= 0) /* all allocations had size 1, or 0 */
        step = 1;
    for (int i = 0; i < PR_HISTOGRAM_BINS; i++) {
        double bound = exp(low + step * (i + 1));
        uint64_t whole = bound >= 0x1p64 ? UINT64_MAX : (uint64_t)bound;
        bins[i].min_bytes = i ? bins[i - 1].max_bytes + 1 : 0;
        bins[i].max_bytes = i == PR_HISTOGRAM_BINS - 1 ? whole : whole - 1;
        bins[i].count = 0;
    }
    for (uint64_t size = 0; size < PR_SMALL_SIZES; size++) {
        if (sizes->small[size])
            count(bins, size, sizes->small[size], low, step);
    }
    for (uint32_t i = 0; i < sizes->large.count; i++)
        count(bins, sizes->large.keys[i], sizes->large_count[i], low, step);
    return PR_HISTOGRAM_BINS;
}

void pr_sizes_clear(struct pr_sizes *sizes)
{
    pr_idset_clear(&sizes->large);
    free(sizes->large_count);
    free(sizes->small);
    sizes->large_count = sizes->small = NULL;
}
