/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several inputs, read at once and given out in their order: what is done with them does not depend on how many are
 * read at once, nor on which of them is done first.
 *
 *     struct pr_read_ahead *ahead = pr_read_ahead_new(&inputs, jobs, &options);
 *     while (...)
 *         status = pr_read_ahead_next(ahead, &profile, &err);      // inputs.count times, or fewer
 *     pr_read_ahead_free(ahead);
 */
#ifndef PR_CAPTURE_READ_AHEAD_H
#define PR_CAPTURE_READ_AHEAD_H

#include "profrender/load.h"

#include <stddef.h>

struct pr_read_ahead;

/* What is to be read. The functions are called by any thread, by several at once for different inputs. */
struct pr_read_ahead_inputs {
    size_t count;
    void *context;
    /* Bytes of input INDEX, as far as they tell how long it takes; below 0: to read it may wait for someone who waits
     * for us, so it is read when its turn comes. */
    double (*size)(void *context, size_t index);
    /* Reads input INDEX by OPTIONS; as pr_load. */
    enum pr_status (*read)(void *context, size_t index, const struct pr_load_options *options,
                           struct pr_profile **profile, struct pr_error *err);
};

/*
 * Begins to read the first JOBS inputs. At most JOBS profiles are held at a time, those that were given out not
 * counted. INPUTS is copied; what it points to and OPTIONS are borrowed until pr_read_ahead_free. The progress of
 * OPTIONS is called from pr_read_ahead_next alone, with figures of the input that it waits for; if it returns false, no
 * other input is begun. NULL: out of memory. Owned: pr_read_ahead_free.
 */
struct pr_read_ahead *pr_read_ahead_new(const struct pr_read_ahead_inputs *inputs, size_t jobs,
                                        const struct pr_load_options *options);

/* The next input, as it was read. *PROFILE is owned. */
enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err);

/* Inputs that are being read are given up. */
void pr_read_ahead_free(struct pr_read_ahead *ahead);

/* How many inputs at once are worth it, where nobody said how many: one for each processor, up to 8. */
size_t pr_read_ahead_usual_jobs(void);

#endif
