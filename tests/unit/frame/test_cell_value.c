/* SPDX-License-Identifier: Apache-2.0 */
/* What the text of a cell is read as. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame/cell_value.h"

#define DAY 86400e6

static struct pr_cell_value parsed(const char *text)
{
    struct pr_cell_value value;
    pr_cell_parse(text, strlen(text), &value);
    return value;
}

static void is(const char *text, enum pr_data_kind kind, double number)
{
    const struct pr_cell_value value = parsed(text);
    if (value.kind != kind || (kind != PR_KIND_TEXT && value.number != number))
        fail_msg("'%s' is %s %.17g, not %s %.17g", text, pr_data_kind_name(value.kind), value.number,
                 pr_data_kind_name(kind), number);
}

/* In memory that ends where the text does. */
static struct pr_cell_value parsed_alone(const char *text, size_t length)
{
    struct pr_cell_value value;
    char *copy = malloc(length);
    assert_non_null(copy);
    memcpy(copy, text, length);
    pr_cell_parse(copy, length, &value);
    free(copy);
    return value;
}

/* Up to 15 digits are exactly what the C library makes of them; more are next to it at most. */
static void numbers_of_any_length_are_those_of_strtod(void **state)
{
    (void)state;
    char text[40];
    uint32_t seed = 3;
    for (unsigned digits = 1; digits <= 19; digits++)
        for (unsigned point = 0; point <= digits + 1; point++)
            for (unsigned round = 0; round < 40; round++) {
                size_t length = 0;
                if (round % 3)
                    text[length++] = round % 3 == 1 ? '-' : '+';
                for (unsigned i = 0; i < digits; i++) {
                    if (i == point)
                        text[length++] = '.';
                    seed = seed * 1664525 + 1013904223;
                    text[length++] = (char)('0' + (seed >> 16) % 10);
                }
                if (point == digits)
                    text[length++] = '.';
                text[length] = '\0';
                const struct pr_cell_value value = parsed_alone(text, length);
                const double expected = strtod(text, NULL), off = fabs(value.number - expected);
                assert_int_equal(value.kind, point <= digits ? PR_KIND_REAL : PR_KIND_INTEGER);
                assert_int_equal(value.places, point <= digits ? digits - point : 0);
                if (digits <= 15 ? off != 0 : off > fabs(nextafter(expected, 2 * expected) - expected))
                    fail_msg("'%s' is %.17g, not %.17g", text, value.number, expected);
                if (point > digits && digits < 19)
                    assert_int_equal(value.whole, strtoll(text, NULL, 10));
            }
}

static void what_is_not_only_digits_and_one_point_is_not_a_number(void **state)
{
    (void)state;
    char text[20];
    for (size_t length = 1; length <= 18; length++)
        for (size_t at = 0; at < length; at++)
            for (int c = 1; c < 256; c++) {
                memset(text, '7', length);
                text[length] = '\0';
                text[at] = (char)c;
                const struct pr_cell_value value = parsed_alone(text, length);
                char *end;
                strtod(text, &end);
                const bool is_blank = c == ' ' || (c >= 9 && c <= 13), is_date = c == '/' || c == ':' || c == '-';
                const bool is_hex = c == 'x' || c == 'X';
                if (is_blank || is_date || is_hex)
                    continue;
                assert_int_equal(value.kind == PR_KIND_INTEGER || value.kind == PR_KIND_REAL,
                                 *end == '\0' && end > text);
            }
}

static void numbers_are_read_as_they_are_written(void **state)
{
    (void)state;
    is("0", PR_KIND_INTEGER, 0);
    is("-17", PR_KIND_INTEGER, -17);
    is("+5", PR_KIND_INTEGER, 5);
    is(" 42 ", PR_KIND_INTEGER, 42);
    is("9007199254740993", PR_KIND_INTEGER, 9007199254740992.0);
    assert_int_equal(parsed("9007199254740993").whole, 9007199254740993);
    is("1.5", PR_KIND_REAL, 1.5);
    is(".5", PR_KIND_REAL, .5);
    is("5.", PR_KIND_REAL, 5);
    is("1e3", PR_KIND_REAL, 1000);
    is("-2.5E-3", PR_KIND_REAL, -2.5e-3);
    is("0.1", PR_KIND_REAL, 0.1);
    is("123456.789", PR_KIND_REAL, 123456.789);
    is("inf", PR_KIND_REAL, INFINITY);
    is("-Infinity", PR_KIND_REAL, -INFINITY);
    assert_true(parsed("007").leading_zero);
    assert_false(parsed("0.7").leading_zero);
    assert_int_equal(parsed("12.50").places, 2);
}

static void what_only_begins_like_a_number_is_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"-",    "+",     ".",  "1.2.3",    "12abc", "1e",  "--5",      "+-5", "1,234",
                                        "0x1F", "1_000", "e5", "infinite", "-inf-", "5 6", "\x31\x00", NULL};
    for (size_t i = 0; texts[i + 1]; i++)
        is(texts[i], PR_KIND_TEXT, 0);
}

static void missing_is_what_pandas_takes_for_missing(void **state)
{
    (void)state;
    static const char *const words[] = {"",     "NA",   "N/A",  "n/a", "NaN",    "nan",      "-nan",     "NULL", "null",
                                        "None", "<NA>", "#N/A", "#NA", "1.#IND", "-1.#QNAN", "#N/A N/A", NULL};
    for (size_t i = 0; words[i]; i++)
        is(words[i], PR_KIND_MISSING, 0);
    is("none", PR_KIND_TEXT, 0);
    is("Na", PR_KIND_TEXT, 0);
    is("-", PR_KIND_TEXT, 0);
}

static void truth_has_the_spellings_of_pandas(void **state)
{
    (void)state;
    is("True", PR_KIND_BOOLEAN, 1);
    is("false", PR_KIND_BOOLEAN, 0);
    is("FALSE", PR_KIND_BOOLEAN, 0);
    is("tRue", PR_KIND_TEXT, 0);
    is("yes", PR_KIND_TEXT, 0);
}

static void dates_are_microseconds_since_1970(void **state)
{
    (void)state;
    is("1970-01-01", PR_KIND_DATE, 0);
    is("1970-01-02", PR_KIND_DATE, DAY);
    is("1969-12-31", PR_KIND_DATE, -DAY);
    is("2000-02-29", PR_KIND_DATE, 11016 * DAY);
    is("2026/11/18", PR_KIND_DATE, 20775 * DAY);
    is("18.11.2026", PR_KIND_DATE, 20775 * DAY);
    is("11/18/2026", PR_KIND_DATE, 20775 * DAY);
    is("1970-01-01T00:00:01.5Z", PR_KIND_MOMENT, 1.5e6);
    is("1970-01-01 02:00:00+02:00", PR_KIND_MOMENT, 0);
    is("1969-12-31 19:00-0500", PR_KIND_MOMENT, 0);
    is("1970-01-01 00:00:00 UTC", PR_KIND_MOMENT, 0);
    is("0001-01-01", PR_KIND_DATE, -719162 * DAY);
}

static void no_date_is_a_day_that_does_not_exist(void **state)
{
    (void)state;
    static const char *const texts[] = {"2023-02-29",       "2026-13-01",       "2026-00-10", "31/31/2026",
                                        "2026-11-18T25:00", "2026-11-18T12:60", "1900-02-29", "2026-11-1x",
                                        "2026-11",          "18-11-2026",       NULL};
    for (size_t i = 0; texts[i]; i++)
        is(texts[i], PR_KIND_TEXT, 0);
}

static void the_order_of_day_and_month_is_known_where_it_shows(void **state)
{
    (void)state;
    assert_int_equal(parsed("03/04/2026").order, PR_ORDER_UNKNOWN);
    assert_int_equal(parsed("13/04/2026").order, PR_ORDER_DAY_FIRST);
    assert_int_equal(parsed("04/13/2026").order, PR_ORDER_MONTH_FIRST);
    assert_int_equal(parsed("04/04/2026").order, PR_ORDER_NONE);
    assert_true(parsed("03/04/2026").day_first_number - parsed("03/04/2026").number == 30 * DAY);
}

static void times_and_durations_are_microseconds(void **state)
{
    (void)state;
    is("12:30", PR_KIND_TIME, 45000e6);
    is("00:00:01.25", PR_KIND_TIME, 1.25e6);
    is("2 days 03:04:05", PR_KIND_DURATION, 2 * DAY + 11045e6);
    is("1 day", PR_KIND_DURATION, DAY);
    is("-1 days +23:00:00", PR_KIND_DURATION, -3600e6);
    is("P1DT2H", PR_KIND_DURATION, DAY + 7200e6);
    is("PT0.5S", PR_KIND_DURATION, 5e5);
    is("P1Y", PR_KIND_TEXT, 0);
    is("P", PR_KIND_TEXT, 0);
    is("24:00", PR_KIND_TEXT, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_they_are_written),
        cmocka_unit_test(numbers_of_any_length_are_those_of_strtod),
        cmocka_unit_test(what_is_not_only_digits_and_one_point_is_not_a_number),
        cmocka_unit_test(what_only_begins_like_a_number_is_text),
        cmocka_unit_test(missing_is_what_pandas_takes_for_missing),
        cmocka_unit_test(truth_has_the_spellings_of_pandas),
        cmocka_unit_test(dates_are_microseconds_since_1970),
        cmocka_unit_test(no_date_is_a_day_that_does_not_exist),
        cmocka_unit_test(the_order_of_day_and_month_is_known_where_it_shows),
        cmocka_unit_test(times_and_durations_are_microseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
