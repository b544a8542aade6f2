/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How runs ended at a glance: a row for each job, a cell for each run, the latest at the right. Steps of a flow share
 * its columns, so that a night can be read from top to bottom; a step that a run did not have is hatched.
 */
#include "capture/base/sort.h"
#include "render/index/index_dates.h"
#include "render/index/index_internal.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 30, MOST_ROWS = 60, LOOKED_THROUGH = 400, TITLE_LENGTH = 120 };

/* The rows of one group: the steps of a flow, or the jobs of no flow. */
struct rows {
    const struct pr_index_jobs *jobs;
    const struct pr_index_job *const *job;
    size_t count;
};

struct columns {
    const char *run[COLUMNS]; /* the latest first */
    int64_t start_ms[COLUMNS];
    size_t count;
};

static bool is_in_flow(const struct pr_index_job *job)
{
    return pr_index_is_step(job->runs[0]) && *job->runs[0]->run;
}

/* Flows by name, then the other jobs; steps of a flow in the order in which they began, last time. */
static int by_row(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct pr_index_job *x = *(const struct pr_index_job *const *)a, *y = *(const struct pr_index_job *const *)b;
    if (is_in_flow(x) != is_in_flow(y))
        return is_in_flow(x) ? -1 : 1;
    if (!is_in_flow(x))
        return 0; /* as they came: what wants a look first */
    const int flow = strcmp(x->runs[0]->flow, y->runs[0]->flow);
    return flow ? flow : PR_ORDER(x->runs[0]->start_ms.value, y->runs[0]->start_ms.value);
}

static bool is_same_group(const struct pr_index_job *x, const struct pr_index_job *y)
{
    return is_in_flow(x) ? is_in_flow(y) && strcmp(x->runs[0]->flow, y->runs[0]->flow) == 0 : !is_in_flow(y);
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static bool has_column(const struct columns *columns, const char *run)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->run[i], run) == 0)
            return true;
    return false;
}

/* The latest runs of all rows, merged by time. */
static struct columns columns_of(const struct rows *rows)
{
    struct columns columns = {.count = 0};
    for (size_t r = 0; r < rows->count; r++)
        for (size_t i = 0; i < rows->job[r]->count && i < LOOKED_THROUGH; i++) {
            const struct pr_index_run *run = rows->job[r]->runs[i];
            const int64_t start = run->start_ms.known ? run->start_ms.value : INT64_MIN;
            if (has_column(&columns, run->run) ||
                (columns.count == COLUMNS && start <= columns.start_ms[COLUMNS - 1]))
                continue;
            size_t at = columns.count < COLUMNS ? columns.count++ : COLUMNS - 1;
            for (; at > 0 && columns.start_ms[at - 1] < start; at--) {
                columns.run[at] = columns.run[at - 1];
                columns.start_ms[at] = columns.start_ms[at - 1];
            }
            columns.run[at] = run->run;
            columns.start_ms[at] = start;
        }
    return columns;
}

/* The latest try of a job in that run of the flow; the count of runs: it has none. */
static size_t find_run(const struct pr_index_job *job, const char *run)
{
    for (size_t i = 0; i < job->count && i < LOOKED_THROUGH; i++)
        if (strcmp(job->runs[i]->run, run) == 0)
            return i;
    return job->count;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void describe(const struct pr_index_job *job, const struct pr_index_run *run, bool grew, struct pr_buf *out)
{
    const struct pr_maybe duration = pr_index_duration_ns(run);
    const struct pr_index_peak peak = pr_index_peak(run);
    pr_html(out, "%s%s%s", pr_index_word(run->status), *run->run ? ", run " : "", run->run);
    if (run->start_ms.known)
        pr_html(out, ", %s", pr_units_time(run->start_ms.value).text);
    if (duration.known)
        pr_html(out, ", %s", pr_units_duration(duration.value).text);
    if (peak.bytes.known)
        pr_html(out, ", peak %s %s", peak.kind, pr_units_bytes(peak.bytes.value).text);
    if (grew && job->memory.grew)
        pr_html(out, ", median before %s", pr_units_bytes(job->memory.before).text);
    if (*run->problem) {
        pr_buf_text(out, ": ");
        pr_html_cut(out, (struct pr_text){run->problem, (uint32_t)strlen(run->problem)}, TITLE_LENGTH);
    }
}

static void emit_cell(const struct rows *rows, const struct pr_index_job *job, size_t number, struct pr_buf *out)
{
    static const char *const signs[] = {[PR_RUN_FAILED] = "\xc3\x97", [PR_RUN_CUT] = "!", [PR_RUN_UNREADABLE] = "?"};
    const struct pr_index_run *run = job->runs[number];
    const bool grew = pr_index_grew(rows->jobs, run);
    const char *sign = grew                        ? "\xe2\x96\xb2"
                       : run->status < PR_RUN_FAILED ? ""
                                                     : signs[run->status];
    pr_html(out, "<td class='%s%s'>", pr_index_class(run->status), grew ? " grew" : "");
    pr_html(out, *run->card ? "<a href='%s' title='" : "<span%s title='", *run->card ? run->card : "");
    describe(job, run, grew, out);
    pr_html(out, "'>%s<span class='sr'>%s%s</span>", sign, pr_index_word(run->status), grew ? ", grew" : "");
    pr_buf_text(out, *run->card ? "</a></td>" : "</span></td>");
}

static void emit_empty(const char *class, const char *words, struct pr_buf *out)
{
    pr_html(out, "<td class='%s'><span title='%s'><span class='sr'>%s</span></span></td>", class, words, words);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void emit_step_row(const struct rows *rows, const struct pr_index_job *job, const struct columns *columns,
                          struct pr_buf *out)
{
    for (size_t c = columns->count; c-- > 0;) {
        const size_t number = find_run(job, columns->run[c]);
        if (number < job->count)
            emit_cell(rows, job, number, out);
        else
            emit_empty("skipped", "did not run", out);
    }
}

static void emit_plain_row(const struct rows *rows, const struct pr_index_job *job, struct pr_buf *out)
{
    for (size_t c = COLUMNS; c-- > 0;)
        if (c < job->count)
            emit_cell(rows, job, c, out);
        else
            pr_buf_text(out, "<td></td>");
}

/* The day of each column, where it is another one than that of the column before. */
static void emit_days(const struct columns *columns, struct pr_buf *out)
{
    const int64_t *before = NULL;
    struct pr_figure last = {""};
    pr_buf_text(out, "<tr class='days'><td></td>");
    for (size_t c = columns->count; c-- > 0;) {
        const struct pr_figure whole = pr_index_day(columns->start_ms[c]);
        const struct pr_figure day = pr_index_short_day(before, columns->start_ms[c]);
        pr_html(out, "<td>%s</td>", strcmp(whole.text, last.text) == 0 ? "" : day.text);
        before = &columns->start_ms[c];
        last = whole;
    }
    pr_buf_text(out, "</tr>");
}

static void emit_columns(const struct columns *columns, struct pr_buf *out)
{
    pr_buf_text(out, "<thead>");
    emit_days(columns, out);
    pr_buf_text(out, "<tr><td></td>");
    for (size_t c = columns->count; c-- > 0;)
        pr_html(out, "<th scope='col'>%s</th>", columns->run[c]);
    pr_buf_text(out, "</tr></thead>\n");
}

static void emit_group(const struct rows *rows, struct pr_buf *out)
{
    const struct pr_index_run *first = rows->job[0]->runs[0];
    const bool in_flow = is_in_flow(rows->job[0]);
    const struct columns columns = in_flow ? columns_of(rows) : (struct columns){.count = 0};
    pr_html(out, "<table class='grid%s'><caption>%s</caption>\n", in_flow ? "" : " plain",
            in_flow ? first->flow : "Jobs, run by run");
    if (in_flow)
        emit_columns(&columns, out);
    pr_buf_text(out, "<tbody>\n");
    for (size_t r = 0; r < rows->count; r++) {
        const struct pr_index_run *run = rows->job[r]->runs[0];
        pr_buf_text(out, "<tr data-job='");
        pr_index_job_name(run, out);
        pr_html(out, "'><th scope='row' title='%s'>%s</th>", in_flow ? run->step : run->name,
                in_flow ? run->step : run->name);
        if (in_flow)
            emit_step_row(rows, rows->job[r], &columns, out);
        else
            emit_plain_row(rows, rows->job[r], out);
        pr_buf_text(out, "</tr>\n");
    }
    pr_buf_text(out, "</tbody></table>\n");
}

static void emit_legend(struct pr_buf *out)
{
    static const struct {
        const char *class, *sign, *word;
    } entries[] = {{"ok", "", "complete"}, {"bad", "\xc3\x97", "failed"}, {"cut", "!", "incomplete"},
                   {"ok grew", "\xe2\x96\xb2", "grew"}, {"skipped", "", "did not run"}};
    pr_buf_text(out, "<p class='legend'>");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        pr_html(out, "<span><span class='cell %s' aria-hidden='true'>%s</span>%s</span>", entries[i].class,
                entries[i].sign, entries[i].word);
    pr_buf_text(out, "</p>");
}

/* A job with one run has nothing to look at over time, unless it is a step of a flow that has several. */
static size_t choose(const struct pr_index_jobs *jobs, const struct pr_index_job **rows)
{
    size_t count = 0;
    for (size_t i = 0; i < jobs->count && count < MOST_ROWS; i++)
        if (jobs->job[i].count > 1 || is_in_flow(&jobs->job[i]))
            rows[count++] = &jobs->job[i];
    return count;
}

void pr_index_grid(const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    const struct pr_index_job *rows[MOST_ROWS];
    const size_t count = choose(jobs, rows);
    if (!count)
        return;
    out->failed |= !pr_sort(rows, count, sizeof *rows, by_row, NULL);
    pr_buf_text(out, "<section class='panel' aria-labelledby='grid'>\n<div class='head'><h2 id='grid'>Run by run</h2>");
    emit_legend(out);
    pr_buf_text(out, "</div>\n<div class='rows grids' tabindex='0'>\n");
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_same_group(rows[first], rows[end]); end++)
            ;
        emit_group(&(struct rows){jobs, rows + first, end - first}, out);
    }
    pr_buf_text(out, "</div>\n</section>\n");
}
