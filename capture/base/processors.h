/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads are worth starting. */
#ifndef PR_CAPTURE_BASE_PROCESSORS_H
#define PR_CAPTURE_BASE_PROCESSORS_H

/* Processors that this process may run on, as taskset and cpusets limit them; at least 1. */
unsigned pr_processors(void);

#endif
