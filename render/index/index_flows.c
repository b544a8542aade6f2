/* SPDX-License-Identifier: Apache-2.0 */
/* Flows: the steps of one run of a flow, as a Gantt chart on its axis of time and as a table, linked to their cards. */
#include "capture/base/sort.h"
#include "capture/base/span_lanes.h"
#include "capture/base/time.h"
#include "render/charts/gantt.h"
#include "render/html/hover.h"
#include "render/index/index_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLOWS = 10, OPEN_FLOWS = 1, MOST_STEPS = 500, US_PER_MS = 1000 };

/* Times of the chart: microseconds since the flow began. */
static const struct pr_data_column elapsed = {.type = PR_TYPE_DURATION};

/* A hundred years: nothing longer is a run. In nanoseconds it fits. */
#define MOST_SPAN_MS (INT64_C(100) * 365 * 86400 * 1000)

/* Steps of one run of a flow, in the order of their start. */
struct flow {
    const struct pr_index_run *const *steps;
    size_t count;
    int64_t start_ms, end_ms;
};

/* One that has not ended, or of which that is not known, is one too. */
static bool is_step(const struct pr_index_run *run)
{
    return *run->flow && *run->step && run->start_ms.known &&
           (!run->end_ms.known || pr_index_duration_ns(run).known);
}

/* The last that is known of a step. */
static int64_t last_ms(const struct pr_index_run *step)
{
    return step->end_ms.known ? step->end_ms.value : step->start_ms.value;
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
        struct flow flow = {sorted + first, 0, sorted[first]->start_ms.value, last_ms(sorted[first])};
        for (end = first; end < count && strcmp(sorted[end]->flow, sorted[first]->flow) == 0 &&
                          strcmp(sorted[end]->run, sorted[first]->run) == 0; end++)
            flow.end_ms = last_ms(sorted[end]) > flow.end_ms ? last_ms(sorted[end]) : flow.end_ms;
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

/* ---- the chart -------------------------------------------------------------------------------------------------- */

/* A step in its lane, and its number among the steps. */
struct bar {
    uint32_t lane, step;
};

struct chart {
    const struct flow *flow;
    struct pr_lane_span *spans; /* [count] by start, as the steps */
    struct bar *bars;           /* [count] by lane */
    size_t count;
};

static double elapsed_us(const struct flow *flow, int64_t at_ms)
{
    return ((double)at_ms - (double)flow->start_ms) * US_PER_MS;
}

static int by_lane(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct bar *)a)->lane, ((const struct bar *)b)->lane);
}

/* Steps of one name share a lane as far as they do not overlap: attempts, but not tasks of a foreach. */
static bool lay_out(struct chart *chart)
{
    uint32_t lanes;
    for (size_t i = 0; i < chart->count; i++) {
        const struct pr_index_run *step = chart->flow->steps[i];
        size_t name = 0;
        while (strcmp(chart->flow->steps[name]->step, step->step) != 0)
            name++;
        chart->spans[i] = (struct pr_lane_span){
            .name = (uint32_t)name,
            .start = elapsed_us(chart->flow, step->start_ms.value),
            .finish = elapsed_us(chart->flow, step->end_ms.known ? step->end_ms.value : chart->flow->end_ms)};
    }
    if (!pr_span_lanes(chart->spans, chart->count, chart->count, &lanes))
        return false;
    for (size_t i = 0; i < chart->count; i++)
        chart->bars[i] = (struct bar){chart->spans[i].lane, (uint32_t)i};
    return pr_sort(chart->bars, chart->count, sizeof *chart->bars, by_lane, NULL);
}

static const struct pr_index_run *step_of(const struct chart *chart, size_t at)
{
    return chart->flow->steps[chart->bars[at].step];
}

static struct pr_gantt_bar bar_of(const void *context, size_t at)
{
    static const char *const marks[] = {[PR_RUN_RECORDED] = NULL,
                                        [PR_RUN_OK] = NULL,
                                        [PR_RUN_FAILED] = "\u00d7",
                                        [PR_RUN_CUT] = "!",
                                        [PR_RUN_UNREADABLE] = "!"};
    const struct chart *chart = context;
    const struct pr_index_run *step = step_of(chart, at);
    const struct pr_lane_span *span = &chart->spans[chart->bars[at].step];
    return (struct pr_gantt_bar){.name = {step->step, (uint32_t)strlen(step->step)},
                                 .lane = span->lane,
                                 .start = span->start,
                                 .finish = step->end_ms.known ? span->finish : (double)NAN,
                                 .style = pr_index_class(step->status),
                                 .mark = marks[step->status],
                                 .address = *step->card ? step->card : NULL};
}

static void bar_words(const void *context, size_t at, struct pr_buf *out)
{
    const struct chart *chart = context;
    const struct pr_gantt_bar bar = bar_of(context, at);
    const struct pr_index_run *step = step_of(chart, at);
    pr_html(out, "%s, ", pr_index_word(step->status));
    pr_gantt_span_words(out, &elapsed, bar.start, &elapsed, bar.finish);
    const struct pr_index_peak peak = pr_index_peak(step);
    if (peak.bytes.known)
        pr_html(out, ", peak %s %s", peak.kind, pr_units_bytes(peak.bytes.value).text);
}

/* What the colours mean, of those that are there. */
static void emit_key(const struct chart *chart, struct pr_buf *out)
{
    static const enum pr_run_status shown[] = {PR_RUN_OK, PR_RUN_RECORDED, PR_RUN_FAILED, PR_RUN_CUT,
                                               PR_RUN_UNREADABLE};
    pr_buf_text(out, "<ul class='legend'>");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        size_t at = 0;
        while (at < chart->count && chart->flow->steps[at]->status != shown[i])
            at++;
        if (at == chart->count)
            continue;
        pr_gantt_key(pr_index_class(shown[i]), out);
        pr_html(out, "%s</li>", pr_index_word(shown[i]));
    }
    pr_buf_text(out, "</ul>\n");
}

static void emit_chart(const struct flow *flow, size_t count, struct pr_buf *out)
{
    struct chart chart = {.flow = flow,
                          .spans = malloc(count * sizeof *chart.spans),
                          .bars = malloc(count * sizeof *chart.bars),
                          .count = count};
    if (chart.spans && chart.bars && lay_out(&chart)) {
        const struct pr_gantt gantt = {.scale = {&elapsed, 0, elapsed_us(flow, flow->end_ms)},
                                       .count = count,
                                       .context = &chart,
                                       .bar = bar_of,
                                       .words = bar_words};
        emit_key(&chart, out);
        pr_gantt_draw(&gantt, out);
    } else {
        out->failed = true;
    }
    free(chart.spans);
    free(chart.bars);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

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
    pr_buf_text(out, "</td></tr>\n");
}

static size_t count_of(const struct flow *flow, enum pr_run_status status, const struct pr_index_run **first)
{
    size_t count = 0;
    for (size_t i = 0; i < flow->count; i++)
        if (flow->steps[i]->status == status && !count++)
            *first = flow->steps[i];
    return count;
}

/* How its steps ended: which failed, or how many did; whether all succeeded. A retry that helped failed before. */
static void emit_end(const struct flow *flow, struct pr_buf *out)
{
    const struct pr_index_run *first = NULL;
    const size_t failed = count_of(flow, PR_RUN_FAILED, &first);
    if (failed) {
        pr_html(out, "<span class='how %s'>", pr_index_class(PR_RUN_FAILED));
        pr_index_sign(PR_INDEX_FAILED, out);
        pr_html(out, "%s failed</span> ", failed == 1 ? first->step
                                                      : pr_units_counted((int64_t)failed, "steps").text);
    } else if (count_of(flow, PR_RUN_OK, &first) == flow->count) {
        pr_index_status(PR_RUN_OK, out);
        pr_buf_byte(out, ' ');
    }
}

static void emit_flow(const struct flow *flow, bool open, struct pr_buf *out)
{
    const size_t shown = flow->count < MOST_STEPS ? flow->count : MOST_STEPS;
    const int64_t span_ns = (flow->end_ms - flow->start_ms) * PR_NS_PER_MS; /* below MOST_SPAN_MS */
    pr_html(out, "<details class='flow'%s><summary><b>%s</b> %s ", open ? " open" : "", flow->steps[0]->flow,
            flow->steps[0]->run);
    emit_end(flow, out);
    pr_html(out, "<span class='muted'>%s in ", pr_units_counted((int64_t)flow->count, "steps").text);
    pr_hover_value(out, PR_UNIT_NANOSECONDS, span_ns);
    pr_html(out, ", %s</span></summary>\n",
            pr_units_time(flow->start_ms).text);
    emit_chart(flow, shown, out);
    pr_buf_text(out, "<div class='rows' tabindex='0'>\n<table class='list steps'>\n<thead><tr><th scope='col'>Step</th>"
                     "<th scope='col'>End</th><th scope='col' class='r'>From</th>"
                     "<th scope='col' class='r'>Duration</th>"
                     "<th scope='col' class='r'>Peak memory</th></tr></thead>\n<tbody>\n");
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
