/* SPDX-License-Identifier: Apache-2.0 */
/* The help: made from the tables that the arguments are read with, so it cannot miss an option. */
#ifndef PR_HELP_H
#define PR_HELP_H

#include "cli/command.h"

/* Prints the help of a command on standard output; returns the exit status. */
int pr_help_command(const struct pr_command *command);

/* Prints that of the program: all commands of the list, which ends with NULL. */
int pr_help_program(const struct pr_command *const *commands);

#endif
