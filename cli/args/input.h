/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a command: read with progress, and its problems reported. */
#ifndef PR_CLI_ARGS_INPUT_H
#define PR_CLI_ARGS_INPUT_H

#include "profrender/load.h"
#include "profrender/merge.h"
#include "cli/args/command.h"
#include "capture/read_ahead.h"
#include "cli/io/progress.h"

/*
 * Loads the input, or several: the files of one run. OPTIONS may be NULL: the defaults, without native stacks
 * and without moments; its progress is ours, and debug information is fetched if the environment names servers that
 * have it (DEBUGINFOD_URLS). Returns 0, or an exit status with the reason reported. What could be read of a damaged
 * input is a profile too: the warning is then printed, and pr_input_status knows.
 */
int pr_input_load(const struct pr_common *common, const struct pr_load_options *options, struct pr_profile **profile);

/*
 * Whether a profile says nothing by itself: notes, or a log without a word of failure in it. As part of a run they
 * matter, alone they do not.
 */
static inline bool pr_input_is_nothing(const struct pr_profile *profile)
{
    return !profile->metric_count && !profile->series_count && !pr_run_is_known(&profile->run);
}

/* Replaces the notes of *PROFILE with those in the file PATH (Markdown). After an error *PROFILE is NULL. */
int pr_input_add_notes(const struct pr_common *common, const char *path, struct pr_profile **profile);

/*
 * The sum of any number of inputs, read one after the other: runs of one program, as PR_MERGE_ADD. One that cannot be
 * read ends it, or with SKIP_UNREADABLE is left out and named; if none can be read, there is no sum, and --strict wants
 * all of them.
 */
int pr_input_sum(const struct pr_common *common, const struct pr_load_options *options, bool skip_unreadable,
                 struct pr_profile **profile);

/* Threads for one input, and for its card: --jobs, 0 where it is not given, and 1 where memory is bounded. */
unsigned pr_input_threads(const struct pr_common *common);

/* Inputs that are read at once, up to --jobs of them, and given out one after the other in their order. */
struct pr_inputs {
    const struct pr_common *common;
    const char *const *paths;    /* borrowed */
    struct pr_progress progress; /* of the one that is waited for */
    struct pr_load_options how;
    struct pr_read_ahead *ahead;
    size_t given;
};

/*
 * Begins to read COUNT of them, which stay where they are until pr_inputs_end, as INPUTS does. Returns 0, or an exit
 * status with the reason reported; pr_inputs_end is fine after either.
 */
int pr_inputs_begin(struct pr_inputs *inputs, const struct pr_common *common, const char *const *paths, size_t count,
                    const struct pr_load_options *options);

/* The next one, whose PATH is set first. At most COUNT times. Returns as pr_input_load_one. */
int pr_inputs_next(struct pr_inputs *inputs, const char **path, struct pr_profile **profile);

/* The same, but problems are not reported: they are in ERR. */
enum pr_status pr_inputs_try_next(struct pr_inputs *inputs, const char **path, struct pr_profile **profile,
                                  struct pr_error *err);

void pr_inputs_end(struct pr_inputs *inputs);

/* The same as pr_input_load with one input, whatever COMMON names. */
int pr_input_load_one(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                      struct pr_profile **profile);

/* The same; what was reported is also in ERR. */
int pr_input_load_why(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                      struct pr_profile **profile, struct pr_error *err);

/* The same, but problems are not reported: they are in ERR. */
enum pr_status pr_input_try_one(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                                struct pr_profile **profile, struct pr_error *err);

/*
 * As --redact asks, on a profile that was just loaded with STATUS: before anything else sees it. Returns STATUS;
 * PR_FAILED also when memory ran out, and *PROFILE is then NULL.
 */
enum pr_status pr_input_hide_names(const struct pr_common *common, struct pr_profile **profile, enum pr_status status,
                                   struct pr_error *err);

/* Reports that PATH cannot be used, and ERR. Returns PR_EXIT_INPUT. */
int pr_input_refuse(const char *path, const struct pr_error *err);

/* pr_output_check, against all inputs. */
int pr_input_check_output(const struct pr_common *common);

/* Sets the user's limits on how much may be unpacked. */
void pr_input_set_limits(const struct pr_common *common, struct pr_limits *limits);

/* THRESHOLD, or PR_NOT_GIVEN: a digest then answers with its own. False: it is too large. */
bool pr_input_set_threshold(struct pr_load_options *options, uint64_t threshold);

/* For reports of METRIC alone, NULL: the main one. Peaks of facts and temporaries are then not counted. */
void pr_input_read_only(struct pr_load_options *options, const char *metric);

/* The choices of an option --native, enum pr_native_use. */
extern const char *const pr_native_words[];

/* Reports which part of the native frames has no names, and why. */
void pr_input_tell_unnamed(const struct pr_common *common, const struct pr_profile *profile);

/* The exit status of a command that made its output with STATUS: --strict wants the whole input. */
int pr_input_status(const struct pr_common *common, const struct pr_profile *profile, int status);

/* The input, or several, as messages call them. */
const char *pr_input_name(const struct pr_common *common);

/* The names of PROFILE's metrics as a list: "peak, leaked"; "no stacks". A long list is cut. */
enum { PR_METRIC_LIST = 160 };
void pr_input_list_metrics(const struct pr_profile *profile, char list[PR_METRIC_LIST]);

/*
 * Reports that the input has no VIEW, which may be the name of a metric, and why. Returns PR_EXIT_INPUT; for a name
 * that no format has, PR_EXIT_USAGE.
 */
int pr_input_lacks(const struct pr_common *common, const struct pr_profile *profile, const char *view);

/*
 * Reports why a report on METRIC (NULL: the main one) could not be made: ERR, or, where that is PR_ERR_ABSENT, that the
 * input has no such metric. Returns the exit status.
 */
int pr_input_no_report(const struct pr_common *common, const struct pr_profile *profile, const char *metric,
                       const struct pr_error *err);

#endif
