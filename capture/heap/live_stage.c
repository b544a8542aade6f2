/* SPDX-License-Identifier: Apache-2.0 */
/* With several stages, a first pass finds the own events without a branch, which would be taken at random. */
#include "capture/heap/live_stage.h"

enum { AHEAD_OF_OWN = 12 };

bool pr_live_stage_init(struct pr_live_stage *stage)
{
    *stage = (struct pr_live_stage){.count = 1};
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

/* Which of COUNT stages has ADDRESS. Other bits than those that choose a place in the live set. */
static inline unsigned stage_of(uint64_t address, unsigned count)
{
    return (unsigned)((address * UINT64_C(0xd6e8feb86659fd93) >> 32) * count >> 32);
}

static unsigned find_own(struct pr_live_stage *stage, const struct pr_batch *batch)
{
    unsigned own = 0;
    for (unsigned i = 0; i < batch->count; i++) {
        const struct pr_event *e = &batch->event[i];
        const bool has_address = e->op <= PR_OP_FREE, here = stage_of(e->address, stage->count) == stage->index;
        stage->own[own] = (uint16_t)i;
        own += (has_address & here) | (e->op == PR_OP_SAMPLE);
    }
    return own;
}

enum pr_status pr_live_stage_work(void *lives, struct pr_batch *batch, struct pr_error *err)
{
    struct pr_live_stage *stage = lives;
    if (stage->count == 1) {
        for (struct pr_event *e = batch->event, *const end = e + batch->count; e < end; e++) {
            pr_liveset_prefetch(&stage->set, e[PR_BATCH_AHEAD].address);
            if (!resolve(stage, batch, e))
                return pr_fail_memory(err);
        }
        return PR_OK;
    }
    const unsigned own = find_own(stage, batch);
    for (unsigned i = 0; i < own; i++) {
        pr_liveset_prefetch(&stage->set, batch->event[stage->own[i + AHEAD_OF_OWN]].address);
        if (!resolve(stage, batch, &batch->event[stage->own[i]]))
            return pr_fail_memory(err);
    }
    return PR_OK;
}
