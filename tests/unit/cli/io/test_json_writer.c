/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: its layout, and every way in which bytes are not text. */
#include "tests/support/unit.h"

#include "cli/io/json_writer.h"
#include "cli/io/terminal_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_json_out-XXXXXX";
static char text[4096];

static struct pr_output out;

static struct pr_json_writer begin(bool raw_names)
{
    assert_int_equal(pr_output_open(&out, path), 0);
    return pr_json_writer_start(&out, raw_names);
}

/* What was written since. */
static const char *end(void)
{
    assert_int_equal(pr_output_finish(&out), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static const char *name(bool raw_names, const char *bytes, size_t length)
{
    struct pr_json_writer json = begin(raw_names);
    pr_json_put_name(&json, (struct pr_text){bytes, (uint32_t)length});
    return end();
}

static void values_and_separators(void **state)
{
    (void)state;
    struct pr_json_writer json = begin(false);
    pr_json_put_open(&json, '{');
    pr_json_put_key(&json, "a");
    pr_json_put_int(&json, INT64_MIN);
    pr_json_put_key(&json, "b");
    pr_json_put_open(&json, '[');
    pr_json_put_uint(&json, UINT64_MAX);
    pr_json_put_bool(&json, true);
    pr_json_put_bool(&json, false);
    pr_json_put_null(&json);
    pr_json_put_text(&json, NULL);
    pr_json_put_open(&json, '{');
    pr_json_put_close(&json, '}');
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
    assert_string_equal(end(), "{\"a\": -9223372036854775808, "
                               "\"b\": [18446744073709551615, true, false, null, null, {}]}\n");
}

static void lines_are_indented_by_depth(void **state)
{
    (void)state;
    struct pr_json_writer json = begin(false);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "empty");
    pr_json_put_lines(&json, '[');
    pr_json_put_close(&json, ']');
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    pr_json_put_int(&json, 1);
    pr_json_put_int(&json, 2);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
    assert_string_equal(end(), "{\n \"empty\": [],\n \"rows\": [\n  1,\n  2\n ]\n}\n");
}

static void seconds_have_the_digits_they_need(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {{0, "0"}, {1500000000, "1.5"}, {1, "0.000000001"}, {-2000000000, "-2"},
                 {INT64_MIN, "-9223372036.854775808"}, {INT64_MAX, "9223372036.854775807"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char seconds[PR_FIXED_SIZE];
        assert_string_equal(pr_fixed_text(seconds, cases[i].ns, 9), cases[i].text);
    }
}

static void control_characters_are_escaped(void **state)
{
    (void)state;
    assert_string_equal(name(false, "\"\\\n\t\r\0\x1b[0m\x7f", 11), "\"\\\"\\\\\\n\\t\\r\\u0000\\u001b[0m\\u007f\"");
    assert_string_equal(name(false, "\xC2\x9B\x33\x31m", 5), "\"\\u009b31m\""); /* CSI in one character */
    assert_string_equal(name(false, "\xE2\x80\xAE" "exe", 6), "\"\\u202eexe\""); /* right to left */
    assert_string_equal(name(false, "/\xC3\xA9\xF0\x9F\x98\x80", 7), "\"/\xC3\xA9\xF0\x9F\x98\x80\"");
}

#define BAD "\xEF\xBF\xBD"

/* Bytes, what Python's decode("utf-8", "replace") makes of them, what "surrogateescape" keeps. */
static const struct {
    const char *bytes, *replaced, *raw;
} broken[] = {
    {"\x80", BAD, "\\udc80"},
    {"a\xFFz", "a" BAD "z", "a\\udcffz"},
    {"\xC0\xAF", BAD BAD, "\\udcc0\\udcaf"},                       /* a slash in two bytes */
    {"\xE2\x82", BAD, "\\udce2\\udc82"},                           /* the euro sign, cut */
    {"\xE2\x82x", BAD "x", "\\udce2\\udc82x"},
    {"\xE2x", BAD "x", "\\udce2x"},
    {"\xED\xA0\x80", BAD BAD BAD, "\\udced\\udca0\\udc80"},        /* a surrogate */
    {"\xE0\x80\xAF", BAD BAD BAD, "\\udce0\\udc80\\udcaf"},        /* a slash in three bytes */
    {"\xF0\x9F\x98", BAD, "\\udcf0\\udc9f\\udc98"},
    {"\xF0\x9F\xE2\x82\xAC", BAD "\xE2\x82\xAC", "\\udcf0\\udc9f\xE2\x82\xAC"},
    {"\xF4\x90\x80\x80", BAD BAD BAD BAD, "\\udcf4\\udc90\\udc80\\udc80"}, /* above U+10FFFF */
    {"\xF8\x88\x80\x80\x80", BAD BAD BAD BAD BAD, "\\udcf8\\udc88\\udc80\\udc80\\udc80"},
};

static void bad_bytes_are_replaced_as_python_does(void **state)
{
    char wanted[64];
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        snprintf(wanted, sizeof wanted, "\"%s\"", broken[i].replaced);
        assert_string_equal(name(false, broken[i].bytes, strlen(broken[i].bytes)), wanted);
        snprintf(wanted, sizeof wanted, "\"%s\"", broken[i].raw);
        assert_string_equal(name(true, broken[i].bytes, strlen(broken[i].bytes)), wanted);
    }
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_separators),
        cmocka_unit_test(lines_are_indented_by_depth),
        cmocka_unit_test(seconds_have_the_digits_they_need),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(bad_bytes_are_replaced_as_python_does),
    };
    return cmocka_run_group_tests_name("json_writer", tests, make_file, remove_file);
}
