/* SPDX-License-Identifier: Apache-2.0 */
/* The table of terms. */
#include "render/words/terms.h"

#include "profrender/profile.h"

#include <string.h>

static bool has_series(const struct pr_profile *profile, const char *beginning)
{
    for (uint32_t i = 0; i < profile->series_count; i++) {
        if (!strncmp(profile->series[i].name, beginning, strlen(beginning)))
            return true;
    }
    return false;
}

static bool has_stacks(const struct pr_profile *profile)
{
    return profile->metric_count > 0;
}

static bool has_allocations(const struct pr_profile *profile)
{
    return pr_profile_has_allocations(profile);
}

static bool has_rss(const struct pr_profile *profile)
{
    return has_series(profile, "rss");
}

static bool has_pss(const struct pr_profile *profile)
{
    return has_series(profile, "pss");
}

static bool has_cgroup(const struct pr_profile *profile)
{
    return has_series(profile, "cgroup_memory");
}

static bool has_heap(const struct pr_profile *profile)
{
    return has_allocations(profile) || has_series(profile, "heap");
}

const struct pr_meaning pr_meanings[] = {
    {"Not freed", "allocated during the recording and still there at the end: leaks, but caches too",
     has_allocations},
    {"Temporary", "freed before the next allocation: small at any moment, but it keeps the allocator busy",
     has_allocations},
    {NULL, NULL, has_heap}, /* of pr_heap_words() */
    {"RSS", "resident memory: the pages actually in RAM, including code and shared libraries", has_rss},
    {"PSS", "like RSS, but pages that processes share are divided among them", has_pss},
    {"Cgroup", "all processes of the container or control group, including the files it caches", has_cgroup},
    {"Peak", "the highest value at any moment, even between two samples", has_heap},
    {"Allocated", "everything that was requested, freed later or not", has_allocations},
    {"Self", "the function's own code, without the functions it called", has_stacks},
    {"Total", "the function and everything it called", has_stacks},
    {"Start-up", "code of the language, a runner or the profiler that only leads to your code", has_stacks},
    {NULL, NULL, NULL},
};
