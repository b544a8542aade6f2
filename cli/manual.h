/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manual pages, as man(7) text: made from the tables that the arguments are read with and the help is printed from,
 * so they cannot go out of date. doc/pages.sh writes them all.
 */
#ifndef PR_CLI_MANUAL_H
#define PR_CLI_MANUAL_H

#include "cli/args/command.h"

/* Prints profrender(1), or the page of a command, on standard output; returns the exit status. */
int pr_manual_program(void);
int pr_manual_command(const struct pr_command *command);

#endif
