/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value of a job, from run to run. A point is a run, not a moment: runs are drawn at equal distances, the oldest on
 * the left. Runs that failed or are not complete are marked at the foot, and are neither on the line nor in a median.
 * An upright line is where the level changed for good, or where the growth began that `check` reports.
 *
 * The drawing is as wide as its place: what is drawn in WIDTH units is stretched, and strokes are not.
 */
#include "render/index/index_dates.h"
#include "render/index/index_internal.h"

#include "capture/base/text.h"

#include <string.h>

enum { WIDTH = 1000, HEIGHT = 84, TOP = 16, BOTTOM = 66, FOOT = 80, LABEL = 10, RUN_LENGTH = 24 };

/* A limit that is further above all values would flatten them: it is left out. */
#define MOST_ROOM 1.5

struct chart {
    const struct pr_index_job *job;
    const struct pr_index_change *change;
    enum pr_unit unit;
    size_t drawn; /* runs, the latest */
    int64_t top;
    bool has_limit;
};

static bool is_on_line(const struct chart *chart, size_t number)
{
    const struct pr_index_run *run = chart->job->runs[number];
    return pr_index_counts(run) && chart->change->value(run).known;
}

/* Of 1: where the run has its place. */
static double place_of(const struct chart *chart, size_t number)
{
    return ((double)(chart->drawn - 1 - number) + 0.5) / (double)chart->drawn;
}

/* Between two runs, the later one first; the older one may no longer be drawn. */
static double between(const struct chart *chart, size_t first, size_t last_before)
{
    return last_before < chart->drawn ? (place_of(chart, first) + place_of(chart, last_before)) / 2 : 0;
}

static double y_of(const struct chart *chart, int64_t value)
{
    return BOTTOM - (double)(value < 0 ? 0 : value) / (double)chart->top * (BOTTOM - TOP);
}

/* ---- lines and points ------------------------------------------------------------------------------------------- */

static void emit_line(const struct chart *chart, struct pr_buf *out)
{
    char step = 'M';
    pr_buf_text(out, "<path class='l' fill='none' stroke='#7b7f88' d='");
    for (size_t i = chart->drawn; i-- > 0;) {
        if (!is_on_line(chart, i))
            continue;
        const int64_t value = chart->change->value(chart->job->runs[i]).value;
        pr_buf_printf(out, "%c%.0f %.1f", step, place_of(chart, i) * WIDTH, y_of(chart, value));
        step = 'L';
    }
    pr_buf_text(out, "'/>");
}

/* Points are the round ends of lines without a length: these stay round however wide the drawing is. */
static void emit_points(const struct chart *chart, bool grew, struct pr_buf *out)
{
    size_t found = 0;
    for (size_t i = chart->drawn; i-- > 0;) {
        const bool is_grown = chart->change->grew && i <= chart->change->since;
        if (!is_on_line(chart, i) || is_grown != grew)
            continue;
        const int64_t value = chart->change->value(chart->job->runs[i]).value;
        if (!found++)
            pr_html(out, "<path class='p%s' stroke='%s' d='", grew ? " up" : "", grew ? "#9e0067" : "#3b3e46");
        pr_buf_printf(out, "M%.0f %.1fh0", place_of(chart, i) * WIDTH, y_of(chart, value));
    }
    if (found)
        pr_buf_text(out, "'/>");
}

static void emit_level_line(const struct chart *chart, int64_t value, double from, double to, struct pr_buf *out)
{
    pr_buf_printf(out, "<path class='before' fill='none' stroke='#a2a6af' stroke-dasharray='3 3' d='M%.0f %.1fH%.0f'/>",
                  from * WIDTH, y_of(chart, value), to * WIDTH);
}

/* The value between two changes: the mean of a level; without any, the median of the runs before. */
static void emit_levels(const struct chart *chart, struct pr_buf *out)
{
    const struct pr_index_change *change = chart->change;
    double until = 1;
    if (!change->level_count) {
        if (change->is_known && change->last_before < chart->drawn)
            emit_level_line(chart, change->before, 0,
                            change->grew ? between(chart, change->since, change->last_before) : 1, out);
        return;
    }
    for (size_t i = 0; i < change->level_count && change->level[i].first < chart->drawn; i++) {
        const struct pr_index_level *level = &change->level[i];
        const double from = between(chart, level->first, level->last_before);
        emit_level_line(chart, level->after, from, until, out);
        if (i + 1 == change->level_count)
            emit_level_line(chart, level->before, 0, from, out);
        until = from;
    }
}

static void emit_upright(const char *class, double place, struct pr_buf *out)
{
    pr_html(out, "<path class='%s' stroke='%s' d='", class, strstr(class, "up") ? "#9e0067" : "#7b7f88");
    pr_buf_printf(out, "M%.0f 0V%d'/>", place * WIDTH, BOTTOM + 4);
}

static bool is_since(const struct pr_index_change *change, const struct pr_index_level *level)
{
    return change->grew && change->since == level->first;
}

static const char *class_of(const struct pr_index_level *level)
{
    return level->after > level->before ? "level up" : "level down";
}

static void emit_uprights(const struct chart *chart, struct pr_buf *out)
{
    const struct pr_index_change *change = chart->change;
    if (change->grew && change->last_before < chart->drawn)
        emit_upright("since up", between(chart, change->since, change->last_before), out);
    for (size_t i = 0; i < change->level_count; i++) {
        const struct pr_index_level *level = &change->level[i];
        if (level->last_before < chart->drawn && !is_since(change, level))
            emit_upright(class_of(level), between(chart, level->first, level->last_before), out);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* "▲ +188.3 % since 050", on the side of the upright line where there is more room. */
static void emit_label(const struct chart *chart, const char *class, double place, int64_t before, int64_t now,
                       size_t since, struct pr_buf *out)
{
    const bool is_left = place > 0.5;
    const bool is_up = strstr(class, "up");
    pr_html(out, "<text class='%s' text-anchor='%s'", class, is_left ? "end" : "start");
    pr_buf_printf(out, " x='%.1f%%' dx='%d' y='%d'>", place * 100, is_left ? -5 : 5, LABEL);
    pr_html(out, "<title>from %s to %s</title>", pr_units_exact(chart->unit, before).text,
            pr_units_exact(chart->unit, now).text);
    pr_html(out, "%s %s since ", is_up ? "\xE2\x96\xB2" : "\xE2\x96\xBC", pr_units_growth(before, now).text);
    pr_html_cut(out, pr_text_of(pr_index_run_name(chart->job->runs[since])), RUN_LENGTH);
    pr_buf_text(out, "</text>");
}

/* Of the change that is reported, else of the latest one. */
static void emit_change_label(const struct chart *chart, struct pr_buf *out)
{
    const struct pr_index_change *change = chart->change;
    const struct pr_index_level *level = &change->level[0];
    if (change->grew && change->last_before < chart->drawn)
        emit_label(chart, "up", between(chart, change->since, change->last_before),
                   change->before, change->now, change->since, out);
    else if (change->level_count && level->last_before < chart->drawn)
        emit_label(chart, class_of(level), between(chart, level->first, level->last_before),
                   level->before, level->after, level->first, out);
}

static void emit_limit(const struct chart *chart, struct pr_buf *out)
{
    const double y = y_of(chart, chart->change->limit);
    if (!chart->has_limit)
        return;
    pr_buf_printf(out, "<line class='limit' stroke='#b3261e' stroke-dasharray='6 3' x2='100%%' y1='%.1f' y2='%.1f'/>",
                  y, y);
    pr_buf_printf(out, "<text class='limit' y='%.1f'>", y - 4);
    pr_html(out, "<title>%s</title>check allows %s</text>", pr_units_exact(chart->unit, chart->change->limit).text,
            pr_units_value(chart->unit, chart->change->limit).text);
}

static void emit_marks(const struct chart *chart, struct pr_buf *out)
{
    for (size_t i = chart->drawn; i-- > 0;) {
        const enum pr_run_status status = chart->job->runs[i]->status;
        if (status != PR_RUN_FAILED && status != PR_RUN_CUT)
            continue;
        pr_html(out, "<text class='%s' fill='%s' text-anchor='middle'", pr_index_class(status),
                status == PR_RUN_FAILED ? "#b3261e" : "#7d5200");
        pr_buf_printf(out, " x='%.1f%%' y='%d'>%s</text>", place_of(chart, i) * 100, FOOT,
                      status == PR_RUN_FAILED ? "\xC3\x97" : "!");
    }
}

static void emit_end(const struct pr_index_run *run, struct pr_buf *out)
{
    pr_buf_text(out, "<span>");
    pr_html_cut(out, pr_text_of(pr_index_run_name(run)), RUN_LENGTH);
    if (run->start_ms.known && *pr_index_short_day(NULL, run->start_ms.value).text)
        pr_html(out, ", %s", pr_index_short_day(NULL, run->start_ms.value).text);
    pr_buf_text(out, "</span>");
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* False: there are no two values to draw. */
static bool measure(struct chart *chart)
{
    const struct pr_index_change *change = chart->change;
    size_t known = 0;
    for (size_t i = 0; i < chart->drawn; i++) {
        if (!is_on_line(chart, i))
            continue;
        const int64_t value = change->value(chart->job->runs[i]).value;
        known++;
        chart->top = value > chart->top ? value : chart->top;
    }
    chart->has_limit = change->is_known && (double)change->limit <= MOST_ROOM * (double)chart->top;
    if (chart->has_limit && change->limit > chart->top)
        chart->top = change->limit;
    return known > 1 && chart->top > 0;
}

void pr_index_chart(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                    struct pr_buf *out)
{
    struct chart chart = {.job = job, .change = change, .unit = unit, .drawn = pr_index_drawn(job)};
    if (!measure(&chart))
        return;
    pr_html(out, "<div class='chart' data-runs='%zu'><span class='most' title='%s'>%s</span><span class='zero'>0</span>"
                 "<svg width='100%%' height='%d' aria-hidden='true'>"
                 "<svg width='100%%' height='%d' viewBox='0 0 %d %d' preserveAspectRatio='none'>",
            chart.drawn, pr_units_exact(unit, chart.top).text, pr_units_value(unit, chart.top).text, HEIGHT, HEIGHT,
            WIDTH, HEIGHT);
    pr_buf_printf(out, "<path class='axis' stroke='#e2e3e7' d='M0 %dH%dM0 %dH%d'/>", TOP, WIDTH, BOTTOM, WIDTH);
    emit_uprights(&chart, out);
    emit_levels(&chart, out);
    emit_line(&chart, out);
    emit_points(&chart, false, out);
    emit_points(&chart, true, out);
    pr_buf_text(out, "</svg>");
    emit_limit(&chart, out);
    emit_change_label(&chart, out);
    emit_marks(&chart, out);
    pr_buf_text(out, "</svg><p class='ends'>");
    emit_end(job->runs[chart.drawn - 1], out);
    emit_end(job->runs[0], out);
    pr_buf_text(out, "</p></div>");
}
