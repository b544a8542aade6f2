/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals: the text's value is what comes out, at every size. */
#include "tests/support/unit.h"

#include "capture/base/decimal.h"

#include <string.h>

static struct pr_decimal parsed(const char *text)
{
    struct pr_decimal number;
    if (pr_decimal_parse(text, strlen(text), &number) != strlen(text))
        fail_msg("%s is not taken whole", text);
    return number;
}

static void text_is_exact(void **state)
{
    static const struct {
        const char *text;
        int32_t exponent;
        int64_t value;
    } cases[] = {
        {"0.004", 9, 4000000},
        {"0.01168335199986359", 9, 11683352},
        {"1e-9", 9, 1},
        {"4.999999999e-10", 9, 0},
        {"5e-10", 9, 1},
        {"-5e-10", 9, -1},
        {"-12.5", 0, -13},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775808", 0, INT64_MIN},
        {"18446744073709551616", 0, INT64_MAX},
        {"123456789012345678901234567890", 0, INT64_MAX},
        {"123456789012345678901234567890e-25", 0, 12346},
        {"0.1844674407370955161993", 18, 184467440737095516},
        {"1e400", 0, INT64_MAX},
        {"-1E+400", 0, INT64_MIN},
        {"1e-400", 9, 0},
        {"0e999999999999", 9, 0},
        {"+.5", 1, 5},
        {"7.", 0, 7},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t got = pr_decimal_scaled(parsed(cases[i].text), cases[i].exponent);
        if (got != cases[i].value)
            fail_msg("%s is %lld, expected %lld", cases[i].text, (long long)got, (long long)cases[i].value);
    }
}

static void what_is_not_a_number_is_not_taken(void **state)
{
    static const struct {
        const char *text;
        size_t taken;
    } cases[] = {{"", 0}, {"-", 0}, {".", 0}, {"e5", 0}, {"nan", 0}, {"12abc", 2}, {"1.2.3", 3}, {"1e", 1}, {"1e+", 1}};
    struct pr_decimal number;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pr_decimal_parse(cases[i].text, strlen(cases[i].text), &number), cases[i].taken);
}

static void places_are_those_that_are_needed(void **state)
{
    (void)state;
    assert_int_equal(pr_decimal_places(parsed("0.50")), 1);
    assert_int_equal(pr_decimal_places(parsed("12")), 0);
    assert_int_equal(pr_decimal_places(parsed("12.000")), 0);
    assert_int_equal(pr_decimal_places(parsed("0.000")), 0);
    assert_int_equal(pr_decimal_places(parsed("1e300")), 0);
    assert_int_equal(pr_decimal_places(parsed("1.25e-3")), 5);
}

static void doubles_stay_in_range(void **state)
{
    (void)state;
    assert_int_equal(pr_double_scaled(1.5e-9, 1e9), 2);
    assert_int_equal(pr_double_scaled(1e300, 1e9), INT64_MAX);
    assert_int_equal(pr_double_scaled(-1e300, 1e9), INT64_MIN);
    assert_int_equal(pr_double_scaled(0.0 / 0.0, 1e9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_exact),
        cmocka_unit_test(what_is_not_a_number_is_not_taken),
        cmocka_unit_test(places_are_those_that_are_needed),
        cmocka_unit_test(doubles_stay_in_range),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
