/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as people read them: the rules of doc/formats/payload.md, "Numbers". Most cases are in a table that the
 * script's tests read, too.
 */
#include "tests/support/unit.h"

#include "render/words/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"

static const struct pr_metric weight = {.unit = PR_UNIT_NONE, .decimals = 3}, plain = {.unit = PR_UNIT_BYTES};

/* A rule of the table, for one value or two. */
static struct pr_figure written(const char *rule, int64_t a, int64_t b)
{
    static const struct {
        const char *rule;
        enum pr_unit unit;
    } values[] = {{"percent", PR_UNIT_PERCENT},  {"cores", PR_UNIT_CORES}, {"rate", PR_UNIT_BYTES_PER_SECOND},
                  {"cycles", PR_UNIT_CYCLES},    {"count", PR_UNIT_COUNT}, {"bytes", PR_UNIT_BYTES},
                  {"duration", PR_UNIT_NANOSECONDS}};
    static const struct {
        const char *rule;
        struct pr_figure (*write)(int64_t);
    } ones[] = {{"bytes", pr_units_bytes}, {"duration", pr_units_duration}, {"count", pr_units_count}};
    static const struct {
        const char *rule;
        struct pr_figure (*write)(int64_t, int64_t);
    } twos[] = {{"moment", pr_units_moment}, {"percent", pr_units_percent}, {"growth", pr_units_growth}};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (!strcmp(rule, ones[i].rule))
            return ones[i].write(a);
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (!strcmp(rule, twos[i].rule))
            return twos[i].write(a, b);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const size_t length = strlen(values[i].rule);
        if (!strncmp(rule, values[i].rule, length) && !strcmp(rule + length, "_value"))
            return pr_units_value(values[i].unit, a);
        if (!strncmp(rule, values[i].rule, length) && !strcmp(rule + length, "_exact"))
            return pr_units_exact(values[i].unit, a);
    }
    if (!strcmp(rule, "points"))
        return pr_units_points((double)a / 10);
    if (!strcmp(rule, "weight"))
        return pr_units_metric(&weight, a);
    if (!strcmp(rule, "weight_exact"))
        return pr_units_metric_exact(&weight, a);
    if (!strcmp(rule, "change"))
        return pr_units_metric_change(&plain, false, a);
    return pr_units_counted(a, strcmp(rule, "counted") ? rule : "allocations");
}

static void numbers_read_as_the_table_has_them(void **state)
{
    FILE *file = fopen("tests/support/numbers.txt", "r");
    char line[160];
    size_t rows = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *values = strchr(line, '\t'), *text = values ? strchr(values + 1, '\t') : NULL;
        if (*line == '#')
            continue;
        assert_non_null(text);
        *values++ = *text++ = '\0';
        char *second = NULL;
        const int64_t a = strtoll(values, &second, 10), b = strtoll(second, NULL, 10);
        assert_string_equal(written(line, a, b).text, text);
        rows++;
    }
    (void)fclose(file);
    assert_true(rows > 80);
}

/* What is too large for the script's numbers. */
static void the_ends_of_the_range_are_numbers(void **state)
{
    (void)state;
    assert_string_equal(pr_units_bytes(INT64_MAX).text, "8,192 PiB");
    assert_string_equal(pr_units_bytes(INT64_MIN).text, MINUS "8,192 PiB");
    assert_string_equal(pr_units_duration(INT64_MAX).text, "106751 d 23 h");
    assert_string_equal(pr_units_count(INT64_MIN).text, MINUS "9,223,372,036,854,775,808");
    assert_string_equal(pr_units_exact(PR_UNIT_BYTES, INT64_MAX).text, "9,223,372,036,854,775,807 bytes");
    assert_string_equal(pr_units_value(PR_UNIT_BYTES_PER_SECOND, INT64_MIN).text, MINUS "8,192 PiB/s");
    assert_string_equal(pr_units_percent(INT64_MAX, 1).text, "");
    assert_string_equal(pr_units_percent(INT64_MAX, INT64_MAX).text, "100 %");
    assert_string_equal(pr_units_growth(1, INT64_MAX).text, "\xC3\x97 9,223,372,036,854,775,808");
    assert_string_equal(pr_units_metric_change(&plain, false, INT64_MIN).text, MINUS "8,192 PiB");
    assert_true(strlen(pr_units_moment(INT64_MAX, INT64_MAX).text) > 0);
    assert_true(strlen(pr_units_moment(INT64_MIN, 0).text) > 0);
}

static void columns_are_not_bytes(void **state)
{
    const struct pr_figure figure = pr_units_bytes(-2048);
    (void)state;
    assert_int_equal(pr_figure_columns(&figure), 9);
    assert_int_equal(pr_figure_width(&figure, 12), 14);
}

static void times_are_utc(void **state)
{
    (void)state;
    assert_string_equal(pr_units_time(1795250798361).text, "2026-11-21 08:46:38 UTC");
    assert_string_equal(pr_units_iso_time(1795250798361).text, "2026-11-21T08:46:38.361Z");
    assert_string_equal(pr_units_iso_time(-1).text, "1969-12-31T23:59:59.999Z");
    assert_string_equal(pr_units_time(INT64_MAX).text, "");
    assert_string_equal(pr_units_iso_time(INT64_MIN).text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_as_the_table_has_them),
        cmocka_unit_test(the_ends_of_the_range_are_numbers),
        cmocka_unit_test(columns_are_not_bytes),
        cmocka_unit_test(times_are_utc),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
