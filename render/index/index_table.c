/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all runs. Cells carry a sort key where the text would sort wrongly. */
#include "capture/base/text.h"
#include "render/index/index_internal.h"

#include <inttypes.h>
#include <string.h>

enum { PROBLEM_LENGTH = 200, BAR_WIDTH = 64, BAR_HEIGHT = 8 };

/* A change of so much is as long as a bar can be. */
#define LONGEST_BAR 2.0

static void emit_number(struct pr_maybe value, enum pr_unit unit, const char *class, struct pr_buf *out)
{
    pr_html(out, "<td class='%s'", class);
    if (value.known)
        pr_html(out, " data-sort='%" PRId64 "'", value.value);
    pr_buf_text(out, ">");
    pr_index_value(value, unit, out);
    pr_buf_text(out, "</td>");
}

static void emit_start(const struct pr_index_run *run, struct pr_buf *out)
{
    pr_buf_text(out, "<td class='start'");
    if (run->start_ms.known)
        pr_html(out, " data-sort='%" PRId64 "'", run->start_ms.value);
    pr_buf_text(out, ">");
    if (!pr_index_start(run, out))
        pr_buf_text(out, "<span class='none'>not recorded</span>");
    pr_buf_text(out, "</td>");
}

/* ---- to the median ---------------------------------------------------------------------------------------------- */

static double share_of(const struct pr_index_change *change)
{
    return change->before > 0 ? ((double)change->now - (double)change->before) / (double)change->before : 0;
}

/* As long as the change is large, of what `check` reports and of as much less. */
static void emit_bar(const struct pr_index_change *change, struct pr_buf *out)
{
    const double share = share_of(change), size = share < 0 ? -share : share;
    const double width = (size < LONGEST_BAR ? size / LONGEST_BAR : 1) * BAR_WIDTH;
    pr_html(out, "<svg class='bar' width='%d' height='%d' aria-hidden='true'>", BAR_WIDTH, BAR_HEIGHT);
    pr_buf_printf(out, "<rect class='%s' width='%.1f' height='%d'/></svg>", change->grew ? "up" : "down",
                  width < 1 ? 1 : width, BAR_HEIGHT);
}

static void emit_growth(const struct pr_index_change *change, enum pr_unit unit, struct pr_buf *out)
{
    if (change->grew || change->fell)
        pr_html(out, "<b class='%s'>%s ", change->grew ? "up" : "down",
                change->grew ? "\xE2\x96\xB2" : "\xE2\x96\xBC");
    pr_index_growth(change, unit, out);
    if (change->grew || change->fell)
        pr_buf_text(out, "</b>");
}

/* The peak of a run against those before it. A run that failed or is cut shows a part, and is not compared. */
static void emit_to_median(const struct pr_index_run *run, struct pr_index_place place, struct pr_buf *out)
{
    const struct pr_index_change *of_job = &place.job->memory;
    if (!pr_index_counts(run) || !of_job->value(run).known) {
        pr_buf_text(out, "<td class='r to'><span class='none'>not compared</span></td>");
        return;
    }
    const struct pr_index_change change = pr_index_change_at(place.job, of_job, place.number);
    if (!change.is_known) {
        pr_buf_text(out, "<td class='r to'><span class='none'>first run</span></td>");
        return;
    }
    pr_buf_printf(out, "<td class='r to' data-sort='%.3f'>", share_of(&change));
    if (change.grew || change.fell)
        emit_bar(&change, out);
    emit_growth(&change, PR_UNIT_BYTES, out);
    pr_buf_text(out, "</td>");
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* What is searched for, and is not in a cell: what ran, where steps of flows have names of their own; what it is of. */
static void emit_words(const struct pr_index_run *run, struct pr_buf *out)
{
    if (pr_index_is_step(run))
        pr_html(out, " data-find='%s'", run->name);
    else if (*run->flow || *run->run || *run->step)
        pr_html(out, " data-find='%s %s %s'", run->flow, run->run, run->step);
}

static void emit_name(const struct pr_index_run *run, struct pr_buf *out)
{
    pr_html(out, "<th scope='row' title='%s'", pr_index_is_step(run) ? run->name : run->source);
    emit_words(run, out);
    pr_buf_text(out, ">");
    pr_index_run_link(run, out);
    if (!pr_index_is_step(run) && *run->run)
        pr_html(out, " <span class='kind'>%s%s%s</span>", run->flow, *run->flow ? " " : "", run->run);
    if (*run->problem) {
        pr_buf_text(out, "<span class='why'>");
        pr_html_cut(out, pr_text_of(run->problem), PROBLEM_LENGTH);
        pr_buf_text(out, "</span>");
    }
    pr_buf_text(out, "</th>");
}

static void emit_compare(const struct pr_index_jobs *jobs, const struct pr_index_run *run, struct pr_buf *out)
{
    const struct pr_index_run *before = pr_index_before(jobs, run);
    pr_buf_text(out, "<td class='compare'>");
    if (before)
        pr_index_compare_link(run, before, false, out);
    if (before && pr_index_grew(jobs, run))
        pr_buf_text(out, "<span class='kind'>, last before <span class='up'>\xE2\x96\xB2</span></span>");
    pr_buf_text(out, "</td>");
}

static void emit_row(const struct pr_index_jobs *jobs, const struct pr_index_run *run, struct pr_buf *out)
{
    pr_html(out, "<tr class='%s%s' data-job='",
            run->status == PR_RUN_UNREADABLE ? "unreadable" : pr_index_class(run->status),
            pr_index_grew(jobs, run) ? " grew" : "");
    pr_index_job_name(run, out);
    pr_html(out, "'><td data-sort='%d'>", run->status);
    pr_index_status(run->status, out);
    pr_buf_text(out, "</td>");
    emit_name(run, out);
    emit_start(run, out);
    emit_number(pr_index_duration_ns(run), PR_UNIT_NANOSECONDS, "r time", out);
    emit_number(run->heap_bytes, PR_UNIT_BYTES, "r heap", out);
    emit_number(run->rss_bytes, PR_UNIT_BYTES, "r rss", out);
    emit_to_median(run, pr_index_place(jobs, run), out);
    emit_number(run->cpu_ns, PR_UNIT_NANOSECONDS, "r cpu", out);
    emit_compare(jobs, run, out);
    pr_buf_text(out, "<td class='source'><code>");
    pr_html_name(out, pr_text_of(run->source));
    pr_buf_text(out, "</code></td></tr>\n");
}

void pr_index_table(const struct pr_index_run *const *runs, size_t count, const struct pr_index_jobs *jobs,
                    struct pr_buf *out)
{
    pr_buf_text(out, "<section class='panel' aria-labelledby='runs'>\n<div class='head'><h2 id='runs'>All runs</h2>"
                     "<p class='muted'>Against the median: the peak compared with the earlier runs of its job</p>"
                     "</div>\n");
    if (!count) {
        pr_buf_text(out, "<p class='nothing'>No runs yet: nothing in the folder is a capture, a profile or "
                         "a card.</p>\n</section>\n");
        return;
    }
    bool any_heap = false, any_rss = false, any_cpu = false;
    for (size_t i = 0; i < count; i++) {
        any_heap |= runs[i]->heap_bytes.known;
        any_rss |= runs[i]->rss_bytes.known;
        any_cpu |= runs[i]->cpu_ns.known;
    }
    pr_html(out, "<div class='rows' tabindex='0'>\n<table class='list%s%s%s' data-mount='list'>\n",
            any_heap || !any_rss ? "" : " no-heap", any_rss ? "" : " no-rss", any_cpu ? "" : " no-cpu");
    pr_buf_text(out, "<thead><tr><th scope='col'>Status</th><th scope='col'>Run</th>"
                     "<th scope='col' class='start' aria-sort='descending'>Started</th>"
                     "<th scope='col' class='r time'>Duration</th><th scope='col' class='r heap'>Peak heap</th>"
                     "<th scope='col' class='r rss'>Peak RSS</th>"
                     "<th scope='col' class='r to' title='The peak compared with the median of the earlier runs of its "
                     "job'>Against the median</th>"
                     "<th scope='col' class='r cpu'>CPU time</th><th scope='col' class='compare'>Compare</th>"
                     "<th scope='col' class='source'>Source</th>"
                     "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++)
        emit_row(jobs, runs[i], out);
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n<div class='more' data-mount='more'></div>\n"
                     "<p class='nothing' data-mount='nothing' hidden>No run matches.</p>\n</section>\n");
}
