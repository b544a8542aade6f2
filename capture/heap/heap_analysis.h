/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is alive, and when: one pass over allocation events gives the high-water mark, the leaks and their history.
 *
 *     struct pr_heap_analysis memory;
 *     pr_heap_init(&memory, &options, start_ms, &err);
 *     while (...) pr_heap_consume(&memory, batch, &err); // or the stages of pr_heap_stages
 *     pr_heap_end(&memory, fact_count, end_ms, &err);
 *     // memory.peak and memory.leaked: by fact
 *
 * The high-water mark needs no second pass: peaks are numbered, and each fact keeps what it had at the last one it
 * knows of. It learns of newer ones when it next changes: whatever it has then, it had at every peak in between. Each
 * time bin begins with a peak of its own, the state it starts with, so that its high-water mark is found in the same
 * way; that of the run is the highest of them.
 *
 * Where nobody asks which facts made a peak, none is counted: capture/heap/heap_totals.c.
 *
 * On three processors, the live set has a stage of its own; the one that counts comes after it and looks nothing up.
 */
#ifndef PR_CAPTURE_HEAP_HEAP_ANALYSIS_H
#define PR_CAPTURE_HEAP_HEAP_ANALYSIS_H

#include "capture/heap/batch.h"
#include "capture/heap/time_bins.h"
#include "capture/builder/stack_table.h"
#include "capture/heap/live_stage.h"
#include "capture/heap/mapped_ranges.h"
#include "capture/heap/lifetimes.h"
#include "capture/heap/memory_samples.h"
#include "capture/heap/packed_live_set.h"

/* The counters of a fact, half a cache line. */
struct pr_heap_fact {
    int64_t live_bytes, peak_bytes;
    uint64_t peak_number; /* the peak that peak_bytes and peak_count belong to */
    uint32_t live_count, peak_count;
};

/* How much is alive, and the highest that was; a copy on the stack stays in registers. */
struct pr_heap_level {
    int64_t bytes;
    int64_t highest_bytes; /* in the current bin */
    uint64_t peak_number;  /* of the last finished peak */
    bool at_peak;          /* it has not fallen since it was highest */
};

/* What is known where no fact is counted: capture/heap/heap_totals.c. */
struct pr_heap_totals {
    bool alone;              /* no fact is counted */
    int64_t pieces;          /* of mappings that are alive */
    uint64_t replaced_bytes; /* of blocks that were freed unseen: the level still has them, facts do not */
    struct pr_held peak;     /* what was alive at the last finished peak */
    uint64_t known_until;    /* the number of the last peak that is known like this; 0: none is */
};

struct pr_heap_analysis {
    _Alignas(PR_APART) struct pr_heap_fact *facts; /* [fact_count], aligned to cache lines */
    uint32_t fact_count;
    size_t fact_capacity;

    struct pr_live_stage live;
    bool packs; /* what is alive is in PACKED, as memory is bounded; then there is one stage */
    struct pr_packed_set packed;
    struct pr_mapped_ranges mappings;

    struct pr_heap_level level;
    struct pr_heap_totals totals;

    struct pr_bins bins;
    struct pr_lifetimes moves;
    uint64_t note_below;    /* facts whose last known peak is older than this have bins to note */
    uint32_t samples_seen;
    uint32_t samples_at_last_event; /* samples after the last event make no bins when there is one for each */
    bool saves_memory; /* bins are merged when there are too many steps or moves */
    bool out_of_memory;

    struct pr_gone gone[PR_BATCH_EVENTS + 1]; /* while a batch is consumed; one that does not count is written, too */

    struct pr_memory_samples samples;
    const struct pr_load_options *options;

    /*
     * After pr_heap_end: the high-water mark of the run, the bin it is in, columns, steps and moves sorted by fact.
     */
    int64_t run_peak_bytes;
    uint32_t run_peak_bin;
    bool peak_is_total; /* the columns of the peak are zeros, and RUN_PEAK is what facts had at it together */
    struct pr_held run_peak;
    struct pr_fact_column peak, leaked; /* as the metrics of these names */
    int64_t *columns; /* all that PEAK and LEAKED point to, owned */
};

/* OPTIONS is borrowed until pr_heap_clear; START_MS is the start of the first bin. PR_FAILED: out of memory. */
enum pr_status pr_heap_init(struct pr_heap_analysis *memory, const struct pr_load_options *options, int64_t start_ms,
                            struct pr_error *err);

/* Takes one batch, with all that is to be done. */
enum pr_status pr_heap_consume(struct pr_heap_analysis *memory, const struct pr_batch *batch, struct pr_error *err);

/*
 * The stages of PIPELINE: the analysis by THREADS, one of which is the producer's, or fewer. What comes of it does not
 * depend on their number.
 */
void pr_heap_stages(struct pr_heap_analysis *memory, unsigned threads, struct pr_pipeline *pipeline);

/*
 * Settles everything and makes the columns. FACT_COUNT: the number of facts, used or not. END_MS: the end of the last
 * bin, if that is later than the last sample.
 */
enum pr_status pr_heap_end(struct pr_heap_analysis *memory, uint32_t fact_count, int64_t end_ms, struct pr_error *err);

/* Frees the columns, once the profile has its own. */
void pr_heap_drop_columns(struct pr_heap_analysis *memory);

void pr_heap_clear(struct pr_heap_analysis *memory);

#endif
