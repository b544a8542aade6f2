/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a tree: that they add up, whatever was folded, and memory that runs out. */
#include "tests/support/unit.h"

#include "cli/reports/tree_view.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

static struct pr_profile *make(void)
{
    static const struct {
        const char *stack;
        unsigned thread;
        int64_t bytes;
    } held[] = {
        {"main@a.py:1", 0, 5},
        {"main@a.py:1 load@a.py:2", 0, 40},
        {"main@a.py:1 load@a.py:2 parse@b.py:3", 0, 300},
        {"main@a.py:1 load@a.py:2 parse@b.py:3 parse@b.py:4", 0, 70},
        {"main@a.py:1 fit@c.py:5", 0, 200},
        {"work@d.py:6 parse@b.py:3", 1, 90},
        {"work@d.py:6 tidy@d.py:9", 1, 1},
    };
    struct maker *maker = maker_new();
    const unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    const uint32_t threads[] = {maker_thread(maker, 1, "main"), maker_thread(maker, 2, "worker")};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        const pr_node_id leaf = maker_stack(maker, held[i].stack);
        const size_t fact = maker_fact(maker, leaf, threads[held[i].thread], PR_ALLOC_MALLOC);
        maker_value(maker, fact, peak, held[i].bytes, 1);
    }
    return maker_finish(maker);
}

static const struct pr_tree_question questions[] = {
    {.metric = NULL},
    {.metric = "peak", .limit = 2},
    {.depth = 1},
    {.min_share = 0.2},
    {.split_threads = true},
    {.split_threads = true, .limit = 1},
    {.split_threads = true, .min_share = 0.2},
    {.invert = true},
    {.invert = true, .limit = 3},
    {.invert = true, .split_threads = true, .depth = 2},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static void every_line_is_its_own_what_is_below_it_and_what_was_folded(void **state)
{
    (void)state;
    struct pr_profile *profile = make();
    for (size_t k = 0; k < QUESTIONS; k++) {
        struct pr_tree_view view;
        struct pr_error err = {0};
        assert_int_equal(pr_tree_view_make(profile, &questions[k], &view, &err), PR_OK);
        assert_int_equal(view.line[0].total, 706);
        for (uint32_t i = 0; i < view.count; i++) {
            int64_t total = view.line[i].self + view.line[i].folded_total, below = 0;
            int64_t count = view.line[i].self_count + view.line[i].folded_count;
            for (uint32_t j = i + 1; j < view.count; j++) {
                if (view.line[j].parent != i)
                    continue;
                total += view.line[j].total;
                count += view.line[j].total_count;
                below++;
            }
            assert_int_equal(total, view.line[i].total);
            assert_int_equal(count, view.line[i].total_count);
            assert_int_equal(below, view.line[i].lines_below);
        }
        pr_tree_view_clear(&view);
    }
    pr_profile_free(profile);
}

static void what_was_not_measured_is_absent(void **state)
{
    (void)state;
    struct pr_profile *profile = make();
    struct pr_tree_view view;
    struct pr_error err = {0};
    assert_int_equal(pr_tree_view_make(profile, &(struct pr_tree_question){.metric = "cpu"}, &view, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    pr_tree_view_clear(&view);
    pr_profile_free(profile);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    struct pr_profile *profile = make();
    for (size_t k = 0; k < QUESTIONS; k++) {
        for (unsigned long n = 1;; n++) {
            struct pr_tree_view view;
            struct pr_error err = {0};
            alloc_fail_at(n);
            const enum pr_status status = pr_tree_view_make(profile, &questions[k], &view, &err);
            const bool failed = alloc_fail_stop();
            assert_int_equal(status, failed ? PR_FAILED : PR_OK);
            assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
            pr_tree_view_clear(&view);
            if (!failed)
                break;
            assert_true(n < 1000);
        }
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_its_own_what_is_below_it_and_what_was_folded),
        cmocka_unit_test(what_was_not_measured_is_absent),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests_name("tree_view", tests, NULL, NULL);
}
