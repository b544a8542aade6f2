/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in the terminal. */
#ifndef PR_CLI_CHECK_VERDICT_TEXT_H
#define PR_CLI_CHECK_VERDICT_TEXT_H

#include "cli/reports/report.h"
#include "cli/check/verdict.h"

void pr_verdict_text_write(struct pr_report *report, const struct pr_verdict *verdict);

#endif
