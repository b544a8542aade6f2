/* SPDX-License-Identifier: Apache-2.0 */
/* The last words of programs: which exception, from which, raised where. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "Traceback (most recent call last):\n"

static void add_text(struct pr_buf *out, const struct pr_profile *profile, pr_str string)
{
    const struct pr_text text = pr_profile_text(profile, string);
    pr_buf_add(out, text.bytes, text.length);
}

/* A line for each exception: depth, link, type, message and frames, `0 cause ValueError: no <f a.py:3;g b.py:4>`. */
static char *story(const struct pr_profile *profile)
{
    static const char *const links[] = {"", "cause ", "context "};
    const struct pr_failure *failure = &profile->run.failure;
    struct pr_buf out = {0};
    for (uint32_t i = 0; i < failure->exception_count; i++) {
        const struct pr_exception *exception = &failure->exceptions[i];
        pr_buf_printf(&out, "%s%" PRIu32 " %s", i == failure->final_exception ? "*" : "", exception->depth,
                      links[exception->link]);
        add_text(&out, profile, exception->type);
        pr_buf_text(&out, ": ");
        add_text(&out, profile, exception->message);
        pr_buf_text(&out, " <");
        for (uint32_t k = 0; k < exception->frame_count; k++) {
            pr_buf_text(&out, k ? ";" : "");
            add_text(&out, profile, exception->frames[k].function);
            pr_buf_text(&out, " ");
            add_text(&out, profile, exception->frames[k].file);
            pr_buf_printf(&out, ":%" PRId32, exception->frames[k].line);
        }
        pr_buf_text(&out, ">\n");
    }
    pr_buf_add(&out, "", 1);
    assert_false(out.failed);
    return out.bytes;
}

static void assert_story(const char *text, const char *expected)
{
    struct pr_profile *profile = reading("stderr", text, strlen(text), PR_OK);
    char *got = story(profile);
    assert_string_equal(got, expected);
    free(got);
    pr_profile_free(profile);
}

static void the_last_traceback_counts(void **state)
{
    (void)state;
    assert_story("loading\n" HEAD "  File \"/a.py\", line 3, in f\n    x = g(\"a\", in b)\n        ^^^^^\n"
                 "  File \"/b \"q\".py\", line 14, in <module>\n"
                 "    raise KeyError\nKeyError: 'k'\nretrying\n" HEAD
                 "  File \"/a.py\", line 9, in main\n    h()\n  [Previous line repeated 996 more times]\n"
                 "pkg.errors.Bad: no: more\nbye\n",
                 "*0 pkg.errors.Bad: no: more <main /a.py:9>\n");
    assert_story(HEAD "  File \"/b \"q\".py\", line 14, in <module>\n    raise KeyError\nKeyboardInterrupt\n",
                 "*0 KeyboardInterrupt:  <<module> /b \"q\".py:14>\n");
}

static void chains_are_joined(void **state)
{
    (void)state;
    assert_story(HEAD "  File \"a.py\", line 1, in a\nOSError: [Errno 2] gone\n\n"
                      "The above exception was the direct cause of the following exception:\n\n" HEAD
                      "  File \"a.py\", line 2, in b\nValueError: bad\n\n"
                      "During handling of the above exception, another exception occurred:\n\n" HEAD
                      "  File \"a.py\", line 3, in c\nRuntimeError: worse\n",
                 "0 OSError: [Errno 2] gone <a a.py:1>\n0 cause ValueError: bad <b a.py:2>\n"
                 "*0 context RuntimeError: worse <c a.py:3>\n");
}

static void groups_have_members(void **state)
{
    (void)state;
    assert_story("  + Exception Group Traceback (most recent call last):\n"
                 "  |   File \"g.py\", line 9, in <module>\n"
                 "  |     raise ExceptionGroup(\"many\", e)\n"
                 "  | ExceptionGroup: many (2 sub-exceptions)\n"
                 "  +-+---------------- 1 ----------------\n"
                 "    | Traceback (most recent call last):\n"
                 "    |   File \"g.py\", line 3, in one\n"
                 "    | ValueError: a\n"
                 "    +---------------- 2 ----------------\n"
                 "    | TypeError: b\n"
                 "    +------------------------------------\n",
                 "*0 ExceptionGroup: many (2 sub-exceptions) <<module> g.py:9>\n1 ValueError: a <one g.py:3>\n"
                 "1 TypeError: b <>\n");
}

static void other_runtimes_are_known(void **state)
{
    (void)state;
    assert_story("Fatal Python error: Segmentation fault\n\nThread 0x1 (most recent call first):\n"
                 "  File \"w.py\", line 1 in wait\n\nCurrent thread 0x2 (most recent call first):\n"
                 "  File \"c.py\", line 5 in string_at\n  File \"m.py\", line 7 in <module>\n\nExtension modules: x\n",
                 "*0 Fatal Python error: Segmentation fault <<module> m.py:7;string_at c.py:5>\n");
    assert_story("Fatal Python error: Bus error\n\nStack (most recent call first):\n  File \"c.py\", line 5 in f\n",
                 "*0 Fatal Python error: Bus error <f c.py:5>\n");
    assert_story("Fatal Python error: Segmentation fault\n\nCurrent thread 0x2 [python] (most recent call first):\n"
                 "  File \"c.py\", line 5 in f\n\nCurrent thread's C stack trace (most recent call first):\n"
                 "  Binary file \"/usr/bin/python3\", at _Py_DumpStack+0x31 [0x5b]\n",
                 "*0 Fatal Python error: Segmentation fault <f c.py:5>\n");
    assert_story("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
                 "Aborted\n",
                 "*0 std::bad_alloc: std::bad_alloc <>\n");
    assert_story("panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\n"
                 "main.pick(0x1, 0x2)\n\t/app/main.go:12 +0x1d\nmain.main()\n\t/app/main.go:20 +0x45\nexit status 2\n",
                 "*0 panic: runtime error: index out of range [3] <main.main /app/main.go:20;main.pick "
                 "/app/main.go:12>\n");
    assert_story("  File \"/x.py\", line 2\n    f(\n     ^\nSyntaxError: '(' was never closed\n",
                 "*0 SyntaxError: '(' was never closed < /x.py:2>\n");
}

#define FRAME HEAD "  File \"a.py\", line 1, in a\n"

static void assert_traceback(const char *text, const char *expected)
{
    struct pr_profile *profile = reading("stderr", text, strlen(text), PR_OK);
    assert_string_equal(pr_profile_text(profile, profile->run.failure.traceback).bytes, expected);
    pr_profile_free(profile);
}

/* Notes (PEP 678), and the other lines of a message, as pydantic's. */
static void what_is_said_after_the_exception_is_part_of_it(void **state)
{
    (void)state;
    assert_traceback(FRAME "ValueError: 2 errors\n  x: no number\nwhile loading row 17\n\nbye\n",
                     FRAME "ValueError: 2 errors\n  x: no number\nwhile loading row 17\n");
    assert_traceback(FRAME "E\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", FRAME "E\n1\n2\n3\n4\n5\n6\n7\n8\n");
    /* A traceback of another process, as concurrent.futures quotes it. */
    assert_story("concurrent.futures.process._RemoteTraceback: \n\"\"\"\n" HEAD "  File \"w.py\", line 3, in work\n"
                 "ValueError: bad\n\"\"\"\n\n"
                 "The above exception was the direct cause of the following exception:\n\n" HEAD
                 "  File \"m.py\", line 9, in <module>\nValueError: bad\n",
                 "0 ValueError: bad <work w.py:3>\n*0 cause ValueError: bad <<module> m.py:9>\n");
    assert_story("  + Exception Group Traceback (most recent call last):\n"
                 "  |   File \"g.py\", line 9, in <module>\n"
                 "  | ExceptionGroup: many (2 sub-exceptions)\n"
                 "  | a note: of the group\n"
                 "  +-+---------------- 1 ----------------\n"
                 "    | ValueError: a\n"
                 "    | TypeError: no, a note\n"
                 "    +---------------- 2 ----------------\n"
                 "    | KeyError: b\n"
                 "    +------------------------------------\n",
                 "*0 ExceptionGroup: many (2 sub-exceptions) <<module> g.py:9>\n1 ValueError: a <>\n"
                 "1 KeyError: b <>\n");
}

/* As Python 3.13 writes them to a terminal. */
static void colours_do_not_hide_anything(void **state)
{
    (void)state;
    assert_story("\033]0;title\007" HEAD
                 "  File \033[35m\"/a.py\"\033[0m, line \033[35m3\033[0m, in \033[35mf\033[0m\n"
                 "    \033[31mg\033[0m\033[1;31m()\033[0m\n    \033[31m~\033[0m\033[1;31m^^\033[0m\n"
                 "\033[1;35mValueError\033[0m: \033[35mbad\033[0m\n",
                 "*0 ValueError: bad <f /a.py:3>\n");
    struct pr_profile *profile = reading("stderr", "\033[1mone\033[0m \033(Btwo\033[3", 21, PR_OK);
    assert_string_equal(pr_profile_text(profile, profile->run.failure.stderr_tail).bytes, "one two");
    pr_profile_free(profile);
}

static void what_is_not_a_failure_stays_out(void **state)
{
    (void)state;
    assert_story("all is well\n  File \"/x.py\", line 2\nand goes on\n", "");
    struct pr_profile *profile = reading("stderr", "one\ntwo\n", 8, PR_OK);
    assert_string_equal(pr_profile_text(profile, profile->run.failure.stderr_tail).bytes, "one\ntwo");
    assert_false(pr_failure_is_one(&profile->run.failure));
    pr_profile_free(profile);
    static const char good[] =
        "{\"type\":\"start\",\"t\":1,\"argv\":[]}\n{\"type\":\"end\",\"t\":2,\"exit\":0,\"signal\":null,"
        "\"stderr_tail\":\"Traceback (most recent call last):\\nValueError: caught\\n\"}\n";
    profile = reading(NULL, good, sizeof good - 1, PR_OK);
    assert_false(pr_failure_is_one(&profile->run.failure));
    assert_int_equal(profile->run.failure.traceback, 0);
    pr_profile_free(profile);
}

static void secrets_stay_out(void **state)
{
    static const char text[] = HEAD "  File \"a.py\", line 1, in a\n    login(password=hunter2)\n"
                                    "ValueError: cannot use https://me:hunter2@db/x\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    const struct pr_failure *failure = &profile->run.failure;
    assert_string_equal(profile->meta.format, "stderr");
    assert_null(strstr(pr_profile_text(profile, failure->traceback).bytes, "hunter2"));
    assert_null(strstr(pr_profile_text(profile, failure->exceptions[0].message).bytes, "hunter2"));
    pr_profile_free(profile);
}

static void damage_does_no_harm(void **state)
{
    static const char text[] = "  + Exception Group Traceback (most recent call last):\n  | E: m (1 sub-exception)\n"
                               "  +-+---------------- 1 ----------------\n    | " HEAD "    | V: a\npanic: x\n\n"
                               "goroutine 1 [running]:\nf(\n\t/a:1 +0x1\n";
    (void)state;
    assert_survives_damage("stderr", text, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_traceback_counts),    cmocka_unit_test(chains_are_joined),
        cmocka_unit_test(groups_have_members),          cmocka_unit_test(other_runtimes_are_known),
        cmocka_unit_test(what_is_said_after_the_exception_is_part_of_it),
        cmocka_unit_test(colours_do_not_hide_anything),
        cmocka_unit_test(what_is_not_a_failure_stays_out), cmocka_unit_test(secrets_stay_out),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
