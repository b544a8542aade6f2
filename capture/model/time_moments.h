/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was allocated when, in bounded memory: where there are too many moments, neighbouring ones become one, fact by
 * fact, until they fit. Amounts stay exact; only their times become less so. If there are so many facts that they do
 * not fit even then, some hundred steps of time are kept, as long as there are at most four moments for each fact.
 *
 *     struct pr_time_moments moments = {.most = PR_MOST_MOMENTS};
 *     pr_time_moments_add(&moments, fact, at_ns, bytes);
 *     pr_time_moments_finish(&moments, merged, first_ns, profile);
 *     pr_time_moments_clear(&moments);
 */
#ifndef PR_CAPTURE_MODEL_TIME_MOMENTS_H
#define PR_CAPTURE_MODEL_TIME_MOMENTS_H

#include "profrender/profile.h"

/* A tenth of a gigabyte on the way; packed in a page, some megabytes at most. */
enum { PR_MOST_MOMENTS = 1 << 20 };

struct pr_time_moments {
    size_t most; /* at least 1 */
    struct pr_moment *list;
    size_t count, capacity;
    int64_t resolution_ns; /* as that of the profile */
};

/* The next coarser resolution: 1 ms, 5 ms, 20 ms, then twice as much. Each divides the next one from 5 ms on. */
int64_t pr_time_moments_coarser(int64_t resolution_ns);

/*
 * FACT allocated BYTES at AT_NS, by any clock that all share; nothing if BYTES is not above 0. In no particular order,
 * though one of time takes the least memory. False: no memory.
 */
bool pr_time_moments_add(struct pr_time_moments *moments, uint32_t fact, int64_t at_ns, int64_t bytes);

/* The time of the first one; INT64_MAX: there are none. */
int64_t pr_time_moments_first_ns(const struct pr_time_moments *moments);

/*
 * They become those of PROFILE, which has its facts, in its arena, with time counted from FIRST_NS; what is earlier is
 * there. MERGED has the profile's fact for each so far, PR_NO_ID drops its moments. False: no memory.
 */
bool pr_time_moments_finish(struct pr_time_moments *moments, const uint32_t *merged, int64_t first_ns,
                       struct pr_profile *profile);
void pr_time_moments_clear(struct pr_time_moments *moments);

/* Sorts by time, then fact, and adds up those that agree in both. Returns how many are left; SIZE_MAX: no memory. */
size_t pr_time_moments_join(struct pr_moment *list, size_t count);

#endif
