/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of bars: those of a name share one as far as they do not overlap. */
#include "tests/support/unit.h"

#include "capture/base/span_lanes.h"
#include "tests/support/alloc_fail.h"

static void bars_that_overlap_have_lanes_of_their_own(void **state)
{
    (void)state;
    struct pr_lane_span spans[] = {
        {.name = 1, .start = 0, .finish = 4}, {.name = 0, .start = 1, .finish = 2},
        {.name = 1, .start = 1, .finish = 3}, {.name = 1, .start = 3, .finish = 9},
        {.name = 1, .start = 3, .finish = 3}, {.name = 1, .start = 4, .finish = 5}};
    const uint32_t wanted[] = {0, 3, 1, 1, 2, 0};
    uint32_t lanes = 77;
    assert_true(pr_span_lanes(spans, 6, 3, &lanes));
    assert_int_equal(lanes, 4);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(spans[i].lane, wanted[i]);
}

static void without_bars_there_are_no_lanes(void **state)
{
    (void)state;
    uint32_t lanes = 77;
    assert_true(pr_span_lanes(NULL, 0, 0, &lanes));
    assert_int_equal(lanes, 0);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_lane_span spans[] = {{.start = 0, .finish = 2}, {.start = 1, .finish = 2}};
        uint32_t lanes = 0;
        alloc_fail_at(n);
        const bool done = pr_span_lanes(spans, 2, 1, &lanes);
        if (!alloc_fail_stop()) {
            assert_true(done);
            return;
        }
        assert_false(done);
        assert_int_equal(lanes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_that_overlap_have_lanes_of_their_own),
        cmocka_unit_test(without_bars_there_are_no_lanes),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
