/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions in which a thread stands still: it waits for a lock, another thread, a file descriptor or the clock. Their
 * time is that of what they wait for, and nothing is saved where it is spent. Known by name, and never the user's own.
 */
#ifndef PR_CAPTURE_EXPLAIN_WAITS_H
#define PR_CAPTURE_EXPLAIN_WAITS_H

#include "capture/explain/inquiry.h"

/* Whether METRIC counts the time of a thread that stands still, as processor time does not. */
bool pr_counts_waits(const struct pr_metric *metric);

bool pr_is_wait(const struct pr_inquiry *inquiry, pr_frame_id frame);

/* What of METRIC is in such functions, called by HOLDER's or by what that called. Errors: inquiry->failed. */
int64_t pr_waits_below(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder);

#endif
