/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose latest run came near its memory limit, or reached it: the next one may be killed. */
#include "render/html/hover.h"
#include "render/index/index_internal.h"

enum { NEAR_PERCENT = 90, MOST_ROWS = 20 };

static bool is_near(const struct pr_index_job *job)
{
    const struct pr_maybe used = job->runs[0]->memory_bytes, limit = job->runs[0]->memory_limit_bytes;
    return used.known && limit.known && limit.value > 0 &&
           (double)used.value * 100 >= (double)limit.value * NEAR_PERCENT;
}

/* "sales / train 21 Nov: 7.60 GiB of 8.00 GiB, 95.0 %" */
static void emit_job(const struct pr_index_run *run, struct pr_buf *out)
{
    pr_buf_text(out, "<li><b>");
    pr_index_job_link(run, out);
    pr_buf_text(out, "</b> <span class='muted'>");
    pr_index_start(run, out);
    pr_buf_text(out, "</span><span class='why'>");
    pr_index_value(run->memory_bytes, PR_UNIT_BYTES, out);
    pr_buf_text(out, " of ");
    pr_index_value(run->memory_limit_bytes, PR_UNIT_BYTES, out);
    pr_buf_text(out, ", ");
    pr_hover_share(out, PR_UNIT_BYTES, run->memory_bytes.value, run->memory_limit_bytes.value);
    pr_buf_text(out, "</span></li>\n");
}

void pr_index_limits(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    size_t near = 0;
    for (size_t i = 0; i < jobs->count; i++)
        near += is_near(&jobs->job[i]);
    if (!near)
        return;
    pr_buf_text(out, "<section class='panel failing' aria-labelledby='limits'>\n<div class='head'><h2 id='limits'>");
    pr_index_sign(PR_INDEX_FAILED, out);
    pr_html(out, "%s used %d %% or more of %s memory limit in %s latest run</h2></div>\n<ul class='failures'>\n",
            pr_units_counted((int64_t)near, "jobs").text, NEAR_PERCENT, near == 1 ? "its" : "their",
            near == 1 ? "its" : "their");
    for (size_t i = 0, rows = 0; i < jobs->count && rows < MOST_ROWS; i++) {
        if (!is_near(&jobs->job[i]))
            continue;
        emit_job(jobs->job[i].runs[0], out);
        rows++;
    }
    pr_buf_text(out, "</ul>\n");
    if (near > MOST_ROWS)
        pr_html(out, "<p class='nothing'>%s more did.</p>\n",
                pr_units_counted((int64_t)(near - MOST_ROWS), "jobs").text);
    pr_buf_text(out, "</section>\n");
}
