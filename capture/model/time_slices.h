/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of time in bounded memory: a day of samples becomes at most PR_MAX_SLICES slices, by halving the resolution
 * until they fit. Facts are not touched: only the time-ordered view loses what is too short to be drawn.
 */
#ifndef PR_CAPTURE_MODEL_TIME_SLICES_H
#define PR_CAPTURE_MODEL_TIME_SLICES_H

#include "profrender/profile.h"

enum { PR_MAX_SLICES = 1 << 23 };

/* The thread of a fact; CONTEXT is what knows it. */
typedef uint32_t pr_fact_thread(const void *context, uint32_t fact);

/*
 * Halves the resolution until at most MOST slices are left: in each thread of a layer, those that begin in the same
 * slot of *RESOLUTION_NS become one with the fact of the longest. They are sorted by layer, thread, start. With more
 * threads than that, the last ones are left out.
 */
void pr_slices_coarsen(struct pr_slice *slices, size_t *count, size_t most, int64_t *resolution_ns,
                       pr_fact_thread *thread_of, const void *context);

/* Sorts and coarsens SLICES until half of them are gone. False: no memory. */
bool pr_slices_thin(struct pr_slice *slices, size_t *count, int64_t *resolution_ns, pr_fact_thread *thread_of,
                    const void *context);

/*
 * Sorts by layer, thread and start, makes time begin at *FIRST_NS or at the first slice, which *FIRST_NS then is, if
 * that is earlier, and gives them the numbers of the profile's facts: MERGED has one for each fact so far, PR_NO_ID
 * drops its slices. THREAD_OF knows the facts so far. False: no memory.
 */
bool pr_slices_finish(struct pr_slice *slices, size_t *count, const uint32_t *merged, pr_fact_thread *thread_of,
                      const void *context, int64_t *first_ns);

#endif
