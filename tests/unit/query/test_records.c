/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as records: what is one record, what it adds up to, and the order. */
#include "tests/support/unit.h"

#include "profrender/records.h"
#include "capture/query/stack_order.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdlib.h>
#include <string.h>

static struct maker *new_maker(void)
{
    struct maker *maker = maker_new();
    maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    maker_thread(maker, 20, "main");
    maker_thread(maker, 10, "worker");
    return maker;
}

static void add_fact(struct maker *maker, const char *stack, uint32_t thread, enum pr_allocator allocator,
                     int64_t bytes, int64_t count)
{
    size_t fact = maker_fact(maker, maker_stack(maker, stack), thread, allocator);
    maker_value(maker, fact, 0, bytes, count);
}

/* The function of the leaf of record I. */
static const char *leaf_name(const struct pr_profile *profile, const struct pr_records *records, size_t i)
{
    pr_node_id leaf = records->record[i].leaf;
    return leaf == PR_ROOT ? "" : pr_profile_text(profile, profile->frames[profile->tree.frame[leaf]].function).bytes;
}

static void assert_record(const struct pr_record *record, int64_t value, int64_t count, enum pr_allocator allocator,
                          uint32_t thread)
{
    assert_int_equal(record->value, value);
    assert_int_equal(record->count, count);
    assert_int_equal(record->allocator, allocator);
    assert_int_equal(record->thread, thread);
}

static void merged_records_add_up_threads_but_not_allocators(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "f@a.py:1", 0, PR_ALLOC_MALLOC, 5, 1);
    add_fact(maker, "f@a.py:1", 1, PR_ALLOC_MALLOC, 6, 2);
    add_fact(maker, "f@a.py:1", 1, PR_ALLOC_MMAP, 100, 3);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_int_equal(records.count, 2);
    assert_record(&records.record[0], 100, 3, PR_ALLOC_MMAP, UINT32_MAX);
    assert_record(&records.record[1], 11, 3, PR_ALLOC_MALLOC, UINT32_MAX);
    assert_int_equal(records.total_value, 111);
    assert_int_equal(records.total_count, 6);
    assert_int_equal(records.record[0].hybrid, PR_NO_NODE);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void split_records_keep_threads_apart(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "f@a.py:1", 0, PR_ALLOC_MALLOC, 5, 1);
    add_fact(maker, "f@a.py:1", 1, PR_ALLOC_MALLOC, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, true, &records, NULL), PR_OK);
    assert_int_equal(records.count, 2);
    assert_record(&records.record[0], 5, 1, PR_ALLOC_MALLOC, 1); /* tid 10 comes before tid 20 */
    assert_record(&records.record[1], 5, 1, PR_ALLOC_MALLOC, 0);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void hybrid_stacks_keep_records_apart(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    pr_node_id leaf = maker_stack(maker, "f@a.py:1");
    const char *natives[] = {"realloc", "calloc"};
    pr_node_id hybrid[2];
    for (int i = 0; i < 2; i++) {
        hybrid[i] = maker_node(maker, leaf, maker_frame(maker, natives[i], "libc.so.6", 0, PR_FRAME_NATIVE));
        for (uint32_t thread = 0; thread < 2; thread++) {
            size_t fact = maker_fact(maker, leaf, thread, PR_ALLOC_MALLOC);
            maker_hybrid(maker, fact, hybrid[i]);
            maker_value(maker, fact, 0, 8, 1);
        }
    }
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_int_equal(records.count, 2);
    assert_int_equal(records.record[0].hybrid, hybrid[1]);
    assert_int_equal(records.record[1].hybrid, hybrid[0]);
    assert_int_equal(records.record[0].leaf, leaf);
    assert_record(&records.record[0], 16, 2, PR_ALLOC_MALLOC, UINT32_MAX);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void records_of_nothing_are_left_out(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "zero@a.py:1", 0, PR_ALLOC_MALLOC, 0, 0);
    add_fact(maker, "cancelled@a.py:1", 0, PR_ALLOC_MALLOC, 7, 1);
    add_fact(maker, "cancelled@a.py:1", 1, PR_ALLOC_MALLOC, -7, -1);
    add_fact(maker, "empty@a.py:1", 0, PR_ALLOC_MALLOC, 0, 3); /* three allocations of 0 bytes are something */
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_int_equal(records.count, 1);
    assert_string_equal(leaf_name(profile, &records, 0), "empty");
    pr_records_clear(&records);
    assert_int_equal(pr_records_make(profile, 0, true, &records, NULL), PR_OK);
    assert_int_equal(records.count, 3);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void largest_first_then_count_then_stack(void **state)
{
    (void)state;
    /* In the expected order; all but the first two have the same value and count. */
    static const struct {
        const char *stack, *leaf;
        int64_t bytes, count;
    } wanted[] = {
        {"big@a.py:1", "big", 9, 1},
        {"often@a.py:1", "often", 8, 3},
        {"", "", 8, 2},
        {"a@a.py:1", "a", 8, 2},
        {"z@a.py:1 a@a.py:1", "a", 8, 2},                 /* the longer stack after the shorter */
        {"a@a.py:2", "a", 8, 2},                          /* lines as numbers */
        {"a@a.py:10", "a", 8, 2},
        {"a@b.py:1", "a", 8, 2},                          /* then the file */
        {"a@x.py:1 b@b.py:1 c@c.py:1 q@a.py:1", "q", 8, 2}, /* the difference is at the root */
        {"b@x.py:1 b@b.py:1 c@c.py:1 q@a.py:1", "q", 8, 2},
        {"zz@a.py:1", "zz", 8, 2},
        {"\xc3\xa9@a.py:1", "\xc3\xa9", 8, 2},            /* bytes are unsigned */
    };
    const size_t count = sizeof wanted / sizeof *wanted;
    for (unsigned turn = 0; turn < 3; turn++) { /* whatever the order of the facts, and the numbers of the nodes */
        struct maker *maker = new_maker();
        for (size_t i = 0; i < count; i++) {
            size_t j = (i * 5 + turn * 7) % count;
            add_fact(maker, wanted[j].stack, 0, PR_ALLOC_MALLOC, wanted[j].bytes, wanted[j].count);
        }
        struct pr_profile *profile = maker_finish(maker);
        struct pr_records records;
        assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
        assert_int_equal(records.count, count);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(leaf_name(profile, &records, i), wanted[i].leaf);
            assert_int_equal(records.record[i].value, wanted[i].bytes);
            size_t depth = 0;
            for (const char *at = wanted[i].stack; (at = strchr(at, '@')); at++)
                depth++;
            for (pr_node_id node = records.record[i].leaf; node != PR_ROOT; node = profile->tree.parent[node])
                depth--;
            assert_int_equal(depth, 0);
        }
        pr_records_clear(&records);
        pr_profile_free(profile);
    }
}

static void same_stacks_are_ordered_by_allocator(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "f@a.py:1", 0, PR_ALLOC_MMAP, 5, 1);
    add_fact(maker, "f@a.py:1", 0, PR_ALLOC_MALLOC, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_record(&records.record[0], 5, 1, PR_ALLOC_MALLOC, UINT32_MAX);
    assert_record(&records.record[1], 5, 1, PR_ALLOC_MMAP, UINT32_MAX);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

/* The order of two stacks, frame by frame: what the ranks must agree with. */
static int compare_stacks(const struct pr_profile *profile, pr_node_id a, pr_node_id b)
{
    for (; a != PR_ROOT && b != PR_ROOT; a = profile->tree.parent[a], b = profile->tree.parent[b]) {
        const struct pr_frame *x = &profile->frames[profile->tree.frame[a]];
        const struct pr_frame *y = &profile->frames[profile->tree.frame[b]];
        int order = pr_text_compare(pr_profile_text(profile, x->function), pr_profile_text(profile, y->function));
        if (!order)
            order = pr_text_compare(pr_profile_text(profile, x->file), pr_profile_text(profile, y->file));
        if (!order)
            order = (x->line > y->line) - (x->line < y->line);
        if (order)
            return order;
    }
    return (a != PR_ROOT) - (b != PR_ROOT);
}

static void ranks_order_stacks_as_a_comparison_of_their_frames_does(void **state)
{
    (void)state;
    static const char *const names[] = {"f", "g", "ff"};
    uint32_t random = 7;
    for (unsigned turn = 0; turn < 20; turn++) {
        struct maker *maker = maker_new();
        for (int i = 0; i < 6; i++)
            maker_frame(maker, names[i % 3], "a.py", -i / 3, i == 5 ? PR_FRAME_NATIVE : PR_FRAME_PYTHON);
        for (pr_node_id node = 1; node < 200; node++) {
            random = random * 1664525 + 1013904223;
            pr_node_id reach = turn < 10 ? node : node < 3 ? node : 3; /* bushy trees, and deep ones */
            maker_node(maker, node - 1 - (random >> 8) % reach, (random >> 20) % 6);
        }
        struct pr_profile *profile = maker_finish(maker);
        uint32_t rank[200];
        assert_int_equal(pr_stack_ranks(profile, rank, NULL), PR_OK);
        for (pr_node_id a = 0; a < 200; a++) {
            for (pr_node_id b = 0; b < 200; b++) {
                int want = compare_stacks(profile, a, b);
                int got = (rank[a] > rank[b]) - (rank[a] < rank[b]);
                assert_int_equal((want > 0) - (want < 0), got);
            }
        }
        pr_profile_free(profile);
    }
}

/* Two stacks of one function, 200,000 deep and different at the root only, and 2,000 records on each. */
static void deep_stacks_that_differ_at_the_root_end_in_time(void **state)
{
    (void)state;
    enum { DEPTH = 200000, RECORDS = 2000 };
    struct maker *maker = new_maker();
    pr_frame_id root[2] = {maker_frame(maker, "b", "r.py", 1, PR_FRAME_PYTHON),
                           maker_frame(maker, "a", "r.py", 1, PR_FRAME_PYTHON)};
    pr_frame_id frame = maker_frame(maker, "f", "f.py", 1, PR_FRAME_PYTHON);
    for (int i = 0; i < 2; i++) {
        pr_node_id node = maker_node(maker, PR_ROOT, root[i]);
        for (int depth = 0; depth < DEPTH; depth++) {
            node = maker_node(maker, node, frame);
            if (depth >= DEPTH - RECORDS)
                maker_value(maker, maker_fact(maker, node, 0, PR_ALLOC_MALLOC), 0, 1, 1);
        }
    }
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_int_equal(records.count, 2 * RECORDS);
    for (size_t i = 0; i < RECORDS; i++) { /* the shorter first; at one depth, the second tree (root "a") first */
        assert_true(records.record[2 * i].leaf > records.record[2 * i + 1].leaf);
        assert_true(i == 0 || records.record[2 * i].leaf > records.record[2 * i - 2].leaf);
    }
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void totals_stop_at_the_end_of_the_range(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "f@a.py:1", 0, PR_ALLOC_MALLOC, INT64_MAX, INT64_MAX);
    add_fact(maker, "f@a.py:1", 1, PR_ALLOC_MALLOC, 1, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_records records;
    assert_int_equal(pr_records_make(profile, 0, false, &records, NULL), PR_OK);
    assert_record(&records.record[0], INT64_MAX, INT64_MAX, PR_ALLOC_MALLOC, UINT32_MAX);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void a_profile_without_facts_has_no_records(void **state)
{
    (void)state;
    struct pr_profile *profile = maker_finish(new_maker());
    struct pr_records records;
    struct pr_error err = {0};
    assert_int_equal(pr_records_make(profile, 0, true, &records, &err), PR_OK);
    assert_int_equal(records.count, 0);
    pr_records_clear(&records);
    assert_int_equal(pr_records_make(profile, 1, true, &records, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    pr_records_clear(&records);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    add_fact(maker, "a@a.py:1 b@a.py:1", 0, PR_ALLOC_MALLOC, 5, 1);
    add_fact(maker, "a@a.py:1 c@a.py:1", 1, PR_ALLOC_MMAP, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    for (unsigned long n = 1;; n++) {
        struct pr_error err = {0};
        struct pr_records records;
        alloc_fail_at(n);
        enum pr_status status = pr_records_make(profile, 0, false, &records, &err);
        bool failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        assert_int_equal(records.count, failed ? 0 : 2);
        pr_records_clear(&records);
        if (!failed)
            break;
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_records_add_up_threads_but_not_allocators),
        cmocka_unit_test(split_records_keep_threads_apart),
        cmocka_unit_test(hybrid_stacks_keep_records_apart),
        cmocka_unit_test(records_of_nothing_are_left_out),
        cmocka_unit_test(largest_first_then_count_then_stack),
        cmocka_unit_test(same_stacks_are_ordered_by_allocator),
        cmocka_unit_test(ranks_order_stacks_as_a_comparison_of_their_frames_does),
        cmocka_unit_test(deep_stacks_that_differ_at_the_root_end_in_time),
        cmocka_unit_test(totals_stop_at_the_end_of_the_range),
        cmocka_unit_test(a_profile_without_facts_has_no_records),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
