/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that `check --report FORMAT=FILE` asks for: which file each has, and how it gets there. */
#ifndef PR_CLI_CHECK_CHECK_REPORTS_H
#define PR_CLI_CHECK_CHECK_REPORTS_H

#include "cli/args/command.h"
#include "cli/args/options.h"
#include "cli/check/verdict.h"

/*
 * Checks all words of --report before work is done for them: each has the form FORMAT=FILE or FORMAT+=FILE, no two have
 * one file, none has that of an input or of the verdict, which goes to COMMON's output, and standard output is not
 * shared by documents. IS_TEXT: the verdict is for people. Returns 0, or an exit status with the reason reported.
 */
int pr_check_reports_check(const struct pr_command *command, const struct pr_words *reports,
                           const struct pr_common *common, bool is_text);

/* Writes all of them. Returns 0, or the exit status of the last that failed, with the reason reported. */
int pr_check_reports_write(const struct pr_words *reports, const struct pr_verdict *verdict);

/* The same for what is no verdict on a run: WRITE gets each report, open, with its format. */
typedef void pr_check_report_write(struct pr_output *out, const struct pr_report_format *format, const void *context);
int pr_check_reports_each(const struct pr_words *reports, pr_check_report_write *write, const void *context);

/* The first format asked for that is not one of those that HAS knows; NULL: all are. */
const char *pr_check_reports_lack(const struct pr_words *reports, bool (*has)(const char *name));

#endif
