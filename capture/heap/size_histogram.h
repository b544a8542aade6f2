/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact number of allocations of each size: the histogram's bounds depend on the smallest and the largest of all.
 */
#ifndef PR_CAPTURE_HEAP_SIZE_HISTOGRAM_H
#define PR_CAPTURE_HEAP_SIZE_HISTOGRAM_H

#include "capture/base/idset.h"
#include "profrender/profile.h"

/* Up to here a count is one addition, which nothing waits for; allocations of larger sizes are few. */
enum { PR_SMALL_SIZES = 65536 };

/* All zeros: nothing counted. */
struct pr_sizes {
    uint64_t *small;                /* [PR_SMALL_SIZES] by size; NULL before the first */
    struct pr_idset large;          /* size */
    uint64_t *large_count;          /* [large.count] */
    size_t large_capacity;
};

/* COUNT allocations of SIZE. False: out of memory. */
bool pr_sizes_add_many(struct pr_sizes *sizes, uint64_t size, uint64_t count);

/* One. */
static inline bool pr_sizes_add(struct pr_sizes *sizes, uint64_t size)
{
    if (size >= PR_SMALL_SIZES || !sizes->small)
        return pr_sizes_add_many(sizes, size, 1);
    sizes->small[size]++;
    return true;
}

/*
 * memray's ten bins: equal steps of the logarithm between the smallest size that is not 0 and the largest one. Returns
 * the number of bins: 10, or 0 without allocations. Source: doc/formats/memray.md, "Statistics".
 */
uint32_t pr_sizes_histogram(const struct pr_sizes *sizes, struct pr_histogram_bin bins[PR_HISTOGRAM_BINS]);

/* All of them, the smallest first: *LIST, *COUNT long, lives in ARENA. False: out of memory. */
bool pr_sizes_list(const struct pr_sizes *sizes, struct pr_arena *arena, const struct pr_size_count **list,
                   size_t *count);

void pr_sizes_clear(struct pr_sizes *sizes);

#endif
