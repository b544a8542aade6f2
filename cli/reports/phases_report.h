/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run as a table in the terminal and in documents. Nothing where the run made no marks. */
#ifndef PR_CLI_REPORTS_PHASES_REPORT_H
#define PR_CLI_REPORTS_PHASES_REPORT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"

/* The member "phases". */
void pr_phases_json(struct pr_json_writer *json, const struct pr_profile *profile);

/* A heading and a row for each; columns that nothing was recorded for, or that have no room, are left out. */
void pr_phases_report(struct pr_report *report, const struct pr_profile *profile);

#endif
