/* SPDX-License-Identifier: Apache-2.0 */
/* Comprehensions, generator expressions and lambdas are called after the function that they are in, if it is known. */
#include "tests/support/unit.h"

#include "capture/base/text.h"
#include "capture/model/functions.h"
#include "capture/model/nameless.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pr_profile *made(const char *const *stacks)
{
    struct maker *maker = maker_new();
    for (size_t i = 0; stacks[i]; i++)
        maker_stack(maker, stacks[i]);
    return maker_finish(maker);
}

/* WORDS is what the innermost frame of the last of STACKS is called. */
static void assert_called(const char *const *stacks, const char *words)
{
    struct pr_profile *profile = made(stacks);
    struct pr_error err;
    assert_int_equal(pr_nameless_settle(profile, &err), PR_OK);
    const pr_node_id leaf = profile->tree.count - 1;
    const struct pr_text shown = pr_shown_function(profile, profile->tree.frame[leaf]);
    if (shown.length != strlen(words) || memcmp(shown.bytes, words, shown.length) != 0)
        fail_msg("%.*s, not %s", (int)shown.length, shown.bytes, words);
    pr_profile_free(profile);
}

#define IN(function, kind) function " \xE2\x80\xBA " kind
#define CALLED(words, ...) assert_called((const char *const[]){__VA_ARGS__, NULL}, words)

static void names_that_contain_their_function(void **state)
{
    (void)state;
    CALLED(IN("load", "list comprehension"), "load.<locals>.<listcomp>@a.py:3");
    CALLED(IN("lags", "list comprehension"), "lags.<locals>.<dictcomp>.<listcomp>@a.py:3");
    CALLED(IN("A.f.<locals>.g", "generator expression"), "A.f.<locals>.g.<locals>.<genexpr>@a.py:3");
    CALLED("lambda", "<lambda>@a.py:3");
    for (size_t i = 0; i < 5; i++) {
        static const char *const names[] = {"load@a.py:1", "<module>@a.py:1", "operator<@a.py:1", "f<listcomp>@a.py:1",
                                            "<listcomp>x@a.py:1"};
        char name[32];
        snprintf(name, sizeof name, "%s", names[i]);
        *strchr(name, '@') = '\0';
        CALLED(name, names[i]);
    }
}

static void a_comprehension_runs_in_its_function(void **state)
{
    (void)state;
    CALLED(IN("load", "list comprehension"), "main@a.py:9 load@a.py:5 <listcomp>@a.py:5");
    CALLED(IN("load", "set comprehension"), "load@a.py:5 <dictcomp>@a.py:5 <setcomp>@a.py:6");
    CALLED(IN("load", "list comprehension"), "load@a.py:0 <listcomp>@a.py:0");     /* also without lines */
    CALLED("list comprehension", "load@b.py:5 <listcomp>@a.py:5");                 /* of another file: cut stacks */
    CALLED("list comprehension", "load@a.py:5 sorted@b.py:5 <listcomp>@a.py:5");
    CALLED("list comprehension", "<listcomp>@a.py:5");
    CALLED("list comprehension", "load@a.py:0 <listcomp>@a.py:0", "save@a.py:0 <listcomp>@a.py:0"); /* of two */
    CALLED(IN("save", "list comprehension"), "load@a.py:3 <listcomp>@a.py:3", "save@a.py:8 <listcomp>@a.py:8");
    /* A stack that was cut takes nothing back where the line is known, and does where it could be any of the file. */
    CALLED(IN("load", "list comprehension"), "<listcomp>@a.py:5", "load@a.py:5 <listcomp>@a.py:5");
    CALLED("list comprehension", "<listcomp>@a.py:0", "load@a.py:0 <listcomp>@a.py:0");
}

static void what_may_run_anywhere_needs_lines(void **state)
{
    (void)state;
    CALLED(IN("load", "lambda"), "load@a.py:3", "load@a.py:5 apply@lib.py:9 <lambda>@a.py:4");
    CALLED(IN("load", "lambda"), "load@a.py:5 <lambda>@a.py:5");
    CALLED("lambda", "load@a.py:5 <lambda>@a.py:7"); /* of the module, or further down: load is not known to reach it */
    CALLED("lambda", "load@a.py:0 <lambda>@a.py:0");
    CALLED("generator expression", "load@a.py:0 <genexpr>@a.py:0");
    CALLED("lambda", "<module>@a.py:1", "<module>@a.py:90 load@b.py:5 <lambda>@a.py:40");
    /* Not the one that consumes it, but the one further up whose lines are around it. */
    CALLED(IN("main", "generator expression"), "main@a.py:20", "main@a.py:24 total@a.py:5 <genexpr>@a.py:22");
}

static void set_first(struct pr_profile *profile, const char *function, int32_t line)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (pr_text_is(pr_profile_text(profile, profile->frames[i].function), function))
            ((struct pr_frame *)profile->frames)[i].definition_line = line;
}

/* cProfile knows where functions begin, and no line that ran. */
static void first_lines_say_where_a_generator_is(void **state)
{
    (void)state;
    struct pr_error err;
    for (int32_t other = 15; other <= 25; other += 10) {
        struct pr_profile *profile =
            made((const char *const[]){"other@a.py:1", "run@a.py:1 <lambda>@a.py:1", "run@a.py:1 <genexpr>@a.py:1",
                                       NULL});
        set_first(profile, "run", 10);
        set_first(profile, "other", other);
        set_first(profile, "<genexpr>", 20);
        set_first(profile, "<lambda>", 20);
        assert_int_equal(pr_nameless_settle(profile, &err), PR_OK);
        const pr_node_id generator = profile->tree.count - 1, lambda = profile->tree.count - 2;
        const struct pr_text around = pr_function_around(profile, profile->tree.frame[generator]);
        assert_int_equal(around.length, other < 20 ? 0 : strlen("run"));
        assert_int_equal(pr_function_around(profile, profile->tree.frame[lambda]).length, 0);
        pr_profile_free(profile);
    }
}

static void comprehensions_of_two_functions_are_two(void **state)
{
    (void)state;
    struct pr_error err;
    struct pr_profile *profile =
        made((const char *const[]){"load@a.py:3 <listcomp>@a.py:3", "load@a.py:4 <listcomp>@a.py:4",
                                   "save@a.py:8 <listcomp>@a.py:8", NULL});
    assert_int_equal(pr_nameless_settle(profile, &err), PR_OK);
    int32_t *begins = pr_functions_tell_apart(profile);
    static const int32_t expected[] = {0, 3, 0, 3, 0, 8}; /* frames in the order of the stacks */
    assert_non_null(begins);
    assert_int_equal(profile->frame_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(begins[i], expected[i]);
    free(begins);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    bool failed = true;
    for (unsigned long i = 1; failed; i++) {
        struct pr_profile *profile =
            made((const char *const[]){"load@a.py:3 <listcomp>@a.py:3", "load@a.py:5 <lambda>@a.py:4", NULL});
        struct pr_error err;
        alloc_fail_at(i);
        const enum pr_status status = pr_nameless_settle(profile, &err);
        int32_t *begins = status == PR_OK ? pr_functions_tell_apart(profile) : NULL;
        failed = alloc_fail_stop();
        assert_int_equal(begins != NULL, !failed);
        free(begins);
        pr_profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_contain_their_function),
        cmocka_unit_test(a_comprehension_runs_in_its_function),
        cmocka_unit_test(what_may_run_anywhere_needs_lines),
        cmocka_unit_test(first_lines_say_where_a_generator_is),
        cmocka_unit_test(comprehensions_of_two_functions_are_two),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
