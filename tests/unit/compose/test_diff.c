/* SPDX-License-Identifier: Apache-2.0 */
/* Differences: which functions and files are the same, what a change is attributed to, and running out of memory. */
#include "tests/support/unit.h"

#include "profrender/diff.h"
#include "profrender/table.h"
#include "profrender/window.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/profile_maker.h"
#include "tests/support/load_helpers.h"
#include "tests/support/random_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A stack from the root, and what it holds at the peak. */
struct holding {
    const char *stack;
    int64_t bytes;
};

static struct pr_profile *make(const struct holding *holdings, const char *site_packages, const char *sys_path)
{
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    uint32_t thread = maker_thread(maker, 1, "main");
    for (; holdings->stack; holdings++) {
        size_t fact = maker_fact(maker, maker_stack(maker, holdings->stack), thread, PR_ALLOC_MALLOC);
        maker_value(maker, fact, peak, holdings->bytes, 1);
    }
    struct pr_meta *meta = maker_meta(maker);
    if (site_packages)
        meta->site_packages = maker_paths(maker, (const char *[]){site_packages, NULL}, &meta->site_packages_count);
    if (sys_path)
        meta->sys_path = maker_paths(maker, (const char *[]){sys_path, NULL}, &meta->sys_path_count);
    return maker_finish(maker);
}

static struct pr_diff *compare(struct pr_profile *after, struct pr_profile *before)
{
    struct pr_diff *diff;
    struct pr_error err = {0};
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, after, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, before, &err), PR_OK);
    assert_int_equal(pr_diff_finish(diff, &err), PR_OK);
    check_invariants(diff->profile);
    return diff;
}

/* "function@file:line after before", a line for each row. */
static void assert_rows(struct pr_profile *after, struct pr_profile *before, enum pr_diff_by by, const char *expected)
{
    struct pr_diff *diff = compare(after, before);
    struct pr_diff_table table;
    struct pr_error err = {0};
    char text[2000] = "";
    assert_int_equal(pr_diff_table(diff, 0, by, PR_DIFF_VALUES, &table, &err), PR_OK);
    for (size_t i = 0; i < table.count; i++) {
        const struct pr_diff_row *row = &table.row[i];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s@%s:%d %lld %lld\n",
                 pr_profile_text(diff->profile, row->function).bytes, pr_profile_text(diff->profile, row->file).bytes,
                 (int)row->line, (long long)row->value[0], (long long)row->value[1]);
    }
    assert_string_equal(text, expected);
    pr_diff_table_clear(&table);
    pr_diff_free(diff);
    pr_profile_free(after);
    pr_profile_free(before);
}

static void lines_that_moved_are_the_same_function(void **state)
{
    (void)state;
    assert_rows(make((struct holding[]){{"main@app.py:12 load@io.py:40", 30}, {"main@app.py:12 load@io.py:50", 5}, {0}},
                     NULL, NULL),
                make((struct holding[]){{"main@app.py:9 load@io.py:37", 20}, {0}}, NULL, NULL), PR_DIFF_SELF,
                "load@io.py:40 35 20\n");
}

/* A function that begins at a line, and what it holds at the peak. */
struct twin {
    int32_t begins, line;
    int64_t bytes;
};

static struct pr_profile *make_twins(const struct twin *twins)
{
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, NULL);
    const uint32_t thread = maker_thread(maker, 1, "main");
    const struct twin *first = twins;
    const pr_node_id top = maker_stack(maker, "main@app.py:1");
    for (; twins->bytes; twins++) {
        const pr_frame_id frame = maker_frame(maker, "run", "app.py", twins->line, PR_FRAME_PYTHON);
        const size_t fact = maker_fact(maker, maker_node(maker, top, frame), thread, PR_ALLOC_MALLOC);
        maker_value(maker, fact, peak, twins->bytes, 0);
    }
    struct pr_profile *profile = maker_finish(maker);
    for (size_t i = 0; first + i < twins; i++)
        ((struct pr_frame *)profile->frames)[1 + i].definition_line = first[i].begins;
    return profile;
}

static void two_functions_of_one_name_in_a_file_are_two_rows(void **state)
{
    (void)state;
    assert_rows(make_twins((struct twin[]){{10, 12, 100}, {30, 33, 7}, {0}}),
                make_twins((struct twin[]){{10, 12, 40}, {30, 33, 9}, {0}}), PR_DIFF_SELF,
                "run@app.py:12 100 40\nrun@app.py:33 7 9\n");
    /* Both moved, by different distances; */
    assert_rows(make_twins((struct twin[]){{15, 17, 100}, {50, 53, 7}, {0}}),
                make_twins((struct twin[]){{10, 12, 40}, {30, 33, 9}, {0}}), PR_DIFF_SELF,
                "run@app.py:17 100 40\nrun@app.py:53 7 9\n");
    /* a new one before them; */
    assert_rows(make_twins((struct twin[]){{10, 12, 5}, {20, 22, 100}, {40, 43, 7}, {0}}),
                make_twins((struct twin[]){{10, 12, 40}, {30, 33, 9}, {0}}), PR_DIFF_SELF,
                "run@app.py:12 5 0\nrun@app.py:22 100 40\nrun@app.py:43 7 9\n");
    /* only the second ran before; and one that is alone on both sides is the same one wherever it is. */
    assert_rows(make_twins((struct twin[]){{10, 12, 100}, {30, 33, 7}, {0}}),
                make_twins((struct twin[]){{30, 33, 9}, {0}}), PR_DIFF_SELF,
                "run@app.py:12 100 0\nrun@app.py:33 7 9\n");
    assert_rows(make_twins((struct twin[]){{80, 82, 100}, {0}}), make_twins((struct twin[]){{10, 12, 40}, {0}}),
                PR_DIFF_SELF, "run@app.py:82 100 40\n");
    /* The page distinguishes them too, also one that is gone from a line where another one is now. */
    struct pr_profile *after = make_twins((struct twin[]){{10, 12, 5}, {20, 22, 6}, {50, 52, 7}, {0}});
    struct pr_profile *before = make_twins((struct twin[]){{20, 12, 1}, {30, 32, 2}, {60, 62, 3}, {50, 52, 4}, {0}});
    struct pr_diff *diff = compare(after, before);
    struct pr_error err = {0};
    struct pr_table table;
    assert_int_equal(pr_table_make(diff->profile, 0, PR_BY_CODE, false, &table, &err), PR_OK);
    assert_int_equal(table.count, 4); /* with "main" */
    pr_table_clear(&table);
    pr_diff_free(diff);
    pr_profile_free(after);
    pr_profile_free(before);
}

static void addresses_in_names_do_not_count(void **state)
{
    static const char before[] = "main;<__new__ of type object at 0x91fe00> 10\nmain;f at 0x1 and at 0xFf 4\n";
    static const char after[] = "main;<__new__ of type object at 0x7f3c> 30\nmain;f at 0x2 and at 0x 5\n";
    (void)state;
    assert_rows(reading("collapsed", after, strlen(after), PR_OK), reading("collapsed", before, strlen(before), PR_OK),
                PR_DIFF_SELF, "<__new__ of type object at 0x…>@:0 30 10\nf at 0x… and at 0x…@:0 5 4\n");
}

static void installed_files_are_called_by_where_they_are_installed(void **state)
{
    (void)state;
    assert_rows(make((struct holding[]){{"f@/ci/venv/lib/python3.12/site-packages/np/core.py:1", 3},
                                        {"g@/ci/odd/place/pd/io.py:2", 5},
                                        {"h@/usr/lib/python3.12/json/decoder.py:3", 7},
                                        {0}},
                     "/ci/odd/place", NULL),
                make((struct holding[]){{"f@/home/me/lib/python3.11/site-packages/np/core.py:1", 30},
                                        {"g@/home/me/lib/python3.11/site-packages/pd/io.py:2", 50},
                                        {"h@/opt/py/lib/python3.11/json/decoder.py:3", 70},
                                        {0}},
                     NULL, NULL),
                PR_DIFF_SELF,
                "f@/ci/venv/lib/python3.12/site-packages/np/core.py:1 3 30\n"
                "g@/ci/odd/place/pd/io.py:2 5 50\n"
                "h@/usr/lib/python3.12/json/decoder.py:3 7 70\n");
}

static void own_files_are_called_by_where_they_were_imported_from(void **state)
{
    (void)state;
    assert_rows(make((struct holding[]){{"f@/ci/src/shop/a.py:1", 3}, {"g@/ci/src/b.py:1", 4}, {0}}, NULL, "/ci/src"),
                make((struct holding[]){{"f@/home/me/shop/a.py:1", 5}, {"g@/home/me/b.py:1", 6}, {0}}, NULL,
                     "/home/me"),
                PR_DIFF_SELF, "f@/ci/src/shop/a.py:1 3 5\ng@/ci/src/b.py:1 4 6\n");
}

static void of_unknown_folders_the_pair_that_explains_most_is_taken(void **state)
{
    (void)state;
    /* Two a.py could be meant: b.py shows which. main.py has its own pair of folders. */
    assert_rows(make((struct holding[]){{"f@/ci/build/shop/a.py:1", 1}, {"g@/ci/build/shop/b.py:1", 2},
                                        {"h@/ci/build/main.py:1", 3}, {0}}, NULL, NULL),
                make((struct holding[]){{"f@/home/me/proj/shop/a.py:1", 10}, {"g@/home/me/proj/shop/b.py:1", 20},
                                        {"h@main.py:1", 30}, {"old@/home/me/old/a.py:1", 40}, {0}}, NULL, NULL),
                PR_DIFF_SELF,
                "f@/ci/build/shop/a.py:1 1 10\n"
                "g@/ci/build/shop/b.py:1 2 20\n"
                "h@/ci/build/main.py:1 3 30\n"
                "old@/home/me/old/a.py:1 0 40\n");
}

static void files_that_moved_once_are_known_the_next_time(void **state)
{
    (void)state;
    const struct holding there[] = {{"f@/home/me/shop/a.py:1", 5}, {0}};
    struct pr_profile *profiles[] = {make((struct holding[]){{"f@/ci/shop/a.py:1", 3}, {0}}, NULL, NULL),
                                     make(there, NULL, NULL), make(there, NULL, NULL)};
    struct pr_diff *diff;
    struct pr_diff_table table;
    struct pr_error err = {0};
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pr_diff_add(diff, profiles[i], &err), PR_OK);
        pr_profile_free(profiles[i]);
    }
    assert_int_equal(pr_diff_finish(diff, &err), PR_OK);
    assert_int_equal(pr_diff_table(diff, 0, PR_DIFF_SELF, PR_DIFF_VALUES, &table, &err), PR_OK);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.row[0].value[0], 3);
    assert_int_equal(table.row[0].value[1], 5);
    assert_int_equal(table.row[0].value[2], 5);
    pr_diff_table_clear(&table);
    pr_diff_free(diff);
}

static void a_library_counts_for_the_own_function_that_called_it(void **state)
{
    (void)state;
    const struct holding after[] = {{"main@app.py:1 train@app.py:5 zeros@/v/site-packages/np.py:9", 100},
                                    {"main@app.py:1 load@app.py:8", 7},
                                    {"boot@/v/site-packages/run.py:1", 2},
                                    {0}};
    const struct holding before[] = {{"main@app.py:1 train@app.py:5 zeros@/v/site-packages/np.py:9", 60}, {0}};
    assert_rows(make(after, NULL, NULL), make(before, NULL, NULL), PR_DIFF_OWN,
                "boot@/v/site-packages/run.py:1 2 0\n"
                "load@app.py:8 7 0\n"
                "train@app.py:5 100 60\n");
    assert_rows(make(after, NULL, NULL), make(before, NULL, NULL), PR_DIFF_TOTAL,
                "boot@/v/site-packages/run.py:1 2 0\n"
                "load@app.py:8 7 0\n"
                "main@app.py:1 107 60\n"
                "train@app.py:5 100 60\n"
                "zeros@/v/site-packages/np.py:9 100 60\n");
}

static void a_path_is_the_whole_way(void **state)
{
    (void)state;
    assert_rows(make((struct holding[]){{"a@x.py:1 f@x.py:9", 3}, {"b@x.py:2 f@x.py:9", 4}, {0}}, NULL, NULL),
                make((struct holding[]){{"b@x.py:7 f@x.py:8", 1}, {"", 5}, {0}}, NULL, NULL), PR_DIFF_PATH,
                "@:0 0 5\n"
                "f@x.py:9 3 0\n"
                "f@x.py:9 4 1\n");
}

static void metrics_that_one_lacks_are_left_out(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    struct pr_error err = {0};
    struct pr_diff *diff;
    unsigned time = maker_metric(maker, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    maker_value(maker, maker_fact(maker, maker_stack(maker, "f@x.py:1"), maker_thread(maker, 1, ""), PR_ALLOC_NONE),
                time, 5, 0);
    struct pr_profile *cpu = maker_finish(maker);
    struct pr_profile *memory = make((struct holding[]){{"f@x.py:1", 3}, {0}}, NULL, NULL);
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, cpu, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, memory, &err), PR_OK);
    assert_int_equal(pr_diff_finish(diff, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    pr_diff_free(diff);
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    diff->may_lack_metrics = true;
    assert_int_equal(pr_diff_add(diff, cpu, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, memory, &err), PR_OK);
    assert_int_equal(pr_diff_finish(diff, &err), PR_OK);
    assert_int_equal(diff->metric_count, 0);
    check_invariants(diff->profile);
    pr_diff_free(diff);
    pr_profile_free(cpu);
    pr_profile_free(memory);
}

static enum pr_status try_all(struct pr_profile *after, struct pr_profile *before)
{
    struct pr_diff *diff = NULL;
    struct pr_diff_table table = {0};
    struct pr_error err = {0};
    enum pr_status status = pr_diff_new(&diff, &err);
    if (status == PR_OK)
        status = pr_diff_add(diff, after, &err);
    if (status == PR_OK)
        status = pr_diff_add(diff, before, &err);
    if (status == PR_OK)
        status = pr_diff_finish(diff, &err);
    if (status == PR_OK)
        status = pr_diff_table(diff, 0, PR_DIFF_OWN, PR_DIFF_VALUES, &table, &err);
    assert_true(status == PR_OK || err.code == PR_ERR_MEMORY);
    pr_diff_table_clear(&table);
    pr_diff_free(diff);
    return status;
}

/* As on the card of each run: one claim, one number. */
static void the_peak_rss_of_a_run_is_the_highest_that_is_known(void **state)
{
    static int64_t at_ms[] = {1000, 2000}, high[] = {100, 900}, low[] = {100, 200};
    struct pr_series rss[] = {{.name = "rss", .title = "RSS", .unit = PR_UNIT_BYTES, .count = 2, .at_ms = at_ms},
                              {.name = "rss", .title = "RSS", .unit = PR_UNIT_BYTES, .count = 2, .at_ms = at_ms}};
    struct pr_profile *runs[2];
    (void)state;
    rss[0].value = high;
    rss[1].value = low;
    for (size_t i = 0; i < 2; i++) {
        runs[i] = make((const struct holding[]){{"main@app.py:1", 10}, {NULL, 0}}, NULL, NULL);
        runs[i]->series = &rss[i];
        runs[i]->series_count = 1;
        runs[i]->run.max_rss_bytes = (struct pr_maybe){true, 500};
    }
    struct pr_diff *diff = compare(runs[0], runs[1]);
    assert_int_equal(diff->runs[0].peak_rss_bytes.value, 900);
    assert_int_equal(diff->runs[1].peak_rss_bytes.value, 500);
    pr_diff_free(diff);
    pr_profile_free(runs[0]);
    pr_profile_free(runs[1]);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    struct pr_profile *after = make((struct holding[]){{"a@/ci/x.py:1 f@/ci/y.py:9", 3}, {0}}, "/v/lib", "/v");
    struct pr_profile *before = make((struct holding[]){{"b@/me/x.py:7 f@/me/y.py:8", 1}, {0}}, NULL, NULL);
    for (unsigned long n = 1;; n++) {
        alloc_fail_at(n);
        enum pr_status status = try_all(after, before);
        if (!alloc_fail_stop()) {
            assert_int_equal(status, PR_OK);
            break;
        }
        assert_int_equal(status, PR_FAILED);
    }
    pr_profile_free(after);
    pr_profile_free(before);
}

/* The first half of a run against the second: both sides are what each half has on its own. */
static void parts_of_one_run_are_two_sides(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 12}, 3, 400);
    struct pr_profile *run = reading("memray", capture.out.bytes, capture.out.length, PR_OK), part[2];
    assert_true(run->bin_count > 3);
    const struct pr_window windows[2] = {{run->bin_count / 2, run->bin_count - 1}, {0, run->bin_count / 2 - 1}};
    void *columns[2];
    struct pr_error err = {0};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pr_window_view(run, &windows[i], &part[i], &columns[i], &err), PR_OK);
    struct pr_diff *diff = compare(&part[0], &part[1]);
    assert_int_equal(diff->metric_count, 2); /* peak and leaks: the others are unknown for part of a run */
    for (uint32_t m = 0; m < 2; m++) {
        struct pr_diff_table table;
        int64_t sum[2] = {0};
        assert_int_equal(pr_diff_table(diff, m, PR_DIFF_SELF, PR_DIFF_VALUES, &table, &err), PR_OK);
        for (size_t row = 0; row < table.count; row++)
            for (size_t i = 0; i < 2; i++)
                sum[i] += table.row[row].value[i];
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(sum[i], part[i].metrics[m].total_value);
        assert_int_not_equal(sum[0], sum[1]);
        pr_diff_table_clear(&table);
    }
    pr_diff_free(diff);
    for (size_t i = 0; i < 2; i++)
        free(columns[i]);
    pr_profile_free(run);
    capture_clear(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_run_are_two_sides),
        cmocka_unit_test(lines_that_moved_are_the_same_function),
        cmocka_unit_test(two_functions_of_one_name_in_a_file_are_two_rows),
        cmocka_unit_test(addresses_in_names_do_not_count),
        cmocka_unit_test(installed_files_are_called_by_where_they_are_installed),
        cmocka_unit_test(own_files_are_called_by_where_they_were_imported_from),
        cmocka_unit_test(of_unknown_folders_the_pair_that_explains_most_is_taken),
        cmocka_unit_test(files_that_moved_once_are_known_the_next_time),
        cmocka_unit_test(a_library_counts_for_the_own_function_that_called_it),
        cmocka_unit_test(a_path_is_the_whole_way),
        cmocka_unit_test(metrics_that_one_lacks_are_left_out),
        cmocka_unit_test(the_peak_rss_of_a_run_is_the_highest_that_is_known),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
