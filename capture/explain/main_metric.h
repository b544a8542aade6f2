/* SPDX-License-Identifier: Apache-2.0 */
/* The metric of a profile that is not memory by stack: time, samples, calls. */
#ifndef PR_CAPTURE_EXPLAIN_MAIN_METRIC_H
#define PR_CAPTURE_EXPLAIN_MAIN_METRIC_H

#include "capture/explain/inquiry.h"

/*
 * Time comes first, if it is a hundredth of the recording's length or nothing else was recorded; but samples, where the
 * time is that between them. Nested times are the last. NULL: none was recorded.
 */
const struct pr_metric *pr_main_metric(const struct pr_profile *profile);

/* The same if it is time of which a part is a share, or the time between its samples; else NULL. */
const struct pr_metric *pr_main_time(const struct pr_profile *profile);

/* Why there is none. */
const char *pr_main_no_time(const struct pr_profile *profile);

static inline bool pr_metric_is_time(const struct pr_metric *metric)
{
    return metric->unit == PR_UNIT_NANOSECONDS || metric->unit == PR_UNIT_CYCLES;
}

/*
 * Whether it is how long methods took with all they call, of which others are timed too: their sum is no whole, and
 * nothing has a share of it.
 */
bool pr_metric_is_nested(const struct pr_metric *metric);

/* What it is called after "of the": "wall time". */
const char *pr_main_whole(struct pr_inquiry *inquiry, const struct pr_metric *metric);

#endif
