/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of numbers. The arithmetic is done in doubles, as in the script, so that both round alike; counts and exact
 * values, which may have more than 53 bits, stay integers.
 */
#include "render/words/units.h"
#include "capture/base/time.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char minus[] = "\xE2\x88\x92";

/* The size of VALUE, which for INT64_MIN does not fit in an int64_t. */
static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static struct pr_figure grouped(bool negative, uint64_t value)
{
    struct pr_figure figure = {""};
    char digits[32]; /* from its end */
    size_t from = sizeof digits, at = negative ? strlen(minus) : 0;
    for (unsigned i = 0; i == 0 || value; i++, value /= 10) {
        if (i && i % 3 == 0)
            digits[--from] = ',';
        digits[--from] = (char)('0' + value % 10);
    }
    memcpy(figure.text, minus, at);
    memcpy(figure.text + at, digits + from, sizeof digits - from);
    figure.text[at + sizeof digits - from] = '\0';
    return figure;
}

struct pr_figure pr_units_count(int64_t count)
{
    return grouped(count < 0, magnitude(count));
}

struct pr_figure pr_units_counted(int64_t count, const char *nouns)
{
    struct pr_figure figure;
    snprintf(figure.text, sizeof figure.text, "%.27s %.18s", pr_units_count(count).text, nouns);
    const size_t length = strlen(figure.text);
    /* "1 box", "1 process", "1 launch" */
    const char *end = figure.text + (length > 5 ? length - 5 : 0);
    const bool has_e = length > 5 && (!strcmp(end + 1, "sses") || !strcmp(end + 1, "oxes") || !strcmp(end, "nches") ||
                                      !strcmp(end, "tches"));
    if (count == 1 && length && figure.text[length - 1] == 's')
        figure.text[length - (has_e ? 2 : 1)] = '\0';
    return figure;
}

struct pr_figure pr_units_runs(const struct pr_profile *profile)
{
    return pr_units_counted(pr_units_signed(profile->origin.runs), profile->process_count > 1 ? "processes" : "runs");
}

/* A number with a fixed count of decimals. printf's %f would write the comma of some locales. */
static struct pr_figure fixed(bool negative, double value, int decimals)
{
    int scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    uint64_t scaled = (uint64_t)floor(value * scale + 0.5);
    struct pr_figure figure = grouped(negative, scaled / (uint64_t)scale);
    const unsigned rest = (unsigned)(scaled % (uint64_t)scale);
    size_t length = strlen(figure.text); /* 29 at most */
    if (decimals)
        figure.text[length++] = '.';
    if (decimals == 2)
        figure.text[length++] = (char)('0' + rest / 10);
    if (decimals)
        figure.text[length++] = (char)('0' + rest % 10);
    figure.text[length] = '\0';
    return figure;
}

/* Three digits: two decimals while that rounds to less than 10, one while to less than 100, else none. */
static struct pr_figure three_digits(bool negative, double value)
{
    int decimals = floor(value * 100 + 0.5) < 1000 ? 2 : floor(value * 10 + 0.5) < 1000 ? 1 : 0;
    return fixed(negative, value, decimals);
}

static struct pr_figure with_unit(struct pr_figure number, const char *unit)
{
    enum { MOST_NUMBER = 36, MOST_UNIT = 10 };
    const size_t length = strnlen(number.text, MOST_NUMBER), more = strnlen(unit, MOST_UNIT);
    number.text[length] = ' ';
    memcpy(number.text + length + 1, unit, more);
    number.text[length + 1 + more] = '\0';
    return number;
}

struct pr_figure pr_units_bytes(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const size_t last = sizeof units / sizeof *units - 1;
    if (magnitude(bytes) < 1024)
        return with_unit(pr_units_count(bytes), "B");
    double value = (double)magnitude(bytes);
    size_t unit = 0;
    while (unit < last && (unit == 0 ? value >= 1024 : floor(value + 0.5) >= 1024)) {
        value /= 1024;
        unit++;
    }
    return with_unit(three_digits(bytes < 0, value), units[unit]);
}

static struct pr_figure long_duration(bool negative, double seconds)
{
    struct pr_figure figure;
    const char *sign = negative ? minus : "";
    uint64_t total = (uint64_t)floor(seconds + 0.5), minutes = total / 60, hours = minutes / 60;
    if (hours >= 48)
        snprintf(figure.text, sizeof figure.text, "%s%" PRIu64 " d %02d h", sign, hours / 24, (int)(hours % 24));
    else if (hours)
        snprintf(figure.text, sizeof figure.text, "%s%" PRIu64 " h %02d min", sign, hours, (int)(minutes % 60));
    else
        snprintf(figure.text, sizeof figure.text, "%s%" PRIu64 " min %02d s", sign, minutes, (int)(total % 60));
    return figure;
}

/* NS as a double: moments are milliseconds, which as nanoseconds may not fit in 64 bits. */
static struct pr_figure duration(bool negative, double ns)
{
    static const struct {
        const char *name;
        double ns, limit; /* shown while it rounds to less than LIMIT */
    } units[] = {{"ns", 1, 1000}, {"\xC2\xB5s", 1e3, 1000}, {"ms", 1e6, 1000}, {"s", 1e9, 60}};
    if (ns <= 0)
        return (struct pr_figure){"0 s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = ns / units[i].ns;
        double rounded = value < 10    ? floor(value * 100 + 0.5) / 100
                         : value < 100 ? floor(value * 10 + 0.5) / 10
                                       : floor(value + 0.5);
        if (rounded < units[i].limit)
            return with_unit(i ? three_digits(negative, value) : fixed(negative, value, 0), units[i].name);
    }
    return long_duration(negative, ns / 1e9);
}

struct pr_figure pr_units_duration(int64_t ns)
{
    return duration(ns < 0, (double)magnitude(ns));
}

struct pr_figure pr_units_moment(int64_t offset_ms, int64_t span_ms)
{
    if (offset_ms < 0 || span_ms < 60000)
        return duration(offset_ms < 0, (double)magnitude(offset_ms) * PR_NS_PER_MS);
    struct pr_figure figure;
    int64_t seconds = offset_ms / 1000, minutes = seconds / 60;
    if (span_ms < 3600000)
        snprintf(figure.text, sizeof figure.text, "%" PRId64 ":%02d", minutes, (int)(seconds % 60));
    else
        snprintf(figure.text, sizeof figure.text, "%" PRId64 ":%02d:%02d", minutes / 60, (int)(minutes % 60),
                 (int)(seconds % 60));
    return figure;
}

/* One decimal; none where there is nothing to round: 0 % and 100 %. */
static struct pr_figure percentage(bool negative, double percent)
{
    const bool is_whole = fabs(percent) <= 0 || fabs(percent - 100) <= 0;
    return with_unit(fixed(negative, percent, is_whole ? 0 : 1), "%");
}

struct pr_figure pr_units_percent(int64_t part, int64_t whole)
{
    if (!whole)
        return (struct pr_figure){""};
    /* Of huge numbers, two that differ are one as doubles. */
    const double percent = part == whole ? 100 : 100 * (double)part / (double)whole;
    const double tenths = floor(fabs(percent) * 10 + 0.5);
    if (part && tenths < 1)
        return (struct pr_figure){"< 0.1 %"};
    if (tenths > 1e15)
        return (struct pr_figure){""};
    return percentage(percent < 0, fabs(percent));
}

static struct pr_figure with_sign(int64_t sign, struct pr_figure size)
{
    struct pr_figure figure;
    snprintf(figure.text, sizeof figure.text, "%s%.44s", sign > 0 ? "+" : sign < 0 ? minus : "", size.text);
    return figure;
}

struct pr_figure pr_units_growth(int64_t before, int64_t after)
{
    if (before == after)
        return (struct pr_figure){""};
    if (!before || !after)
        return before ? (struct pr_figure){"gone"} : (struct pr_figure){"new"};
    const double times = (double)after / (double)before, percent = fabs(times - 1) * 100;
    struct pr_figure figure;
    if (times >= 11) {
        snprintf(figure.text, sizeof figure.text, "\xC3\x97 %.40s", fixed(false, times, 0).text);
        return figure;
    }
    if (floor(percent * 10 + 0.5) < 1)
        return (struct pr_figure){"< 0.1 %"};
    return with_sign(times < 1 ? -1 : 1, percentage(false, percent));
}

struct pr_figure pr_units_points(double points)
{
    if (floor(fabs(points) * 10 + 0.5) < 1)
        return (struct pr_figure){"0 points"};
    return with_sign(points < 0 ? -1 : 1, with_unit(fixed(false, fabs(points), 1), "points"));
}

/* VALUE in parts of SCALE, 10 to the power of DECIMALS, with as many decimals as it needs. */
static struct pr_figure trimmed(int64_t value, uint64_t scale, int decimals)
{
    uint64_t size = magnitude(value);
    struct pr_figure whole = grouped(value < 0, size / scale), figure;
    snprintf(figure.text, sizeof figure.text, "%.30s.%0*d", whole.text, decimals, (int)(size % scale));
    size_t length = strlen(figure.text);
    while (figure.text[length - 1] == '0')
        figure.text[--length] = '\0';
    if (figure.text[length - 1] == '.')
        figure.text[--length] = '\0';
    return figure;
}

struct pr_figure pr_units_value(enum pr_unit unit, int64_t value)
{
    double size = (double)magnitude(value);
    struct pr_figure figure;
    switch (unit) {
    case PR_UNIT_BYTES:
        return pr_units_bytes(value);
    case PR_UNIT_NANOSECONDS:
        return pr_units_duration(value);
    case PR_UNIT_PERCENT:
        return percentage(value < 0, size / 1000);
    case PR_UNIT_CYCLES:
        return with_unit(pr_units_count(value), "cycles");
    case PR_UNIT_CORES:
        return with_unit(three_digits(value < 0, size / 1000), "cores");
    case PR_UNIT_BYTES_PER_SECOND:
        figure = pr_units_bytes(value);
        memcpy(figure.text + strlen(figure.text), "/s", 3);
        return figure;
    case PR_UNIT_NONE:
    case PR_UNIT_COUNT:
        break;
    }
    return pr_units_count(value);
}

struct pr_figure pr_units_exact(enum pr_unit unit, int64_t value)
{
    switch (unit) {
    case PR_UNIT_BYTES:
        return with_unit(pr_units_count(value), magnitude(value) == 1 ? "byte" : "bytes");
    case PR_UNIT_BYTES_PER_SECOND:
        return with_unit(pr_units_count(value), "bytes/s");
    case PR_UNIT_NANOSECONDS:
        return with_unit(trimmed(value, 1000000000, 9), "s");
    case PR_UNIT_PERCENT:
        return with_unit(trimmed(value, 1000, 3), "%");
    case PR_UNIT_CORES:
        return with_unit(trimmed(value, 1000, 3), "cores");
    case PR_UNIT_CYCLES:
        return with_unit(pr_units_count(value), "cycles");
    case PR_UNIT_NONE:
    case PR_UNIT_COUNT:
        break;
    }
    return pr_units_count(value);
}

struct pr_figure pr_units_milliseconds(int64_t ms)
{
    return with_unit(trimmed(ms, 1000, 3), "s");
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

struct pr_figure pr_units_metric_exact(const struct pr_metric *metric, int64_t value)
{
    return metric->decimals ? trimmed(value, power_of_ten(metric->decimals), (int)metric->decimals)
                            : pr_units_exact(metric->unit, value);
}

struct pr_figure pr_units_metric(const struct pr_metric *metric, int64_t value)
{
    const double smallest = 0.01;
    if (!metric->decimals)
        return pr_units_value(metric->unit, value);
    const double size = (double)magnitude(value) / (double)power_of_ten(metric->decimals);
    return size < smallest ? pr_units_metric_exact(metric, value) : three_digits(value < 0, size);
}

struct pr_figure pr_units_metric_change(const struct pr_metric *metric, bool exact, int64_t change)
{
    const int64_t size = change == INT64_MIN ? INT64_MAX : change < 0 ? -change : change;
    return with_sign(change, exact ? pr_units_metric_exact(metric, size) : pr_units_metric(metric, size));
}

size_t pr_figure_columns(const struct pr_figure *figure)
{
    size_t columns = 0;
    for (const char *c = figure->text; *c; c++)
        columns += ((unsigned char)*c & 0xC0) != 0x80;
    return columns;
}

int pr_figure_width(const struct pr_figure *figure, size_t columns)
{
    return (int)(columns + strlen(figure->text) - pr_figure_columns(figure));
}

/* False for times beyond years of four digits. */
static bool split_time(int64_t ms, struct tm *tm, int *rest_ms)
{
    const bool is_before = ms % 1000 < 0;
    time_t time = (time_t)(ms / 1000 - is_before);
    *rest_ms = (int)(ms % 1000) + (is_before ? 1000 : 0);
    return gmtime_r(&time, tm) && tm->tm_year >= -1900 && tm->tm_year <= 9999 - 1900;
}

struct pr_figure pr_units_time(int64_t ms)
{
    struct pr_figure figure = {""};
    struct tm tm;
    int rest_ms;
    if (split_time(ms, &tm, &rest_ms))
        strftime(figure.text, sizeof figure.text, "%Y-%m-%d %H:%M:%S UTC", &tm);
    return figure;
}

struct pr_figure pr_units_iso_time(int64_t ms)
{
    struct pr_figure figure = {""};
    struct tm tm;
    int rest_ms;
    if (!split_time(ms, &tm, &rest_ms))
        return figure;
    size_t length = strftime(figure.text, sizeof figure.text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(figure.text + length, sizeof figure.text - length, ".%03dZ", rest_ms);
    return figure;
}

const char *pr_units_key(enum pr_unit unit)
{
    switch (unit) {
    case PR_UNIT_BYTES:
        return "bytes";
    case PR_UNIT_NANOSECONDS:
        return "nanoseconds";
    case PR_UNIT_COUNT:
        return "count";
    case PR_UNIT_PERCENT:
        return "percent";
    case PR_UNIT_CYCLES:
        return "cycles";
    case PR_UNIT_BYTES_PER_SECOND:
        return "bytes_per_second";
    case PR_UNIT_CORES:
        return "cores";
    case PR_UNIT_NONE:
        break;
    }
    return "none";
}
