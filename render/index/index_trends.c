/* SPDX-License-Identifier: Apache-2.0 */
/* Trends: for each job with several runs, how peak and duration changed from run to run, in words and as a chart. */
#include "render/index/index_internal.h"

#include "capture/base/text.h"
#include "render/html/nonbreaking.h"

#include <string.h>

enum { MOST_JOBS = 200, RUN_LENGTH = 60 };

/* "level +31.0 % since 7": the first run of the present level, where it is not the growth that is reported anyway. */
static void emit_level(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                       struct pr_buf *out)
{
    const struct pr_index_level *level = &change->level[0];
    if (!change->level_count || (change->grew && change->since == level->first))
        return;
    const struct pr_index_run *run = job->runs[level->first];
    pr_html(out, " \xC2\xB7 <span class='why' title='on average %s, %s before'>level ",
            pr_units_exact(unit, level->after).text, pr_units_exact(unit, level->before).text);
    const struct pr_figure growth = pr_units_growth(level->before, level->after);
    pr_html(out, "<b class='%s'>", level->after > level->before ? "up" : "down");
    pr_together_add(out, growth.text, strlen(growth.text));
    pr_buf_text(out, "</b> since ");
    pr_index_link(run, pr_index_run_name(run), out);
    pr_index_commit(job, run, out);
    pr_buf_text(out, "<span class='kind'> ");
    pr_index_start(run, out);
    pr_buf_text(out, "</span></span>");
}

/* The value of the latest run, how it differs from those before, the chart. KEY: the column of the table. */
static void emit_value(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                       const char *name, const char *key, struct pr_buf *out)
{
    const struct pr_maybe latest = change->value(job->runs[0]);
    struct pr_buf against = {0};
    pr_html(out, "<div class='trend-of' data-of='%s'><p><span class='kind'>%s</span> <b class='now'>", key, name);
    pr_index_value(latest, unit, out);
    pr_buf_text(out, "</b>");
    if (change->is_known && change->latest == 0) { /* a part of a run is not compared */
        pr_index_against(job, change, 0, unit, &against);
        pr_buf_text(out, "<span class='against'>");
        pr_together_add(out, against.bytes, against.length);
        pr_buf_text(out, "</span>");
        out->failed |= against.failed;
        if (change->grew)
            pr_index_commit(job, job->runs[change->since], out);
    }
    pr_buf_clear(&against);
    emit_level(job, change, unit, out);
    pr_buf_text(out, "</p>");
    pr_index_chart(job, change, unit, out);
    pr_buf_text(out, "</div>");
}

static void emit_trend(const struct pr_index_job *job, struct pr_buf *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < job->count; i++)
        failed += job->runs[i]->status == PR_RUN_FAILED;
    pr_buf_text(out, "<div class='trend' data-job='");
    pr_index_job_name(job->runs[0], out);
    pr_buf_text(out, "'><div class='of'><h3>");
    pr_index_job_link(job->runs[0], out);
    pr_html(out, "</h3><p>%s", pr_units_counted((int64_t)job->count, "runs").text);
    if (failed)
        pr_html(out, ", <b class='bad'>%s failed</b>", pr_units_count((int64_t)failed).text);
    pr_buf_text(out, ", latest ");
    pr_html_cut(out, pr_text_of(pr_index_run_name(job->runs[0])), RUN_LENGTH);
    pr_buf_text(out, "</p>");
    pr_index_status(job->runs[0]->status, out);
    pr_buf_text(out, "</div>");
    emit_value(job, &job->memory, PR_UNIT_BYTES, job->is_heap ? "Peak heap" : "Peak RSS", job->is_heap ? "heap" : "rss",
               out);
    emit_value(job, &job->time, PR_UNIT_NANOSECONDS, "Duration", "time", out);
    pr_buf_text(out, "</div>\n");
}

/* Whether there is more than one value to compare. */
static bool has_trend(const struct pr_index_job *job)
{
    return job->memory.is_known || job->time.is_known;
}

static void emit_legend(struct pr_buf *out)
{
    pr_buf_text(out, "<p class='legend'><span><i class='dash' aria-hidden='true'></i>usual level</span><span>"
                     "<b class='bad' aria-hidden='true'>\xC3\x97</b>failed</span><span>"
                     "<b class='cut' aria-hidden='true'>!</b>incomplete</span><span><i class='bar up' "
                     "aria-hidden='true'></i>where <code>check</code> sees growth begin</span><span><i class='bar' "
                     "aria-hidden='true'></i>level changed</span></p>");
}

void pr_index_trends(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    size_t found = 0;
    for (size_t i = 0; i < jobs->count; i++)
        found += has_trend(&jobs->job[i]);
    if (!found)
        return;
    pr_buf_text(out, "<section class='panel' aria-labelledby='trends'>\n<div class='head'><h2 id='trends'>Trends</h2>");
    emit_legend(out);
    pr_buf_text(out, "</div>\n<div class='trends'>\n");
    for (size_t i = 0, shown = 0; i < jobs->count && shown < MOST_JOBS; i++)
        if (has_trend(&jobs->job[i])) {
            emit_trend(&jobs->job[i], out);
            shown++;
        }
    pr_buf_text(out, "</div>\n");
    if (found > MOST_JOBS)
        pr_html(out, "<p class='nothing'>%s more are in the table of all runs only.</p>\n",
                pr_units_counted((int64_t)(found - MOST_JOBS), "jobs").text);
    pr_buf_text(out, "</section>\n");
}
