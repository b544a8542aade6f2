/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks, as several tools write them. */
#include "tests/support/unit.h"

#include "capture/base/text.h"
#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

static void lines_add_up(void **state)
{
    (void)state;
    assert_stacks("collapsed", "a;b c 1\r\n\r\na;b c 2\na 4\n", "weight", "0|a 4\n0|a;b c 3\n");
    assert_stacks("collapsed", "a;b 1\na;b 2", "weight", "0|a;b 3\n"); /* no newline at the end */
}

static void a_line_may_have_no_stack(void **state)
{
    (void)state;
    assert_stacks("collapsed", " 7\na;b 1\n", "weight", "0| 7\n0|a;b 1\n");
}

static void places_come_out_of_names(void **state)
{
    (void)state;
    assert_stacks("collapsed", "<module> (etl.py:57);f (C:\\x (1).py:3);g (libc.so.6);h(int) 5\n", "weight",
                  "0|<module> etl.py:57;f (C:\\x 1).py:3;g libc.so.6;h(int) 5\n");
}

static void places_follow_a_dash_in_frames_of_rbspy(void **state)
{
    (void)state;
    assert_stacks("collapsed",
                  "<main> - bin/shop:14;block in cart - /a b/shop.rb:3;(unknown) [c function] - (unknown) 5\n"
                  "now - <internal:timev>:225;a - b;operator - (int) 2\n",
                  "weight",
                  "0|<main> bin/shop:14;block in cart /a b/shop.rb:3;(unknown) [c function] 5\n"
                  "0|now <internal:timev>:225;a - b;operator - (int) 2\n");
}

static void kinds_follow_from_places(void **state)
{
    static const char text[] = "a (x.py:1);b (libc.so.6);c_[k];[idle];main;sleep [c function] - (unknown) 1\n";
    static const uint32_t kinds[] = {PR_FRAME_PYTHON, PR_FRAME_NATIVE, PR_FRAME_KERNEL, PR_FRAME_OTHER,
                                     PR_FRAME_NATIVE, PR_FRAME_NATIVE};
    struct pr_profile *profile = reading("collapsed", text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->frame_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(profile->frames[i].kind, kinds[i]);
    assert_null(profile->fact_allocator);
    pr_profile_free(profile);
}

/*
 * Of perf's collapsers: only the runtime or the kernel calls what begins a stack. The name of a process may be a
 * function's too.
 */
static void names_of_processes_are_not_functions(void **state)
{
    static const struct {
        const char *text;
        uint32_t root;
    } cases[] = {{"sort;[unknown];f 1\nsort;_start;main;sort 2\n", PR_FRAME_OTHER},
                 {"sort;__libc_start_call_main;main;sort 1\n", PR_FRAME_OTHER},
                 {"sort;start_thread;sort 1\n", PR_FRAME_OTHER},
                 {"kworker/0:1;ret_from_fork_[k];sort 1\n", PR_FRAME_OTHER},
                 {"sort;main;sort 1\n", PR_FRAME_NATIVE}, /* not known: another function may be called main */
                 {"sort;[unknown];sort 1\n", PR_FRAME_NATIVE},
                 {"swapper;secondary_startup_64_no_verify_[k];start_secondary_[k] 1\n", PR_FRAME_OTHER},
                 {"swapper;start_secondary_[k] 1\n", PR_FRAME_OTHER},
                 {"swapper;x86_64_start_kernel_[k] 1\n", PR_FRAME_OTHER},
                 {"secondary_startup_64;start_secondary 1\n", PR_FRAME_NATIVE},
                 {"clone3;start_thread;sort 1\n", PR_FRAME_NATIVE},
                 {"__GI___clone3;start_thread;sort 1\n", PR_FRAME_NATIVE},
                 {"_dl_start_user;_start;sort 1\n", PR_FRAME_NATIVE},
                 {"0x7f001234;start_thread;sort 1\n", PR_FRAME_NATIVE},
                 {"_start;__libc_start_main_impl;sort 1\n", PR_FRAME_NATIVE},
                 {"__libc_start_main_impl;__libc_start_call_main;sort 1\n", PR_FRAME_NATIVE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_profile *profile = reading("collapsed", cases[i].text, strlen(cases[i].text), PR_OK);
        for (pr_node_id node = 1; node < profile->tree.count; node++) {
            const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
            const bool is_first = profile->tree.parent[node] == PR_ROOT;
            assert_int_equal(frame->kind, is_first ? cases[i].root
                                          : pr_text_ends(pr_profile_text(profile, frame->function), "_[k]")
                                              ? PR_FRAME_KERNEL
                                              : PR_FRAME_NATIVE);
        }
        pr_profile_free(profile);
    }
}

static void threads_and_processes_are_not_frames(void **state)
{
    (void)state;
    assert_stacks("collapsed",
                  "process 12:\"python a;b.py\";thread (0x1F): worker;f (a.py:1) 1\n"
                  "process 12:\"python a;b.py\";thread (24);f (a.py:1) 2\n"
                  "thread (MainThread);f (a.py:1) 3\n"
                  "thread (24) 4\n"
                  "process 12:\"python a;b.py\";process 13:\"sh\";thread (13): Main;g (a.py:2) 5\n",
                  "weight", "13[Main]|g a.py:2 5\n1[MainThread]|f a.py:1 3\n24| 4\n24|f a.py:1 2\n"
                            "31[worker]|f a.py:1 1\n");
}

/* Of one process and the next, those in quotes alone may have a `;` in their names. */
static void only_quotes_of_a_process_go_beyond_its_frame(void **state)
{
    (void)state;
    assert_stacks("collapsed",
                  "process 1;thread (2);f (a.py:1);say \"x\";g 1\n"
                  "process 1:\"a;thread (3);f (a.py:1) 2\n"
                  "process 1:\";a;\";process 4:\"\";thread (4);f (a.py:1) 4\n",
                  "weight", "2|f a.py:1;say \"x\";g 1\n3|f a.py:1 2\n4|f a.py:1 4\n");
}

/* A line that was searched for the end of quotes at each of them took 10^12 bytes. */
static void many_processes_in_a_line_do_not_each_search_it(void **state)
{
    static const char *const process[] = {"process 1;", "process 1:\"a;"};
    enum { TIMES = 400000 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pr_buf text = {0};
        for (int time = 0; time < TIMES; time++)
            pr_buf_add(&text, process[i], strlen(process[i]));
        pr_buf_add(&text, "f 5\n", 4);
        struct pr_profile *profile = reading("collapsed", (const char *)text.bytes, text.length, PR_OK);
        assert_int_equal(profile->metrics[0].total_value, 5);
        pr_profile_free(profile);
        pr_buf_clear(&text);
    }
}

static void stacks_of_fil_are_bytes_at_the_peak(void **state)
{
    static const char text[] = "<frozen runpy>:291 (run_path);m.py:10 (<module>);m.py:3 (lists);"
                               "m.py:3 (<listcomp>) 900\n"
                               "/srv/a b.py:4 (Käse.make) 20\n"
                               "[No Python stack] 3\n";
    struct pr_profile *profile = reading("collapsed", text, strlen(text), PR_OK);
    (void)state;
    assert_metric(profile, "peak",
                  "0|Käse.make /srv/a b.py:4 20\n"
                  "0|[No Python stack] 3\n"
                  "0|run_path <frozen runpy>:291;<module> m.py:10;lists m.py:3;<listcomp> m.py:3 900\n");
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_BYTES);
    assert_note(profile, "recorded by Fil, which leaves out the smallest stacks");
    pr_profile_free(profile);
}

static void brackets_behind_a_number_are_no_name(void **state)
{
    (void)state;
    assert_stacks("collapsed", "main;std::get:3 (int);f:1 (b.py:2);g :4 (x) 1\n", "weight",
                  "0|main;std::get:3 (int);f:1 b.py:2;g :4 (x) 1\n");
}

static void weights_may_have_fractions_and_be_negative(void **state)
{
    static const char text[] = "a;b 0.25\na;c 1.5\na;b -1\n";
    struct pr_profile *profile = reading("collapsed", text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->metrics[0].decimals, 2);
    assert_int_equal(profile->metrics[0].total_value, 75);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NONE);
    assert_null(profile->metrics[0].count);
    pr_profile_free(profile);
}

static void huge_weights_are_held_not_wrapped(void **state)
{
    (void)state;
    assert_damaged_stacks("collapsed", "a 9223372036854775807\na 5\nb 99999999999999999999999\n", "weight",
                  "0|a 9223372036854775807\n0|b 9223372036854775807\n", PR_DAMAGE_BOUNDED, 2);
}

static void a_difference_has_two_metrics(void **state)
{
    static const char text[] = "a;b 10 15\na;c 3 0\n";
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->metric_count, 2);
    assert_int_equal(profile->metrics[0].total_value, 15);
    assert_int_equal(profile->metrics[1].total_value, 13);
    assert_string_equal(profile->metrics[1].name, "before");
    pr_profile_free(profile);
    assert_stacks("collapsed", "worker 1 10\nworker 1 15\n", "weight", "0|worker 1 25\n"); /* a stack twice: a name */
}

static void other_lines_are_counted_not_hidden(void **state)
{
    static const char text[] = "a;b 1\nthis is no stack\na;c 2\n";
    struct pr_profile *profile = reading("collapsed", text, strlen(text), PR_CUT);
    (void)state;
    assert_int_equal(profile->metrics[0].total_value, 3);
    assert_damage(profile, PR_DAMAGE_LINES, 1);
    pr_profile_free(profile);
    assert_null(reading("collapsed", "no stack\nat all\n", 16, PR_FAILED));
    for (size_t length = strlen("a;b 1\n"); length++ < strlen("a;b 1\na;b c");)
        pr_profile_free(reading(NULL, "a;b 1\na;b c", length, PR_CUT));
    assert_null(reading(NULL, "a 1\na", 5, PR_FAILED)); /* any text may look so */
}

static void other_texts_are_not_taken(void **state)
{
    static const char *const texts[] = {
        "hello world\n",
        "{\n  \"a\": 12\n}\n",
        "a;b 1\nhello\n",
        "# austin: 3.7.0\nP1;T1;f.py:f:1 100\n",
        "desc: --massif\ncmd: x\nsnapshot=0\n",
        "a\1b 5\n",
        "\n\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        enum pr_status status = pr_load_memory("test", texts[i], strlen(texts[i]), NULL, &profile, &err);
        if (status != PR_FAILED && !strcmp(profile->meta.format, "collapsed"))
            fail_msg("taken: %s", texts[i]);
        pr_profile_free(profile);
    }
}

static void a_stack_of_a_megabyte_is_recognised(void **state)
{
    enum { FRAMES = 60000 };
    char *text = malloc(FRAMES * 8 + 16), *at = text;
    (void)state;
    assert_non_null(text);
    for (int i = 0; i < FRAMES; i++, at += 8)
        memcpy(at, "depth42;", 8);
    memcpy(at, "x 3\n", 4);
    struct pr_profile *profile = reading(NULL, text, (size_t)(at - text) + 4, PR_OK);
    assert_int_equal(profile->tree.count, FRAMES + 2);
    assert_int_equal(profile->frame_count, 2);
    pr_profile_free(profile);
    free(text);
}

static void limits_keep_what_came_before(void **state)
{
    static const char text[] = "a;b 1\nc;d 2\ne;f 4\n";
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    (void)state;
    options.limits.max_nodes = 5; /* with the root */
    assert_int_equal(pr_load_memory("test", text, strlen(text), &options, &profile, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    assert_int_equal(profile->metrics[0].total_value, 3);
    pr_profile_free(profile);
}

static void damage_is_survived(void **state)
{
    static const char text[] = "process 1:\"x\";thread (2): n;f (a.py:1);g 1.5\na;b 2\n";
    (void)state;
    assert_survives_damage("collapsed", text, strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_add_up),
        cmocka_unit_test(a_line_may_have_no_stack),
        cmocka_unit_test(places_come_out_of_names),
        cmocka_unit_test(places_follow_a_dash_in_frames_of_rbspy),
        cmocka_unit_test(kinds_follow_from_places),
        cmocka_unit_test(names_of_processes_are_not_functions),
        cmocka_unit_test(threads_and_processes_are_not_frames),
        cmocka_unit_test(only_quotes_of_a_process_go_beyond_its_frame),
        cmocka_unit_test(many_processes_in_a_line_do_not_each_search_it),
        cmocka_unit_test(stacks_of_fil_are_bytes_at_the_peak),
        cmocka_unit_test(brackets_behind_a_number_are_no_name),
        cmocka_unit_test(weights_may_have_fractions_and_be_negative),
        cmocka_unit_test(huge_weights_are_held_not_wrapped),
        cmocka_unit_test(a_difference_has_two_metrics),
        cmocka_unit_test(other_lines_are_counted_not_hidden),
        cmocka_unit_test(other_texts_are_not_taken),
        cmocka_unit_test(a_stack_of_a_megabyte_is_recognised),
        cmocka_unit_test(limits_keep_what_came_before),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests_name("collapsed", tests, NULL, NULL);
}
