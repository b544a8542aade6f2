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

#include "capture/builder/stack_table.h"
#include "capture/heap/size_histogram.h"
#include "capture/model/time_moments.h"

struct pr_alloc_counters_fact {
    int64_t allocated_bytes;
    int64_t allocated_count; /* twice; odd: the fact is among those that allocated since the last moment */
    int64_t temporary_bytes, temporary_count;
};

/* A fact that allocated since the last moment, and what it had allocated before. */
struct pr_alloc_before {
    int64_t bytes;
    uint32_t fact;
};

/* A recent allocation of a thread. */
struct pr_recent {
    uint64_t address, size;
    uint32_t fact; /* + 1; 0 = none yet */
};

struct pr_alloc_counters {
    struct pr_alloc_counters_fact *facts; /* [fact_capacity] zeros for those that never occurred */
    size_t fact_capacity;
    bool has_moments; /* else each fact counts as one of those of the moment, and BEFORE stays empty */
    struct pr_alloc_before *before; /* [fact_capacity] each fact at most once */
    size_t before_count;
    struct pr_recent *recent; /* [thread][window], a ring each */
    uint32_t *next;           /* [thread] where its ring continues */
    size_t thread_capacity;
    uint32_t window;          /* 0: nothing is temporary */
    struct pr_sizes sizes;
};

/*
 * HAS_TEMPORARY: else TEMPORARY_THRESHOLD does not matter, and nothing is counted as temporary.
 * HAS_MOMENTS: pr_alloc_counters_moments will be asked.
 */
void pr_alloc_counters_init(struct pr_alloc_counters *tally, bool has_temporary, uint32_t temporary_threshold,
                            bool has_moments);
void pr_alloc_counters_clear(struct pr_alloc_counters *tally);

/*
 * No more will be counted: frees what only that needs, and there are counters for COUNT facts, with allocated_count as
 * it is, no longer twice. False: out of memory.
 */
bool pr_alloc_counters_settle(struct pr_alloc_counters *tally, uint32_t count);

/* After pr_alloc_counters_settle: what was allocated in total, and what was temporary. */
struct pr_fact_column pr_alloc_counters_allocated(const struct pr_alloc_counters *tally);
struct pr_fact_column pr_alloc_counters_temporary(const struct pr_alloc_counters *tally);

/* Room for facts and threads up to and including these. False: out of memory. */
bool pr_alloc_counters_grow(struct pr_alloc_counters *tally, uint32_t fact, uint32_t thread);

/* What was allocated since the last call becomes moments at AT_NS. False: out of memory. */
bool pr_alloc_counters_moments(struct pr_alloc_counters *tally, int64_t at_ns, struct pr_time_moments *moments);

/*
 * The counters at hand for some events of one thread, between pr_alloc_run_begin and pr_alloc_run_end; a copy on the
 * stack stays in registers.
 */
struct pr_alloc_run {
    struct pr_alloc_counters_fact *facts;
    struct pr_recent *ring;
    struct pr_alloc_before *before; /* the next one */
    uint64_t *sizes;
    uint32_t next, window;
};

/* THREAD allocated before, as a run needs. */
static inline bool pr_alloc_run_can_begin(const struct pr_alloc_counters *t, uint32_t thread)
{
    return thread < t->thread_capacity && t->sizes.small;
}

/* To be begun again after anything else changed the counters. */
static inline struct pr_alloc_run pr_alloc_run_begin(const struct pr_alloc_counters *t, uint32_t thread)
{
    return (struct pr_alloc_run){
        .facts = t->facts,
        .ring = &t->recent[(size_t)thread * t->window],
        .before = &t->before[t->before_count],
        .sizes = t->sizes.small,
        .next = t->next[thread],
        .window = t->window,
    };
}

static inline void pr_alloc_run_end(const struct pr_alloc_run *run, struct pr_alloc_counters *t, uint32_t thread)
{
    t->next[thread] = run->next;
    t->before_count = (size_t)(run->before - t->before);
}

/* An allocation of a FACT that there is room for; its size is yet to be counted among the sizes. */
static inline void pr_alloc_run_alloc(struct pr_alloc_run *run, uint32_t fact, uint64_t address, uint64_t size)
{
    struct pr_alloc_counters_fact *f = &run->facts[fact];
    if (__builtin_expect(!(f->allocated_count & 1), 0)) {
        *run->before++ = (struct pr_alloc_before){f->allocated_bytes, fact};
        f->allocated_count++;
    }
    f->allocated_count += 2;
    /* may wrap in damaged files, as memray's sums do */
    f->allocated_bytes = (int64_t)((uint64_t)f->allocated_bytes + size);
    if (!run->window)
        return;
    run->ring[run->next] = (struct pr_recent){address, size, fact + 1};
    run->next = run->window == 2 ? run->next ^ 1 : run->next + 1 == run->window ? 0 : run->next + 1;
}

/* A deallocation: the newest recent allocation at ADDRESS was temporary; EXACT: only one of SIZE bytes. */
static inline void pr_alloc_run_free(const struct pr_alloc_run *run, uint64_t address, bool exact, uint64_t size)
{
    const struct pr_recent *ring = run->ring;
    uint32_t at = run->next;
    if (run->window == 2 && ring[0].address != address && ring[1].address != address)
        return; /* the usual window, and what most frees find */
    for (uint32_t i = 0; i < run->window; i++) {
        at = at ? at - 1 : run->window - 1;
        if (ring[at].address == address && ring[at].fact && (!exact || ring[at].size == size)) {
            struct pr_alloc_counters_fact *f = &run->facts[ring[at].fact - 1];
            f->temporary_count++;
            f->temporary_bytes = (int64_t)((uint64_t)f->temporary_bytes + ring[at].size);
            return;
        }
    }
}

/* An allocation of SIZE bytes. False: out of memory. */
static inline bool pr_alloc_counters_alloc(struct pr_alloc_counters *t, uint32_t fact, uint32_t thread,
                                           uint64_t address, uint64_t size)
{
    if ((fact >= t->fact_capacity || thread >= t->thread_capacity) && !pr_alloc_counters_grow(t, fact, thread))
        return false;
    struct pr_alloc_run run = pr_alloc_run_begin(t, thread);
    pr_alloc_run_alloc(&run, fact, address, size);
    pr_alloc_run_end(&run, t, thread);
    return pr_sizes_add(&t->sizes, size);
}

/* A deallocation on THREAD, as above. */
static inline void pr_alloc_counters_free(const struct pr_alloc_counters *t, uint32_t thread, uint64_t address,
                                          bool exact, uint64_t size)
{
    if (thread >= t->thread_capacity)
        return;
    const struct pr_alloc_run run = pr_alloc_run_begin(t, thread);
    pr_alloc_run_free(&run, address, exact, size);
}

#endif
