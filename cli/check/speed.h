/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the machine was in each run, from the runs themselves. A machine that is busy or slower takes more time for
 * every function, a change of the program for a few: most functions show the speed, and what is left is the program's.
 */
#ifndef PR_CLI_CHECK_SPEED_H
#define PR_CLI_CHECK_SPEED_H

#include "cli/check/judge.h"

/*
 * SLOWNESS, [profiles of the difference]: how much longer each took than usual for the same work, 1 = no longer. A
 * median of the functions in TABLE, in which none counts more than a quarter. KNOWN is false with fewer than three
 * functions that take a twentieth of the time each: one of two that changed could be either. False: no memory.
 */
bool pr_speed_find(struct pr_judge *j, const struct pr_diff_table *table, double *slowness, bool *known);

#endif
