/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the kernel: samples, and what they need to be understood: mappings, forks, names of threads.
 *
 * Source: Linux include/uapi/linux/perf_event.h, enum perf_event_type.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_RECORDS_H
#define PR_CAPTURE_PERF_DATA_PERF_RECORDS_H

#include "capture/perf_data/perf_data.h"

/* Takes a record in its turn; for the queue. CONTEXT is a struct pr_perf. */
void pr_perf_apply(void *context, const struct pr_perf_queued *record, const uint8_t *bytes);

/* Takes a record of the kernel as it comes, CONTENT of LENGTH bytes after its head: at once if it has no time. */
void pr_perf_order(struct pr_perf *r, struct pr_perf_queued record, const uint8_t *content);

#endif
