/* SPDX-License-Identifier: Apache-2.0 */
/* Names on a terminal: nothing raw, and no wider than asked for. */
#include "capture/base/text.h"
#include "tests/support/unit.h"

#include "cli/io/terminal_names.h"

#include <string.h>

static char shown[512];

static const char *take(struct pr_buf *buf)
{
    assert_false(buf->failed);
    assert_true(buf->length < sizeof shown);
    memcpy(shown, buf->length ? buf->bytes : "", buf->length);
    shown[buf->length] = '\0';
    pr_buf_clear(buf);
    return shown;
}

static const char *cut_end(const char *name, size_t columns)
{
    struct pr_buf buf = {0};
    pr_text_cut_end(&buf, pr_text_of(name), columns);
    return take(&buf);
}

static const char *cut_path(const char *path, size_t columns)
{
    struct pr_buf buf = {0};
    pr_text_cut_path(&buf, pr_text_of(path), columns);
    return take(&buf);
}

static const char *cut_function(const char *name, size_t columns)
{
    struct pr_buf buf = {0};
    pr_text_cut_function(&buf, pr_text_of(name), columns);
    return take(&buf);
}

static void nothing_reaches_the_terminal_raw(void **state)
{
    static const char *const names[] = {"\x1b[31mred", "a\nb", "bell\a", "\xC2\x9B[2J", "\xE2\x80\xAEtxt.exe",
                                        "\xFF\xFE", "\x7F", "\xE2\x80\xA8", "\xF3\xA0\x81\x81"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pr_buf buf = {0};
        pr_text_add(&buf, pr_text_of(names[i]));
        for (const char *at = take(&buf); *at; at++)
            assert_in_range(*at, 0x20, 0x7E);
    }
}

static void names_are_cut_at_the_end(void **state)
{
    (void)state;
    assert_string_equal(cut_end("short", 5), "short");
    assert_string_equal(cut_end("a name too long", 8), "a name \xE2\x80\xA6");
    assert_string_equal(cut_end("anything", 1), "\xE2\x80\xA6");
    assert_string_equal(cut_end("anything", 0), "");
    assert_string_equal(cut_end("", 4), "");
}

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(pr_text_columns("\xE5\x90\x8D\xE5\x89\x8D", 6), 4);
    assert_int_equal(pr_text_columns("e\xCC\x81", 3), 1); /* a combining accent takes none */
    assert_string_equal(cut_end("\xE5\x90\x8D\xE5\x89\x8D\xE5\x90\x8D", 4), "\xE5\x90\x8D\xE2\x80\xA6");
}

static void paths_keep_their_end(void **state)
{
    (void)state;
    assert_string_equal(cut_path("pandas/core/frame.py:12", 40), "pandas/core/frame.py:12");
    assert_string_equal(cut_path("pandas/core/reshape/concat.py:412", 26), "pandas/\xE2\x80\xA6/concat.py:412");
    assert_string_equal(cut_path("/usr/lib/python3.11/json/decoder.py:353", 24), "\xE2\x80\xA6/json/decoder.py:353");
    assert_string_equal(cut_path("pandas/core/reshape/concat.py:412", 18), "\xE2\x80\xA6/concat.py:412");
    assert_string_equal(cut_path("a/a_very_long_file_name.py:7", 12), "\xE2\x80\xA6" "e_name.py:7");
}

static void functions_keep_the_last_of_their_names(void **state)
{
    static const char dots[] = "\xE2\x80\xA6";
    (void)state;
    assert_string_equal(cut_function("jdk.jfr.RequestEngine.doPeriodic", 32), "jdk.jfr.RequestEngine.doPeriodic");
    assert_string_equal(cut_function("jdk.jfr.internal.RequestEngine.doPeriodic", 30),
                        "\xE2\x80\xA6RequestEngine.doPeriodic");
    assert_string_equal(cut_function("github.com/shop/cart.(*Cart).Total", 20), "\xE2\x80\xA6""cart.(*Cart).Total");
    assert_string_equal(cut_function("shop::Cart<a::b>::total(a::b, int)", 22), "\xE2\x80\xA6total(a::b, int)");
    /* No part fits, there are none, or where a name begins is not known: its beginning stays. */
    assert_string_equal(cut_function("a.quite_long_function_name", 10), "a.quite_l\xE2\x80\xA6");
    assert_string_equal(cut_function("quite_long_function_name", 10), "quite_lon\xE2\x80\xA6");
    assert_string_equal(cut_function("void shop::Cart::clear()", 12), "void shop::\xE2\x80\xA6");
    assert_string_equal(cut_function("a.b", 1), dots);
    assert_string_equal(cut_function("a.b", 0), "");
    assert_string_equal(cut_function("ends_in_a_dot.", 9), "ends_in_\xE2\x80\xA6");
}

static void names_without_folders_are_cut_in_the_middle(void **state)
{
    (void)state;
    assert_string_equal(cut_path("<frozen importlib._bootstrap>:1176", 20), "<frozen im\xE2\x80\xA6rap>:1176");
}

static void no_cut_is_wider_than_asked_for(void **state)
{
    static const char *const paths[] = {"/", "//", "a/", "/a", "a/b", "/usr/lib/python3/x.py:1",
                                        "x\xE5\x90\x8D/\xE5\x89\x8D/y", "\x1b/\x1b/\x1b", "no_folder_at_all.py:99",
                                        "<frozen x>"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t columns = 0; columns < 30; columns++) {
            const char *text = cut_path(paths[i], columns);
            assert_true(pr_text_columns(text, strlen(text)) <= columns);
            text = cut_end(paths[i], columns);
            assert_true(pr_text_columns(text, strlen(text)) <= columns);
        }
    }
}

static void a_fitting_part_is_never_empty(void **state)
{
    (void)state;
    assert_int_equal(pr_text_fitting("abcdef", 6, 4), 4);
    assert_int_equal(pr_text_fitting("abc", 3, 9), 3);
    assert_int_equal(pr_text_fitting("\xE5\x90\x8D", 3, 1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_reaches_the_terminal_raw),
        cmocka_unit_test(names_are_cut_at_the_end),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(paths_keep_their_end),
        cmocka_unit_test(functions_keep_the_last_of_their_names),
        cmocka_unit_test(names_without_folders_are_cut_in_the_middle),
        cmocka_unit_test(no_cut_is_wider_than_asked_for),
        cmocka_unit_test(a_fitting_part_is_never_empty),
    };
    pr_text_init();
    return cmocka_run_group_tests_name("terminal_names", tests, NULL, NULL);
}
