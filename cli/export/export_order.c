/* SPDX-License-Identifier: Apache-2.0 */
/* The order of time is exported where it is the whole truth. */
#include "cli/export/export_formats.h"

#include "capture/base/checked.h"

#include <stdlib.h>

struct pr_slices pr_exchange_slices(const struct pr_exchange *what)
{
    return pr_profile_slices_of(what->profile, pr_profile_metric(what->profile, what->metric->name));
}

bool pr_exchange_knows_order(const struct pr_exchange *what, struct pr_error *err, bool *failed)
{
    const struct pr_profile *profile = what->profile;
    const bool wanted = what->split_threads || profile->thread_count == 1;
    const struct pr_slices slices = pr_exchange_slices(what);
    if (!slices.count || profile->slice_resolution_ns || !what->whole || !wanted ||
        what->metric->unit != PR_UNIT_NANOSECONDS)
        return false;
    int64_t *sum = calloc(profile->fact_count + 1, sizeof *sum);
    bool same = sum != NULL;
    int64_t end_ns = 0;
    for (size_t i = 0; same && i < slices.count; i++) {
        const struct pr_slice *slice = &slices.slice[i];
        const bool next = i && profile->fact_thread[slice[-1].fact] == profile->fact_thread[slice->fact];
        /* In the format, a gap would be time without a stack, and time without a stack a gap. */
        same = (!next || slice->start_ns == end_ns) && profile->fact_leaf[slice->fact] != PR_ROOT;
        end_ns = slice->start_ns + slice->duration_ns;
        sum[slice->fact] = pr_add_saturated(sum[slice->fact], slice->duration_ns);
    }
    for (size_t i = 0; same && i < profile->fact_count; i++)
        same = sum[i] == what->metric->value[i];
    *failed = !sum && pr_fail_memory(err) == PR_FAILED;
    free(sum);
    return same;
}
