/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as a stream: what Python writes is read, what is not JSON is refused, and nothing uses stack. */
#include "tests/support/unit.h"

#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tokens of a document, as text: "{k=" for a key, 1 for numbers, the bytes of strings in quotes. */
static const char *tokens(const char *text, size_t length, char *out, size_t size)
{
    const struct pr_limits limits = {.max_string_bytes = 1 << 20};
    struct pr_source *src;
    struct pr_error err = {0};
    struct pr_json_stream json;
    size_t used = 0;
    if (pr_source_open_memory("test", text, length, NULL, &src, &err) == PR_FAILED)
        return "nothing";
    pr_json_begin(&json, src, &limits, &err);
    *out = '\0';
    while (pr_json_next(&json) > PR_JSON_END && used < size) {
        char *at = out + used;
        size_t room = size - used;
        int count = 1;
        switch (json.token) {
        case PR_JSON_CLOSE: *at = ')'; break;
        case PR_JSON_OBJECT: *at = '{'; break;
        case PR_JSON_ARRAY: *at = '['; break;
        case PR_JSON_TRUE: *at = 'T'; break;
        case PR_JSON_FALSE: *at = 'F'; break;
        case PR_JSON_NULL: *at = 'N'; break;
        case PR_JSON_KEY: count = snprintf(at, room, "%.*s=", (int)json.text.length, json.text.bytes); break;
        case PR_JSON_STRING: count = snprintf(at, room, "'%.*s'", (int)json.text.length, json.text.bytes); break;
        default: count = snprintf(at, room, "%.*s ", (int)json.text.length, json.text.bytes); break;
        }
        used += (size_t)count;
    }
    if (used < size)
        snprintf(out + used, size - used, "%s", json.token == PR_JSON_END ? "." : json.ended_between ? "~" : "!");
    assert_int_equal(pr_json_status(&json), json.token == PR_JSON_END ? PR_OK : PR_CUT);
    assert_int_equal(err.code == PR_ERR_NONE, json.token == PR_JSON_END);
    pr_json_end(&json);
    pr_source_close(src);
    return out;
}

static void assert_tokens(const char *text, const char *expected)
{
    char out[4096];
    const char *got = tokens(text, strlen(text), out, sizeof out);
    if (strcmp(got, expected))
        fail_msg("%s\n    gives %s\n expected %s", text, got, expected);
}

static void documents_are_read(void **state)
{
    (void)state;
    assert_tokens("{}", "{).");
    assert_tokens(" [1, -2.5e3 ,\"a\",true,false,null] ", "[1 -2.5e3 'a'TFN).");
    assert_tokens("\xEF\xBB\xBF{\"a\":{\"b\":[[],{}]},\"a\":0}", "{a={b=[[){))" ")a=0 ).");
    assert_tokens("7", "7 .");
    assert_tokens("\"x\"", "'x'.");
}

static void what_python_writes_is_read(void **state)
{
    (void)state;
    assert_tokens("[NaN, Infinity, -Infinity]", "[NaN Infinity -Infinity ).");
    assert_tokens("[123456789012345678901234567890]", "[123456789012345678901234567890 ).");
    assert_tokens("[\"a\tb\"]", "['a\tb').");
    assert_tokens("[\"\\u00e9\\ud83d\\ude00\"]", "['\xC3\xA9\xF0\x9F\x98\x80').");
    assert_tokens("[\"\\udc80x\"]", "['\x80x')."); /* a byte of a name that was not UTF-8 */
    assert_tokens("[\"\\ud800x\"]", "['\xED\xA0\x80x').");
    assert_tokens("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "['\"\\/\b\f\n\r\t').");
    assert_tokens("[1,]", "[1 )."); /* trace events */
}

static void a_string_may_hold_a_nul(void **state)
{
    static const char text[] = "[\"main\\u0000etl.py\\u00005\"]";
    const struct pr_limits limits = {.max_string_bytes = 100};
    struct pr_json_stream json;
    struct pr_source *src;
    (void)state;
    assert_int_equal(pr_source_open_memory("test", text, strlen(text), NULL, &src, NULL), PR_OK);
    pr_json_begin(&json, src, &limits, NULL);
    assert_int_equal(pr_json_next(&json), PR_JSON_ARRAY);
    assert_true(pr_json_item(&json));
    assert_int_equal(json.text.length, 13);
    assert_memory_equal(json.text.bytes, "main\0etl.py\0" "5", 13);
    pr_json_end(&json);
    pr_source_close(src);
}

static void what_is_not_json_is_refused(void **state)
{
    (void)state;
    assert_tokens("{1:2}", "{!");
    assert_tokens("{\"a\" 1}", "{a=!");
    assert_tokens("{\"a\":1 \"b\":2}", "{a=1 !");
    assert_tokens("{\"a\":1,}", "{a=1 !");
    assert_tokens("[1 2]", "[1 !");
    assert_tokens("[1}", "[1 !");
    assert_tokens("{\"a\":1]", "{a=1 !");
    assert_tokens("[\"\\x41\"]", "[!");
    assert_tokens("[\"\\u12g4\"]", "[!");
    assert_tokens("[tru]", "[!");
    assert_tokens("[1.]", "[!");
    assert_tokens("[1e]", "[!");
    assert_tokens("[-]", "[!");
    assert_tokens("[--1]", "[!");
    assert_tokens("[1-2]", "[!");
    assert_tokens("[+1]", "[!");
    assert_tokens("{} {}", "{)!");
    assert_tokens("]", "!");
    assert_tokens("   ", "!");
    assert_tokens(",", "!");
}

static void a_cut_document_says_where(void **state)
{
    (void)state;
    assert_tokens("[{\"a\":1},", "[{a=1 )~"); /* where an item could come: fine for trace events */
    assert_tokens("[{\"a\":1}", "[{a=1 )~");
    assert_tokens("[", "[~");
    assert_tokens("[{\"a\":1", "[{a=!"); /* more digits could have followed */
    assert_tokens("[{\"a\":", "[{a=!");
    assert_tokens("[{\"a", "[{!");
    assert_tokens("[\"a\\", "[!");
    assert_tokens("[tr", "[!");
}

/* Skips the value of "skip" and goes on with what follows. */
static void assert_skipped(const char *value)
{
    const struct pr_limits limits = {.max_string_bytes = 100};
    char text[512];
    struct pr_json_stream json;
    struct pr_source *src;
    struct pr_error err = {0};
    snprintf(text, sizeof text, "{\"skip\": %s, \"next\": 5}", value);
    assert_int_equal(pr_source_open_memory("test", text, strlen(text), NULL, &src, NULL), PR_OK);
    pr_json_begin(&json, src, &limits, &err);
    assert_int_equal(pr_json_next(&json), PR_JSON_OBJECT);
    assert_true(pr_json_key(&json));
    pr_json_skip(&json);
    if (!pr_json_key(&json) || !pr_json_is(&json, "next"))
        fail_msg("%s is not skipped", value);
    assert_int_equal(pr_json_next(&json), PR_JSON_NUMBER);
    assert_int_equal(pr_json_scaled(&json, 0, 0), 5);
    assert_false(pr_json_key(&json));
    assert_int_equal(pr_json_next(&json), PR_JSON_END);
    pr_json_end(&json);
    pr_source_close(src);
}

static void values_are_skipped(void **state)
{
    (void)state;
    assert_skipped("1");
    assert_skipped("\"a]}\\\"\"");
    assert_skipped("{}");
    assert_skipped("[]");
    assert_skipped("{\"a\": [1, {\"b]\": \"}\\\\\"}], \"c\": null}");
}

static void depth_costs_no_stack(void **state)
{
    enum { DEEP = PR_JSON_MAX_DEPTH + 10 };
    (void)state;
    char *text = malloc(2 * DEEP), *out = malloc(4 * DEEP);
    assert_non_null(text);
    assert_non_null(out);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    assert_int_equal(strlen(tokens(text, 2 * DEEP, out, 4 * DEEP)), PR_JSON_MAX_DEPTH + 1); /* and "!" */
    assert_int_equal(strlen(tokens(text + 10, 2 * (DEEP - 10), out, 4 * DEEP)), 2 * PR_JSON_MAX_DEPTH + 1);
    assert_int_equal(out[2 * PR_JSON_MAX_DEPTH], '.');
    free(text);
    free(out);
}

/* A source of a byte at a time: every token is cut by the end of the window. */
struct dripping {
    struct pr_source source;
    const uint8_t *bytes;
    size_t length;
};

static void drip(struct pr_source *src, size_t want)
{
    struct dripping *dripping = src->state;
    while ((size_t)(src->end - src->at) < want) {
        if (src->end == dripping->bytes + dripping->length) {
            src->at_eof = true;
            return;
        }
        src->end++;
        src->end_offset++;
    }
}

static void tokens_may_cross_the_window(void **state)
{
    static const struct pr_source_class class = {.fill = drip};
    static const char text[] = "{\"a\\u0041\": [1234, \"xy\\nz\", true, -Infinity],"
                               " \"skip\": {\"b\": [\"\\\"]\"]}, \"c\": 5}";
    const struct pr_limits limits = {.max_string_bytes = 100};
    struct dripping dripping = {.bytes = (const uint8_t *)text, .length = strlen(text)};
    struct pr_json_stream json;
    (void)state;
    dripping.source = (struct pr_source){
        .at = dripping.bytes, .end = dripping.bytes, .name = "test", .class = &class, .state = &dripping};
    pr_json_begin(&json, &dripping.source, &limits, NULL);
    assert_int_equal(pr_json_next(&json), PR_JSON_OBJECT);
    assert_true(pr_json_key(&json) && pr_json_is(&json, "aA"));
    assert_true(pr_json_enter(&json, PR_JSON_ARRAY));
    assert_true(pr_json_item(&json));
    assert_int_equal(pr_json_scaled(&json, 0, 0), 1234);
    assert_true(pr_json_item(&json) && pr_json_is(&json, "xy\nz"));
    assert_true(pr_json_item(&json) && json.token == PR_JSON_TRUE);
    assert_true(pr_json_item(&json));
    assert_int_equal(pr_json_scaled(&json, 0, -1), -1);
    assert_false(pr_json_item(&json));
    assert_true(pr_json_key(&json));
    pr_json_skip(&json);
    assert_true(pr_json_key(&json) && pr_json_is(&json, "c"));
    assert_false(pr_json_enter(&json, PR_JSON_ARRAY));
    assert_false(pr_json_key(&json));
    assert_int_equal(pr_json_next(&json), PR_JSON_END);
    pr_json_end(&json);
}

static void numbers_have_their_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t exponent;
        int64_t value;
    } cases[] = {
        {"[5 ]", 0, 5}, {"[0]", 0, 0}, {"[007]", 0, 7}, {"[-5]", 0, -5}, {"[2.5]", 0, 3}, {"[25]", 3, 25000},
        {"[12e3]", 0, 12000}, {"[1.25]", 3, 1250}, {"12", 0, 12}, {"[999999999999999999]", 0, 999999999999999999},
        {"[1000000000000000000]", 0, 1000000000000000000}, {"[9223372036854775807]", 0, INT64_MAX},
        {"[9223372036854775808]", 0, INT64_MAX}, {"[99999999999999999999999999]", 0, INT64_MAX},
        {"[-99999999999999999999999999]", 0, INT64_MIN}, {"[000000000000000000000000012]", 0, 12},
        {"[0.000000000000000000000012]", 24, 12}, {"[NaN]", 0, -7}, {"[true]", 0, -7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pr_limits limits = {.max_string_bytes = 100};
        struct pr_source *src;
        struct pr_error err = {0};
        struct pr_json_stream json;
        assert_int_equal(pr_source_open_memory("test", cases[i].text, strlen(cases[i].text), NULL, &src, &err), PR_OK);
        pr_json_begin(&json, src, &limits, &err);
        if (pr_json_next(&json) == PR_JSON_ARRAY)
            assert_true(pr_json_item(&json));
        if (pr_json_scaled(&json, cases[i].exponent, -7) != cases[i].value)
            fail_msg("%s is read as %lld", cases[i].text, (long long)pr_json_scaled(&json, cases[i].exponent, -7));
        pr_json_end(&json);
        pr_source_close(src);
    }
}

static void a_peek_sees_the_first_keys(void **state)
{
    static const char text[] = "{\"$schema\": \"https://www.speedscope.app/x\", \"shared\": {\"frames\": ["
                               "{\"name\": \"f\"}, {\"other\": 1}]},"
                               " \"profiles\": [{\"type\": \"sampled\", \"samples\": [[1,";
    struct pr_json_peek peek;
    struct pr_source *src;
    (void)state;
    assert_int_equal(pr_source_open_memory("test", text, strlen(text), NULL, &src, NULL), PR_OK);
    pr_json_peek(src, &peek);
    assert_int_equal(peek.first, '{');
    assert_int_equal(pr_json_evidence(&peek, "shared.frames", '['), 8 * 13);
    assert_int_equal(pr_json_evidence(&peek, "shared.frames", '{'), 0);
    assert_int_equal(pr_json_evidence(&peek, "shared.frames.name", 0), 8 * 18);
    assert_int_equal(pr_json_evidence(&peek, "shared.frames.other", 0), 0);
    assert_int_equal(pr_json_evidence_string(&peek, "profiles.type", "sampled"), 8 * 20);
    assert_int_equal(pr_json_evidence_string(&peek, "profiles.type", "evented"), 0);
    assert_int_equal(pr_source_offset(src), 0);
    pr_source_close(src);

    assert_int_equal(pr_source_open_memory("test", "{(\x03\0\0\0u", 7, NULL, &src, NULL), PR_OK); /* marshal */
    pr_json_peek(src, &peek);
    assert_int_equal(peek.first, 0);
    pr_source_close(src);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_read),          cmocka_unit_test(what_python_writes_is_read),
        cmocka_unit_test(a_string_may_hold_a_nul),     cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(a_cut_document_says_where),   cmocka_unit_test(values_are_skipped),
        cmocka_unit_test(depth_costs_no_stack),        cmocka_unit_test(tokens_may_cross_the_window),
        cmocka_unit_test(numbers_have_their_value),
        cmocka_unit_test(a_peek_sees_the_first_keys),
    };
    return cmocka_run_group_tests_name("json_stream", tests, NULL, NULL);
}
