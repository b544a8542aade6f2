/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as people read them: the rules of doc/formats/payload.md, "Numbers". The script's tests have the same cases.
 */
#include "tests/support/unit.h"

#include "render/words/units.h"

#include <string.h>

#define MICRO "\xc2\xb5"

static void bytes_have_three_digits_and_binary_units(void **state)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1, "1 B"},
        {1023, "1,023 B"},
        {1024, "1.00 KiB"},
        {1152, "1.13 KiB"},
        {10234, "9.99 KiB"},
        {10235, "10.0 KiB"},
        {102400, "100 KiB"},
        {1047552, "1,023 KiB"},
        {1048063, "1,023 KiB"},
        {1048064, "1.00 MiB"},
        {40076575, "38.2 MiB"},
        {1059061760, "1,010 MiB"},
        {4955150748, "4.61 GiB"},
        {1LL << 40, "1.00 TiB"},
        {INT64_MAX, "8,192 PiB"},
        {INT64_MIN, "-8,192 PiB"},
        {-2048, "-2.00 KiB"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(pr_units_bytes(cases[i].bytes).text, cases[i].text);
}

static void durations_choose_their_unit_after_rounding(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 s"},
        {1, "1 ns"},
        {999, "999 ns"},
        {1000, "1.00 " MICRO "s"},
        {999600, "1.00 ms"},
        {812000000, "812 ms"},
        {999600000, "1.00 s"},
        {3180000000, "3.18 s"},
        {59940000000, "59.9 s"},
        {59960000000, "1 min 00 s"},
        {65000000000, "1 min 05 s"},
        {388214000000, "6 min 28 s"},
        {7500000000000, "2 h 05 min"},
        {187200000000000, "2 d 04 h"},
        {-1500000, "-1.50 ms"},
        {INT64_MAX, "106751 d 23 h"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(pr_units_duration(cases[i].ns).text, cases[i].text);
}

static void moments_are_as_fine_as_the_run_is_long(void **state)
{
    (void)state;
    assert_string_equal(pr_units_moment(0, 80).text, "0 s");
    assert_string_equal(pr_units_moment(12345, 50000).text, "12.3 s");
    assert_string_equal(pr_units_moment(218999, 388000).text, "3:38");
    assert_string_equal(pr_units_moment(3723000, 4000000).text, "1:02:03");
    assert_string_equal(pr_units_moment(-1000, 4000000).text, "-1.00 s");
    assert_true(strlen(pr_units_moment(INT64_MAX, INT64_MAX).text) > 0);
    assert_true(strlen(pr_units_moment(INT64_MIN, 0).text) > 0);
}

static void a_small_share_is_not_zero(void **state)
{
    (void)state;
    assert_string_equal(pr_units_percent(563, 1000).text, "56.3 %");
    assert_string_equal(pr_units_percent(7, 7).text, "100.0 %");
    assert_string_equal(pr_units_percent(1, 100000).text, "< 0.1 %");
    assert_string_equal(pr_units_percent(0, 5).text, "0 %");
    assert_string_equal(pr_units_percent(3, 0).text, "");
    assert_string_equal(pr_units_percent(-1, 2).text, "-50.0 %");
    assert_string_equal(pr_units_percent(INT64_MAX, 1).text, "");
}

static void counts_are_whole_and_grouped(void **state)
{
    (void)state;
    assert_string_equal(pr_units_count(0).text, "0");
    assert_string_equal(pr_units_count(999).text, "999");
    assert_string_equal(pr_units_count(61204118).text, "61,204,118");
    assert_string_equal(pr_units_count(INT64_MIN).text, "-9,223,372,036,854,775,808");
    assert_string_equal(pr_units_counted(1, "allocations").text, "1 allocation");
    assert_string_equal(pr_units_counted(1230, "allocations").text, "1,230 allocations");
    assert_string_equal(pr_units_counted(0, "frees").text, "0 frees");
}

static void exact_values_have_all_digits(void **state)
{
    (void)state;
    assert_string_equal(pr_units_exact(PR_UNIT_BYTES, 4955150748).text, "4,955,150,748 bytes");
    assert_string_equal(pr_units_exact(PR_UNIT_BYTES, 1).text, "1 byte");
    assert_string_equal(pr_units_exact(PR_UNIT_BYTES, INT64_MAX).text, "9,223,372,036,854,775,807 bytes");
    assert_string_equal(pr_units_exact(PR_UNIT_NANOSECONDS, 388214000000).text, "388.214 s");
    assert_string_equal(pr_units_exact(PR_UNIT_NANOSECONDS, 1).text, "0.000000001 s");
    assert_string_equal(pr_units_exact(PR_UNIT_PERCENT, 12500).text, "12.5 %");
    assert_string_equal(pr_units_exact(PR_UNIT_CORES, 3000).text, "3 cores");
    assert_string_equal(pr_units_exact(PR_UNIT_COUNT, 1284).text, "1,284");
}

static void each_unit_has_its_format(void **state)
{
    (void)state;
    assert_string_equal(pr_units_value(PR_UNIT_BYTES, 1024).text, "1.00 KiB");
    assert_string_equal(pr_units_value(PR_UNIT_NANOSECONDS, 1000000).text, "1.00 ms");
    assert_string_equal(pr_units_value(PR_UNIT_PERCENT, 12345).text, "12.3 %");
    assert_string_equal(pr_units_value(PR_UNIT_CORES, 3260).text, "3.26 cores");
    assert_string_equal(pr_units_value(PR_UNIT_BYTES_PER_SECOND, INT64_MIN).text, "-8,192 PiB/s");
    assert_string_equal(pr_units_value(PR_UNIT_CYCLES, 5000).text, "5,000 cycles");
    assert_string_equal(pr_units_value(PR_UNIT_COUNT, 5000).text, "5,000");
}

static void weights_may_have_decimals(void **state)
{
    (void)state;
    const struct pr_metric weight = {.unit = PR_UNIT_NONE, .decimals = 3}, plain = {.unit = PR_UNIT_BYTES};
    assert_string_equal(pr_units_metric(&weight, 4625).text, "4.63");
    assert_string_equal(pr_units_metric(&weight, -38200).text, "-38.2");
    assert_string_equal(pr_units_metric(&weight, 1010000).text, "1,010");
    assert_string_equal(pr_units_metric(&weight, 2).text, "0.002");
    assert_string_equal(pr_units_metric_exact(&weight, 1234567).text, "1,234.567");
    assert_string_equal(pr_units_metric(&plain, 1024).text, "1.00 KiB");
    assert_string_equal(pr_units_metric_exact(&plain, 1024).text, "1,024 bytes");
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
        cmocka_unit_test(bytes_have_three_digits_and_binary_units),
        cmocka_unit_test(durations_choose_their_unit_after_rounding),
        cmocka_unit_test(moments_are_as_fine_as_the_run_is_long),
        cmocka_unit_test(a_small_share_is_not_zero),
        cmocka_unit_test(counts_are_whole_and_grouped),
        cmocka_unit_test(exact_values_have_all_digits),
        cmocka_unit_test(each_unit_has_its_format),
        cmocka_unit_test(weights_may_have_decimals),
        cmocka_unit_test(times_are_utc),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
