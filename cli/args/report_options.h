/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that several reports have, as rows for their tables: the same name, the same words, the same meaning. Each
 * takes the offset of the member of the command's settings that it sets.
 */
#ifndef PR_CLI_ARGS_REPORT_OPTIONS_H
#define PR_CLI_ARGS_REPORT_OPTIONS_H

#include "cli/args/command.h"

/* Metrics of memory and of time that shells offer; other inputs use other names. */
extern const char *const pr_metric_words[];

/* What is shown; METRIC: const char *, NULL = the main one. Four rows. */
#define PR_OPTIONS_METRIC(METRIC)                                                                                     \
    {.name = "leaks", .kind = PR_OPTION_WORD, .offset = (METRIC), .word = "leaked",                                   \
     .help = "what was not freed at the end"},                                                                        \
    {.name = "temporary", .kind = PR_OPTION_WORD, .offset = (METRIC), .word = "temporary",                            \
     .help = "what was freed at once"},                                                                               \
    {.name = "allocated", .kind = PR_OPTION_WORD, .offset = (METRIC), .word = "allocated",                            \
     .help = "everything that was allocated"},                                                                        \
    {.name = "metric", .kind = PR_OPTION_TEXT, .offset = (METRIC), .argument = "NAME", .choices = pr_metric_words,    \
     .help = "peak (default), leaked, temporary or allocated; for\n"                                                  \
             "other profiles, the name that `info` lists"}

/* WIDTH: uint64_t, 0 = the terminal's. */
#define PR_OPTION_WIDTH(WIDTH)                                                                                        \
    {.name = "width", .kind = PR_OPTION_NUMBER, .offset = (WIDTH), .argument = "N",                                   \
     .help = "columns (text); default: the terminal's, else 120"}

/* FORMAT: int; JSON is the command's number of that format. */
#define PR_OPTION_JSON(FORMAT, JSON)                                                                                  \
    {.name = "json", .kind = PR_OPTION_INT, .offset = (FORMAT), .value = (JSON), .help = "short for --format json"}

/* THRESHOLD: uint64_t, PR_NOT_GIVEN at first; see pr_input_set_threshold. */
#define PR_OPTION_TEMPORARY_THRESHOLD(THRESHOLD)                                                                      \
    {.name = "temporary-threshold", .kind = PR_OPTION_NUMBER, .offset = (THRESHOLD), .argument = "N",                 \
     .help = "temporary: freed within N more allocations;\n"                                                          \
             "default: 1"}

/* KEY: const char *, for pr_load_options.tag_root. */
#define PR_OPTION_TAG_ROOT(KEY)                                                                                       \
    {.name = "tag-root", .kind = PR_OPTION_TEXT, .once = true, .offset = (KEY), .argument = "KEY",                    \
     .help = "of pprof: the values of this label become the first\n"                                                  \
             "level of the stacks; KEY,KEY: a level of each"}

/* In the settings that all commands have. FORMATS: those that it is for. */
#define PR_OPTION_RAW(FORMATS)                                                                                        \
    {.name = "raw", .kind = PR_OPTION_FLAG, .offset = offsetof(struct pr_common, raw),                                \
     .help = "names exactly as recorded (" FORMATS "); else what\n"                                                   \
             "a spreadsheet or a log would run is made harmless"}

/* In the settings that all commands have. */
#define PR_OPTION_RAW_NAMES                                                                                           \
    {.name = "raw-names", .kind = PR_OPTION_FLAG, .offset = offsetof(struct pr_common, raw_names),                    \
     .help = "keep bytes that are not UTF-8, as \\udcXX (json)"}

#endif
