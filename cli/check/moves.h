/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growth of a function that is none of the program: what it has more left another function, as code was split, renamed,
 * inlined or moved to another file.
 */
#ifndef PR_CLI_CHECK_MOVES_H
#define PR_CLI_CHECK_MOVES_H

#include "cli/check/judge.h"

/*
 * What moved since the chosen baseline that is most like their median, for each row of TABLE. Owner: the caller, by
 * free. NULL: no memory.
 */
struct pr_diff_move *pr_moves_find(struct pr_judge *j, int metric, const struct pr_diff_table *table);

/* Whether a function that grew too much is within its limit without what moved into it. */
bool pr_moves_explain(const struct pr_finding *finding, const struct pr_diff_move *moved);

/* The rows that lost something to others, in order of how much; MOVED is borrowed. */
struct pr_losers {
    const struct pr_diff_move *moved;
    size_t *row; /* [count] */
    size_t count;
};

/* False: no memory. In any case the caller clears LOSERS. */
bool pr_losers_find(struct pr_losers *losers, const struct pr_diff_table *table, const struct pr_diff_move *moved);
void pr_losers_clear(struct pr_losers *losers);

/*
 * Notes for row number I: "allocated: 20.0 MiB of load_rows came from load: moved, not grown". Returns 0, or an exit
 * status with the reason reported.
 */
int pr_moves_note(struct pr_judge *j, const struct pr_finding *finding, const struct pr_diff_table *table,
                  const struct pr_losers *losers, size_t i);

#endif
