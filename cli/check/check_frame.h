/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender check --frame`: rules for a table of data, with or without an earlier one. */
#ifndef PR_CLI_CHECK_CHECK_FRAME_H
#define PR_CLI_CHECK_CHECK_FRAME_H

#include "cli/args/command.h"

struct pr_frame_check {
    const struct pr_words *rules, *reports;
    const char *schema;   /* types of columns, or a file of them; NULL: none */
    const char *baseline; /* NULL: none */
    bool baseline_optional, allow_incomplete, is_json;
};

/* Reads, judges and writes. Returns 0, PR_EXIT_NO if a rule is broken, or an exit status with the reason reported. */
int pr_check_frame(const struct pr_command *command, const struct pr_common *common,
                   const struct pr_frame_check *check);

#endif
