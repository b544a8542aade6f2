/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/base/spans.h"
#include "tests/support/alloc_fail.h"

enum { NONE = -1 };

static int find(const struct pr_spans *spans, uint64_t address)
{
    const struct pr_span *span = pr_spans_find(spans, address);
    return span ? (int)span->number : NONE;
}

static void an_address_belongs_to_the_span_around_it(void **state)
{
    (void)state;
    struct pr_spans spans = {0};
    assert_int_equal(find(&spans, 0), NONE);
    assert_true(pr_spans_add(&spans, 300, 400, 3) && pr_spans_add(&spans, 100, 200, 1));
    assert_true(pr_spans_add(&spans, 200, 300, 2));
    assert_true(pr_spans_sort(&spans));
    assert_int_equal(find(&spans, 99), NONE);
    assert_int_equal(find(&spans, 100), 1);
    assert_int_equal(find(&spans, 199), 1);
    assert_int_equal(find(&spans, 200), 2);
    assert_int_equal(find(&spans, 399), 3);
    assert_int_equal(find(&spans, 400), NONE);
    assert_int_equal(find(&spans, UINT64_MAX), NONE);
    pr_spans_clear(&spans);
}

static void the_innermost_span_counts(void **state)
{
    (void)state;
    struct pr_spans spans = {0};
    assert_true(pr_spans_add(&spans, 0, 1000, 0) && pr_spans_add(&spans, 100, 500, 1));
    assert_true(pr_spans_add(&spans, 200, 300, 2) && pr_spans_add(&spans, 400, 450, 3));
    assert_true(pr_spans_add(&spans, 600, 700, 4));
    assert_true(pr_spans_sort(&spans));
    assert_int_equal(find(&spans, 50), 0);
    assert_int_equal(find(&spans, 150), 1);
    assert_int_equal(find(&spans, 250), 2);
    assert_int_equal(find(&spans, 350), 1);
    assert_int_equal(find(&spans, 420), 3);
    assert_int_equal(find(&spans, 480), 1);
    assert_int_equal(find(&spans, 550), 0);
    assert_int_equal(find(&spans, 999), 0);
    pr_spans_clear(&spans);
}

static void of_equal_spans_the_highest_number_counts(void **state)
{
    (void)state;
    struct pr_spans spans = {0};
    assert_true(pr_spans_add(&spans, 10, 20, 5) && pr_spans_add(&spans, 10, 20, 9) && pr_spans_add(&spans, 10, 20, 7));
    assert_true(pr_spans_add(&spans, 10, 30, 50));
    assert_true(pr_spans_sort(&spans));
    assert_int_equal(find(&spans, 10), 9);
    assert_int_equal(find(&spans, 25), 50);
    pr_spans_clear(&spans);
}

static void empty_and_inverted_spans_are_left_out(void **state)
{
    (void)state;
    struct pr_spans spans = {0};
    assert_true(pr_spans_add(&spans, 10, 10, 1) && pr_spans_add(&spans, 20, 10, 2) && pr_spans_sort(&spans));
    assert_int_equal(spans.count, 0);
    assert_true(pr_spans_add(&spans, 0, UINT64_MAX, 3) && pr_spans_sort(&spans));
    assert_int_equal(find(&spans, 0), 3);
    assert_int_equal(find(&spans, UINT64_MAX), NONE);
    pr_spans_clear(&spans);
}

static void deep_nesting_makes_no_search_slow(void **state)
{
    enum { DEPTH = 200000 };
    (void)state;
    struct pr_spans spans = {0};
    for (uint32_t i = 0; i < DEPTH; i++)
        assert_true(pr_spans_add(&spans, i, 2 * DEPTH - i, i));
    assert_true(pr_spans_sort(&spans));
    for (uint64_t at = 0; at < DEPTH; at++)
        assert_int_equal(find(&spans, at), at);
    assert_int_equal(find(&spans, DEPTH + 3), DEPTH - 4);
    assert_int_equal(find(&spans, 2 * DEPTH - 1), NONE); /* too many steps outward */
    pr_spans_clear(&spans);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct pr_spans spans = {0};
    alloc_fail_at(1);
    assert_false(pr_spans_add(&spans, 0, 1, 0));
    assert_true(alloc_fail_stop());
    for (uint32_t i = 0; i < 100; i++)
        assert_true(pr_spans_add(&spans, 100 - i, 200 - i, i));
    alloc_fail_at(1);
    assert_false(pr_spans_sort(&spans));
    assert_true(alloc_fail_stop());
    pr_spans_clear(&spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_belongs_to_the_span_around_it),
        cmocka_unit_test(the_innermost_span_counts),
        cmocka_unit_test(of_equal_spans_the_highest_number_counts),
        cmocka_unit_test(empty_and_inverted_spans_are_left_out),
        cmocka_unit_test(deep_nesting_makes_no_search_slow),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
