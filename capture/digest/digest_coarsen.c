/* SPDX-License-Identifier: Apache-2.0 */
/* Coarser bins: the history of all facts, each its own group, halved and given back. */
#include "capture/digest/digest_coarsen.h"

#include "capture/heap/history.h"
#include "capture/model/run_times.h"

#include <stdlib.h>

static enum pr_status halve(struct pr_profile *profile, struct pr_history *history, uint32_t max_bins,
                            struct pr_error *err)
{
    while (history->bins.count > max_bins) {
        if (pr_history_halve(history, err) == PR_FAILED)
            return PR_FAILED;
        profile->peak_bin /= 2;
    }
    if (pr_history_give(history, profile, err) == PR_FAILED)
        return PR_FAILED;
    if (profile->peak_at_ms.known)
        profile->peak_at_ms.value = pr_times_peak_of_bin_ms(profile, profile->peak_bin);
    profile->origin.max_bins = max_bins;
    return PR_OK;
}

enum pr_status pr_profile_coarsen(struct pr_profile *profile, uint32_t max_bins, struct pr_error *err)
{
    struct pr_history history = {0};
    if (profile->bin_count <= max_bins)
        return PR_OK;
    uint32_t *group = calloc(profile->fact_count + 1, sizeof *group);
    for (uint32_t i = 0; group && i < profile->fact_count; i++)
        group[i] = i;
    enum pr_status status =
        group ? pr_history_group(profile, group, (uint32_t)profile->fact_count, PR_HISTORY_ALL, &history, err)
              : pr_fail_memory(err);
    if (status == PR_OK)
        status = halve(profile, &history, max_bins, err);
    pr_history_clear(&history);
    free(group);
    return status;
}
