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

static void a_part_counts_as_if_it_had_been_read_in_its_turn(void **state)
{
    (void)state;
    struct pr_unpack_budget budget = {.max_bytes = 300 * MIB, .max_ratio = 10, .read_bytes = 20 * MIB};
    struct pr_error err = {0};
    assert_true(pr_unpack_budget_spend(&budget, 100 * MIB, 0, &err));
    struct pr_unpack_budget part = {.max_bytes = 300 * MIB, .max_ratio = 10, .read_bytes = MIB};
    assert_true(pr_unpack_budget_spend(&part, 20 * MIB, 0, &err)); /* above the ratio, which is free yet */
    part.read_bytes += 20 * MIB;
    assert_true(pr_unpack_budget_spend(&part, 130 * MIB, 0, &err));
    assert_true(pr_unpack_budget_add(&budget, &part));
    assert_int_equal(budget.unpacked_bytes, 250 * MIB);
    assert_int_equal(budget.read_bytes, 41 * MIB);

    /* 256 MiB are free in all: with what was before it, this part was once above the ratio. */
    struct pr_unpack_budget next = {.max_bytes = 300 * MIB, .max_ratio = 10, .read_bytes = MIB};
    assert_true(pr_unpack_budget_spend(&next, 11 * MIB, 0, &err));
    assert_false(pr_unpack_budget_add(&budget, &next));
    assert_int_equal(budget.unpacked_bytes, 250 * MIB);
    next.over_ratio = 0;
    assert_true(pr_unpack_budget_add(&budget, &next));
    next.unpacked_bytes = 50 * MIB;
    assert_false(pr_unpack_budget_add(&budget, &next)); /* 311 MiB */
    next.unpacked_bytes = UINT64_MAX;
    assert_false(pr_unpack_budget_add(&budget, &next));
    assert_int_equal(budget.unpacked_bytes, 261 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_counts_beyond_what_is_free),
        cmocka_unit_test(what_real_files_pack_to_is_within_it),
        cmocka_unit_test(all_that_is_unpacked_counts_and_no_sum_wraps),
        cmocka_unit_test(a_part_counts_as_if_it_had_been_read_in_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
