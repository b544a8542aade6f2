/* SPDX-License-Identifier: Apache-2.0 */
/* memray: what differs between header versions, as data. An old version is a row and stays readable. */
#include "capture/memray.h"

static const struct pr_memray_version versions[] = {
    {.version = 12, .releases = "1.19", .has_python_version = true, .has_file_format = true, .has_main_thread = true,
     .has_trace_python = true, .has_object_lifetimes = true},
    {.version = 13, .releases = "1.20", .has_python_version = true, .has_file_format = true, .has_main_thread = true,
     .has_trace_python = true, .has_object_lifetimes = true, .has_paths = true},
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
