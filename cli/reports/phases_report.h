/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run, or of two, as a table in the terminal and in documents. Nothing where there are no marks. */
#ifndef PR_CLI_REPORTS_PHASES_REPORT_H
#define PR_CLI_REPORTS_PHASES_REPORT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"
#include "profrender/diff.h"

/* The member "phases". */
void pr_phases_json(struct pr_json_writer *json, const struct pr_profile *profile);

/* A heading and a row for each; columns that nothing was recorded for, or that have no room, are left out. */
void pr_phases_report(struct pr_report *report, const struct pr_profile *profile);

/* The same of the two runs of a difference: both, and the change. */
void pr_diff_phases_json(struct pr_json_writer *json, const struct pr_diff *diff);
void pr_diff_phases_report(struct pr_report *report, const struct pr_diff *diff);
void pr_diff_phases_markdown(struct pr_output *out, const struct pr_diff *diff);

#endif
