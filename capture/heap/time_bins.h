/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run in spans of time, each with its own high-water mark and what every fact had at it.
 *
 * A bin ends at a memory sample. When there are too many bins, neighbours are merged and the width doubles; that loses
 * nothing but resolution: the high-water mark of two bins is the higher one (the later of equal ones), and what every
 * fact had at that moment is already recorded. So memory is bounded, one pass is enough, and each window of whole bins
 * has its true peak.
 *
 * What a fact has at the peaks of consecutive bins is kept as steps, written down only where it changes. A fact is
 * asked for its steps lazily, when it next changes: capture/heap/heap_analysis.c numbers the peaks and knows what a
 * fact had at which.
 */
#ifndef PR_CAPTURE_HEAP_TIME_BINS_H
#define PR_CAPTURE_HEAP_TIME_BINS_H

#include "profrender/profile.h"

enum { PR_AUTO_BINS = 512 }; /* the maximum that PR_BINS_AUTO makes */

/* What a fact has from bin `bin` on, until its next step; nothing before its first one. */
struct pr_raw_step {
    uint32_t fact, bin;
    int64_t bytes, count;
};

/* What all facts together have. */
struct pr_held {
    int64_t bytes, count;
};

/* A finished bin. */
struct pr_raw_bin {
    int64_t start_ms, end_ms, peak_bytes;
    uint64_t peak_number; /* of the peak that is its high-water mark */
    struct pr_held held;  /* at that peak; only where facts are not noted */
};

struct pr_bins {
    uint32_t most;  /* bins in the end; 0 = one for each memory sample */
    unsigned shift; /* a bin is 2^shift samples wide */
    struct pr_raw_bin *bin; /* [count]: the finished ones */
    uint32_t count;
    size_t bin_capacity;
    int64_t start_ms; /* of the current bin */

    struct pr_raw_step *steps;
    size_t step_count, step_capacity, step_limit; /* the limit is SIZE_MAX where MOST alone counts */

    struct pr_noted { /* what was written down for a fact */
        int64_t bytes;
        uint32_t count;
        uint32_t next_bin; /* the first bin it was not asked for */
    } *noted; /* [noted_capacity], zeros for facts that were never asked */
    size_t noted_capacity;
};

/* What a fact has now, and had at the peak with the last number it knows of. */
struct pr_fact_state {
    uint64_t peak_number;
    int64_t peak_bytes, live_bytes;
    uint32_t peak_count, live_count;
};

/* SAVES_MEMORY: there may be fewer bins than MOST when there are too many steps. */
void pr_bins_init(struct pr_bins *bins, uint32_t most, bool saves_memory, int64_t start_ms);
void pr_bins_clear(struct pr_bins *bins);

/* Ends the current bin, and starts the next one. False: out of memory. */
bool pr_bins_close(struct pr_bins *bins, int64_t end_ms, int64_t peak_bytes, uint64_t peak_number);

/* Writes down what FACT had at the peaks of the bins that ended since it was last asked. False: out of memory. */
bool pr_bins_note(struct pr_bins *bins, uint32_t fact, const struct pr_fact_state *state);

/*
 * True with too many bins or steps, and an even number of bins. As long as MOST alone counts, the width depends only on
 * the number of samples: any way of merging leads to the same bins.
 */
bool pr_bins_are_full(const struct pr_bins *bins);

/*
 * Merges neighbours and doubles the width. All facts must have been asked since the last bin ended. False: out of
 * memory.
 */
bool pr_bins_merge(struct pr_bins *bins, uint32_t fact_count);

/* Leaves only the first COUNT bins. */
void pr_bins_truncate(struct pr_bins *bins, uint32_t count);

/* Frees what pr_bins_note and pr_bins_merge need: neither will be called again. */
void pr_bins_stop_noting(struct pr_bins *bins);

/* Sorts the steps by fact, then by bin. False: out of memory. */
bool pr_bins_sort(struct pr_bins *bins, uint32_t fact_count);

#endif
