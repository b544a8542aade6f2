/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trends: for each job with several runs, how peak and duration changed from run to run. One point is one run, not one
 * moment: runs are drawn at equal distances, the oldest on the left. Runs that failed or are not complete are marked
 * at the foot, and are neither on the line nor in the median. An upright line is where the level changed for good.
 */
#include "render/index/index_internal.h"

#include "render/html/nonbreaking.h"

#include <string.h>

enum { MOST_JOBS = 200, WIDTH = 220, HEIGHT = 34, MARGIN = 4 };

/* What a line is drawn of. */
struct line {
    const struct pr_index_job *job;
    const struct pr_index_change *change;
    size_t drawn; /* runs, the latest */
    int64_t top;
};

static bool is_on_line(const struct line *line, size_t number)
{
    const struct pr_index_run *run = line->job->runs[number];
    return pr_index_counts(run) && line->change->value(run).known;
}

static double x_of(const struct line *line, size_t number)
{
    return MARGIN + (double)(line->drawn - 1 - number) / (double)(line->drawn - 1) * (WIDTH - 2 * MARGIN);
}

static double y_of(const struct line *line, int64_t value)
{
    return MARGIN + (1 - (double)(value < 0 ? 0 : value) / (double)line->top) * (HEIGHT - 3 * MARGIN);
}

static void emit_path(const struct line *line, struct pr_buf *out)
{
    const char *step = "M";
    pr_buf_text(out, "<path class='l' fill='none' stroke='#7b7f88' d='");
    for (size_t i = line->drawn; i-- > 0;) {
        if (!is_on_line(line, i))
            continue;
        const int64_t value = line->change->value(line->job->runs[i]).value;
        pr_buf_printf(out, "%s%.1f %.1f", step, x_of(line, i), y_of(line, value));
        step = "L";
    }
    pr_buf_text(out, "'/>");
}

/* The median before, and where the growth began. */
static void emit_growth(const struct line *line, struct pr_buf *out)
{
    const struct pr_index_change *change = line->change;
    if (!change->is_known || change->since >= line->drawn || change->last_before >= line->drawn)
        return;
    const double at = (x_of(line, change->since) + x_of(line, change->last_before)) / 2;
    const double until = change->grew ? at : x_of(line, change->last_before);
    pr_buf_printf(out, "<path class='before' fill='none' stroke='#a2a6af' stroke-dasharray='2 2' d='M%d %.1fH%.1f'/>",
                  MARGIN, y_of(line, change->before), until);
    if (change->grew)
        pr_buf_printf(out, "<path class='since' stroke='#9e0067' d='M%.1f 0V%d'/>", at, HEIGHT);
}

/* Where a level ends and another one begins. */
static void emit_levels(const struct line *line, struct pr_buf *out)
{
    for (size_t i = 0; i < line->change->level_count; i++) {
        const struct pr_index_level *level = &line->change->level[i];
        if (level->last_before < line->drawn)
            pr_buf_printf(out, "<path class='level' stroke='#7b7f88' d='M%.1f 0V%d'/>",
                          (x_of(line, level->first) + x_of(line, level->last_before)) / 2, HEIGHT);
    }
}

static void emit_marks(const struct line *line, struct pr_buf *out)
{
    for (size_t i = line->drawn; i-- > 0;) {
        const enum pr_run_status status = line->job->runs[i]->status;
        if (status == PR_RUN_FAILED || status == PR_RUN_CUT)
            pr_buf_printf(out, "<path class='%s' fill='none' stroke='%s' d='M%.1f %dl5 5m0-5l-5 5'/>",
                          pr_index_class(status), status == PR_RUN_FAILED ? "#b3261e" : "#7d5200",
                          x_of(line, i) - 2.5, HEIGHT - 6);
    }
}

static void emit_line(const struct pr_index_job *job, const struct pr_index_change *change, struct pr_buf *out)
{
    struct line line = {job, change, job->count < PR_INDEX_RUNS ? job->count : PR_INDEX_RUNS, 0};
    size_t known = 0;
    for (size_t i = 0; i < line.drawn; i++) {
        const int64_t value = change->value(job->runs[i]).value;
        known += is_on_line(&line, i);
        line.top = is_on_line(&line, i) && value > line.top ? value : line.top;
    }
    if (known < 2 || !line.top)
        return;
    pr_html(out, "<svg class='spark' width='%d' height='%d' viewBox='0 0 %d %d' aria-hidden='true'>", WIDTH, HEIGHT,
            WIDTH, HEIGHT);
    emit_levels(&line, out);
    emit_growth(&line, out);
    emit_path(&line, out);
    pr_buf_printf(out, "<circle%s cx='%.1f' cy='%.1f' r='2.5'/>", change->grew ? " class='up'" : "",
                  x_of(&line, change->latest), y_of(&line, change->now));
    emit_marks(&line, out);
    pr_buf_text(out, "</svg>");
}

/* "level +31.0 % since run-7": the first run of the present level. */
static void emit_level(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                       struct pr_buf *out)
{
    if (!change->level_count)
        return;
    const struct pr_index_level *level = &change->level[0];
    const struct pr_index_run *run = job->runs[level->first];
    pr_html(out, "<span class='why' title='on average %s, %s before'>level ", pr_units_exact(unit, level->after).text,
            pr_units_exact(unit, level->before).text);
    const struct pr_figure growth = pr_units_growth(level->before, level->after);
    pr_together_add(out, growth.text, strlen(growth.text));
    pr_buf_text(out, " since ");
    pr_index_link(run, pr_index_run_name(run), out);
    pr_index_commit(job, run, out);
    pr_buf_text(out, "<span class='kind'> ");
    pr_index_start(run, out);
    pr_buf_text(out, "</span></span>");
}

/* The latest value, its KIND, how it differs from the median of those before, the line. */
static void emit_values(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                        const char *kind, struct pr_buf *out)
{
    const struct pr_maybe latest = change->value(job->runs[0]);
    pr_buf_text(out, "<td class='r'>");
    pr_index_value(latest, unit, out);
    if (latest.known && *kind)
        pr_html(out, "<span class='kind'> %s</span>", kind);
    pr_html(out, "</td><td class='change%s'>", change->grew ? " up" : "");
    if (change->is_known && change->latest == 0) /* a part of a run is not compared */
        pr_index_growth(change, unit, out);
    emit_level(job, change, unit, out);
    pr_buf_text(out, "</td><td class='line'>");
    emit_line(job, change, out);
    pr_buf_text(out, "</td>");
}

static void emit_trend(const struct pr_index_job *job, struct pr_buf *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < job->count; i++)
        failed += job->runs[i]->status == PR_RUN_FAILED;
    pr_buf_text(out, "<tr><td>");
    pr_index_status(job->runs[0]->status, out);
    pr_buf_text(out, "</td><th scope='row'>");
    pr_index_job_link(job->runs[0], out);
    pr_html(out, "</th><td class='r' title='%s'>%s", pr_units_counted((int64_t)job->count, "runs").text,
            pr_units_count((int64_t)job->count).text);
    if (failed)
        pr_html(out, "<span class='why'>%s failed</span>", pr_units_count((int64_t)failed).text);
    pr_buf_text(out, "</td>");
    emit_values(job, &job->memory, PR_UNIT_BYTES, job->is_heap ? "heap" : "RSS", out);
    emit_values(job, &job->time, PR_UNIT_NANOSECONDS, "", out);
    pr_buf_text(out, "</tr>\n");
}

/* Whether there is more than one value to compare. */
static bool has_trend(const struct pr_index_job *job)
{
    return job->memory.is_known || job->time.is_known;
}

void pr_index_trends(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    size_t found = 0;
    for (size_t i = 0; i < jobs->count; i++)
        found += has_trend(&jobs->job[i]);
    if (!found)
        return;
    pr_html(out, "<section class='panel' aria-labelledby='trends'>\n<div class='head'><h2 id='trends'>Trends</h2>"
                 "<p class='muted'>The latest run of each job against the median of those before, up to %d runs as a "
                 "line. Failed (red) and incomplete runs are not on it. A vertical line marks where a level changed "
                 "for good, as <code>check --history</code> finds it.</p></div>\n"
                 "<div class='rows' tabindex='0'>\n<table class='list trends'>\n"
                 "<thead><tr><th scope='col'>Latest</th><th scope='col'>Name</th><th scope='col' class='r'>Runs</th>"
                 "<th scope='col' class='r'>Peak memory</th><th scope='col' class='change'>Change</th>"
                 "<th scope='col' class='line'>Trend</th><th scope='col' class='r'>Duration</th>"
                 "<th scope='col' class='change'>Change</th><th scope='col' class='line'>Trend</th>"
                 "</tr></thead>\n<tbody>\n", PR_INDEX_RUNS);
    for (size_t i = 0, shown = 0; i < jobs->count && shown < MOST_JOBS; i++)
        if (has_trend(&jobs->job[i])) {
            emit_trend(&jobs->job[i], out);
            shown++;
        }
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n");
    if (found > MOST_JOBS)
        pr_html(out, "<p class='nothing'>%s more are in the table of all runs only.</p>\n",
                pr_units_counted((int64_t)(found - MOST_JOBS), "jobs").text);
    pr_buf_text(out, "</section>\n");
}
