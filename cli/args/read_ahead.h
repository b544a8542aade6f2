/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several inputs, read at once and given out in their order: what is done with them does not depend on how many are
 * read at once, nor on which of them is done first.
 *
 *     struct pr_read_ahead *ahead = pr_read_ahead_new(paths, count, jobs, &options);
 *     while (...)
 *         status = pr_read_ahead_next(ahead, &profile, &err);      // count times, or fewer
 *     pr_read_ahead_free(ahead);
 */
#ifndef PR_CLI_ARGS_READ_AHEAD_H
#define PR_CLI_ARGS_READ_AHEAD_H

#include "profrender/load.h"

#include <stddef.h>

struct pr_read_ahead;

/*
 * Begins to read the first JOBS of COUNT inputs, but for pipes and terminals, which may never end: those are read when
 * their turn comes. At most JOBS profiles are held at a time, those that were given out not counted. PATHS and OPTIONS
 * are borrowed until pr_read_ahead_free; their progress is called from pr_read_ahead_next alone, with figures of the
 * input that it waits for. NULL: out of memory. Owned: pr_read_ahead_free.
 */
struct pr_read_ahead *pr_read_ahead_new(const char *const *paths, size_t count, size_t jobs,
                                        const struct pr_load_options *options);

/* The next input, as pr_load gives it. *PROFILE is owned. */
enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err);

/* Drops what was not given out, after stopping what is being read. NULL is fine. */
void pr_read_ahead_free(struct pr_read_ahead *ahead);

#endif
