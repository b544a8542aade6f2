/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/json_writer.h"

#include "capture/base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pr_json_writer pr_json_writer_start(struct pr_output *out, bool raw_names)
{
    return (struct pr_json_writer){.out = out, .raw_names = raw_names};
}

static void line(struct pr_json_writer *json)
{
    pr_output_byte(json->out, '\n');
    for (unsigned i = 0; i < json->depth; i++)
        pr_output_byte(json->out, ' ');
}

/* What goes between the previous item and this one. */
static void before_item(struct pr_json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->has_items[json->depth])
        pr_output_text(json->out, json->lines[json->depth] ? "," : ", ");
    json->has_items[json->depth] = true;
    if (json->lines[json->depth])
        line(json);
}

static void open_bracket(struct pr_json_writer *json, char bracket, bool lines)
{
    before_item(json);
    pr_output_byte(json->out, bracket);
    assert(json->depth + 1 < PR_JSON_WRITER_MAX_DEPTH);
    json->depth++;
    json->has_items[json->depth] = false;
    json->lines[json->depth] = lines;
}

void pr_json_put_open(struct pr_json_writer *json, char bracket)
{
    open_bracket(json, bracket, false);
}

void pr_json_put_lines(struct pr_json_writer *json, char bracket)
{
    open_bracket(json, bracket, true);
}

void pr_json_put_close(struct pr_json_writer *json, char bracket)
{
    bool on_its_own = json->lines[json->depth] && json->has_items[json->depth];
    json->depth--;
    if (on_its_own)
        line(json);
    pr_output_byte(json->out, bracket);
    if (json->depth == 0)
        pr_output_byte(json->out, '\n');
}

/* Control characters, and those invisible ones that change how others are shown. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

static void bad_bytes(struct pr_json_writer *json, const char *bytes, size_t size)
{
    if (!json->raw_names)
        pr_output_text(json->out, "\xEF\xBF\xBD");
    else
        for (size_t i = 0; i < size; i++)
            pr_output_printf(json->out, "\\udc%02x", (unsigned char)bytes[i]);
}

static void escape(struct pr_json_writer *json, uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *text;
    } short_forms[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'\t', "\\t"}, {'\r', "\\r"}};
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++) {
        if (short_forms[i].code == code) {
            pr_output_text(json->out, short_forms[i].text);
            return;
        }
    }
    pr_output_printf(json->out, "\\u%04x", code);
}

static void string_body(struct pr_json_writer *json, const char *bytes, size_t length)
{
    size_t plain = 0; /* what is before `at` and not written yet begins here */
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t code = pr_utf8_next(bytes + at, length - at, &size);
        /* The log of a CI runner would obey "##[error]"; as an escape it is the same text to all who read JSON. */
        const bool commands = code == '#' && at && bytes[at - 1] == '#';
        if (!commands && code != '"' && code != '\\' && code != PR_UTF8_BAD && !is_control(code))
            continue;
        pr_output_add(json->out, bytes + plain, at - plain);
        plain = at + size;
        if (code == PR_UTF8_BAD)
            bad_bytes(json, bytes + at, size);
        else
            escape(json, code);
    }
    pr_output_add(json->out, bytes + plain, length - plain);
}

static void write_string(struct pr_json_writer *json, const char *bytes, size_t length)
{
    before_item(json);
    pr_output_byte(json->out, '"');
    string_body(json, bytes, length);
    pr_output_byte(json->out, '"');
}

void pr_json_put_name(struct pr_json_writer *json, struct pr_text name)
{
    write_string(json, name.bytes, name.length);
}

void pr_json_put_text(struct pr_json_writer *json, const char *text)
{
    if (text)
        write_string(json, text, strlen(text));
    else
        pr_json_put_null(json);
}

void pr_json_put_key(struct pr_json_writer *json, const char *key)
{
    pr_json_put_text(json, key);
    pr_output_text(json->out, ": ");
    json->after_key = true;
}

void pr_json_put_buf(struct pr_json_writer *json, const char *key, struct pr_buf *text)
{
    pr_json_put_key(json, key);
    pr_json_put_name(json, (struct pr_text){text->length ? text->bytes : "", (uint32_t)text->length});
    pr_output_needs(json->out, text);
    pr_buf_clear(text);
}

void pr_json_put_int(struct pr_json_writer *json, int64_t value)
{
    before_item(json);
    pr_output_printf(json->out, "%" PRId64, value);
}

void pr_json_put_uint(struct pr_json_writer *json, uint64_t value)
{
    before_item(json);
    pr_output_printf(json->out, "%" PRIu64, value);
}

void pr_json_put_bool(struct pr_json_writer *json, bool value)
{
    before_item(json);
    pr_output_text(json->out, value ? "true" : "false");
}

void pr_json_put_null(struct pr_json_writer *json)
{
    before_item(json);
    pr_output_text(json->out, "null");
}

const char *pr_fixed_text(char text[PR_FIXED_SIZE], int64_t value, unsigned places)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, one = 1;
    const char *sign = value < 0 ? "-" : "";
    for (unsigned i = 0; i < places; i++)
        one *= 10;
    if (!places) {
        snprintf(text, PR_FIXED_SIZE, "%s%" PRIu64, sign, size);
        return text;
    }
    int length = snprintf(text, PR_FIXED_SIZE, "%s%" PRIu64 ".%0*" PRIu64, sign, size / one, (int)places, size % one);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    text[length] = '\0';
    return text;
}

void pr_json_put_real(struct pr_json_writer *json, double value)
{
    enum { SURE = 15, MOST = 17 };
    char text[40];
    if (!isfinite(value)) {
        pr_json_put_null(json);
        return;
    }
    for (int digits = SURE; digits <= MOST; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    before_item(json);
    pr_output_text(json->out, text);
}

void pr_json_put_fixed(struct pr_json_writer *json, int64_t value, unsigned places)
{
    char text[PR_FIXED_SIZE];
    before_item(json);
    pr_output_text(json->out, pr_fixed_text(text, value, places));
}
