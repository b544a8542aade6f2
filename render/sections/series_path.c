/* SPDX-License-Identifier: Apache-2.0 */
/* Series to columns to paths. Coordinates are tenths, written as integers: no locale puts commas into a path. */
#include "render/sections/series_path.h"

#include "render/html/html.h"

#include <inttypes.h>

/* START_MS <= AT_MS <= END_MS, and START_MS < END_MS. */
static uint32_t column_of(int64_t at_ms, int64_t start_ms, int64_t end_ms, uint32_t columns)
{
    /* Differences as integers: hostile times are so far from the epoch that doubles cannot tell them apart. */
    uint64_t from_start = (uint64_t)at_ms - (uint64_t)start_ms, length = (uint64_t)end_ms - (uint64_t)start_ms;
    double share = (double)from_start / (double)length;
    uint32_t column = (uint32_t)(share * columns);
    return column < columns ? column : columns - 1;
}

static void fill_gaps(struct pr_curve *curve, const bool *has)
{
    for (uint32_t i = curve->first + 1; i <= curve->last; i++) {
        if (!has[i])
            curve->value[i] = curve->value[i - 1];
    }
}

void pr_curve_make(const struct pr_series *series, int64_t start_ms, int64_t end_ms, uint32_t columns,
                   struct pr_curve *curve)
{
    bool has[PR_CURVE_MAX] = {false};
    *curve = (struct pr_curve){.columns = columns < PR_CURVE_MAX ? columns : PR_CURVE_MAX};
    curve->first = curve->columns;
    for (size_t i = 0; i < series->count; i++) {
        int64_t at_ms = series->at_ms[i], value = series->value[i];
        if (!i || value > curve->peak) {
            curve->peak = value;
            curve->peak_at_ms = at_ms;
        }
        if (at_ms < start_ms || at_ms > end_ms || start_ms >= end_ms)
            continue;
        uint32_t column = column_of(at_ms, start_ms, end_ms, curve->columns);
        if (!has[column] || value > curve->value[column])
            curve->value[column] = value;
        has[column] = true;
        curve->known = true;
        curve->first = column < curve->first ? column : curve->first;
        curve->last = column > curve->last ? column : curve->last;
    }
    if (curve->known)
        fill_gaps(curve, has);
}

static void add_tenths(struct pr_buf *out, double value)
{
    int tenths = (int)(value * 10 + 0.5);
    if (tenths % 10)
        pr_buf_printf(out, "%d.%d", tenths / 10, tenths % 10);
    else
        pr_buf_printf(out, "%d", tenths / 10);
}

static double x_of(const struct pr_curve *curve, uint32_t column, uint32_t width)
{
    return curve->columns > 1 ? (double)width * column / (curve->columns - 1) : 0;
}

static void add_line(const struct pr_curve *curve, int64_t top, uint32_t width, uint32_t height, struct pr_buf *out)
{
    for (uint32_t i = curve->first; i <= curve->last; i++) {
        double share = top > 0 ? (double)curve->value[i] / (double)top : 0;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        pr_buf_byte(out, i == curve->first ? 'M' : 'L');
        add_tenths(out, x_of(curve, i, width));
        pr_buf_byte(out, ' ');
        add_tenths(out, height - share * height);
    }
}

void pr_curve_emit(const struct pr_curve *curve, int64_t top, uint32_t width, uint32_t height, struct pr_buf *out)
{
    pr_buf_text(out, "<path class='a' fill='#e9eaee' d='");
    add_line(curve, top, width, height, out);
    pr_buf_byte(out, 'L');
    add_tenths(out, x_of(curve, curve->last, width));
    pr_html(out, " %" PRIu32 "L", height);
    add_tenths(out, x_of(curve, curve->first, width));
    pr_html(out, " %" PRIu32 "Z'/><path class='l' fill='none' stroke='#3b3e46' vector-effect='non-scaling-stroke' d='",
            height);
    add_line(curve, top, width, height, out);
    pr_buf_text(out, "'/>");
}
