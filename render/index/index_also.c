/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is no news and still worth knowing: failures that later runs of the job did not repeat, those with the same
 * reason in one line, and levels that changed for good without being reported as growth.
 */
#include "render/index/index_internal.h"

#include "capture/base/text.h"
#include "render/html/nonbreaking.h"

#include <string.h>

enum { MOST_LINES = 6, RUNS_NAMED = 4, PROBLEM_LENGTH = 120 };

struct line {
    const struct pr_index_job *job;
    const struct pr_index_run *failure;   /* the latest with its reason; or NULL, and: */
    const struct pr_index_change *change;
    enum pr_unit unit;
    const char *what;
};

struct lines {
    struct line line[MOST_LINES];
    size_t count, all;
};

static void add(struct lines *lines, struct line line)
{
    if (lines->count < MOST_LINES)
        lines->line[lines->count++] = line;
    lines->all++;
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static bool failed_as(const struct pr_index_run *run, const struct pr_index_run *other)
{
    return run->status == PR_RUN_FAILED && strcmp(run->problem, other->problem) == 0;
}

/* Whether a later run of the job failed for the same reason, so that it is in a line or among the news. */
static bool is_told(const struct pr_index_job *job, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (failed_as(job->runs[i], job->runs[number]))
            return true;
    return false;
}

static void add_failures(const struct pr_index_job *job, struct lines *lines)
{
    for (size_t i = 1; i < pr_index_drawn(job); i++)
        if (job->runs[i]->status == PR_RUN_FAILED && !is_told(job, i))
            add(lines, (struct line){.job = job, .failure = job->runs[i]});
}

static void emit_failure(const struct line *line, struct pr_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < pr_index_drawn(line->job); i++)
        count += failed_as(line->job->runs[i], line->failure);
    pr_html(out, "<li><b class='bad'>\xC3\x97 %s</b><span>", pr_units_count((int64_t)count).text);
    pr_index_job_link(line->failure, out);
    for (size_t i = 0, named = 0; i < pr_index_drawn(line->job) && named <= RUNS_NAMED; i++) {
        const struct pr_index_run *run = line->job->runs[i];
        if (!failed_as(run, line->failure))
            continue;
        pr_buf_text(out, named ? ", " : " in ");
        if (named++ < RUNS_NAMED)
            pr_index_link(run, pr_index_run_name(run), out);
        else
            pr_buf_text(out, "\xE2\x80\xA6");
    }
    if (*line->failure->problem) {
        pr_buf_text(out, ": <span class='why'>");
        pr_html_cut(out, pr_text_of(line->failure->problem), PROBLEM_LENGTH);
        pr_buf_text(out, "</span>");
    }
    pr_buf_text(out, "</span></li>\n");
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

static void add_level(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                      const char *what, struct lines *lines)
{
    if (change->level_count && !change->grew)
        add(lines, (struct line){.job = job, .change = change, .unit = unit, .what = what});
}

static void emit_level(const struct line *line, struct pr_buf *out)
{
    const struct pr_index_level *level = &line->change->level[0];
    const struct pr_figure growth = pr_units_growth(level->before, level->after);
    const bool is_up = level->after > level->before;
    pr_html(out, "<li><b class='%s'>%s ", is_up ? "up" : "down", is_up ? "\xE2\x96\xB2" : "\xE2\x96\xBC");
    pr_together_add(out, growth.text, strlen(growth.text));
    pr_buf_text(out, "</b><span>");
    pr_index_job_link(line->job->runs[0], out);
    pr_html(out, ": %s %s, not %s, since ", line->what, pr_units_value(line->unit, level->after).text,
            pr_units_value(line->unit, level->before).text);
    pr_index_link(line->job->runs[level->first], pr_index_run_name(line->job->runs[level->first]), out);
    pr_buf_text(out, "</span></li>\n");
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

void pr_index_also(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    struct lines lines = {.count = 0};
    for (size_t i = 0; i < jobs->count; i++)
        add_failures(&jobs->job[i], &lines);
    for (size_t i = 0; i < jobs->count; i++) {
        const struct pr_index_job *job = &jobs->job[i];
        add_level(job, &job->memory, PR_UNIT_BYTES, job->is_heap ? "peak heap" : "peak RSS", &lines);
        add_level(job, &job->time, PR_UNIT_NANOSECONDS, "duration", &lines);
    }
    if (!lines.all)
        return;
    pr_buf_text(out, "<section class='panel also' aria-labelledby='also'>\n<div class='head'><h2 id='also'>Earlier</h2>"
                     "<p class='muted'>failures that the latest run did not repeat, and levels that changed for good"
                     "</p></div>\n<ul>\n");
    for (size_t i = 0; i < lines.count; i++)
        if (lines.line[i].failure)
            emit_failure(&lines.line[i], out);
        else
            emit_level(&lines.line[i], out);
    pr_buf_text(out, "</ul>\n");
    if (lines.all > lines.count)
        pr_html(out, "<p class='nothing'>%s more below.</p>\n",
                pr_units_count((int64_t)(lines.all - lines.count)).text);
    pr_buf_text(out, "</section>\n");
}
