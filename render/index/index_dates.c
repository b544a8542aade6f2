/* SPDX-License-Identifier: Apache-2.0 */
#include "render/index/index_dates.h"

#include <stdio.h>

struct day {
    int year, month, day; /* the first month is 1; of 0: not known */
};

static int number_of(const char *digits, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++)
        number = number * 10 + (digits[i] - '0');
    return number;
}

static struct day day_of(int64_t ms)
{
    const struct pr_figure iso = pr_units_iso_time(ms); /* 2026-11-21T... */
    return *iso.text ? (struct day){number_of(iso.text, 4), number_of(iso.text + 5, 2), number_of(iso.text + 8, 2)}
                     : (struct day){0};
}

static const char *month_of(struct day day)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    return months[day.month - 1];
}

struct pr_figure pr_index_day(int64_t ms)
{
    const struct day day = day_of(ms);
    struct pr_figure figure = {""};
    if (day.month)
        snprintf(figure.text, sizeof figure.text, "%d %s %d", day.day, month_of(day), day.year);
    return figure;
}

struct pr_figure pr_index_days(int64_t first_ms, int64_t last_ms)
{
    const struct day first = day_of(first_ms), last = day_of(last_ms);
    struct pr_figure figure = {""};
    const bool same_year = first.year == last.year, same_month = same_year && first.month == last.month;
    if (!first.month || !last.month)
        return figure;
    if (same_month && first.day == last.day)
        return pr_index_day(last_ms);
    if (same_month)
        snprintf(figure.text, sizeof figure.text, "%d to %.18s", first.day, pr_index_day(last_ms).text);
    else if (same_year)
        snprintf(figure.text, sizeof figure.text, "%d %s to %.18s", first.day, month_of(first),
                 pr_index_day(last_ms).text);
    else
        snprintf(figure.text, sizeof figure.text, "%.18s to %.18s", pr_index_day(first_ms).text,
                 pr_index_day(last_ms).text);
    return figure;
}

struct pr_figure pr_index_short_day(const int64_t *before_ms, int64_t ms)
{
    const struct day day = day_of(ms), before = before_ms ? day_of(*before_ms) : (struct day){0};
    struct pr_figure figure = {""};
    if (day.month && day.month == before.month && day.year == before.year)
        snprintf(figure.text, sizeof figure.text, "%d", day.day);
    else if (day.month)
        snprintf(figure.text, sizeof figure.text, "%d %.3s", day.day, month_of(day));
    return figure;
}
