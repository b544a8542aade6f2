/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a table of data, in the forms of the verdict on a run. */
#ifndef PR_CLI_CHECK_FRAME_REPORTS_H
#define PR_CLI_CHECK_FRAME_REPORTS_H

#include "cli/check/frame_rules.h"
#include "cli/io/output.h"
#include "cli/reports/report.h"

void pr_frame_verdict_text(struct pr_report *report, const struct pr_frame_verdict *verdict);

/* schemas/check-frame.schema.json */
void pr_frame_verdict_json(struct pr_output *out, const struct pr_frame_verdict *verdict);

/* A format of --report: json, junit, github or markdown. False: NAME is not one of them. */
bool pr_frame_verdict_has_report(const char *name);
void pr_frame_verdict_report(struct pr_output *out, const char *name, const struct pr_frame_verdict *verdict);

#endif
