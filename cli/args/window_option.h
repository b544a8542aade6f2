/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a run on the command line: `--bins 512`, `--bins samples`, `--window 12.5:60`, `--window b3:b17`,
 * `--window phase:load`.
 */
#ifndef PR_CLI_ARGS_WINDOW_OPTION_H
#define PR_CLI_ARGS_WINDOW_OPTION_H

#include "profrender/window.h"
#include "cli/args/command.h"

/* A window as it was written. */
struct pr_window_option {
    bool in_bins;
    const char *phase; /* the first one of that name; NULL: from and to */
    double from, to; /* seconds from the start of the run, or numbers of bins, both included; `to` may be infinite */
};

enum pr_window_form {
    PR_WINDOW_GOOD,
    PR_WINDOW_BACKWARD,  /* it ends before it starts */
    PR_WINDOW_EARLY,     /* it starts before the run */
    PR_WINDOW_UNREADABLE /* another form */
};

/* "512" or "samples" (0: a bin for each memory sample). False: neither. */
bool pr_bins_parse(const char *text, uint32_t *max_bins);

/* "FROM:TO" in seconds or as bins; without FROM from the start on, without TO to the end. Or "phase:NAME". */
enum pr_window_form pr_window_parse(const char *text, struct pr_window_option *option);

/* The same for the option NAME of COMMAND. Returns 0, or PR_EXIT_USAGE with the reason reported. */
int pr_window_read(const struct pr_command *command, const char *name, const char *text,
                   struct pr_window_option *option);

/* The bins of PROFILE that OPTION means; seconds snap outward. False: the run has none there. */
bool pr_window_find(const struct pr_window_option *option, const struct pr_profile *profile, struct pr_window *window);

/* When a part of a run begins and ends. */
struct pr_span_of_run {
    int64_t start_ms;       /* of the run, since the epoch; 0 where that is not known */
    int64_t from_ns, to_ns; /* since that start */
};

/* A part of a run as a profile of its own. */
struct pr_part_of_run {
    struct pr_profile view; /* borrows from the profile */
    void *columns;
    struct pr_span_of_run when;
    char words[100]; /* since the start, for people: "0 s to 10 s" */
};

/*
 * The part of PROFILE that OPTION means, for METRIC: peak and leaks by time bins, the time of a CPU profile by its
 * order.
 * Returns 0, or PR_EXIT_INPUT with the reason reported; NAME is that of the input, TEXT the option as it was written.
 *
 * Owner: pr_part_of_run_clear, also after a failure.
 */
int pr_part_of_run_make(const struct pr_window_option *option, const char *name, const char *text,
                        const struct pr_profile *profile, int metric, struct pr_part_of_run *part);
void pr_part_of_run_clear(struct pr_part_of_run *part);

#endif
