/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic at the ends of the ranges, and arrays that grow. */
#include "tests/support/unit.h"

#include "capture/base/checked.h"
#include "tests/support/alloc_fail.h"

static void sizes_add_up_or_are_refused(void **state)
{
    (void)state;
    size_t sum = 7;
    assert_true(pr_add_size(SIZE_MAX - 1, 1, &sum));
    assert_true(sum == SIZE_MAX);
    sum = 7;
    assert_false(pr_add_size(SIZE_MAX, 1, &sum));
    assert_false(pr_add_size(1, SIZE_MAX, &sum));
    assert_int_equal(sum, 7);
}

static void sizes_multiply_or_are_refused(void **state)
{
    (void)state;
    size_t product = 7;
    assert_true(pr_mul_size(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_true(pr_mul_size(SIZE_MAX, 0, &product));
    assert_int_equal(product, 0);
    assert_true(pr_mul_size(0, SIZE_MAX, &product));
    product = 7;
    assert_false(pr_mul_size(SIZE_MAX / 2 + 1, 2, &product));
    assert_false(pr_mul_size((size_t)1 << 32, (size_t)1 << 32, &product));
    assert_int_equal(product, 7);
}

static void sums_stop_at_the_ends(void **state)
{
    (void)state;
    assert_true(pr_add_saturated(INT64_MAX, 1) == INT64_MAX);
    assert_true(pr_add_saturated(1, INT64_MAX) == INT64_MAX);
    assert_true(pr_add_saturated(INT64_MIN, -1) == INT64_MIN);
    assert_true(pr_add_saturated(-1, INT64_MIN) == INT64_MIN);
    assert_true(pr_add_saturated(INT64_MAX, INT64_MIN) == -1);
    assert_true(pr_add_saturated(INT64_MAX - 1, 1) == INT64_MAX);
    assert_true(pr_add_saturated(40, 2) == 42);
}

static void a_sum_that_wrapped_is_shown_as_the_most(void **state)
{
    (void)state;
    assert_true(pr_shown_sum(0) == 0);
    assert_true(pr_shown_sum(INT64_MAX) == INT64_MAX);
    assert_true(pr_shown_sum(-1) == INT64_MAX);
    assert_true(pr_shown_sum(INT64_MIN) == INT64_MAX);
}

static void arrays_grow_and_keep_what_is_in_them(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(pr_grow(&array, &capacity, i + 1, sizeof *array));
        assert_true(capacity > i);
        array[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    assert_true(capacity < 200000);
    free(array);
}

static void arrays_that_cannot_grow_stay_as_they_were(void **state)
{
    (void)state;
    uint64_t *array = NULL;
    size_t capacity = 0;
    assert_true(pr_grow(&array, &capacity, 1, sizeof *array));
    array[0] = 42;
    size_t before = capacity;
    alloc_fail_at(1);
    assert_false(pr_grow(&array, &capacity, 1000, sizeof *array));
    alloc_fail_stop();
    assert_false(pr_grow(&array, &capacity, SIZE_MAX / 4, sizeof *array));
    assert_int_equal(capacity, before);
    assert_int_equal(array[0], 42);
    free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_add_up_or_are_refused),
        cmocka_unit_test(sizes_multiply_or_are_refused),
        cmocka_unit_test(sums_stop_at_the_ends),
        cmocka_unit_test(a_sum_that_wrapped_is_shown_as_the_most),
        cmocka_unit_test(arrays_grow_and_keep_what_is_in_them),
        cmocka_unit_test(arrays_that_cannot_grow_stay_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
