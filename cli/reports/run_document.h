/* SPDX-License-Identifier: Apache-2.0 */
/* How a run ended, as members of a document and as lines for people. */
#ifndef PR_CLI_REPORTS_RUN_DOCUMENT_H
#define PR_CLI_REPORTS_RUN_DOCUMENT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"

/* Members "exit", "signal", "oom" and "exception", null where unknown; for what is not a run, nothing. */
void pr_run_json(struct pr_json_writer *json, const struct pr_profile *profile);

void pr_run_report(struct pr_report *report, const struct pr_profile *profile);

#endif
