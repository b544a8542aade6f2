/* SPDX-License-Identifier: Apache-2.0 */
/* What each free ends, and what an allocation takes the place of. */
#include "capture/heap/live_stage.h"

bool pr_live_stage_init(struct pr_live_stage *stage)
{
    *stage = (struct pr_live_stage){0};
    return pr_liveset_init(&stage->set);
}

/* False: out of memory. */
__attribute__((always_inline)) static inline bool resolve(struct pr_live_stage *stage, struct pr_batch *batch,
                                                          struct pr_event *e)
{
    struct pr_live old;
    if (e->op == PR_OP_ALLOC) {
        if (!pr_live_add(&stage->set, e, stage->samples_seen, &old))
            return false;
        if (__builtin_expect(old.fact != 0, 0)) {
            batch->replaced[batch->replaced_count] = (struct pr_gone){old.size, old.fact, old.born};
            e->address = batch->replaced_count++;
            e->op = PR_OP_REPLACE;
        }
    } else if (e->op == PR_OP_FREE) {
        if (!pr_liveset_take(&stage->set, e->address, &old)) {
            e->op = PR_OP_NOTHING;
            return true;
        }
        e->address = old.born;
        e->size = old.size;
        e->fact = old.fact - 1;
        e->op = PR_OP_GONE;
    } else {
        stage->samples_seen += e->op == PR_OP_SAMPLE;
    }
    return true;
}

enum pr_status pr_live_stage_work(void *lives, struct pr_batch *batch, struct pr_error *err)
{
    struct pr_live_stage *stage = lives;
    for (struct pr_event *e = batch->event, *const end = e + batch->count; e < end; e++) {
        pr_liveset_prefetch(&stage->set, e[PR_BATCH_AHEAD].address);
        if (!resolve(stage, batch, e))
            return pr_fail_memory(err);
    }
    return PR_OK;
}
