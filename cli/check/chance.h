/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which part of a run is left to chance. Threads, processes and tasks that take turns allocate the same every time, and
 * yet how much they hold at once depends on which of them overlap: the peak of an unchanged program then moves by half.
 */
#ifndef PR_CLI_CHECK_CHANCE_H
#define PR_CLI_CHECK_CHANCE_H

#include "profrender/buf.h"
#include "profrender/profile.h"

struct pr_chance {
    uint32_t threads, processes; /* that allocate, each at least a hundredth of all */
    const char *tasks;           /* the library whose tasks take turns: "asyncio"; NULL = none is known */
};

struct pr_chance pr_chance_of(const struct pr_profile *profile);

/* What is true of one or the other. */
struct pr_chance pr_chance_both(struct pr_chance a, struct pr_chance b);

/*
 * How much more all of them together can hold than one after another, as a share: three times as much for four threads;
 * 0: nothing is left to chance. How many tasks there are is not known.
 */
double pr_chance_share(const struct pr_chance *chance);

/* "4 threads allocate", "tasks of asyncio take turns". */
void pr_chance_words(const struct pr_chance *chance, struct pr_buf *out);

#endif
