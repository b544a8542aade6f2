/* SPDX-License-Identifier: Apache-2.0 */
/* The help: made from the tables that the arguments are read with, so it cannot miss an option. */
#ifndef PR_CLI_HELP_H
#define PR_CLI_HELP_H

#include "cli/args/command.h"

/* Prints the help of a command on standard output; returns the exit status. */
int pr_help_command(const struct pr_command *command);

/* Prints that of the program, with all its commands. */
int pr_help_program(void);

extern const struct pr_exit_meaning pr_exit_meanings[]; /* of a command that has no others */
extern const struct pr_exit_meaning pr_program_exits[]; /* of all of them */

/* The status as text. */
struct pr_exit_name {
    char text[16];
};
struct pr_exit_name pr_exit_name_of(const struct pr_exit_meaning *exit);

#endif
