/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of time in bounded memory: a day of samples becomes at most PR_MAX_STRETCHES stretches, by halving the
 * resolution as often as it takes. Facts are not touched: only the time-ordered view loses what is too short to be
 * drawn.
 */
#ifndef PR_STRETCHES_H
#define PR_STRETCHES_H

#include "capture/builder.h"

enum { PR_MAX_STRETCHES = 1 << 20 };

/*
 * Makes STRETCHES fewer: of each thread, those that begin in the same slot of *RESOLUTION_NS, which is doubled until
 * half of them are gone, become one with the fact of the longest. BUILDER knows the threads of facts. False: no memory.
 */
bool pr_stretches_thin(struct pr_stretch *stretches, size_t *count, int64_t *resolution_ns,
                       const struct pr_builder *builder);

/*
 * Sorts by thread and start, lets time begin with 0, and gives them the numbers of the profile's facts, after
 * pr_builder_finish. False: no memory.
 */
bool pr_stretches_finish(struct pr_stretch *stretches, size_t *count, const struct pr_builder *builder);

#endif
