/* SPDX-License-Identifier: Apache-2.0 */
/* Which stages the analysis has: by the number of threads, and by what is asked for. */
#include "capture/heap/heap_internal.h"

static enum pr_status work_all(void *memory, struct pr_batch *batch, struct pr_error *err)
{
    return pr_heap_consume(memory, batch, err);
}

/* Totals without facts have one stage: the look-up is nearly all of it. */
void pr_heap_stages(struct pr_heap_analysis *m, unsigned threads, struct pr_pipeline *pipeline)
{
    pipeline->threaded = threads > 1;
    pipeline->stage_count = 1;
    if (m->options->unneeded & PR_UNNEEDED_PEAKS && !m->packs) {
        m->totals = (struct pr_heap_totals){.alone = true, .known_until = UINT64_MAX};
        pipeline->stage[0] = (struct pr_stage){pr_heap_total_work, m};
    } else if (threads < PR_MOST_THREADS) {
        pipeline->stage[0] = (struct pr_stage){work_all, m};
    } else {
        pipeline->stage[0] = (struct pr_stage){pr_live_stage_work, &m->live};
        pipeline->stage[1] = (struct pr_stage){pr_heap_count_work, m};
        pipeline->stage_count = 2;
    }
}
