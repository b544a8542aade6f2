/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the call tree, and its shape. */
#include "tests/support/unit.h"

#include "profrender/tree_sums.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

/*
 *     root ─ main ─ load          5 bytes in 1 allocation (thread 0, MALLOC)
 *                 └ save ─ write  7 in 2 (thread 1, MALLOC), 11 in 3 (thread 0, MMAP)
 *          (no stack)             13 in 4 (thread 1, MALLOC)
 */
struct example {
    struct pr_profile *profile;
    pr_node_id main, load, save, write;
};

static struct example make_example(void)
{
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    unsigned plain = maker_metric(maker, "plain", "Without a count", PR_UNIT_NANOSECONDS, NULL);
    maker_thread(maker, 1, "main");
    maker_thread(maker, 2, "worker");
    struct example e = {.main = maker_stack(maker, "main@app.py:1")};
    e.load = maker_stack(maker, "main@app.py:1 load@app.py:2");
    e.write = maker_stack(maker, "main@app.py:1 save@app.py:3 write@io.py:4");
    e.save = maker_stack(maker, "main@app.py:1 save@app.py:3");
    const struct {
        pr_node_id leaf;
        uint32_t thread;
        enum pr_allocator allocator;
        int64_t bytes, count;
    } facts[] = {
        {e.load, 0, PR_ALLOC_MALLOC, 5, 1},
        {e.write, 1, PR_ALLOC_MALLOC, 7, 2},
        {e.write, 0, PR_ALLOC_MMAP, 11, 3},
        {PR_ROOT, 1, PR_ALLOC_MALLOC, 13, 4},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        size_t fact = maker_fact(maker, facts[i].leaf, facts[i].thread, facts[i].allocator);
        maker_value(maker, fact, peak, facts[i].bytes, facts[i].count);
        maker_value(maker, fact, plain, 2 * facts[i].bytes, 0);
    }
    e.profile = maker_finish(maker);
    return e;
}

static void assert_node(const struct pr_sums *sums, pr_node_id node, int64_t self, int64_t total, int64_t self_count,
                        int64_t total_count)
{
    assert_int_equal(sums->self[node], self);
    assert_int_equal(sums->total[node], total);
    assert_int_equal(sums->self_count[node], self_count);
    assert_int_equal(sums->total_count[node], total_count);
}

static void totals_are_the_sums_of_selves_below(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_choice choice = pr_choice_all(0);
    struct pr_sums sums;
    assert_int_equal(pr_tree_sum(e.profile, &choice, &sums, NULL), PR_OK);
    assert_int_equal(sums.count, e.profile->tree.count);
    assert_node(&sums, PR_ROOT, 13, 36, 4, 10);
    assert_node(&sums, e.main, 0, 23, 0, 6);
    assert_node(&sums, e.load, 5, 5, 1, 1);
    assert_node(&sums, e.save, 0, 18, 0, 5);
    assert_node(&sums, e.write, 18, 18, 5, 5);
    assert_int_equal(sums.total[PR_ROOT], e.profile->metrics[0].total_value);
    pr_sums_clear(&sums);
    pr_profile_free(e.profile);
}

static void only_the_chosen_facts_count(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_sums sums;
    struct pr_choice thread = {.metric = 0, .thread = 0, .allocator = -1};
    assert_int_equal(pr_tree_sum(e.profile, &thread, &sums, NULL), PR_OK);
    assert_node(&sums, PR_ROOT, 0, 16, 0, 4);
    assert_node(&sums, e.write, 11, 11, 3, 3);
    pr_sums_clear(&sums);
    struct pr_choice allocator = {.metric = 0, .thread = PR_ALL_THREADS, .allocator = PR_ALLOC_MALLOC};
    assert_int_equal(pr_tree_sum(e.profile, &allocator, &sums, NULL), PR_OK);
    assert_node(&sums, PR_ROOT, 13, 25, 4, 7);
    pr_sums_clear(&sums);
    struct pr_choice both = {.metric = 0, .thread = 1, .allocator = PR_ALLOC_MMAP};
    assert_int_equal(pr_tree_sum(e.profile, &both, &sums, NULL), PR_OK);
    assert_node(&sums, PR_ROOT, 0, 0, 0, 0);
    pr_sums_clear(&sums);
    pr_profile_free(e.profile);
}

static void a_metric_without_a_count_counts_zero(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_choice choice = pr_choice_all(1);
    struct pr_sums sums;
    assert_int_equal(pr_tree_sum(e.profile, &choice, &sums, NULL), PR_OK);
    assert_node(&sums, PR_ROOT, 26, 72, 0, 0);
    pr_sums_clear(&sums);
    pr_profile_free(e.profile);
}

static void hybrid_stacks_are_walked_when_asked_for(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    pr_node_id python = maker_stack(maker, "main@app.py:1");
    pr_node_id native = maker_node(maker, python, maker_frame(maker, "malloc", "libc.so.6", 0, PR_FRAME_NATIVE));
    size_t fact = maker_fact(maker, python, 0, PR_ALLOC_MALLOC);
    maker_hybrid(maker, fact, native);
    maker_value(maker, fact, peak, 8, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_choice choice = pr_choice_all(peak);
    struct pr_sums sums;
    assert_int_equal(pr_tree_sum(profile, &choice, &sums, NULL), PR_OK);
    assert_node(&sums, python, 8, 8, 1, 1);
    assert_node(&sums, native, 0, 0, 0, 0);
    pr_sums_clear(&sums);
    choice.hybrid = true;
    assert_int_equal(pr_tree_sum(profile, &choice, &sums, NULL), PR_OK);
    assert_node(&sums, python, 0, 8, 0, 1);
    assert_node(&sums, native, 8, 8, 1, 1);
    pr_sums_clear(&sums);
    pr_profile_free(profile);
}

static void sums_stop_at_the_ends_of_the_range(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    unsigned metric = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    pr_node_id a = maker_stack(maker, "a@a.py:1"), b = maker_stack(maker, "b@b.py:1");
    maker_value(maker, maker_fact(maker, a, 0, PR_ALLOC_MALLOC), metric, INT64_MAX, INT64_MIN);
    maker_value(maker, maker_fact(maker, b, 0, PR_ALLOC_MALLOC), metric, INT64_MAX, INT64_MIN);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_choice choice = pr_choice_all(metric);
    struct pr_sums sums;
    assert_int_equal(pr_tree_sum(profile, &choice, &sums, NULL), PR_OK);
    assert_node(&sums, PR_ROOT, 0, INT64_MAX, 0, INT64_MIN);
    pr_sums_clear(&sums);
    pr_profile_free(profile);
}

static void a_metric_that_does_not_exist_is_an_error(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_choice choice = pr_choice_all(2);
    struct pr_sums sums;
    struct pr_error err = {0};
    assert_int_equal(pr_tree_sum(e.profile, &choice, &sums, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_int_equal(sums.count, 0);
    pr_sums_clear(&sums);
    pr_profile_free(e.profile);
}

static void children_are_listed_by_number(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_children children;
    assert_int_equal(pr_tree_children(&e.profile->tree, &children, NULL), PR_OK);
    assert_int_equal(children.first[PR_ROOT], 0);
    assert_int_equal(children.first[PR_ROOT + 1], 1);
    assert_int_equal(children.child[0], e.main);
    assert_int_equal(children.first[e.main + 1] - children.first[e.main], 2);
    assert_int_equal(children.child[children.first[e.main]], e.load);
    assert_int_equal(children.child[children.first[e.main] + 1], e.save);
    assert_int_equal(children.first[e.load], children.first[e.load + 1]);
    assert_int_equal(children.child[children.first[e.save]], e.write);
    assert_int_equal(children.first[e.profile->tree.count], e.profile->tree.count - 1);
    pr_children_clear(&children);
    pr_profile_free(e.profile);
}

static void depth_counts_the_frames_from_the_root(void **state)
{
    (void)state;
    struct example e = make_example();
    assert_int_equal(pr_tree_depth(&e.profile->tree, PR_ROOT), 0);
    assert_int_equal(pr_tree_depth(&e.profile->tree, e.main), 1);
    assert_int_equal(pr_tree_depth(&e.profile->tree, e.write), 3);
    pr_profile_free(e.profile);
}

static void any_depth_is_fine(void **state)
{
    (void)state;
    enum { DEPTH = 300000 };
    struct maker *maker = maker_new();
    unsigned metric = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    pr_frame_id frame = maker_frame(maker, "f", "f.py", 1, PR_FRAME_PYTHON);
    pr_node_id node = PR_ROOT;
    for (int i = 0; i < DEPTH; i++)
        node = maker_node(maker, node, frame);
    maker_value(maker, maker_fact(maker, node, 0, PR_ALLOC_MALLOC), metric, 3, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_choice choice = pr_choice_all(metric);
    struct pr_sums sums;
    struct pr_children children;
    assert_int_equal(pr_tree_sum(profile, &choice, &sums, NULL), PR_OK);
    assert_int_equal(pr_tree_children(&profile->tree, &children, NULL), PR_OK);
    assert_int_equal(sums.total[1], 3);
    assert_int_equal(pr_tree_depth(&profile->tree, node), DEPTH);
    pr_sums_clear(&sums);
    pr_children_clear(&children);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct example e = make_example();
    struct pr_choice choice = pr_choice_all(0);
    for (unsigned long n = 1;; n++) {
        struct pr_error err = {0};
        struct pr_sums sums;
        struct pr_children children = {0};
        alloc_fail_at(n);
        enum pr_status sum = pr_tree_sum(e.profile, &choice, &sums, &err);
        enum pr_status list = pr_tree_children(&e.profile->tree, &children, &err);
        bool failed = alloc_fail_stop();
        assert_int_equal(sum == PR_FAILED || list == PR_FAILED, failed);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        pr_sums_clear(&sums);
        pr_children_clear(&children);
        if (!failed)
            break;
    }
    pr_profile_free(e.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_the_sums_of_selves_below),
        cmocka_unit_test(only_the_chosen_facts_count),
        cmocka_unit_test(a_metric_without_a_count_counts_zero),
        cmocka_unit_test(hybrid_stacks_are_walked_when_asked_for),
        cmocka_unit_test(sums_stop_at_the_ends_of_the_range),
        cmocka_unit_test(a_metric_that_does_not_exist_is_an_error),
        cmocka_unit_test(children_are_listed_by_number),
        cmocka_unit_test(depth_counts_the_frames_from_the_root),
        cmocka_unit_test(any_depth_is_fine),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
