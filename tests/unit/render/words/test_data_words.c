/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a table's columns as people read them, and the labels of axes. */
#include "tests/support/unit.h"

#include "render/words/data_ticks.h"

#define US_PER_DAY 86400e6

static void an_axis_of_whole_numbers_has_only_whole_numbers(void **state)
{
    const struct pr_data_column whole = {.type = PR_TYPE_INTEGER}, real = {.type = PR_TYPE_REAL};
    const struct pr_data_ticks ticks = pr_data_ticks_of(&whole, -0.5, 1.5, 6);
    (void)state;
    assert_int_equal(ticks.count, 2);
    assert_string_equal(pr_data_tick_text(&whole, &ticks, 0).text, "0");
    assert_string_equal(pr_data_tick_text(&whole, &ticks, 1).text, "1");
    assert_true(pr_data_ticks_of(&real, -0.5, 1.5, 6).step < 1);
    assert_true(pr_data_ticks_of(&whole, 0, 40, 6).step == 10);
}

static void a_span_of_whole_days_has_no_time(void **state)
{
    static const struct {
        double us;
        const char *text;
    } cases[] = {
        {356 * US_PER_DAY, "356 d"},
        {-2 * US_PER_DAY, "\xE2\x88\x92" "2 d"},
        {US_PER_DAY + 3600e6, "1 d 01:00:00"},
        {0, "00:00:00"},
        {86e6, "00:01:26"},
    };
    const struct pr_data_column date = {.type = PR_TYPE_DATE}, took = {.type = PR_TYPE_DURATION};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(pr_data_distance(&took, cases[i].us).text, cases[i].text);
        assert_string_equal(pr_data_figure(&took, cases[i].us).text, cases[i].text);
    }
    assert_string_equal(pr_data_distance(&date, 0).text, "0 d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_of_whole_numbers_has_only_whole_numbers),
        cmocka_unit_test(a_span_of_whole_days_has_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
