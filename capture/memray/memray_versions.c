/* SPDX-License-Identifier: Apache-2.0 */
/* memray: what differs between header versions, as data. An old version is a row and stays readable. */
#include "capture/memray/memray.h"

/*
 * Versions 7 to 11 number allocators in a second way, version 6 in a third. Source: doc/formats/memray.md,
 * "Allocators".
 */
static const uint8_t allocators_v7[PR_ALLOC_COUNT] = {
    [1] = PR_ALLOC_MALLOC, [2] = PR_ALLOC_FREE, [3] = PR_ALLOC_CALLOC, [4] = PR_ALLOC_REALLOC,
    [5] = PR_ALLOC_POSIX_MEMALIGN, [6] = PR_ALLOC_ALIGNED_ALLOC, [7] = PR_ALLOC_MEMALIGN, [8] = PR_ALLOC_VALLOC,
    [9] = PR_ALLOC_PVALLOC, [10] = PR_ALLOC_MMAP, [11] = PR_ALLOC_MUNMAP, [12] = PR_ALLOC_PYMALLOC_MALLOC,
    [13] = PR_ALLOC_PYMALLOC_CALLOC, [14] = PR_ALLOC_PYMALLOC_REALLOC, [15] = PR_ALLOC_PYMALLOC_FREE,
};
static const uint8_t allocators_v6[PR_ALLOC_COUNT] = {
    [1] = PR_ALLOC_MALLOC, [2] = PR_ALLOC_FREE, [3] = PR_ALLOC_CALLOC, [4] = PR_ALLOC_REALLOC,
    [5] = PR_ALLOC_POSIX_MEMALIGN, [6] = PR_ALLOC_MEMALIGN, [7] = PR_ALLOC_VALLOC, [8] = PR_ALLOC_PVALLOC,
    [9] = PR_ALLOC_MMAP, [10] = PR_ALLOC_MUNMAP,
};

static const struct pr_memray_version versions[] = {
    {.version = 6, .releases = "1.0", .wide_python_allocator = true, .allocators = allocators_v6,
     .produce = pr_memray_produce_v6},
    {.version = 7, .releases = "1.1", .wide_python_allocator = true, .allocators = allocators_v7,
     .produce = pr_memray_produce_v7},
    {.version = 8, .releases = "1.2 to 1.3", .has_trailer = true, .allocators = allocators_v7,
     .produce = pr_memray_produce_v7},
    {.version = 9, .releases = "1.4 to 1.6", .has_trailer = true, .has_main_thread = true, .allocators = allocators_v7,
     .produce = pr_memray_produce_v7},
    {.version = 10, .releases = "1.7 to 1.10", .has_trailer = true, .has_main_thread = true, .has_file_format = true,
     .allocators = allocators_v7, .produce = pr_memray_produce_v7},
    {.version = 11, .releases = "1.11 to 1.18", .has_trailer = true, .has_main_thread = true, .has_file_format = true,
     .has_trace_python = true, .allocators = allocators_v7, .produce = pr_memray_produce_v7},
    {.version = 12, .releases = "1.19", .has_trailer = true, .has_main_thread = true, .has_file_format = true,
     .has_trace_python = true, .has_python_version = true, .has_object_lifetimes = true, .has_code_objects = true,
     .produce = pr_memray_produce_v12},
    {.version = 13, .releases = "1.20", .has_trailer = true, .has_main_thread = true, .has_file_format = true,
     .has_trace_python = true, .has_python_version = true, .has_object_lifetimes = true, .has_code_objects = true,
     .has_paths = true, .produce = pr_memray_produce_v12},
};

enum { VERSIONS = sizeof versions / sizeof *versions };

const struct pr_memray_version *pr_memray_version_find(int version)
{
    for (int i = 0; i < VERSIONS; i++) {
        if (versions[i].version == version)
            return &versions[i];
    }
    return NULL;
}

void pr_memray_version_range(int *lowest, int *highest)
{
    *lowest = versions[0].version;
    *highest = versions[VERSIONS - 1].version;
}
