/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `profrender export` that are about time: bins, windows, intervals. */
#ifndef PR_CLI_REPORTS_TEMPORAL_DOCUMENT_H
#define PR_CLI_REPORTS_TEMPORAL_DOCUMENT_H

#include "profrender/temporal_records.h"
#include "cli/args/window_option.h"
#include "cli/io/json_writer.h"

/* KEY ("window"): where a part of the run starts and ends, in ms since the epoch; with decimals if it needs them. */
void pr_write_window(struct pr_json_writer *json, const char *key, const struct pr_span_of_run *when);

/* "bins": start, end and peak of each. */
void pr_write_bins(struct pr_json_writer *json, const struct pr_profile *profile);

/* "intervals" of one record. */
void pr_write_intervals(struct pr_json_writer *json, const struct pr_temporal *temporal,
                        const struct pr_temporal_record *record);

#endif
