/* SPDX-License-Identifier: Apache-2.0 */
#include "profrender/pymalloc.h"

#include "capture/base/checked.h"

#include <string.h>

static const int64_t small_arena_bytes = 256 * 1024, arena_bytes = 1024 * 1024, frame_chunk_bytes = 16 * 1024;
static const int python_3_10 = 0x030a0000;

bool pr_pymalloc_has_arenas(const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    return profile->fact_allocator && meta->python_allocator && !meta->trace_python_allocators &&
           (strcmp(meta->python_allocator, "pymalloc") == 0 || strcmp(meta->python_allocator, "pymalloc debug") == 0);
}

/* COUNT mappings with VALUE bytes in all, of which N are arenas and the rest chunks: N is the only solution. */
static struct pr_pymalloc arenas_among(int64_t value, int64_t count, int64_t size)
{
    int64_t chunks;
    if (count <= 0 || __builtin_mul_overflow(count, frame_chunk_bytes, &chunks) || value <= chunks ||
        (value - chunks) % (size - frame_chunk_bytes))
        return (struct pr_pymalloc){0, 0};
    const int64_t arenas = (value - chunks) / (size - frame_chunk_bytes);
    return arenas <= count ? (struct pr_pymalloc){arenas, arenas * size} : (struct pr_pymalloc){0, 0};
}

struct pr_pymalloc pr_pymalloc_of_fact(const struct pr_profile *profile, uint32_t metric, size_t fact)
{
    const struct pr_metric *of = &profile->metrics[metric];
    const int version = profile->meta.python_version;
    struct pr_pymalloc arenas = {0, 0};
    if (!pr_pymalloc_has_arenas(profile) || of->unit != PR_UNIT_BYTES || !of->count ||
        profile->fact_allocator[fact] != PR_ALLOC_MMAP)
        return arenas;
    if (!version || version >= python_3_10)
        arenas = arenas_among(of->value[fact], of->count[fact], arena_bytes);
    if (!arenas.count && version < python_3_10)
        arenas = arenas_among(of->value[fact], of->count[fact], small_arena_bytes);
    return arenas;
}

struct pr_pymalloc pr_pymalloc_of(const struct pr_profile *profile, uint32_t metric)
{
    struct pr_pymalloc sum = {0, 0};
    if (!pr_pymalloc_has_arenas(profile))
        return sum;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const struct pr_pymalloc arenas = pr_pymalloc_of_fact(profile, metric, i);
        sum.count = pr_add_saturated(sum.count, arenas.count);
        sum.bytes = pr_add_saturated(sum.bytes, arenas.bytes);
    }
    return sum;
}
