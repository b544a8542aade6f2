/* SPDX-License-Identifier: Apache-2.0 */
/* The banner of a failed run: what a person needs from a program's last output, in the most helpful order. */
#include "tests/support/unit.h"

#include "render/card.h"
#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "Traceback (most recent call last):\n"
#define CAUSE "\nThe above exception was the direct cause of the following exception:\n\n"
#define LIBRARY "/usr/lib/python3.12/site-packages/pandas/concat.py"

static void set_known(struct pr_maybe *value, int64_t number)
{
    *value = (struct pr_maybe){true, number};
}

/* The text of the banner: no tags, no entities but those of its own. SIGNAL 0: it ended with status 1. */
static char *banner(const char *said, int64_t signal, bool redact)
{
    struct pr_profile *profile = reading("stderr", said, strlen(said), PR_OK);
    struct pr_card_options options = pr_card_options_default();
    struct pr_buf page = {0}, text = {0};
    if (signal)
        set_known(&profile->run.failure.signal, signal);
    else
        set_known(&profile->run.failure.exit, 1);
    options.redact_paths = redact;
    assert_int_equal(pr_render_card(profile, &options, &page, NULL), PR_OK);
    const char *at = strstr(page.bytes, "<section class='banner failed'");
    assert_non_null(at);
    for (const char *end = strstr(at, "</section>"); at < end; at++) {
        if (*at == '<' && (at[1] == 'p' || !strncmp(at, "<h2", 3) || !strncmp(at, "<li", 3)))
            pr_buf_text(&text, text.length ? "| " : "");
        if (*at == '<')
            at = strchr(at, '>');
        else if (*at != '\n')
            pr_buf_byte(&text, (unsigned char)*at);
        else if (text.length && text.bytes[text.length - 1] != ' ')
            pr_buf_byte(&text, ' ');
    }
    assert_false(text.failed);
    pr_buf_clear(&page);
    pr_profile_free(profile);
    return text.bytes;
}

static void assert_says(const char *said, int64_t signal, const char *expected)
{
    char *got = banner(said, signal, false);
    if (!strstr(got, expected))
        fail_msg("the banner says: %s\nand not: %s", got, expected);
    free(got);
}

static void assert_says_not(const char *said, int64_t signal, const char *unexpected)
{
    char *got = banner(said, signal, false);
    if (strstr(got, unexpected))
        fail_msg("the banner says: %s", got);
    free(got);
}

static void a_place_in_a_library_comes_with_ones_own_line(void **state)
{
    static const char said[] = HEAD "  File \"/app/train.py\", line 212, in run\n    x\n"
                                    "  File \"/app/features.py\", line 139, in add_lags\n    x\n"
                                    "  File \"" LIBRARY "\", line 380, in concat\n    x\n"
                                    "  File \"" LIBRARY "\", line 395, in get_result\n    x\nMemoryError: no room\n";
    (void)state;
    assert_says(said, 0, "MemoryError: no room | Exit status 1, raised in get_result, concat.py:395, called from "
                         "add_lags, features.py:139.");
    assert_says_not(HEAD "  File \"/app/a.py\", line 3, in f\nE: x\n", 0, "called from");
}

static void callers_are_ones_own(void **state)
{
    static const char frames[] = "  File \"<frozen runpy>\", line 88, in _run_code\n"
                                 "  File \"/app/a.py\", line 9, in <module>\n    x\n    ^\n"
                                 "  File \"" LIBRARY "\", line 1, in apply\n    x\n    ^\n"
                                 "  File \"/app/a.py\", line 5, in main\n    x\n    ^\n"
                                 "  File \"/app/a.py\", line 3, in f\n    x\n    ^\n";
    char said[1024];
    (void)state;
    snprintf(said, sizeof said, HEAD "%sKeyError: 1\n", frames);
    assert_says(said, 0, "raised in f, a.py:3. a.py:9 &lt;module&gt; x a.py:5 main x a.py:3 f x 2 more "
                         "frames of runpy and pandas|");
}

static void a_short_traceback_is_open_and_says_the_rest(void **state)
{
    static const char said[] =
        HEAD "  File \"/app/a.py\", line 9, in <module>\n  File \"/app/a.py\", line 3, in f\nE: x\n";
    (void)state;
    assert_says_not(said, 0, "raised in f, a.py:3. a.py:9");
    assert_says(said, 0, "Traceback| Traceback (most recent call last):   File");
    char *got = banner(said, 0, true); /* a traceback is full of folders */
    assert_null(strstr(got, "Traceback"));
    assert_non_null(strstr(got, "raised in f, a.py:3. a.py:9 &lt;module&gt; a.py:3 f "));
    free(got);
}

static void each_frame_has_its_own_code(void **state)
{
    static const char said[] = HEAD "  File \"/lib/a.py\", line 9, in <module>\n    other()\n"
                                    "  File \"/app/a.py\", line 91, in <module>\n    main()\n    ^^^^^^\n"
                                    "  File \"/app/a.py\", line 9, in main\n"
                                    "  File \"/app/a.py\", line 3, in f\n    return 1 / 0  # <b>\nE: x\n";
    (void)state;
    assert_says(said, 0, "a.py:9 &lt;module&gt; other() a.py:91 &lt;module&gt; main() a.py:9 main a.py:3 f "
                         "return 1 / 0  # &lt;b&gt; Traceback|");
    /* Without folders there is no code either: it may name some. */
    char *got = banner(said, 0, true);
    assert_null(strstr(got, "return 1"));
    free(got);
}

static void members_of_a_group_have_no_code_of_others(void **state)
{
    (void)state;
    assert_says("  + Exception Group Traceback (most recent call last):\n  |   File \"/app/g.py\", line 9, in main\n"
                "  |     work()\n  |   File \"/app/g.py\", line 3, in work\n"
                "  | ExceptionGroup: many (1 sub-exception)\n  +-+---------------- 1 ----------------\n"
                "    | ValueError: b\n    +------------------------------------\n",
                0, "g.py:9 main work() g.py:3 work | ValueError: b");
}

static void a_run_of_no_time_has_no_length(void **state)
{
    struct pr_profile *profile = reading("stderr", HEAD "E: x\n", strlen(HEAD "E: x\n"), PR_OK);
    struct pr_buf page = {0};
    (void)state;
    set_known(&profile->run.failure.exit, 1);
    set_known(&profile->run.wall_ns, 0);
    assert_int_equal(pr_render_card(profile, NULL, &page, NULL), PR_OK);
    assert_non_null(strstr(page.bytes, "<p>Exit status 1.</p>"));
    pr_buf_clear(&page);
    pr_profile_free(profile);
}

static void causes_and_members_have_their_places(void **state)
{
    (void)state;
    assert_says(HEAD "  File \"/app/a.py\", line 4, in load\nOSError: gone\n" CAUSE HEAD
                     "  File \"/app/a.py\", line 6, in load\nValueError: bad\n",
                0, "Caused by OSError: gone, raised in load, a.py:4.");
    assert_says("  + Exception Group Traceback (most recent call last):\n  |   File \"/app/g.py\", line 9, in main\n"
                "  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n"
                "    | " HEAD "    |   File \"/app/g.py\", line 3, in one\n    | KeyError: a\n"
                "    | \n    | The above exception was the direct cause of the following exception:\n    | \n"
                "    | " HEAD "    |   File \"/app/g.py\", line 5, in one\n    | ValueError: b\n"
                "    +---------------- 2 ----------------\n    | TypeError: c\n"
                "    +------------------------------------\n",
                0, "ExceptionGroup: many (2 sub-exceptions) | Exit status 1, raised in main, g.py:9. | ValueError: b, "
                   "raised in one, g.py:5; caused by KeyError: a, raised in one, g.py:3 | TypeError: c ");
}

static void another_process_raised_what_is_raised_again_here(void **state)
{
    static const char said[] = "concurrent.futures.process._RemoteTraceback: \n\"\"\"\n" HEAD
                               "  File \"/app/w.py\", line 3, in work\nValueError: bad\n\"\"\"\n" CAUSE HEAD
                               "  File \"/app/m.py\", line 9, in main\nValueError: bad\n";
    (void)state;
    assert_says(said, 0, "ValueError: bad | Exit status 1, raised in work, w.py:3.");
    assert_says_not(said, 0, "Caused by");
}

static void notes_are_read_before_the_traceback_is_opened(void **state)
{
    char said[2048] = HEAD;
    (void)state;
    for (int i = 0; i < 20; i++)
        strcat(said, "  File \"/app/a.py\", line 9, in f\n");
    strcat(said, "pydantic.ValidationError: 1 error\nprice\n\tno number\n");
    assert_says(said, 0, "pydantic.ValidationError: 1 error | price     no number | Exit status 1, raised in f, "
                         "a.py:9. Traceback");
}

static void what_is_said_is_not_endless(void **state)
{
    struct pr_buf said = {0};
    (void)state;
    pr_buf_text(&said, HEAD);
    for (int i = 0; i < 20; i++)
        pr_buf_text(&said, "  File \"/app/a.py\", line 9, in f\n");
    pr_buf_text(&said, "ValueError: bad\nx");
    for (int i = 0; i < 2000; i++)
        pr_buf_text(&said, "\xC3\xA4");
    pr_buf_text(&said, "\n");
    assert_says(said.bytes, 0, "\xC3\xA4\xC3\xA4 \xE2\x80\xA6 | Exit status 1");
    pr_buf_clear(&said);
}

/* Signals that a program sends itself have their reason in its output; those from outside do not. */
static void last_words_explain_some_signals(void **state)
{
    static const char fatal[] = "Fatal Python error: Segmentation fault\n\n"
                                "Current thread 0x1 (most recent call first):\n  File \"/app/c.py\", line 5 in crash\n";
    static const char error[] = HEAD "  File \"/app/a.py\", line 4, in f\nValueError: caught\n";
    (void)state;
    assert_says(fatal, 11, "Fatal Python error: Segmentation fault | Ended by SIGSEGV (a memory fault), raised in "
                           "crash, c.py:5. Traceback");
    assert_says("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n", 6,
                "std::bad_alloc | Ended by SIGABRT (its own abort).");
    assert_says(HEAD "  File \"/app/a.py\", line 4, in f\nKeyboardInterrupt\n", 2,
                "KeyboardInterrupt | Ended by SIGINT");
    assert_says(error, 11, "Ended by SIGSEGV (a memory fault) | Its last exception: ValueError: caught");
    assert_says(error, 15,
                "Ended by SIGTERM (a request to end, such as by a time limit or a scheduler) | Its last exception");
}

/* Java, node and R: not a known traceback; their words stay unchanged. */
static void what_is_not_known_is_quoted(void **state)
{
    static const char *const said[] = {
        "Exception in thread \"main\" java.lang.IllegalStateException: no table\n\tat app.Etl.load(Etl.java:41)\n",
        "/app/n.js:1\nfunction f(){ throw new Error(\"no table\"); }\n\nError: no table\n    at f (/app/n.js:1:21)\n",
        "Error in load(3) : no table\nCalls: main -> load\nExecution halted\n"};
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        assert_says(said[i], 0, "Exit status 1 Last output on standard error");
        assert_says(said[i], 0, "no table");
        assert_says_not(said[i], 0, "raised in");
    }
    assert_says(said[0], 0, "    at app.Etl.load(Etl.java:41)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_in_a_library_comes_with_ones_own_line),
        cmocka_unit_test(callers_are_ones_own),
        cmocka_unit_test(a_short_traceback_is_open_and_says_the_rest),
        cmocka_unit_test(each_frame_has_its_own_code),
        cmocka_unit_test(members_of_a_group_have_no_code_of_others),
        cmocka_unit_test(a_run_of_no_time_has_no_length),
        cmocka_unit_test(causes_and_members_have_their_places),
        cmocka_unit_test(another_process_raised_what_is_raised_again_here),
        cmocka_unit_test(notes_are_read_before_the_traceback_is_opened),
        cmocka_unit_test(what_is_said_is_not_endless),
        cmocka_unit_test(last_words_explain_some_signals),
        cmocka_unit_test(what_is_not_known_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
