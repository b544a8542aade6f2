/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile answers on its own. */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "tests/support/profile_maker.h"

static void metrics_and_series_are_found_by_name(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    maker_metric(maker, "leaked", "Leaked", PR_UNIT_BYTES, "allocations");
    maker_point(maker, maker_series(maker, "rss", "RSS", PR_UNIT_BYTES), 1000, 4096);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_profile_metric(profile, "leaked"), 1);
    assert_int_equal(pr_profile_metric(profile, "rss"), -1);
    assert_int_equal(pr_profile_series(profile, "rss"), 0);
    assert_int_equal(pr_profile_series(profile, ""), -1);
    pr_profile_free(profile);
}

static void allocators_have_memrays_names(void **state)
{
    (void)state;
    assert_string_equal(pr_allocator_name(PR_ALLOC_NONE), "");
    assert_string_equal(pr_allocator_name(PR_ALLOC_PYMALLOC_FREE), "PYMALLOC_FREE");
    assert_string_equal(pr_allocator_name(PR_ALLOC_MALLOC), "MALLOC");
    assert_string_equal(pr_allocator_name(PR_ALLOC_MUNMAP), "MUNMAP");
    assert_string_equal(pr_allocator_name(PR_ALLOC_COUNT), "");
    for (unsigned i = 1; i < PR_ALLOC_COUNT; i++)
        assert_true(pr_allocator_name(i)[0] != '\0');
}

static void nothing_can_be_freed(void **state)
{
    (void)state;
    pr_profile_free(NULL);
}

static void the_library_has_a_version(void **state)
{
    (void)state;
    assert_true(pr_version()[0] >= '0' && pr_version()[0] <= '9');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_and_series_are_found_by_name),
        cmocka_unit_test(allocators_have_memrays_names),
        cmocka_unit_test(nothing_can_be_freed),
        cmocka_unit_test(the_library_has_a_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
