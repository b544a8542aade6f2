/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/data_ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define US_PER_SECOND 1e6
#define US_PER_DAY 86400e6
#define US_PER_MONTH (30.436875 * US_PER_DAY)

static bool is_calendar(const struct pr_data_column *column)
{
    return column->type == PR_TYPE_DATE || column->type == PR_TYPE_MOMENT;
}

static bool is_time(const struct pr_data_column *column)
{
    return column->type >= PR_TYPE_DATE && column->type <= PR_TYPE_DURATION;
}

/* 1, 2 or 5 times a power of ten, LEAST or more. */
static double round_step(double least)
{
    const double power = pow(10, floor(log10(least)));
    const double part = least / power;
    return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

static double time_step(double least)
{
    static const double seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                     600, 900, 1800, 3600, 7200, 10800, 21600, 43200};
    if (least <= 1)
        return 1;
    if (least < US_PER_SECOND)
        return round_step(least);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (seconds[i] * US_PER_SECOND >= least)
            return seconds[i] * US_PER_SECOND;
    return least <= 2 * US_PER_DAY ? (least <= US_PER_DAY ? 1 : 2) * US_PER_DAY
                                   : (least <= 7 * US_PER_DAY ? 7 : 14) * US_PER_DAY;
}

static unsigned month_step(double least)
{
    static const unsigned months[] = {1, 3, 6, 12};
    for (size_t i = 0; i < sizeof months / sizeof *months; i++)
        if (months[i] * US_PER_MONTH >= least)
            return months[i];
    return 12 * (unsigned)round_step(ceil(least / US_PER_MONTH / 12));
}

/* Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil, for the first of a month. */
static double first_of_month(int64_t month)
{
    int64_t year = month >= 0 ? month / 12 : (month - 11) / 12, in_year = month - year * 12 + 1;
    year -= in_year <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (in_year > 2 ? in_year - 3 : in_year + 9) + 2) / 5;
    return (double)(era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468) * US_PER_DAY;
}

static void month_ticks(struct pr_data_ticks *ticks, double from, double to, unsigned most)
{
    int64_t month = (int64_t)floor((from / US_PER_MONTH + 1970.0 * 12) / ticks->months - 2) * ticks->months;
    for (; ticks->count < most && first_of_month(month) <= to; month += ticks->months)
        if (first_of_month(month) >= from)
            ticks->at[ticks->count++] = first_of_month(month);
}

struct pr_data_ticks pr_data_ticks_of(const struct pr_data_column *column, double from, double to, unsigned most)
{
    struct pr_data_ticks ticks = {0};
    const double span = to - from;
    most = most > PR_DATA_TICKS ? PR_DATA_TICKS : most;
    if (!isfinite(span) || !(span > 0) || most < 2)
        return ticks;
    const double least = span / (most - 1);
    if (is_calendar(column) && least > 14 * US_PER_DAY && fabs(from) < 9e17 && fabs(to) < 9e17) {
        ticks.months = month_step(least);
        month_ticks(&ticks, from, to, most);
        return ticks;
    }
    ticks.step = is_time(column) ? time_step(least) : round_step(least);
    if (column->type == PR_TYPE_INTEGER && ticks.step < 1)
        ticks.step = 1;
    if (column->type == PR_TYPE_DATE && ticks.step < US_PER_DAY)
        ticks.step = US_PER_DAY;
    if (least > 14 * US_PER_DAY)
        ticks.step = is_time(column) ? round_step(least / US_PER_DAY) * US_PER_DAY : ticks.step;
    const double first = ceil(from / ticks.step);
    for (unsigned i = 0; ticks.count < most && (first + i) * ticks.step <= to; i++)
        ticks.at[ticks.count++] = (first + i) * ticks.step;
    return ticks;
}

/* "2 d", or as much as the last label needs: 0.4 s, 3:38, 1:02:03. */
static struct pr_figure elapsed_text(const struct pr_data_column *column, const struct pr_data_ticks *ticks, double at)
{
    struct pr_figure text;
    const double last = ticks->at[ticks->count - 1];
    if (ticks->step >= US_PER_DAY) {
        snprintf(text.text, sizeof text.text, "%.0f d", at / US_PER_DAY);
        return text;
    }
    if (ticks->step < US_PER_SECOND / 1000 || ticks->at[0] < 0)
        return pr_data_figure(column, at);
    return pr_units_moment((int64_t)(at / 1000 + 0.5), (int64_t)(last / 1000 + 0.5));
}

struct pr_figure pr_data_tick_text(const struct pr_data_column *column, const struct pr_data_ticks *ticks,
                                   unsigned tick)
{
    struct pr_data_column as = *column;
    const double at = ticks->at[tick];
    if (!is_time(column))
        return pr_data_number(at);
    if (column->type == PR_TYPE_DURATION)
        return elapsed_text(column, ticks, at);
    if (column->type == PR_TYPE_MOMENT && !ticks->months && ticks->step < US_PER_DAY && fmod(at, US_PER_DAY) != 0) {
        as.type = PR_TYPE_TIME; /* of the day: its date is that of the last label with one */
        struct pr_figure time = pr_data_figure(&as, at - floor(at / US_PER_DAY) * US_PER_DAY);
        if (ticks->step >= 60 * US_PER_SECOND && strlen(time.text) == 8)
            time.text[5] = '\0';
        return time;
    }
    if (column->type == PR_TYPE_MOMENT)
        as.type = PR_TYPE_DATE;
    struct pr_figure text = pr_data_figure(&as, at);
    const size_t length = strlen(text.text);
    if (ticks->months && length >= 10)
        text.text[length - (ticks->months % 12 ? 3 : 6)] = '\0';
    return text;
}
