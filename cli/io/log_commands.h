/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in the logs of continuous integration. A runner reads commands from what a step prints: a line that begins with
 * `::error::` (GitHub, blanks before it or not), and `##[error]`, `##vso[task...]`, `##teamcity[...]` anywhere in it
 * (GitHub, Azure, TeamCity). A name from a capture must not be one: its first letter is then written as an escape.
 *
 * Source: actions/runner, ActionCommand.cs; the documents of Azure Pipelines on logging commands, of TeamCity on
 * service messages.
 */
#ifndef PR_CLI_IO_LOG_COMMANDS_H
#define PR_CLI_IO_LOG_COMMANDS_H

#include "profrender/buf.h"

/*
 * Appends TEXT: the same bytes, but `\x3a:error::` and `\x23#[`. "std::vector" and "a::b(c)" are left alone: only at
 * the beginning and after a blank, where a line might be broken, may two colons begin a command.
 */
void pr_add_uncommanding(struct pr_buf *buf, const char *text, size_t length);

#endif
