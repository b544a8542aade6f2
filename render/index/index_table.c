/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all runs. Cells carry a sort key where the text would sort wrongly. */
#include "capture/base/text.h"
#include "render/index/index_internal.h"

#include <inttypes.h>
#include <string.h>

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

/* Flow, run and step, as far as they are known. */
static void emit_of(const struct pr_index_run *run, struct pr_buf *out)
{
    const char *const parts[] = {run->flow, run->run, run->step};
    const char *before = "";
    pr_buf_text(out, "<td class='of'>");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!*parts[i])
            continue;
        pr_html(out, "%s%s", before, parts[i]);
        before = " / ";
    }
    pr_buf_text(out, "</td>");
}

/* BEFORE: the run to compare it with, or NULL. */
static void emit_row(const struct pr_index_run *run, bool grew, const struct pr_index_run *before, struct pr_buf *out)
{
    pr_html(out, "<tr class='%s%s' data-job='",
            run->status == PR_RUN_UNREADABLE ? "unreadable" : pr_index_class(run->status), grew ? " grew" : "");
    if (*run->flow && *run->step)
        pr_html(out, "%s / %s", run->flow, run->step);
    else
        pr_html(out, "%s", run->name);
    pr_html(out, "'><td data-sort='%d'>", run->status);
    pr_index_status(run->status, out);
    pr_buf_text(out, "</td><th scope='row'>");
    pr_index_link(run, run->name, out);
    if (*run->problem) {
        pr_buf_text(out, "<span class='why'>");
        pr_html_cut(out, pr_text_of(run->problem), 200);
        pr_buf_text(out, "</span>");
    }
    pr_buf_text(out, "</th>");
    emit_of(run, out);
    emit_start(run, out);
    emit_number(pr_index_duration_ns(run), PR_UNIT_NANOSECONDS, "r", out);
    emit_number(run->heap_bytes, PR_UNIT_BYTES, "r heap", out);
    emit_number(run->rss_bytes, PR_UNIT_BYTES, "r rss", out);
    emit_number(run->cpu_ns, PR_UNIT_NANOSECONDS, "r cpu", out);
    pr_buf_text(out, "<td>");
    if (before)
        pr_index_compare_link(run, before, "with", out);
    pr_buf_text(out, "</td><td class='source'><code>");
    pr_html_name(out, pr_text_of(run->source));
    pr_buf_text(out, "</code></td></tr>\n");
}

void pr_index_table(const struct pr_index_run *const *runs, size_t count, const struct pr_index_jobs *jobs,
                    struct pr_buf *out)
{
    pr_buf_text(out, "<section class='panel' aria-labelledby='runs'>\n<div class='head'><h2 id='runs'>All runs</h2>"
                     "<div class='find' data-mount='find'></div></div>\n");
    if (!count) {
        pr_buf_text(out, "<p class='nothing'>No runs yet: nothing in the folder is a capture, a profile or "
                         "a card.</p>\n</section>\n");
        return;
    }
    bool any_flow = false, any_heap = false, any_rss = false, any_cpu = false;
    for (size_t i = 0; i < count; i++) {
        any_flow |= *runs[i]->flow || *runs[i]->run || *runs[i]->step;
        any_heap |= runs[i]->heap_bytes.known;
        any_rss |= runs[i]->rss_bytes.known;
        any_cpu |= runs[i]->cpu_ns.known;
    }
    pr_html(out, "<div class='rows' tabindex='0'>\n<table class='list%s%s%s%s' data-mount='list'>\n",
            any_flow ? "" : " no-of", any_heap || !any_rss ? "" : " no-heap", any_rss ? "" : " no-rss",
            any_cpu ? "" : " no-cpu");
    pr_buf_text(out, "<thead><tr><th scope='col'>End</th>"
                     "<th scope='col'>Name</th><th scope='col' class='of'>Flow, run, step</th>"
                     "<th scope='col' class='start' aria-sort='descending'>Started</th>"
                     "<th scope='col' class='r'>Duration</th><th scope='col' class='r heap'>Peak heap</th>"
                     "<th scope='col' class='r rss'>Peak RSS</th>"
                     "<th scope='col' class='r cpu'>CPU time</th><th scope='col'>Compare</th>"
                     "<th scope='col' class='source'>Source</th>"
                     "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++)
        emit_row(runs[i], pr_index_grew(jobs, runs[i]), pr_index_before(jobs, runs[i]), out);
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n<p class='nothing' data-mount='nothing' hidden>No run matches.</p>\n"
                     "</section>\n");
}
