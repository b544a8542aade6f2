/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a card says of the runs of its job before it: each figure against their median, and whether chance may explain
 * the difference. More is judged as `profrender check` does; less is the same distance on the other side.
 */
#include "render/index/index_internal.h"

#include "render/html/nonbreaking.h"

#include <stdlib.h>

/* "Peak heap +49.6 % against the median of the 13 runs before" */
static void emit_figure(const struct pr_index_job *job, const struct pr_index_change *of_job, size_t at,
                        const char *name, enum pr_unit unit, struct pr_buf *out)
{
    const struct pr_index_change change = pr_index_change_at(job, of_job, at);
    if (!change.is_known || change.latest != at)
        return;
    pr_html(out, "%s%s", out->length ? " \xC2\xB7 " : "", name);
    pr_index_against(job, &change, at, unit, out);
}

/* A run that failed or is not complete has figures of a part. */
static void emit_before(const struct pr_index_job *job, size_t at, struct pr_buf *out)
{
    struct pr_buf plain = {0};
    if (!pr_index_counts(job->runs[at]) || !job->runs[at]->start_ms.known)
        return;
    emit_figure(job, &job->memory, at, job->is_heap ? "Peak heap" : "Peak RSS", PR_UNIT_BYTES, &plain);
    emit_figure(job, &job->time, at, "Duration", PR_UNIT_NANOSECONDS, &plain);
    if (plain.length) {
        pr_buf_text(out, "<p class='also'>");
        pr_together_add(out, plain.bytes, plain.length);
        pr_buf_text(out, "</p>");
    }
    out->failed |= plain.failed;
    pr_buf_clear(&plain);
}

enum pr_status pr_render_before(const struct pr_index *index, struct pr_buf *texts, struct pr_error *err)
{
    const struct pr_index_run **runs = NULL;
    struct pr_index_jobs jobs = {.count = 0};
    bool done = pr_index_order(index, &runs) && pr_index_jobs_make(&jobs, index, runs);
    for (size_t i = 0; done && i < jobs.count; i++) {
        const struct pr_index_job *job = &jobs.job[i];
        for (size_t at = 0; done && at < job->count; at++) {
            struct pr_buf *text = &texts[job->runs[at] - index->runs];
            emit_before(job, at, text);
            done = !text->failed;
        }
    }
    pr_index_jobs_clear(&jobs);
    free(runs);
    return done ? PR_OK : pr_fail_memory(err);
}
