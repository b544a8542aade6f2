/* SPDX-License-Identifier: Apache-2.0 */
/* The flat table: what makes a row, and that a stack counts once for it. */
#include "tests/support/unit.h"

#include "profrender/table.h"

#include "capture/model/nameless.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdio.h>

static struct maker *new_maker(const char *count_name)
{
    struct maker *maker = maker_new();
    maker_metric(maker, "main", "Main", PR_UNIT_BYTES, count_name);
    maker_thread(maker, 20, "main");
    maker_thread(maker, 10, "worker");
    return maker;
}

static void add_fact(struct maker *maker, const char *stack, uint32_t thread, enum pr_allocator allocator,
                     int64_t value, int64_t count)
{
    maker_value(maker, maker_fact(maker, maker_stack(maker, stack), thread, allocator), 0, value, count);
}

static struct pr_table make_table(const struct pr_profile *profile, enum pr_group_by group, bool split_threads)
{
    struct pr_table table;
    assert_int_equal(pr_table_make(profile, 0, group, split_threads, &table, NULL), PR_OK);
    return table;
}

/* Row I is "function@file:line"; total and self. */
static void assert_row(const struct pr_profile *profile, const struct pr_table *table, size_t i, const char *place,
                       int64_t total, int64_t self)
{
    char text[256];
    assert_true(i < table->count);
    const struct pr_row *row = &table->row[i];
    snprintf(text, sizeof text, "%s@%s:%d", pr_profile_text(profile, row->function).bytes,
             pr_profile_text(profile, row->file).bytes, row->line);
    assert_string_equal(text, place);
    assert_int_equal(row->total, total);
    assert_int_equal(row->self, self);
}

static void a_stack_counts_once_however_often_the_function_recurs(void **state)
{
    (void)state;
    struct maker *maker = new_maker(NULL);
    add_fact(maker, "a@m.py:1 b@m.py:2 a@m.py:1 b@m.py:2", 0, PR_ALLOC_NONE, 10, 0);
    add_fact(maker, "a@m.py:1 b@m.py:2 a@m.py:1", 0, PR_ALLOC_NONE, 5, 0);
    add_fact(maker, "b@m.py:2 a@m.py:1", 0, PR_ALLOC_NONE, 2, 0);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_LOCATION, false);
    assert_int_equal(table.count, 2);
    assert_row(profile, &table, 0, "b@m.py:2", 17, 10);
    assert_row(profile, &table, 1, "a@m.py:1", 17, 7);
    assert_int_equal(table.total_value, 17);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void two_functions_of_a_name_in_a_file_are_two_rows_by_code(void **state)
{
    (void)state;
    struct maker *maker = new_maker(NULL);
    add_fact(maker, "f@m.py:2 f@m.py:9", 0, PR_ALLOC_NONE, 10, 0);
    add_fact(maker, "g@m.py:20 f@m.py:3", 0, PR_ALLOC_NONE, 5, 0);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_frame *frames = (struct pr_frame *)profile->frames;
    for (uint32_t i = 0; i < profile->frame_count; i++)
        frames[i].definition_line = frames[i].line < 8 ? 1 : frames[i].line < 20 ? 8 : 19;
    struct pr_table table = make_table(profile, PR_BY_CODE, false);
    assert_int_equal(table.count, 3);
    assert_row(profile, &table, 0, "f@m.py:1", 15, 5);
    assert_row(profile, &table, 1, "f@m.py:8", 10, 10);
    assert_row(profile, &table, 2, "g@m.py:0", 5, 0); /* its name says which it is */
    pr_table_clear(&table);
    table = make_table(profile, PR_BY_NAME, false);
    assert_int_equal(table.count, 2);
    assert_row(profile, &table, 0, "f@m.py:0", 15, 15);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void a_row_points_at_its_heaviest_node(void **state)
{
    (void)state;
    struct maker *maker = new_maker(NULL);
    add_fact(maker, "a@m.py:1 f@m.py:2", 0, PR_ALLOC_NONE, 3, 0);
    add_fact(maker, "b@m.py:1 f@m.py:2", 0, PR_ALLOC_NONE, 4, 0);
    add_fact(maker, "c@m.py:1 f@m.py:2", 0, PR_ALLOC_NONE, 4, 0);
    pr_node_id heaviest = maker_stack(maker, "b@m.py:1 f@m.py:2");
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_LOCATION, false);
    assert_row(profile, &table, 0, "f@m.py:2", 11, 11);
    assert_int_equal(table.row[0].node, heaviest);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void functions_are_one_row_whatever_the_line_outside_of_memory(void **state)
{
    (void)state;
    struct maker *maker = new_maker("samples");
    add_fact(maker, "f@m.py:1", 0, PR_ALLOC_NONE, 3, 1);
    add_fact(maker, "f@m.py:2", 0, PR_ALLOC_NONE, 4, 1);
    add_fact(maker, "f@other.py:2", 0, PR_ALLOC_NONE, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 2);
    assert_row(profile, &table, 0, "f@m.py:0", 7, 7);
    assert_row(profile, &table, 1, "f@other.py:0", 5, 5);
    assert_int_equal(table.row[0].self_count, 2);
    assert_int_equal(table.row[0].total_count, 2);
    assert_int_equal(table.total_count, 3);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void comprehensions_of_two_functions_are_two_rows(void **state)
{
    (void)state;
    struct maker *maker = new_maker("samples");
    add_fact(maker, "f@m.py:1 <listcomp>@m.py:1", 0, PR_ALLOC_NONE, 3, 1);
    add_fact(maker, "g@m.py:5 <listcomp>@m.py:6", 0, PR_ALLOC_NONE, 4, 1);
    add_fact(maker, "g@m.py:5 <listcomp>@m.py:5", 0, PR_ALLOC_NONE, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(pr_nameless_settle(profile, NULL), PR_OK);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 4);
    for (size_t i = 0; i < table.count; i++)
        if (table.row[i].self)
            assert_row(profile, &table, i, table.row[i].self == 3 ? "<listcomp>@m.py:1" : "<listcomp>@m.py:5",
                       table.row[i].self == 3 ? 3 : 9, table.row[i].self == 3 ? 3 : 9);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void a_function_without_a_first_line_has_no_line_of_another(void **state)
{
    (void)state;
    struct maker *maker = new_maker("samples");
    add_fact(maker, "f@m.py:1", 0, PR_ALLOC_NONE, 3, 1);
    add_fact(maker, "f@m.py:5", 0, PR_ALLOC_NONE, 4, 1);
    add_fact(maker, "f@m.py:7", 0, PR_ALLOC_NONE, 5, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_frame *frames = (struct pr_frame *)profile->frames;
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        frames[i].definition_line = frames[i].line < 7 ? frames[i].line : 0;
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 3);
    assert_row(profile, &table, 0, "f@m.py:0", 5, 5);
    assert_row(profile, &table, 1, "f@m.py:5", 4, 4);
    assert_row(profile, &table, 2, "f@m.py:1", 3, 3);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void functions_of_memory_are_rows_by_line_and_allocator(void **state)
{
    (void)state;
    struct maker *maker = new_maker("allocations");
    add_fact(maker, "main@m.py:9 f@m.py:1", 0, PR_ALLOC_MALLOC, 30, 3);
    add_fact(maker, "main@m.py:9 f@m.py:1", 0, PR_ALLOC_MMAP, 40, 1);
    add_fact(maker, "main@m.py:9 f@m.py:2", 1, PR_ALLOC_MALLOC, 50, 2);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 5);
    assert_row(profile, &table, 0, "main@m.py:9", 80, 0);
    assert_int_equal(table.row[0].allocator, PR_ALLOC_MALLOC);
    assert_int_equal(table.row[0].total_count, 5);
    assert_row(profile, &table, 1, "f@m.py:2", 50, 50);
    assert_row(profile, &table, 2, "f@m.py:1", 40, 40);
    assert_int_equal(table.row[2].allocator, PR_ALLOC_MMAP);
    assert_row(profile, &table, 3, "main@m.py:9", 40, 0);
    assert_int_equal(table.row[3].allocator, PR_ALLOC_MMAP);
    assert_row(profile, &table, 4, "f@m.py:1", 30, 30);
    assert_int_equal(table.row[4].allocator, PR_ALLOC_MALLOC);
    pr_table_clear(&table);

    table = make_table(profile, PR_BY_LOCATION, false);
    assert_int_equal(table.count, 3);
    assert_row(profile, &table, 0, "main@m.py:9", 120, 0);
    assert_row(profile, &table, 1, "f@m.py:1", 70, 70);
    assert_int_equal(table.row[1].allocator, PR_ALLOC_NONE);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void modules_are_files(void **state)
{
    (void)state;
    struct maker *maker = new_maker("allocations");
    add_fact(maker, "main@m.py:9 f@m.py:1 g@lib.py:3", 0, PR_ALLOC_MALLOC, 30, 3);
    add_fact(maker, "main@m.py:9 f@m.py:2", 0, PR_ALLOC_MMAP, 7, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FILE, false);
    assert_int_equal(table.count, 2);
    assert_row(profile, &table, 0, "@m.py:0", 37, 7);
    assert_row(profile, &table, 1, "@lib.py:0", 30, 30);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void allocations_without_a_stack_have_a_row_of_their_own(void **state)
{
    (void)state;
    struct maker *maker = new_maker("allocations");
    add_fact(maker, "", 0, PR_ALLOC_MALLOC, 8, 1);
    add_fact(maker, "f@m.py:1", 0, PR_ALLOC_MALLOC, 8, 1);
    pr_node_id unknown = maker_node(maker, PR_ROOT, maker_frame(maker, "", "", 0, PR_FRAME_PYTHON));
    maker_value(maker, maker_fact(maker, unknown, 0, PR_ALLOC_MALLOC), 0, 8, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 3);
    assert_row(profile, &table, 0, "@:0", 8, 8); /* a frame of which nothing is known is not the same as no stack */
    assert_false(table.row[0].no_stack);
    assert_row(profile, &table, 1, "@:0", 8, 8);
    assert_true(table.row[1].no_stack);
    assert_int_equal(table.row[1].node, PR_ROOT);
    assert_row(profile, &table, 2, "f@m.py:1", 8, 8);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void split_tables_have_a_row_for_each_thread(void **state)
{
    (void)state;
    struct maker *maker = new_maker("samples");
    add_fact(maker, "main@m.py:1 f@m.py:2", 0, PR_ALLOC_NONE, 3, 1);
    add_fact(maker, "main@m.py:1 f@m.py:2", 1, PR_ALLOC_NONE, 3, 1);
    add_fact(maker, "main@m.py:1", 1, PR_ALLOC_NONE, 1, 1);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, true);
    assert_int_equal(table.count, 4);
    assert_row(profile, &table, 0, "main@m.py:0", 4, 1);
    assert_int_equal(table.row[0].thread, 1);
    assert_row(profile, &table, 1, "f@m.py:0", 3, 3);
    assert_int_equal(table.row[1].thread, 1); /* tid 10 before tid 20 */
    assert_row(profile, &table, 2, "f@m.py:0", 3, 3);
    assert_int_equal(table.row[2].thread, 0);
    assert_row(profile, &table, 3, "main@m.py:0", 3, 0);
    pr_table_clear(&table);
    table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.row[0].thread, UINT32_MAX);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void rows_of_nothing_are_left_out(void **state)
{
    (void)state;
    struct maker *maker = new_maker("allocations");
    add_fact(maker, "f@m.py:1", 0, PR_ALLOC_MALLOC, 0, 0);
    add_fact(maker, "g@m.py:1", 0, PR_ALLOC_MALLOC, 0, 2);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, false);
    assert_int_equal(table.count, 1);
    assert_row(profile, &table, 0, "g@m.py:1", 0, 0);
    assert_int_equal(table.row[0].total_count, 2);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void a_profile_without_facts_has_no_rows(void **state)
{
    (void)state;
    struct pr_profile *profile = maker_finish(new_maker(NULL));
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, true);
    assert_int_equal(table.count, 0);
    pr_table_clear(&table);
    struct pr_error err = {0};
    assert_int_equal(pr_table_make(profile, 1, PR_BY_FUNCTION, false, &table, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

/* Whether the frame of NODE makes the same row as ROW, when grouped by location. */
static bool is_of_row(const struct pr_profile *profile, const struct pr_row *row, pr_node_id node)
{
    const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
    return node == PR_ROOT ? row->no_stack
                           : !row->no_stack && frame->function == row->function && frame->file == row->file &&
                                 frame->line == row->line;
}

/* What a row must have, from its definition: each fact's stack is walked. */
static void assert_row_by_definition(const struct pr_profile *profile, const struct pr_row *row)
{
    struct pr_row sum = {0};
    for (size_t i = 0; i < profile->fact_count; i++) {
        pr_node_id node = profile->fact_leaf[i];
        if (row->thread != UINT32_MAX && profile->fact_thread[i] != row->thread)
            continue;
        if (is_of_row(profile, row, node)) {
            sum.self += profile->metrics[0].value[i];
            sum.self_count += profile->metrics[0].count[i];
        }
        while (node != PR_ROOT && !is_of_row(profile, row, node))
            node = profile->tree.parent[node];
        if (node != PR_ROOT || (row->no_stack && profile->fact_leaf[i] == PR_ROOT)) {
            sum.total += profile->metrics[0].value[i];
            sum.total_count += profile->metrics[0].count[i];
        }
    }
    assert_int_equal(row->self, sum.self);
    assert_int_equal(row->self_count, sum.self_count);
    assert_int_equal(row->total, sum.total);
    assert_int_equal(row->total_count, sum.total_count);
}

static void rows_are_what_walking_every_stack_gives(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (unsigned turn = 0; turn < 40; turn++) {
        struct maker *maker = new_maker("samples");
        uint32_t frames = 2 + turn % 7;
        for (uint32_t i = 0; i < frames; i++)
            maker_frame(maker, (const char *[]){"f", "g"}[i % 2], "a.py", (int)i / 2, PR_FRAME_PYTHON);
        for (pr_node_id node = 1; node < 120; node++) {
            random = random * 1664525 + 1013904223;
            pr_node_id reach = turn % 2 ? node : node < 4 ? node : 4;
            maker_node(maker, node - 1 - (random >> 8) % reach, (random >> 20) % frames);
        }
        for (int i = 0; i < 60; i++) {
            random = random * 1664525 + 1013904223;
            size_t fact = maker_fact(maker, (random >> 8) % 120, (random >> 16) % 2, PR_ALLOC_NONE);
            maker_value(maker, fact, 0, (random >> 20) % 5, (random >> 24) % 3);
        }
        struct pr_profile *profile = maker_finish(maker);
        struct pr_table table = make_table(profile, PR_BY_LOCATION, turn % 3 == 0);
        assert_true(table.count > 0);
        int64_t self = 0;
        for (size_t i = 0; i < table.count; i++) {
            assert_row_by_definition(profile, &table.row[i]);
            assert_true(is_of_row(profile, &table.row[i], table.row[i].node));
            assert_true(i == 0 || table.row[i - 1].total >= table.row[i].total);
            self += table.row[i].self;
        }
        assert_int_equal(self, table.total_value);
        pr_table_clear(&table);
        pr_profile_free(profile);
    }
}

/* 1,000 threads, each with one sample below 100,000 frames of two functions: work by thread must not be by depth. */
static void many_threads_on_deep_stacks_end_in_time(void **state)
{
    (void)state;
    enum { DEPTH = 100000, THREADS = 1000 };
    struct maker *maker = new_maker(NULL);
    pr_frame_id frame[2] = {maker_frame(maker, "f", "f.py", 1, PR_FRAME_PYTHON),
                            maker_frame(maker, "g", "f.py", 1, PR_FRAME_PYTHON)};
    pr_node_id node = PR_ROOT;
    for (int i = 0; i < DEPTH; i++)
        node = maker_node(maker, node, frame[i % 2]);
    for (unsigned i = 0; i < THREADS; i++)
        maker_value(maker, maker_fact(maker, node, maker_thread(maker, 100 + i, ""), PR_ALLOC_NONE), 0, 1, 0);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_table table = make_table(profile, PR_BY_FUNCTION, true);
    assert_int_equal(table.count, 2 * THREADS);
    assert_row(profile, &table, 0, "g@f.py:0", 1, 1);
    assert_row(profile, &table, THREADS, "f@f.py:0", 1, 0);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct maker *maker = new_maker("allocations");
    add_fact(maker, "main@m.py:9 f@m.py:1", 0, PR_ALLOC_MALLOC, 30, 3);
    add_fact(maker, "main@m.py:9 f@m.py:2", 1, PR_ALLOC_MMAP, 50, 2);
    struct pr_profile *profile = maker_finish(maker);
    for (unsigned long n = 1;; n++) {
        struct pr_error err = {0};
        struct pr_table table;
        alloc_fail_at(n);
        enum pr_status status = pr_table_make(profile, 0, PR_BY_FUNCTION, true, &table, &err);
        bool failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        assert_int_equal(table.count, failed ? 0 : 4);
        pr_table_clear(&table);
        if (!failed)
            break;
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_counts_once_however_often_the_function_recurs),
        cmocka_unit_test(two_functions_of_a_name_in_a_file_are_two_rows_by_code),
        cmocka_unit_test(a_row_points_at_its_heaviest_node),
        cmocka_unit_test(functions_are_one_row_whatever_the_line_outside_of_memory),
        cmocka_unit_test(comprehensions_of_two_functions_are_two_rows),
        cmocka_unit_test(a_function_without_a_first_line_has_no_line_of_another),
        cmocka_unit_test(functions_of_memory_are_rows_by_line_and_allocator),
        cmocka_unit_test(modules_are_files),
        cmocka_unit_test(allocations_without_a_stack_have_a_row_of_their_own),
        cmocka_unit_test(split_tables_have_a_row_for_each_thread),
        cmocka_unit_test(rows_of_nothing_are_left_out),
        cmocka_unit_test(a_profile_without_facts_has_no_rows),
        cmocka_unit_test(rows_are_what_walking_every_stack_gives),
        cmocka_unit_test(many_threads_on_deep_stacks_end_in_time),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
