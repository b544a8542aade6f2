/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live set as a stage of a pipeline: it tells which allocation each free ends, so that a later stage counts without
 * asking for addresses.
 */
#ifndef PR_CAPTURE_HEAP_LIVE_STAGE_H
#define PR_CAPTURE_HEAP_LIVE_STAGE_H

#include "capture/heap/live_set.h"
#include "capture/heap/pipeline.h"

struct pr_live_stage {
    _Alignas(PR_APART) struct pr_liveset set;
    uint32_t samples_seen;
};

bool pr_live_stage_init(struct pr_live_stage *stage); /* false: out of memory */

/* As a `work` of a pipeline; LIVES is a struct pr_live_stage. PR_FAILED: out of memory. */
enum pr_status pr_live_stage_work(void *lives, struct pr_batch *batch, struct pr_error *err);

/* Puts the allocation E, made when BORN samples had been seen, into SET. OLD as of pr_liveset_claim. */
static inline bool pr_live_add(struct pr_liveset *set, const struct pr_event *e, uint32_t born, struct pr_live *old)
{
    struct pr_live *entry = pr_liveset_claim(set, e->address, old);
    if (__builtin_expect(!entry, 0))
        return false;
    entry->address = e->address; /* not as a whole, for which it would be put together first */
    entry->size = e->size;
    entry->fact = e->fact + 1;
    entry->born = born;
    return true;
}

#endif
