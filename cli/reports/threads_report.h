/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a profile, and what was measured on each, in the terminal and in documents. */
#ifndef PR_CLI_REPORTS_THREADS_REPORT_H
#define PR_CLI_REPORTS_THREADS_REPORT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"

/* The member "threads". */
void pr_threads_json(struct pr_json_writer *json, const struct pr_profile *profile);

/* A heading and a line for each of the first threads; the same for lanes of asynchronous spans. */
void pr_threads_report(struct pr_report *report, const struct pr_profile *profile);

#endif
