/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What resident memory consists of, as far as a recording tells. The parts are stacked in this order, and what a part
 * has is never more than the parts before it left, so that their sum is the resident memory.
 *
 *     struct pr_resident_walk walk;
 *     if (pr_resident_begin(profile, &walk))
 *         for (size_t i = 0; i < walk.rss->count; i++) {
 *             struct pr_resident_parts parts = pr_resident_at(&walk, walk.rss->at_ms[i], walk.rss->value[i]);
 *             if (parts.known) ...
 *         }
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_RESIDENT_H
#define PR_API_RESIDENT_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_resident_part {
    PR_RESIDENT_HEAP,  /* at most: the heap may have memory that was never touched */
    PR_RESIDENT_FREED, /* at most: what the heap once had, gave back since, and may still be resident */
    PR_RESIDENT_BASE,  /* what was there besides the heap when both were first sampled: the interpreter, its modules */
    PR_RESIDENT_REST,  /* other processes, stacks, memory that the tracker does not see */
    PR_RESIDENT_FILES, /* pages of files, and shared memory */
    PR_RESIDENT_PARTS
};

struct pr_resident_parts {
    bool known;
    int64_t bytes[PR_RESIDENT_PARTS];
};

/* Goes through a run in the order of time. */
struct pr_resident_walk {
    const struct pr_series *rss, *heap; /* heap may be NULL */
    const struct pr_series *files, *shared; /* NULL: the recording does not tell them from the rest */
    size_t heap_at, files_at, shared_at;
    int64_t highest_heap; /* until now */
    struct pr_maybe base;
};

/* False: resident memory was not sampled, or neither the heap nor files. */
PR_API bool pr_resident_begin(const struct pr_profile *profile, struct pr_resident_walk *walk);

/*
 * The parts of RSS bytes at a moment, by the last samples at or before it. Moments must not decrease. Not known: before
 * the first samples.
 */
PR_API struct pr_resident_parts pr_resident_at(struct pr_resident_walk *walk, int64_t at_ms, int64_t rss);

PR_DECLS_END

#endif
