/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the text of one cell can be read as.
 *
 *     struct pr_cell_value value;
 *     pr_cell_parse("2026-11-18", 10, &value);     // PR_KIND_DATE, microseconds since 1970
 *
 * Missing are the empty text and the words that pandas takes for it ("NA", "null", "NaN", ...), so that both count the
 * same. Blanks around numbers and dates are ignored.
 *
 * Source: pandas 2.3, pandas/_libs/parsers.pyx, STR_NA_VALUES, _true_values, _false_values; ISO 8601 for dates, times
 *         and durations; Python's str(timedelta) for "2 days 03:04:05".
 */
#ifndef PR_CAPTURE_FRAME_CELL_VALUE_H
#define PR_CAPTURE_FRAME_CELL_VALUE_H

#include "profrender/data_frame.h"

/* Which of the first two numbers of 03/04/2026 is the day. */
enum pr_cell_order { PR_ORDER_NONE, PR_ORDER_UNKNOWN, PR_ORDER_DAY_FIRST, PR_ORDER_MONTH_FIRST };

struct pr_cell_value {
    enum pr_data_kind kind;
    enum pr_cell_order order; /* of a date with slashes; UNKNOWN: both are possible, and NUMBER has the month first */
    bool leading_zero;
    bool is_refused; /* missing as it is not what the schema asks for */
    bool is_plain; /* a number without an exponent */
    uint8_t places;
    double number, day_first_number; /* the second: what an UNKNOWN order would be with the day first */
    int64_t whole;                   /* PR_KIND_INTEGER within 64 bits: the number; else 0 */
};

#define PR_US_PER_DAY INT64_C(86400000000)

void pr_cell_parse(const char *text, size_t length, struct pr_cell_value *value);

#endif
