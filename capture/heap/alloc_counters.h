/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be counted without knowing what is alive: allocated in total, temporaries, sizes.
 *
 * It runs on the reader's core, where there is time to spare; the analysis of what is alive
 * (capture/heap/heap_analysis.h) runs on the other. A deallocation makes an allocation a temporary if it is among the
 * newest `threshold` + 1 of the same thread.
 * Source: doc/formats/memray.md, "Temporary".
 */
#ifndef PR_CAPTURE_HEAP_ALLOC_COUNTERS_H
#define PR_CAPTURE_HEAP_ALLOC_COUNTERS_H

#include "capture/heap/size_histogram.h"

struct pr_alloc_counters_fact {
    int64_t allocated_bytes, allocated_count, temporary_bytes, temporary_count;
};

/* A recent allocation of a thread. */
struct pr_recent {
    uint64_t address, size;
    uint32_t fact; /* + 1; 0 = none yet */
};

struct pr_alloc_counters {
    struct pr_alloc_counters_fact *facts; /* [fact_capacity] zeros for those that never occurred */
    size_t fact_capacity;
    struct pr_recent *recent; /* [thread][window], a ring each */
    uint32_t *next;           /* [thread] where its ring continues */
    size_t thread_capacity;
    uint32_t window;
    struct pr_sizes sizes;
};

void pr_alloc_counters_init(struct pr_alloc_counters *tally, uint32_t temporary_threshold);
void pr_alloc_counters_clear(struct pr_alloc_counters *tally);

/* Frees all but the counts by size. */
void pr_alloc_counters_keep_sizes(struct pr_alloc_counters *tally);

/* Room for facts and threads up to and including these. False: out of memory. */
bool pr_alloc_counters_grow(struct pr_alloc_counters *tally, uint32_t fact, uint32_t thread);

/* The counters of facts 0 to COUNT - 1 as columns, COUNT elements each. */
void pr_alloc_counters_columns(const struct pr_alloc_counters *tally, uint32_t count, int64_t *allocated_bytes,
                               int64_t *allocated_count, int64_t *temporary_bytes, int64_t *temporary_count);

/* An allocation of SIZE bytes. False: out of memory. */
static inline bool pr_alloc_counters_alloc(struct pr_alloc_counters *t, uint32_t fact, uint32_t thread,
                                           uint64_t address, uint64_t size)
{
    if ((fact >= t->fact_capacity || thread >= t->thread_capacity) && !pr_alloc_counters_grow(t, fact, thread))
        return false;
    struct pr_alloc_counters_fact *f = &t->facts[fact];
    f->allocated_count++;
    /* may wrap in damaged files, as memray's sums do */
    f->allocated_bytes = (int64_t)((uint64_t)f->allocated_bytes + size);
    uint32_t next = t->next[thread];
    t->recent[(size_t)thread * t->window + next] = (struct pr_recent){address, size, fact + 1};
    t->next[thread] = next + 1 == t->window ? 0 : next + 1;
    return pr_sizes_add(&t->sizes, size);
}

/* A deallocation: the newest recent allocation of THREAD at ADDRESS was temporary; EXACT: only one of SIZE bytes. */
static inline void pr_alloc_counters_free(struct pr_alloc_counters *t, uint32_t thread, uint64_t address, bool exact,
                                          uint64_t size)
{
    if (thread >= t->thread_capacity)
        return;
    const struct pr_recent *ring = &t->recent[(size_t)thread * t->window];
    uint32_t at = t->next[thread];
    for (uint32_t i = 0; i < t->window; i++) {
        at = at ? at - 1 : t->window - 1;
        if (ring[at].address == address && ring[at].fact && (!exact || ring[at].size == size)) {
            struct pr_alloc_counters_fact *f = &t->facts[ring[at].fact - 1];
            f->temporary_count++;
            f->temporary_bytes = (int64_t)((uint64_t)f->temporary_bytes + ring[at].size);
            return;
        }
    }
}

#endif
