/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that are open at the same time lie on lanes of their own, which look like threads. */
#include "capture/model/async_spans.h"

#include "profrender/profile.h"

#include <stdlib.h>
#include <string.h>

bool pr_metric_is_of_spans(const struct pr_metric *metric)
{
    return !strcmp(metric->name, PR_ASYNC_METRIC) && metric->count_name &&
           !strcmp(metric->count_name, PR_ASYNC_COUNTED);
}

bool *pr_profile_find_lanes(const struct pr_profile *profile)
{
    const int metric = pr_profile_metric(profile, PR_ASYNC_METRIC);
    if (metric < 0 || !pr_metric_is_of_spans(&profile->metrics[metric]))
        return NULL;
    const int64_t *spans = profile->metrics[metric].count;
    bool *is_lane = calloc(profile->thread_count + (size_t)1, sizeof *is_lane);
    for (size_t i = 0; is_lane && i < profile->fact_count; i++)
        is_lane[profile->fact_thread[i]] |= spans[i] != 0;
    return is_lane;
}
