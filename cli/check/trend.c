/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/trend.h"

#include <stdlib.h>

/* A point may move a little when a value is added. */
enum { MOST_MOVED = 2, MOST_BARS = 30, BARS = 8 };

static bool is_rise(const struct pr_change_point *point)
{
    return point->after > point->before;
}

static bool is_near(const struct pr_change_points *points, size_t index)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->at[i].index + MOST_MOVED >= index && points->at[i].index <= index + MOST_MOVED)
            return true;
    return false;
}

bool pr_trend_make(const int64_t *values, const uint32_t *order, size_t count, struct pr_trend *trend)
{
    struct pr_change_points known = {.count = 0};
    *trend = (struct pr_trend){.value = malloc((count + 1) * sizeof *trend->value), .run = order, .count = count};
    if (!trend->value)
        return false;
    for (size_t i = 0; i < count; i++)
        trend->value[i] = values[1 + order[i]];
    trend->value[count] = values[0];
    if (!pr_change_points_find(trend->value, count + 1, &trend->points))
        return false;
    if (!trend->points.count)
        return true;
    const struct pr_change_point *last = &trend->points.at[trend->points.count - 1];
    trend->from = last->index;
    if (!is_rise(last))
        return true;
    const bool done = pr_change_points_find(trend->value, count, &known);
    trend->rose = done && !is_near(&known, last->index);
    pr_change_points_clear(&known);
    return done;
}

struct pr_rise pr_trend_rise(const struct pr_trend *trend, double room)
{
    const struct pr_change_point *at = trend->points.at;
    const size_t last = trend->points.count - 1;
    size_t first = last;
    while (first && is_rise(&at[first - 1]) && at[first - 1].after <= at[first - 1].before * (1 + room))
        first--;
    return (struct pr_rise){.from = first ? at[first - 1].index : 0, .index = at[first].index,
                            .steps = last - first + 1, .before = at[first].before, .after = at[last].after};
}

size_t pr_trend_sparkline(struct pr_buf *buf, const struct pr_trend *trend)
{
    const size_t count = trend->count + 1, first = count > MOST_BARS ? count - MOST_BARS : 0;
    int64_t lowest = trend->value[first], highest = lowest;
    for (size_t i = first; i < count; i++) {
        lowest = trend->value[i] < lowest ? trend->value[i] : lowest;
        highest = trend->value[i] > highest ? trend->value[i] : highest;
    }
    const double range = (double)highest - (double)lowest;
    for (size_t i = first; i < count; i++) {
        const double share = range > 0 ? ((double)trend->value[i] - (double)lowest) / range : 0;
        const unsigned char bar[] = {0xE2, 0x96, (unsigned char)(0x81 + (int)(share * (BARS - 1) + 0.5))};
        pr_buf_add(buf, bar, sizeof bar); /* U+2581 to U+2588 */
    }
    return count - first;
}

void pr_trend_clear(struct pr_trend *trend)
{
    free(trend->value);
    pr_change_points_clear(&trend->points);
    *trend = (struct pr_trend){.count = 0};
}
