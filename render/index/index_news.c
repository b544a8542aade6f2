/* SPDX-License-Identifier: Apache-2.0 */
/* What wants a look, first: jobs that grew, by the rule of `profrender check`, and jobs whose latest run failed. */
#include "capture/base/text.h"
#include "render/html/hover.h"
#include "render/index/index_dates.h"
#include "render/index/index_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 20, PROBLEM_LENGTH = 200, NAME_LENGTH = 60 };

struct counts {
    size_t jobs, compared, larger, longer, failing, failed_runs;
    const struct pr_index_run *last_failure;
};

static void count_job(struct counts *counts, const struct pr_index_job *job)
{
    counts->jobs++;
    counts->compared += job->memory.is_known || job->time.is_known;
    counts->larger += job->memory.grew;
    counts->longer += job->time.grew;
    counts->failing += pr_index_fails(job);
    for (size_t i = 0; i < job->count; i++) {
        const struct pr_index_run *run = job->runs[i], *last = counts->last_failure;
        if (run->status != PR_RUN_FAILED)
            continue;
        counts->failed_runs++;
        if (!last || (run->start_ms.known && (!last->start_ms.known || run->start_ms.value > last->start_ms.value)))
            counts->last_failure = run;
    }
}

/* ---- what grew --------------------------------------------------------------------------------------------------- */

static void emit_run(const struct pr_index_job *job, const struct pr_index_run *run, struct pr_buf *out)
{
    pr_index_link(run, pr_index_run_name(run), out);
    pr_index_commit(job, run, out);
    pr_buf_text(out, "<span class='kind'> ");
    pr_index_start(run, out);
    pr_buf_text(out, "</span>");
}

static void emit_change(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                        const char *what, struct pr_buf *out)
{
    const char *grown = job->is_heap && change == &job->memory ? pr_index_grown_function(job) : NULL;
    if (!change->grew)
        return;
    pr_buf_text(out, "<tr><th scope='row'>");
    pr_index_job_link(job->runs[change->latest], out);
    pr_html(out, "</th><td class='what'>%s", what);
    if (grown) {
        pr_buf_text(out, ", mostly in <code>");
        pr_html_cut(out, pr_text_of(grown), NAME_LENGTH);
        pr_buf_text(out, "</code>");
    }
    pr_buf_text(out, "</td><td class='r median'>");
    pr_index_value((struct pr_maybe){true, change->before}, unit, out);
    pr_buf_text(out, "</td><td class='r latest'>");
    pr_index_value((struct pr_maybe){true, change->now}, unit, out);
    pr_buf_text(out, "</td><td class='r up'>\xE2\x96\xB2 ");
    pr_index_growth(change, unit, out);
    pr_buf_text(out, "</td><td class='since'>");
    emit_run(job, job->runs[change->since], out);
    pr_buf_text(out, "</td><td class='last'>");
    emit_run(job, job->runs[change->last_before], out);
    pr_buf_text(out, "</td><td class='compare'>");
    if (*job->runs[change->latest]->card && *job->runs[change->last_before]->card)
        pr_index_compare_link(job->runs[change->latest], job->runs[change->last_before], true, out);
    pr_buf_text(out, "</td></tr>\n");
}

/* By how much they grew: "+31.0 % to +188.3 %". */
struct range {
    enum pr_unit unit;
    const struct pr_index_change *least, *most;
};

static double times_of(const struct pr_index_change *change)
{
    return change->before > 0 ? (double)change->now / (double)change->before : INFINITY;
}

static void widen(struct range *range, const struct pr_index_change *change)
{
    if (!change->grew)
        return;
    if (!range->least || times_of(change) < times_of(range->least))
        range->least = change;
    if (!range->most || times_of(change) > times_of(range->most))
        range->most = change;
}

static void emit_range(const struct range *range, struct pr_buf *out)
{
    const struct pr_index_change *least = range->least, *most = range->most;
    const struct pr_figure text = pr_units_growth(most->before, most->now);
    pr_buf_text(out, " (");
    if (strcmp(pr_units_growth(least->before, least->now).text, text.text) != 0) {
        pr_index_growth(least, range->unit, out);
        pr_buf_text(out, " to ");
    }
    pr_index_growth(most, range->unit, out);
    pr_buf_text(out, ")");
}

/* "2 of 3 jobs use more memory (+31.0 % to +188.3 %)": OF is " of 3 jobs" in what comes first. */
static void emit_part(size_t count, const char *before, const char *of, const char *one, const char *several,
                      const struct range *range, struct pr_buf *out)
{
    pr_html(out, "%s%s%s %s", before, pr_units_count((int64_t)count).text, of, count == 1 ? one : several);
    emit_range(range, out);
}

/* The earliest of the runs that have more; NULL where no time is known. */
static const struct pr_index_run *first_grown(const struct pr_index_jobs *jobs)
{
    const struct pr_index_run *first = NULL;
    for (size_t i = 0; i < jobs->count; i++) {
        const struct pr_index_change *const changes[] = {&jobs->job[i].memory, &jobs->job[i].time};
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
            const struct pr_index_run *run = jobs->job[i].runs[changes[c]->since];
            if (changes[c]->grew && run->start_ms.known && (!first || run->start_ms.value < first->start_ms.value))
                first = run;
        }
    }
    return first;
}

/* The run that all that grew did so at, of whatever job: "016"; NULL where they are several. */
static const char *run_of_all(const struct pr_index_jobs *jobs)
{
    const char *name = NULL;
    for (size_t i = 0; i < jobs->count; i++) {
        const struct pr_index_change *const changes[] = {&jobs->job[i].memory, &jobs->job[i].time};
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
            const char *run = jobs->job[i].runs[changes[c]->since]->run;
            if (changes[c]->grew && (!*run || (name && strcmp(name, run) != 0)))
                return NULL;
            name = changes[c]->grew ? run : name;
        }
    }
    return name;
}

static void emit_heading(const struct pr_index_jobs *jobs, const struct counts *counts, struct pr_buf *out)
{
    struct range memory = {.unit = PR_UNIT_BYTES}, time = {.unit = PR_UNIT_NANOSECONDS};
    char of[64];
    for (size_t i = 0; i < jobs->count; i++) {
        widen(&memory, &jobs->job[i].memory);
        widen(&time, &jobs->job[i].time);
    }
    snprintf(of, sizeof of, " of %s", pr_units_counted((int64_t)counts->jobs, "jobs").text);
    if (counts->jobs == 1 && counts->larger) {
        pr_buf_text(out, "The only job uses more memory");
        emit_range(&memory, out);
    } else if (counts->larger) {
        emit_part(counts->larger, "", of, "uses more memory", "use more memory", &memory, out);
    }
    if (counts->jobs == 1 && counts->longer) {
        pr_buf_text(out, counts->larger ? ", and takes longer" : "The only job takes longer");
        emit_range(&time, out);
    } else if (counts->longer) {
        emit_part(counts->longer, counts->larger ? ", " : "", counts->larger ? "" : of, "takes longer", "take longer",
                  &time, out);
    }
    const struct pr_index_run *first = first_grown(jobs);
    const struct pr_figure day = first ? pr_index_day(first->start_ms.value) : (struct pr_figure){""};
    const char *run = run_of_all(jobs);
    if (run)
        pr_html(out, " since run %s%s%s", run, *day.text ? " on " : "", day.text);
    else if (*day.text)
        pr_html(out, " since %s", day.text);
}

static void emit_grown(const struct pr_index_jobs *jobs, const struct counts *counts, struct pr_buf *out)
{
    pr_buf_text(out, "<section class='panel grown' aria-labelledby='grown'>\n<div class='head'><h2 id='grown'>");
    pr_index_sign(PR_INDEX_GREW, out);
    pr_buf_text(out, "<span>"); /* next to the sign, as one text that wraps */
    emit_heading(jobs, counts, out);
    pr_buf_text(out, "</span>");
    pr_buf_text(out, "</h2><p class='muted'>beyond what <code>profrender check</code> allows, with the earlier runs "
                     "as baselines</p></div>\n<div class='rows' tabindex='0'>\n<table class='list'>\n<thead><tr>"
                     "<th scope='col'>Job</th><th scope='col' class='what'>What</th>"
                     "<th scope='col' class='r median'>Median before</th><th scope='col' class='r latest'>Now</th>"
                     "<th scope='col' class='r'>Change</th><th scope='col' class='since'>Since</th>"
                     "<th scope='col' class='last'>Last before</th>"
                     "<th scope='col' class='compare'>Compare</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0, rows = 0; i < jobs->count && rows < MOST_ROWS; i++) {
        const struct pr_index_job *job = &jobs->job[i];
        rows += job->memory.grew || job->time.grew;
        emit_change(job, &job->memory, PR_UNIT_BYTES, job->is_heap ? "peak heap" : "peak RSS", out);
        emit_change(job, &job->time, PR_UNIT_NANOSECONDS, "duration", out);
    }
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n</section>\n");
}

/* ---- what failed ------------------------------------------------------------------------------------------------- */

static void emit_failing(const struct pr_index_jobs *jobs, const struct counts *counts, struct pr_buf *out)
{
    size_t rows = 0;
    pr_buf_text(out, "<section class='panel failing' aria-labelledby='failing'>\n<div class='head'><h2 id='failing'>");
    pr_index_sign(PR_INDEX_FAILED, out);
    pr_html(out, "%s failed in %s latest run", pr_units_counted((int64_t)counts->failing, "jobs").text,
            counts->failing == 1 ? "its" : "their");
    pr_buf_text(out, "</h2></div>\n<ul class='failures'>\n");
    for (size_t i = 0; i < jobs->count; i++) {
        const struct pr_index_run *run = jobs->job[i].runs[0];
        if (!pr_index_fails(&jobs->job[i]) || rows++ >= MOST_ROWS)
            continue;
        pr_buf_text(out, "<li><b>");
        pr_index_job_link(run, out);
        pr_buf_text(out, "</b> <span class='muted'>");
        pr_index_start(run, out);
        pr_buf_text(out, "</span><span class='why'>");
        pr_html_cut(out, (struct pr_text){run->problem, (uint32_t)strlen(run->problem)}, PROBLEM_LENGTH);
        pr_buf_text(out, "</span></li>\n");
    }
    pr_buf_text(out, "</ul>\n");
    if (counts->failing > MOST_ROWS)
        pr_html(out, "<p class='nothing'>%s more are in the table.</p>\n",
                pr_units_counted((int64_t)(counts->failing - MOST_ROWS), "jobs").text);
    pr_buf_text(out, "</section>\n");
}

/* ---- nothing ----------------------------------------------------------------------------------------------------- */

/* It was looked at: silence could mean that it was not. */
static void emit_calm(const struct counts *counts, struct pr_buf *out)
{
    pr_html(out, "<p class='panel calm'>No job uses more memory or takes longer than before: ");
    if (counts->jobs == 1)
        pr_html(out, "the only one was%s compared.", counts->compared ? "" : " not");
    else
        pr_html(out, "%s of %s jobs %s compared.", pr_units_count((int64_t)counts->compared).text,
                pr_units_count((int64_t)counts->jobs).text, counts->compared == 1 ? "was" : "were");
    if (counts->last_failure) {
        if (counts->failed_runs == 1)
            pr_buf_text(out, " The only failure: ");
        else
            pr_html(out, " The last of %s: ", pr_units_counted((int64_t)counts->failed_runs, "failures").text);
        pr_index_job_link(counts->last_failure, out);
        pr_buf_text(out, " ");
        pr_index_start(counts->last_failure, out);
        pr_buf_text(out, ".");
    }
    pr_buf_text(out, "</p>\n");
}

void pr_index_news(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    struct counts counts = {0};
    for (size_t i = 0; i < jobs->count; i++)
        count_job(&counts, &jobs->job[i]);
    const bool grew = counts.larger || counts.longer;
    if (!grew && !counts.failing && counts.compared)
        emit_calm(&counts, out);
    pr_buf_text(out, "<div class='news'>\n");
    if (grew)
        emit_grown(jobs, &counts, out);
    if (counts.failing)
        emit_failing(jobs, &counts, out);
    pr_index_limits(jobs, out);
    pr_index_also(jobs, out);
    pr_buf_text(out, "</div>\n");
}
