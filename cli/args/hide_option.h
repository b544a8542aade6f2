/* SPDX-License-Identifier: Apache-2.0 */
/* What `--hide` of tables takes: a list of groups of frames, "imports,native". */
#ifndef PR_CLI_ARGS_HIDE_OPTION_H
#define PR_CLI_ARGS_HIDE_OPTION_H

#include "cli/args/command.h"

/* The names of the groups of capture/model/code_groups.h, bit by bit; NULL follows the last one. */
extern const char *const pr_hide_words[];

/* Reads TEXT into *GROUPS. Returns PR_EXIT_DONE, or what pr_wrong_usage returned. */
int pr_hide_read(const struct pr_command *command, const char *text, unsigned *groups);

#endif
