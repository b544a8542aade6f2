/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/amount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scale {
    const char *unit;
    double worth;
};

static const struct scale sizes[] = {
    {"", 1},           {"B", 1},           {"k", 1e3},  {"kB", 1e3}, {"K", 1e3},
    {"KB", 1e3},       {"M", 1e6},         {"MB", 1e6}, {"G", 1e9},  {"GB", 1e9},
    {"KiB", 0x1p10},   {"kiB", 0x1p10},    {"MiB", 0x1p20}, {"GiB", 0x1p30}, {NULL, 0},
};
static const struct scale durations[] = {
    {"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"µs", 1e3}, {"ns", 1}, {"min", 60e9}, {"h", 3600e9}, {NULL, 0},
};

static bool scale(const char *text, const struct scale *scales, int64_t *value)
{
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    /* strtod also reads "inf", hexadecimal digits and signs. */
    if (end == text || errno || text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") < (size_t)(end - text))
        return false;
    while (*end == ' ')
        end++;
    for (; scales->unit; scales++) {
        if (strcmp(end, scales->unit) == 0) {
            const double scaled = number * scales->worth;
            *value = (int64_t)(scaled < 0x1p62 ? scaled + 0.5 : 0);
            return scaled < 0x1p62;
        }
    }
    return false;
}

bool pr_amount_parse(const struct pr_metric *metric, const char *text, int64_t *value)
{
    struct scale plain[] = {{"", 1}, {NULL, 0}};
    if (metric->unit == PR_UNIT_BYTES)
        return scale(text, sizes, value);
    if (metric->unit == PR_UNIT_NANOSECONDS)
        return scale(text, durations, value);
    for (unsigned i = 0; i < metric->decimals; i++)
        plain[0].worth *= 10;
    return scale(text, plain, value);
}

bool pr_count_parse(const char *text, int64_t *count)
{
    static const struct scale plain[] = {{"", 1}, {NULL, 0}};
    return !strchr(text, '.') && scale(text, plain, count);
}

const char *pr_amount_example(const struct pr_metric *metric)
{
    if (metric->unit == PR_UNIT_BYTES)
        return "a size such as 500k, 10MB or 2GiB";
    return metric->unit == PR_UNIT_NANOSECONDS ? "a duration such as 1.5s or 200ms" : "a number";
}
