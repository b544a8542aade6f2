/* SPDX-License-Identifier: Apache-2.0 */
/* What the change under review touches, on the command line: `--changes FILE`. */
#ifndef PR_CLI_ARGS_CHANGES_OPTION_H
#define PR_CLI_ARGS_CHANGES_OPTION_H

#include "capture/parse/changes.h"

/*
 * Reads PATH, or standard input for "-". Returns 0, or an exit status with the reason reported; then there is nothing
 * to clear.
 */
int pr_changes_read(const char *path, struct pr_changes *changes);

#endif
