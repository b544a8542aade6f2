/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments become settings, by the option tables of command.h.
 *
 *     struct settings { struct pr_common common; unsigned limit; } s = {.limit = 20};
 *     int status;
 *     if (!pr_options_parse(command, argc, argv, &s, &status))
 *         return status;                     // --help was shown (0), or what is wrong was said (2)
 *
 * `--name=value`, `--name value`, `-nvalue`, `-n value`, `-qb` for `-q -b`; anywhere among the other arguments; `--`
 * ends them. Options are never shortened: a later release may add one with the same beginning.
 */
#ifndef PR_CLI_ARGS_OPTIONS_H
#define PR_CLI_ARGS_OPTIONS_H

#include "profrender/error.h"
#include "cli/args/command.h"

extern const struct pr_option pr_common_options[];

/* For the table of a command that reads several inputs. */
#define PR_OPTION_JOBS                                                                                                \
    {.name = "jobs", .letter = 'j', .kind = PR_OPTION_NUMBER, .offset = offsetof(struct pr_common, jobs),             \
     .argument = "N",                                                                                                 \
     .help = "read N inputs at once, or one memray capture by N\n"                                                    \
             "threads, at most 3; default: as many as processors,\n"                                                  \
             "at most 8 inputs. Every N gives the same result"}

/* For one that reads a table, whose columns are counted at once. */
#define PR_OPTION_TABLE_JOBS                                                                                          \
    {.name = "jobs", .letter = 'j', .kind = PR_OPTION_NUMBER, .offset = offsetof(struct pr_common, jobs),             \
     .argument = "N",                                                                                                 \
     .help = "use N processors; default: all, at most 8. The\n"                                                       \
             "result is the same for every N"}

/* Those of them that COMMAND has. */
const struct pr_option *pr_options_common(const struct pr_command *command);

/* Whether a value follows the option's name. */
bool pr_option_takes_value(const struct pr_option *option);

/* SETTINGS begins with a struct pr_common and holds the defaults. False: the program ends with *STATUS. */
bool pr_options_parse(const struct pr_command *command, int argc, char **argv, void *settings, int *status);

/* Reports what is wrong with the arguments, and where the help is. Returns PR_EXIT_USAGE. COMMAND may be NULL. */
int pr_wrong_usage(const struct pr_command *command, const char *format, ...) PR_PRINTF(2, 3);

/*
 * The word of the list (which ends with NULL) that is most like WORD, or NULL when none is like it. WORDS points to the
 * first word, STRIDE bytes are between two of them: a list of names, or the names of a table.
 */
const char *pr_nearest(const char *word, const void *words, size_t stride);

/* "5", "0.5" or "0.5%" as a fraction of 1. False: not a percentage, or below 0. */
bool pr_percent_parse(const char *text, double *share);

#endif
