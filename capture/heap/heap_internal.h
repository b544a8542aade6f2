/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the analysis, by fact and in total, need of each other. False is always: out of memory. */
#ifndef PR_CAPTURE_HEAP_HEAP_INTERNAL_H
#define PR_CAPTURE_HEAP_HEAP_INTERNAL_H

#include "capture/heap/heap_analysis.h"

/* ---- heap_analysis.c */

/* E of B, which is neither a plain allocation nor a free. */
bool pr_heap_rare_event(struct pr_heap_analysis *memory, const struct pr_batch *batch, const struct pr_event *event);

/* The rest of BATCH from EVENT on, by fact. */
bool pr_heap_consume_from(struct pr_heap_analysis *memory, const struct pr_batch *batch, const struct pr_event *event);

/* Before and after the events of BATCH. PR_FAILED: the caller wants no more, or there are too many samples. */
enum pr_status pr_heap_begin_batch(const struct pr_heap_analysis *memory, const struct pr_batch *batch,
                                   struct pr_error *err);
bool pr_heap_end_batch(struct pr_heap_analysis *memory, const struct pr_batch *batch);

/* Room for facts up to COUNT, zeroed. */
bool pr_heap_grow_facts(struct pr_heap_analysis *memory, uint32_t count);

/* What FACT had at the peaks of finished bins is written down; memory->out_of_memory if there is no room. */
void pr_heap_note(struct pr_heap_analysis *memory, uint32_t fact);

/* A block of FACT that is alive, or a piece of a mapping. */
typedef void pr_heap_alive_fn(void *context, uint32_t fact, uint64_t bytes);

/* CALL for all that is alive, in any order; where it is not packed. */
void pr_heap_each_alive(struct pr_heap_analysis *memory, pr_heap_alive_fn *call, void *context);

/* The last stage of several, a `work` of a pipeline: counts by fact what the live set made of a batch. */
enum pr_status pr_heap_count_work(void *memory, struct pr_batch *batch, struct pr_error *err);

/* ---- heap_totals.c */

/* The only stage, a `work` of a pipeline, while memory->totals.alone; then as pr_heap_consume. */
enum pr_status pr_heap_total_work(void *memory, struct pr_batch *batch, struct pr_error *err);

#endif
