/* SPDX-License-Identifier: Apache-2.0 */
/* Flows: the steps of one run of a flow, as bars on its axis of time (a Gantt chart), each linked to its card. */
#include "capture/base/sort.h"
#include "capture/base/time.h"
#include "render/html/hover.h"
#include "render/index/index_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FLOWS = 10, OPEN_FLOWS = 1, MOST_STEPS = 500 };

/* A hundred years: nothing longer is a run. In nanoseconds it fits. */
#define MOST_SPAN_MS (INT64_C(100) * 365 * 86400 * 1000)

/* Steps of one run of a flow, in the order of their start. */
struct flow {
    const struct pr_index_run *const *steps;
    size_t count;
    int64_t start_ms, end_ms;
};

static bool is_step(const struct pr_index_run *run)
{
    return *run->flow && *run->step && pr_index_duration_ns(run).known;
}

static int by_flow(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct pr_index_run *x = *(const struct pr_index_run *const *)a, *y = *(const struct pr_index_run *const *)b;
    const int flow = strcmp(x->flow, y->flow), run = strcmp(x->run, y->run);
    return flow ? flow : run ? run : PR_ORDER(x->start_ms.value, y->start_ms.value);
}

static int by_latest(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct flow *)b)->start_ms, ((const struct flow *)a)->start_ms);
}

static size_t group(const struct pr_index_run *const *sorted, size_t count, struct flow *flows)
{
    size_t found = 0;
    for (size_t first = 0, end; first < count; first = end) {
        struct flow flow = {sorted + first, 0, sorted[first]->start_ms.value, sorted[first]->end_ms.value};
        for (end = first; end < count && strcmp(sorted[end]->flow, sorted[first]->flow) == 0 &&
                          strcmp(sorted[end]->run, sorted[first]->run) == 0; end++)
            flow.end_ms = sorted[end]->end_ms.value > flow.end_ms ? sorted[end]->end_ms.value : flow.end_ms;
        flow.count = end - first;
        int64_t span_ms;
        const bool fits = !__builtin_sub_overflow(flow.end_ms, flow.start_ms, &span_ms) && span_ms < MOST_SPAN_MS;
        if (flow.count > 1 && fits)
            flows[found++] = flow;
    }
    return found;
}

static void emit_moment(int64_t offset_ms, int64_t span_ms, struct pr_buf *out)
{
    pr_hover(out, pr_units_moment(offset_ms, span_ms), pr_units_milliseconds(offset_ms));
}

/* From the start of the run: "0 s", "3:24". */
static void emit_ticks(const struct flow *flow, struct pr_buf *out)
{
    enum { TICKS = 4 };
    const int64_t span = flow->end_ms - flow->start_ms;
    pr_buf_text(out, "<span class='ticks'>");
    for (int i = 0; i <= TICKS; i++)
        emit_moment(span / TICKS * i + span % TICKS * i / TICKS, span, out);
    pr_buf_text(out, "</span>");
}

static void emit_bar(const struct flow *flow, const struct pr_index_run *step, struct pr_buf *out)
{
    static const char *const fills[] = {[PR_RUN_RECORDED] = "#7b7f88", [PR_RUN_OK] = "#3b3e46",
                                        [PR_RUN_FAILED] = "#b3261e",  [PR_RUN_CUT] = "#7d5200",
                                        [PR_RUN_UNREADABLE] = "#7d5200"};
    const double span = (double)flow->end_ms - (double)flow->start_ms;
    const double from = span > 0 ? 100 * ((double)step->start_ms.value - (double)flow->start_ms) / span : 0;
    double width = span > 0 ? 100 * ((double)step->end_ms.value - (double)step->start_ms.value) / span : 100;
    width = width < 0.3 ? 0.3 : width; /* a step that took no time is still a step */
    pr_buf_printf(out, "<svg class='bar' width='100%%' height='12' aria-hidden='true'>"
                       "<rect class='track' width='100%%' height='12' fill='#f3f3f5'/>"
                       "<rect class='%s' x='%.2f%%' width='%.2f%%' height='12' fill='%s'/></svg>",
                  pr_index_class(step->status), from > 99.7 ? 99.7 : from, width, fills[step->status]);
}

static void emit_step(const struct flow *flow, const struct pr_index_run *step, struct pr_buf *out)
{
    pr_buf_text(out, "<tr><th scope='row'>");
    pr_index_link(step, step->step, out);
    pr_buf_text(out, "</th><td>");
    pr_index_status(step->status, out);
    pr_buf_text(out, "</td><td class='r'>");
    emit_moment(step->start_ms.value - flow->start_ms, flow->end_ms - flow->start_ms, out);
    pr_buf_text(out, "</td><td class='r'>");
    pr_index_value(pr_index_duration_ns(step), PR_UNIT_NANOSECONDS, out);
    pr_buf_text(out, "</td><td class='r'>");
    const struct pr_index_peak peak = pr_index_peak(step);
    pr_index_value(peak.bytes, PR_UNIT_BYTES, out);
    if (peak.bytes.known)
        pr_html(out, "<span class='kind'> %s</span>", peak.kind);
    pr_buf_text(out, "</td><td class='gantt'>");
    emit_bar(flow, step, out);
    pr_buf_text(out, "</td></tr>\n");
}

static void emit_flow(const struct flow *flow, bool open, struct pr_buf *out)
{
    const size_t shown = flow->count < MOST_STEPS ? flow->count : MOST_STEPS;
    const int64_t span_ns = (flow->end_ms - flow->start_ms) * PR_NS_PER_MS; /* below MOST_SPAN_MS */
    pr_html(out, "<details class='flow'%s><summary><b>%s</b> %s <span class='muted'>%s in ", open ? " open" : "",
            flow->steps[0]->flow, flow->steps[0]->run, pr_units_counted((int64_t)flow->count, "steps").text);
    pr_hover_value(out, PR_UNIT_NANOSECONDS, span_ns);
    pr_html(out, ", %s</span></summary>\n",
            pr_units_time(flow->start_ms).text);
    pr_buf_text(out, "<div class='rows' tabindex='0'>\n<table class='list steps'>\n<thead><tr><th scope='col'>Step</th>"
                     "<th scope='col'>End</th><th scope='col' class='r'>From</th>"
                     "<th scope='col' class='r'>Duration</th>"
                     "<th scope='col' class='r'>Peak memory</th><th scope='col' class='gantt'>");
    emit_ticks(flow, out);
    pr_buf_text(out, "</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        emit_step(flow, flow->steps[i], out);
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n");
    if (shown < flow->count)
        pr_html(out, "<p class='nothing'>%s more are in the table of all runs.</p>\n",
                pr_units_counted((int64_t)(flow->count - shown), "steps").text);
    pr_buf_text(out, "</details>\n");
}

static void emit_flows(const struct flow *flows, size_t count, struct pr_buf *out)
{
    const size_t shown = count < MOST_FLOWS ? count : MOST_FLOWS;
    pr_buf_text(out, "<section class='panel' aria-labelledby='flows'>\n<div class='head'><h2 id='flows'>Flows</h2>"
                     "<p class='muted'>Steps of each run</p></div>\n");
    for (size_t i = 0; i < shown; i++)
        emit_flow(&flows[i], i < OPEN_FLOWS, out);
    if (shown < count)
        pr_html(out, "<p class='nothing'>In the table of all runs: %s.</p>\n",
                pr_units_counted((int64_t)(count - shown), "older runs").text);
    pr_buf_text(out, "</section>\n");
}

void pr_index_flows(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out)
{
    const struct pr_index_run **steps = malloc((count + 1) * sizeof *steps);
    struct flow *flows = malloc((count / 2 + 1) * sizeof *flows);
    size_t step_count = 0, found = 0;
    if (steps && flows) {
        for (size_t i = 0; i < count; i++)
            if (is_step(runs[i]))
                steps[step_count++] = runs[i];
        out->failed |= !pr_sort(steps, step_count, sizeof *steps, by_flow, NULL);
        found = group(steps, step_count, flows);
        out->failed |= !pr_sort(flows, found, sizeof *flows, by_latest, NULL);
    } else {
        out->failed = true;
    }
    if (found)
        emit_flows(flows, found, out);
    free(steps);
    free(flows);
}
