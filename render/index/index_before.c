/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a card says of the runs of its job before it: each figure against their median, and whether chance may explain
 * the difference. More is judged as `profrender check` does; less is the same distance on the other side.
 */
#include "render/index/index_internal.h"

#include "render/html/nonbreaking.h"

#include <stdlib.h>

/* "+49.6 % against the median of the 13 runs before" */
static void emit_figure(const struct pr_index_job *job, const struct pr_index_change *of_job, size_t at,
                        enum pr_unit unit, struct pr_buf *out)
{
    const struct pr_index_change change = pr_index_change_at(job, of_job, at);
    struct pr_buf plain = {0};
    if (!change.is_known || change.latest != at)
        return;
    pr_index_against(job, &change, at, unit, &plain);
    pr_together_add(out, plain.bytes, plain.length);
    out->failed |= plain.failed;
    pr_buf_clear(&plain);
}

/* A run that failed or is not complete has figures of a part. */
static bool emit_before(const struct pr_index_job *job, size_t at, struct pr_before_texts *texts)
{
    struct pr_buf *memory = &texts->kind[job->is_heap ? PR_BEFORE_HEAP : PR_BEFORE_RSS];
    struct pr_buf *time = &texts->kind[PR_BEFORE_TIME];
    if (!pr_index_counts(job->runs[at]) || !job->runs[at]->start_ms.known)
        return true;
    emit_figure(job, &job->memory, at, PR_UNIT_BYTES, memory);
    emit_figure(job, &job->time, at, PR_UNIT_NANOSECONDS, time);
    return !memory->failed && !time->failed;
}

enum pr_status pr_render_before(const struct pr_index *index, struct pr_before_texts *texts, struct pr_error *err)
{
    const struct pr_index_run **runs = NULL;
    struct pr_index_jobs jobs = {.count = 0};
    bool done = pr_index_order(index, &runs) && pr_index_jobs_make(&jobs, index, runs);
    for (size_t i = 0; done && i < jobs.count; i++) {
        const struct pr_index_job *job = &jobs.job[i];
        for (size_t at = 0; done && at < job->count; at++)
            done = emit_before(job, at, &texts[job->runs[at] - index->runs]);
    }
    pr_index_jobs_clear(&jobs);
    free(runs);
    return done ? PR_OK : pr_fail_memory(err);
}
