/* SPDX-License-Identifier: Apache-2.0 */
/* What may be unpacked: a total amount, and a multiple of what was read. */
#include "tests/support/unit.h"

#include "capture/input/unpack_budget.h"

enum { MIB = 1 << 20 };

static void the_ratio_counts_beyond_what_is_free(void **state)
{
    (void)state;
    const struct pr_load_options options = pr_load_options_default();
    struct pr_unpack_budget budget = pr_unpack_budget_of(&options.limits);
    struct pr_error err = {0};
    budget.read_bytes = 10;
    assert_true(pr_unpack_budget_spend(&budget, 256 * MIB, 0, &err));
    assert_false(pr_unpack_budget_spend(&budget, 1, 77, &err));
    assert_int_equal(err.code, PR_ERR_UNPACKED);
    assert_int_equal(err.offset, 77);
}

static void what_real_files_pack_to_is_within_it(void **state)
{
    (void)state;
    const struct pr_load_options options = pr_load_options_default();
    static const uint64_t ratios[] = {2, 255, 1032, 1200, 5000};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        struct pr_unpack_budget budget = pr_unpack_budget_of(&options.limits);
        struct pr_error err = {0};
        const uint64_t size = UINT64_C(160) << 30; /* a capture of 160 GiB */
        budget.read_bytes = size / ratios[i] + 1;
        assert_true(pr_unpack_budget_spend(&budget, size, 0, &err));
    }
}

static void all_that_is_unpacked_counts_and_no_sum_wraps(void **state)
{
    (void)state;
    struct pr_unpack_budget budget = {.max_bytes = 3 * MIB, .max_ratio = UINT64_MAX, .read_bytes = UINT64_MAX};
    struct pr_error err = {0};
    for (int i = 0; i < 3; i++)
        assert_true(pr_unpack_budget_spend(&budget, MIB, 0, &err));
    assert_false(pr_unpack_budget_spend(&budget, 1, 0, &err));
    assert_int_equal(err.code, PR_ERR_UNPACKED);
    budget.max_bytes = UINT64_MAX;
    assert_true(pr_unpack_budget_spend(&budget, UINT64_C(1) << 50, 0, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_counts_beyond_what_is_free),
        cmocka_unit_test(what_real_files_pack_to_is_within_it),
        cmocka_unit_test(all_that_is_unpacked_counts_and_no_sum_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
