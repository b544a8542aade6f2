/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion for shells: scripts made from the tables that the arguments are read with. What a value can be follows
 * from its kind and from what the help calls it: FILE and INPUT are files, DIR a folder, COMMAND a program.
 */
#ifndef PR_CLI_COMPLETION_H
#define PR_CLI_COMPLETION_H

#include "cli/args/command.h"
#include "cli/io/output.h"

enum pr_value_kind {
    PR_VALUE_NONE, /* no value follows */
    PR_VALUE_TEXT, /* nothing that a shell could know */
    PR_VALUE_FILE,
    PR_VALUE_FOLDER,
    PR_VALUE_PROGRAM,
    PR_VALUE_WORDS
};

struct pr_value {
    enum pr_value_kind kind;
    const char *words[65]; /* the possible ones; ends with NULL */
};

/* What may follow an option; what the argument of a command may be. */
struct pr_value pr_value_of_option(const struct pr_option *option);
struct pr_value pr_value_of_argument(const struct pr_command *command);

/* Writes the words with a blank between them. */
void pr_completion_words(struct pr_output *out, const char *const *words);

/* Writes TEXT with its lines joined; a backslash goes before each letter of SPECIAL, quotes are those of sh. */
void pr_completion_text(struct pr_output *out, const char *text, const char *special);

/* The scripts for COMMANDS, which ends with NULL. */
void pr_completion_bash(const struct pr_command *const *commands, struct pr_output *out);
void pr_completion_zsh(const struct pr_command *const *commands, struct pr_output *out);
void pr_completion_fish(const struct pr_command *const *commands, struct pr_output *out);

#endif
