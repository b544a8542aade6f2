/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each series over the time of the run, as SVG. Positions are percentages and labels are not stretched, so the lanes
 * fit any width without a script.
 */
#include "render/sections/series_path.h"
#include "render/model/series_notes.h"
#include "render/page/section.h"

#include <string.h>

enum { LANE_HEIGHT = 64, TOP_SPACE = 13, PLOT_HEIGHT = 46, PATH_WIDTH = 1000, AXIS_HEIGHT = 30, MAX_TICKS = 6,
       LIMIT_SHARE = 4, LABEL_BELOW = 12 };

static bool wants_timeline(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->series_count; i++) {
        if (profile->series[i].count)
            return true;
    }
    return false;
}

/* From the start of the run, or the first point, to its end or the last point. */
static void find_span(const struct pr_profile *profile, int64_t *start_ms, int64_t *end_ms)
{
    bool known = false;
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        for (size_t k = 0; k < series->count; k++) {
            *start_ms = !known || series->at_ms[k] < *start_ms ? series->at_ms[k] : *start_ms;
            *end_ms = !known || series->at_ms[k] > *end_ms ? series->at_ms[k] : *end_ms;
            known = true;
        }
    }
    if (profile->meta.no_date && *start_ms > 0)
        *start_ms = 0;
    if (profile->meta.start_ms.known && profile->meta.start_ms.value < *start_ms)
        *start_ms = profile->meta.start_ms.value;
    if (profile->meta.end_ms.known && profile->meta.end_ms.value > *end_ms)
        *end_ms = profile->meta.end_ms.value;
}

/* The span in milliseconds; hostile times may be further apart than an int64_t holds, or than years go. */
static double length_of(int64_t start_ms, int64_t end_ms)
{
    const double longest = 1e15;
    double length = (double)end_ms - (double)start_ms;
    return length < 1 ? 1 : length > longest ? longest : length;
}

/* A round value at or over PEAK for the top of a lane: 6 GiB for 5.83 GiB. */
static int64_t round_top(enum pr_unit unit, int64_t peak)
{
    const int64_t all_percent = 100000, roughly = 105000; /* two clocks were read */
    if (unit == PR_UNIT_PERCENT && peak > all_percent / 2 && peak <= roughly)
        return peak > all_percent ? peak : all_percent;
    const int64_t base = unit == PR_UNIT_BYTES || unit == PR_UNIT_BYTES_PER_SECOND ? 1024 : 1000;
    static const int64_t steps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768};
    int64_t scale = 1;
    while (peak > 0 && scale <= INT64_MAX / base / base && peak > scale * base * 3 / 4)
        scale *= base;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i] <= INT64_MAX / scale && steps[i] * scale >= peak)
            return steps[i] * scale;
    }
    return peak;
}

/* "43.2": a share of the width as a percentage with a decimal, whatever the locale. */
static void add_percent(struct pr_buf *out, double share)
{
    int tenths = (int)((share < 0 ? 0 : share > 1 ? 1 : share) * 1000 + 0.5);
    pr_html(out, "%d.%d%%", tenths / 10, tenths % 10);
}

struct lane {
    const struct pr_series *series;
    struct pr_curve curve;
    int64_t start_ms, end_ms;
    bool knows_moment; /* of the peak */
    int64_t top;             /* of its scale */
    struct pr_maybe limit;   /* on the scale */
    struct pr_maybe unknown_ms; /* from when on it is unknown */
};

/* Samples miss what lies between them. For the heap the capture has every change: its peak is known exactly. */
static struct lane make_lane(const struct pr_profile *profile, const struct pr_series *series, int64_t start_ms,
                             int64_t end_ms)
{
    struct lane lane = {.series = series, .start_ms = start_ms, .end_ms = end_ms, .knows_moment = true};
    pr_curve_make(series, start_ms, end_ms, PR_CURVE_MAX, &lane.curve);
    if (!strcmp(series->name, "heap") && profile->peak_bytes >= lane.curve.peak) {
        lane.curve.peak = profile->peak_bytes;
        lane.curve.peak_at_ms = profile->peak_at_ms.value;
        lane.knows_moment = pr_times_peak_ms(profile).known;
    }
    lane.limit = pr_series_note_limit(profile, series);
    if (lane.limit.known && lane.curve.peak < lane.limit.value / LIMIT_SHARE) /* the line would lie on the baseline */
        lane.limit.known = false;
    lane.unknown_ms = pr_series_note_unknown_from(profile, series);
    const bool limits = lane.limit.known && lane.limit.value > lane.curve.peak;
    lane.top = round_top(series->unit, limits ? lane.limit.value : lane.curve.peak);
    return lane;
}

static void emit_lane_name(const struct lane *lane, struct pr_buf *out)
{
    pr_html(out,
            "<div class='lane big'><span class='n'>%s</span> <span class='c' title='%s'>%s</span> "
            "<span class='m'>%s%shighest</span></div>\n",
            lane->series->title, pr_units_exact(lane->series->unit, lane->curve.peak).text,
            pr_units_value(lane->series->unit, lane->curve.peak).text, pr_series_note_note(lane->series),
            *pr_series_note_note(lane->series) ? "; " : "");
}

/* What the lane is and its peak, above the line; the text goes to the side with more room. */
static void emit_peak(const struct pr_page *page, const struct lane *lane, int64_t top, struct pr_buf *out)
{
    const struct pr_curve *curve = &lane->curve;
    const double length = length_of(lane->start_ms, lane->end_ms);
    const double x = lane->knows_moment ? ((double)curve->peak_at_ms - (double)lane->start_ms) / length : 0;
    const bool is_right = x > 0.5;
    struct pr_figure moment = {""};
    if (lane->knows_moment)
        moment = pr_times_moment(page->profile, curve->peak_at_ms);
    if (lane->knows_moment && curve->peak > 0) {
        const double share = (double)curve->peak / (double)top;
        pr_buf_text(out, "<circle r='3.5' cx='");
        add_percent(out, x);
        pr_html(out, "' cy='%d'/>", TOP_SPACE + PLOT_HEIGHT - (int)(PLOT_HEIGHT * share));
    }
    if (curve->peak <= 0) /* 0 has no peak */
        return;
    pr_html(out, "<text dx='%d' y='11' text-anchor='%s' x='", is_right ? -9 : 9, is_right ? "end" : "start");
    add_percent(out, x);
    pr_html(out, "'><title>%s%s%s</title>%s peak %s%s%s</text>", pr_units_exact(lane->series->unit, curve->peak).text,
            *moment.text ? ", " : "", *moment.text ? pr_times_moment_exact(page->profile, curve->peak_at_ms).text : "",
            lane->series->title, pr_units_value(lane->series->unit, curve->peak).text, *moment.text ? " at " : "",
            moment.text);
}

/* An element inside another with some space at its sides: a mark at the end of the run is not cut. */
static void open_inset(const char *class_name, int height, struct pr_buf *out)
{
    pr_html(out,
            "<svg class='%s' width='100%%' height='%d' font-family='sans-serif' font-size='11'>"
            "<svg x='1%%' width='98%%' overflow='visible'>",
            class_name, height);
}

/* A dashed line where the limit of the run is. */
static void emit_limit(const struct lane *lane, struct pr_buf *out)
{
    const double share = (double)lane->limit.value / (double)lane->top;
    const int y = TOP_SPACE + PLOT_HEIGHT - (int)(PLOT_HEIGHT * share);
    const struct pr_figure exact = pr_units_exact(lane->series->unit, lane->limit.value);
    pr_html(out,
            "<line class='limit' x1='0' x2='100%%' y1='%d' y2='%d' stroke='currentColor' stroke-dasharray='6 4'>"
            "<title>limit %s</title></line><text x='0' y='%d'><title>%s</title>limit %s</text>",
            y, y, exact.text, y + LABEL_BELOW, exact.text, pr_units_value(lane->series->unit, lane->limit.value).text);
}

/* What could not be read is not 0: it has another background. */
static void emit_unknown(const struct pr_page *page, const struct lane *lane, struct pr_buf *out)
{
    const double length = length_of(lane->start_ms, lane->end_ms);
    const double x = ((double)lane->unknown_ms.value - (double)lane->start_ms) / length;
    if (x >= 0.995)
        return;
    pr_buf_text(out, "<rect class='unknown' fill='#e9eaee' x='");
    add_percent(out, x);
    pr_buf_text(out, "' width='");
    add_percent(out, 1 - x);
    pr_html(out, "' y='%d' height='%d'/>", TOP_SPACE, PLOT_HEIGHT);
    if (x > 0.7)
        return;
    pr_buf_text(out, "<text dx='8' x='");
    add_percent(out, x);
    pr_html(out, "' y='%d'><title>%s</title>not known after %s</text>", TOP_SPACE + PLOT_HEIGHT / 2 + 4,
            pr_times_moment_exact(page->profile, lane->unknown_ms.value).text,
            pr_times_moment(page->profile, lane->unknown_ms.value).text);
}

static void emit_plot(const struct pr_page *page, const struct lane *lane, struct pr_buf *out)
{
    open_inset("lane-plot", LANE_HEIGHT, out);
    if (lane->curve.known) {
        pr_html(out, "<svg y='%d' width='100%%' height='%d' viewBox='0 0 %d %d' preserveAspectRatio='none'>", TOP_SPACE,
                PLOT_HEIGHT, PATH_WIDTH, PLOT_HEIGHT);
        pr_curve_emit(&lane->curve, lane->top, PATH_WIDTH, PLOT_HEIGHT, out);
        pr_buf_text(out, "</svg>");
    }
    if (lane->unknown_ms.known)
        emit_unknown(page, lane, out);
    if (lane->limit.known)
        emit_limit(lane, out);
    emit_peak(page, lane, lane->top, out);
    pr_buf_text(out, "</svg></svg>\n");
}

/* A step of the axis that gives at most MAX_TICKS. */
static int64_t tick_step(double length_ms)
{
    static const int64_t steps[] = {1,      2,      5,       10,      20,      50,       100,      200,      500,
                                    1000,   2000,   5000,    10000,   15000,   30000,    60000,    120000,   300000,
                                    600000, 900000, 1800000, 3600000, 7200000, 14400000, 21600000, 43200000, 86400000};
    const size_t count = sizeof steps / sizeof *steps;
    for (size_t i = 0; i < count; i++) {
        if (length_ms / (double)steps[i] <= MAX_TICKS)
            return steps[i];
    }
    return ((int64_t)(length_ms / (double)steps[count - 1] / MAX_TICKS) + 1) * steps[count - 1];
}

static void emit_axis(int64_t start_ms, int64_t end_ms, struct pr_buf *out)
{
    const double length = length_of(start_ms, end_ms);
    const int64_t step = tick_step(length);
    open_inset("axis", AXIS_HEIGHT, out);
    for (int64_t i = 0; i <= MAX_TICKS && (double)i * (double)step <= length; i++) {
        const double x = (double)i * (double)step / length;
        pr_html(out, "<text y='19' text-anchor='%s' x='", !i ? "start" : x > 0.97 ? "end" : "middle");
        add_percent(out, x);
        pr_html(out, "'>%s</text>", pr_units_moment(i * step, (int64_t)length).text);
    }
    pr_buf_text(out, "</svg></svg>\n");
}

/* "Not recorded: GPU.": a list of lanes that are not drawn. */
static void emit_names(const char *what, void (*list)(const struct pr_profile *profile, struct pr_buf *out),
                       const struct pr_profile *profile, struct pr_buf *out)
{
    struct pr_buf names = {0};
    list(profile, &names);
    if (names.length)
        pr_html(out, "<p class='lanes-none'>%s: %.*s.</p>\n", what, (int)names.length, names.bytes);
    out->failed |= names.failed;
    pr_buf_clear(&names);
}

static bool is_drawn(const struct pr_series *series)
{
    return series->count && !pr_series_note_is_quiet(series);
}

static bool is_shared(const struct pr_series *series)
{
    const char *short_name;
    return *pr_series_note_lane(series, &short_name);
}

static unsigned count_drawn(const struct pr_profile *profile, bool shared)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < profile->series_count; i++)
        count += is_drawn(&profile->series[i]) && is_shared(&profile->series[i]) == shared;
    return count;
}

/* The lanes of the series that share one with others, or the rest. */
static void emit_lanes(const struct pr_page *page, bool shared, int64_t start_ms, int64_t end_ms, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    pr_buf_text(out, "<div class='tl'>\n<div class='gut'>\n");
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct lane lane = make_lane(profile, &profile->series[i], start_ms, end_ms);
        if (is_drawn(lane.series) && is_shared(lane.series) == shared)
            emit_lane_name(&lane, out);
    }
    pr_buf_text(out, "<div class='lane ax'><span class='m'>since start</span></div>\n</div>\n<div class='plot'>\n");
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct lane lane = make_lane(profile, &profile->series[i], start_ms, end_ms);
        if (is_drawn(lane.series) && is_shared(lane.series) == shared)
            emit_plot(page, &lane, out);
    }
    emit_axis(start_ms, end_ms, out);
    pr_buf_text(out, "</div>\n</div>\n");
}

static void emit_static_lanes(const struct pr_page *page, int64_t start_ms, int64_t end_ms, struct pr_buf *out)
{
    const unsigned shared = count_drawn(page->profile, true), rest = count_drawn(page->profile, false);
    pr_buf_text(out, "<div data-static>\n");
    if (shared)
        emit_lanes(page, true, start_ms, end_ms, out);
    if (shared && rest)
        pr_html(out, "<details><summary>%s</summary>\n", pr_units_counted(rest, "more lanes").text);
    if (rest)
        emit_lanes(page, false, start_ms, end_ms, out);
    pr_buf_text(out, shared && rest ? "</details>\n</div>\n" : "</div>\n");
}

static enum pr_status emit_timeline(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    int64_t start_ms = 0, end_ms = 0;
    (void)err;
    find_span(profile, &start_ms, &end_ms);
    pr_buf_text(out, "<section class='panel' aria-labelledby='h-time'>\n<div class='head'><h2 id='h-time'>Timeline</h2>"
                     "<div class='push' data-live data-mount='jumps' hidden></div></div>\n");
    emit_static_lanes(page, start_ms, end_ms, out);
    pr_buf_text(out, "<div class='tl' data-live data-mount='timeline' hidden></div>\n");
    emit_names("0 throughout", pr_series_notes_quiet, profile, out);
    emit_names("Not recorded", pr_series_notes_missing, profile, out);
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_timeline = {"timeline", "main", wants_timeline, emit_timeline};
