/* SPDX-License-Identifier: Apache-2.0 */
/* Figures for all allocations of a capture: totals, sizes, allocators, the places and modules that allocate most. */
#ifndef PR_CAPTURE_HEAP_ALLOC_STATS_H
#define PR_CAPTURE_HEAP_ALLOC_STATS_H

#include "capture/builder/stack_table.h"
#include "capture/heap/size_histogram.h"

/*
 * Fills profile->stats from what was built. ALLOCATED in total, by fact of BUILDER. Stacks count as they were recorded,
 * with the frames above the tracker, as memray's statistics do.
 *
 * Errors: PR_FAILED: out of memory.
 * Source: doc/formats/memray.md, "Statistics".
 */
enum pr_status pr_alloc_stats_make(const struct pr_stack_table *builder, const struct pr_fact_column *allocated,
                                   const struct pr_sizes *sizes, struct pr_error *err);

/* Which frames the stacks of facts are made of. */
struct pr_stacks {
    uint32_t frame_count;
    const struct pr_frame *frames;
    struct pr_tree tree;
    size_t fact_count;
    const pr_node_id *leaf; /* [fact_count] */
};

/* Only the places and modules that allocate most, of profile->stats. ALLOCATED in total, by fact. */
enum pr_status pr_alloc_stats_tops(struct pr_profile *profile, const struct pr_stacks *stacks,
                                   const struct pr_fact_column *allocated, struct pr_error *err);

#endif
