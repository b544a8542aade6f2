/* SPDX-License-Identifier: Apache-2.0 */
/* The order of time is exported where it is the whole truth. */
#include "cli/export/export_formats.h"

#include "capture/base/checked.h"

#include <stdlib.h>

struct pr_slices pr_exchange_slices(const struct pr_exchange *what)
{
    return pr_profile_slices_of(what->profile, pr_profile_metric(what->profile, what->metric->name));
}

const struct pr_moment *pr_exchange_moments(const struct pr_exchange *what, size_t *count)
{
    const struct pr_profile *profile = what->profile;
    const int metric = pr_profile_moment_metric(profile);
    const bool is_of_metric = metric >= 0 && metric == pr_profile_metric(profile, what->metric->name);
    *count = is_of_metric ? profile->moment_count : 0;
    return profile->moments;
}

/* Adds up the slices by fact. False: in speedscope's format a gap would be time without a stack, and the reverse. */
static bool add_slices(const struct pr_profile *profile, struct pr_slices slices, int64_t *sum)
{
    bool no_gaps = true;
    int64_t end_ns = 0;
    for (size_t i = 0; i < slices.count; i++) {
        const struct pr_slice *slice = &slices.slice[i];
        const bool next = i && profile->fact_thread[slice[-1].fact] == profile->fact_thread[slice->fact];
        no_gaps &= (!next || slice->start_ns == end_ns) && profile->fact_leaf[slice->fact] != PR_ROOT;
        end_ns = slice->start_ns + slice->duration_ns;
        sum[slice->fact] = pr_add_saturated(sum[slice->fact], slice->duration_ns);
    }
    return no_gaps;
}

static bool is_all(const struct pr_exchange *what, const int64_t *sum)
{
    for (size_t i = 0; i < what->profile->fact_count; i++) {
        if (sum[i] != what->metric->value[i])
            return false;
    }
    return true;
}

static enum pr_exchange_times find_times(const struct pr_exchange *what, bool for_speedscope, int64_t *sum)
{
    const struct pr_profile *profile = what->profile;
    const bool is_time = what->metric->unit == PR_UNIT_NANOSECONDS;
    const struct pr_slices slices = is_time ? pr_exchange_slices(what) : (struct pr_slices){NULL, 0};
    size_t moment_count;
    const struct pr_moment *moments = pr_exchange_moments(what, &moment_count);
    if (!what->whole) /* it has neither, and is itself cut out of slices */
        return is_time ? PR_TIMES_WINDOW : PR_TIMES_NONE;
    if (!slices.count && !moment_count)
        return PR_TIMES_NONE;
    if (!what->split_threads && profile->thread_count != 1)
        return PR_TIMES_MERGED;
    if (slices.count ? profile->slice_resolution_ns : profile->moment_resolution_ns)
        return PR_TIMES_SOME;
    const bool no_gaps = slices.count && add_slices(profile, slices, sum);
    for (size_t i = 0; !slices.count && i < moment_count; i++)
        sum[moments[i].fact] = pr_add_saturated(sum[moments[i].fact], moments[i].bytes);
    if (!is_all(what, sum))
        return PR_TIMES_SOME;
    return for_speedscope && !no_gaps ? PR_TIMES_GAPS : PR_TIMES_KEPT;
}

enum pr_status pr_exchange_order(struct pr_exchange *what, bool for_speedscope, enum pr_exchange_times *times,
                                 struct pr_error *err)
{
    int64_t *sum = calloc(what->profile->fact_count + 1, sizeof *sum);
    if (!sum)
        return pr_fail_memory(err);
    *times = find_times(what, for_speedscope, sum);
    what->in_order = *times == PR_TIMES_KEPT;
    free(sum);
    return PR_OK;
}
