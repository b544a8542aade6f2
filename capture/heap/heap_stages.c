/* SPDX-License-Identifier: Apache-2.0 */
/* Which stages the analysis has: by the number of threads, and by what is asked for. */
#include "capture/heap/heap_internal.h"

static enum pr_status work_all(void *memory, struct pr_batch *batch, struct pr_error *err)
{
    return pr_heap_consume(memory, batch, err);
}

enum pr_status pr_heap_stages(struct pr_heap_analysis *m, unsigned threads, struct pr_pipeline *pipeline,
                              struct pr_error *err)
{
    enum { OTHER_THREADS = 2, /* the producer's, and that which counts */ MOST_FOR_TOTALS = 3 };
    if (m->options->unneeded & PR_UNNEEDED_PEAKS && !m->packs && threads <= MOST_FOR_TOTALS) {
        m->totals = (struct pr_heap_totals){.alone = true, .known_until = UINT64_MAX};
        threads = threads < OTHER_THREADS ? threads : OTHER_THREADS; /* the look-up is nearly all of it */
    }
    pipeline->threaded = threads > 1;
    pipeline->stage_count = 1;
    pipeline->stage[0] = (struct pr_stage){m->totals.alone ? pr_heap_total_work : work_all, m};
    if (threads <= OTHER_THREADS)
        return PR_OK;
    const unsigned count = threads - OTHER_THREADS;
    for (unsigned i = 0; i < count; i++) {
        if (i && !pr_live_stage_init(&m->live[i]))
            return pr_fail_memory(err);
        m->live_count = i + 1;
        m->live[i].index = i;
        m->live[i].count = count;
        pipeline->stage[i] = (struct pr_stage){pr_live_stage_work, &m->live[i]};
    }
    pipeline->stage[count] = (struct pr_stage){pr_heap_count_work, m};
    pipeline->stage_count = count + 1;
    return PR_OK;
}
