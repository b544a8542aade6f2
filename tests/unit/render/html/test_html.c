/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping: whatever the bytes are, the page shows them and runs none of them. */
#include "tests/support/unit.h"

#include "render/html/html.h"
#include "tests/support/alloc_fail.h"

#include <stdio.h>
#include <string.h>

#define TEXT(literal) ((struct pr_text){literal, sizeof literal - 1})

/* What the last call left in the buffer, which is then empty again. */
static void assert_text(struct pr_buf *buf, const char *expected)
{
    assert_false(buf->failed);
    assert_string_equal(buf->bytes ? buf->bytes : "", expected);
    pr_buf_clear(buf);
}

static void what_is_put_into_a_format_is_escaped(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_html(&buf, "<b title=\"%s\">%s</b>", "\" onload='x'", "</script><img src=x onerror=a&b>");
    assert_text(&buf, "<b title=\"&quot; onload=&#39;x&#39;\">&lt;/script&gt;&lt;img src=x onerror=a&amp;b&gt;</b>");
    pr_html(&buf, "%s", "<!--<script>]]>");
    assert_text(&buf, "&lt;!--&lt;script&gt;]]&gt;");
    pr_html(&buf, "%d %u %ld %lu %lld %llu %zu 100%%", -1, 2u, -3L, 4UL, -5LL, 6ULL, (size_t)7);
    assert_text(&buf, "-1 2 -3 4 -5 6 7 100%");
}

static void a_text_may_hold_a_nul(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    struct pr_text text = TEXT("a\0<b");
    pr_html(&buf, "[%.*s]", PR_TEXT(text));
    assert_text(&buf, "[a\\x00&lt;b]");
    pr_html(&buf, "[%.*s]", 0, "abc");
    assert_text(&buf, "[]");
}

static void a_directive_that_is_not_known_fails(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_html(&buf, "%04d", 1);
    assert_true(buf.failed);
    pr_buf_clear(&buf);
    pr_html(&buf, "%c", 'x');
    assert_true(buf.failed);
    pr_buf_clear(&buf);
}

static void what_cannot_be_seen_is_shown(void **state)
{
    static const struct {
        struct pr_text text;
        const char *visible;
    } cases[] = {
        {TEXT("\x1b[31m"), "\\x1b[31m"},
        {TEXT("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f"},
        {TEXT("\xc2\x85\xc2\xad"), "\\x85\\xad"},             /* next line, soft hyphen */
        {TEXT("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029"}, /* line and paragraph separator */
        {TEXT("\xe2\x80\xae"
              "cod.exe"),
         "\\u202ecod.exe"}, /* right-to-left override */
        {TEXT("\xe2\x81\xa6\xd8\x9c\xe2\x80\x8b\xef\xbb\xbf"), "\\u2066\\u061c\\u200b\\ufeff"},
        {TEXT("\xf3\xa0\x81\x81"), "\\U000e0041"},                    /* a tag */
        {TEXT("\xef\xbf\xbf\xf0\x9f\xbf\xbe"), "\\uffff\\U0001fffe"}, /* no characters */
        {TEXT("\xff\xfe"), "\\xff\\xfe"},
        {TEXT("\xed\xa0\x80"), "\\xed\\xa0\\x80"},          /* a lone surrogate */
        {TEXT("\xc0\xaf\xe2\x82"), "\\xc0\\xaf\\xe2\\x82"}, /* a long form, a cut character */
        {TEXT("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"},
        {TEXT("__proto__"), "__proto__"},
        {TEXT(""), ""},
    };
    struct pr_buf buf = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pr_visible(&buf, cases[i].text);
        assert_text(&buf, cases[i].visible);
        pr_html(&buf, "%.*s", PR_TEXT(cases[i].text));
        assert_text(&buf, cases[i].visible);
    }
}

static void no_byte_makes_markup_or_bad_utf8(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            const char bytes[2] = {(char)first, (char)second};
            struct pr_buf buf = {0};
            pr_html(&buf, "%.*s", 2, bytes);
            for (size_t i = 0; i < buf.length; i++)
                assert_true((unsigned char)buf.bytes[i] >= 0x20 && !strchr("<>\"'\x7f", buf.bytes[i]));
            pr_buf_clear(&buf);
        }
    }
}

static void a_long_name_is_whole_and_can_wrap(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_html_name(&buf, TEXT("/srv/jobs/etl.py"));
    assert_text(&buf, "/<wbr>srv/<wbr>jobs/<wbr>etl.py");
    pr_html_name(&buf, TEXT("aaaaaaaaaaaaaaaaaaaaaaaabb"));
    assert_text(&buf, "aaaaaaaaaaaaaaaaaaaaaaaa<wbr>bb");
    pr_html_name(&buf, TEXT("aaaaaaaaaaaa aaaaaaaaaaaaaa"));
    assert_text(&buf, "aaaaaaaaaaaa aaaaaaaaaaaaaa");
    pr_html_name(&buf, TEXT("aaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_text(&buf, "aaaaaaaaaaaaaaaaaaaaaaaa");
}

static void a_name_that_fills_screens_is_cut(void **state)
{
    char name[5000];
    struct pr_buf buf = {0};
    (void)state;
    memset(name, 'A', sizeof name);
    pr_html_name(&buf, (struct pr_text){name, 1000});
    assert_null(strstr(buf.bytes, "more"));
    pr_buf_clear(&buf);
    pr_html_name(&buf, (struct pr_text){name, sizeof name});
    assert_non_null(strstr(buf.bytes, "\xe2\x80\xa6 and 4000 more bytes"));
    pr_buf_clear(&buf);
}

static void a_cut_counts_characters_and_says_so(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_html_cut(&buf,
                TEXT("\xc3\xbc<\xff"
                     "abc"),
                3);
    assert_text(&buf, "\xc3\xbc&lt;\\xff\xe2\x80\xa6");
    pr_html_cut(&buf, TEXT("abc"), 3);
    assert_text(&buf, "abc");
}

static void json_strings_hold_the_visible_text(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_json_string(&buf, "a\"b\\c\n<\x01>");
    assert_text(&buf, "\"a\\\"b\\\\c\\\\n<\\\\x01>\"");
}

static void without_memory_the_buffer_fails(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    alloc_fail_at(1);
    pr_html(&buf, "<p>%s", "text");
    assert_true(alloc_fail_stop());
    assert_true(buf.failed);
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_into_a_format_is_escaped), cmocka_unit_test(a_text_may_hold_a_nul),
        cmocka_unit_test(a_directive_that_is_not_known_fails),  cmocka_unit_test(what_cannot_be_seen_is_shown),
        cmocka_unit_test(no_byte_makes_markup_or_bad_utf8),     cmocka_unit_test(a_long_name_is_whole_and_can_wrap),
        cmocka_unit_test(a_name_that_fills_screens_is_cut),     cmocka_unit_test(a_cut_counts_characters_and_says_so),
        cmocka_unit_test(json_strings_hold_the_visible_text),   cmocka_unit_test(without_memory_the_buffer_fails),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
