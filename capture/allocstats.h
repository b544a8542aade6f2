/* SPDX-License-Identifier: Apache-2.0 */
/* Figures over all allocations of a capture: totals, sizes, allocators, the places and modules that allocate most. */
#ifndef PR_ALLOCSTATS_H
#define PR_ALLOCSTATS_H

#include "capture/builder.h"
#include "capture/sizes.h"

/*
 * Fills profile->stats from what was built. BYTES and COUNT: allocated in total, by fact of BUILDER. Stacks count as they
 * were recorded, with the frames above the tracker, as memray's statistics do.
 *
 * Errors: PR_FAILED: out of memory.
 * Source: capture/formats/memray.md, "Statistics".
 */
enum pr_status pr_alloc_stats_make(const struct pr_builder *builder, const int64_t *bytes, const int64_t *count,
                                   const struct pr_sizes *sizes, struct pr_error *err);

#endif
