/* SPDX-License-Identifier: Apache-2.0 */
/* Names for outputs that were given none. */
#ifndef PR_CLI_ARGS_OUTPUT_NAME_H
#define PR_CLI_ARGS_OUTPUT_NAME_H

#include "cli/args/command.h"

#include <limits.h>

/*
 * Without -o, sets the output: runs/train.bin.zst gives train with ENDING (".html") in the current folder, PATH holds
 * it. What comes through a pipe leaves through one. WHAT ("page") is for messages. Returns 0 or an exit status.
 */
int pr_output_choose(const struct pr_command *command, struct pr_common *common, const char *what, const char *ending,
                     char path[PATH_MAX]);

#endif
