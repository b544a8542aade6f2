/* SPDX-License-Identifier: Apache-2.0 */
/* A state for what may come next, a bit for each open bracket, strings in place unless they hold escapes. */
#include "capture/parse/json_stream.h"

#include "capture/base/ascii.h"
#include "capture/base/utf8.h"

#include <endian.h>
#include <inttypes.h>

/* What may come next. */
enum {
    EXPECT_VALUE,
    EXPECT_KEY,
    EXPECT_FIRST, /* after an opening bracket: an item, a key or the closing bracket */
    EXPECT_COMMA, /* after an item: a comma or the closing bracket */
    EXPECT_COLON,
    EXPECT_NOTHING, /* the document is complete */
    BROKEN
};

static enum pr_json_token set(struct pr_json_stream *json, enum pr_json_token token)
{
    return json->token = token;
}

static enum pr_json_token bad(struct pr_json_stream *json, enum pr_error_code code, const char *why)
{
    pr_cut(json->err, code, json->offset, "JSON", "%s", why);
    json->expected = BROKEN;
    return set(json, PR_JSON_BAD);
}

/* The input ends where something is missing. */
static enum pr_json_token cut(struct pr_json_stream *json, const char *where)
{
    const struct pr_error *cause = &json->src->error;
    if (cause->code == PR_ERR_NONE)
        return bad(json, PR_ERR_TRUNCATED, where);
    return bad(json, cause->code, cause->text);
}

void pr_json_begin(struct pr_json_stream *json, struct pr_source *src, const struct pr_limits *limits,
                   struct pr_error *err)
{
    memset(json, 0, offsetof(struct pr_json_stream, is_object)); /* each bit of that is written before it is read */
    json->src = src;
    json->err = err;
    json->max_string_bytes = limits->max_string_bytes;
    json->expected = EXPECT_VALUE;
    pr_source_skip_byte_order_mark(src);
}

void pr_json_end(struct pr_json_stream *json)
{
    pr_buf_clear(&json->decoded);
}

/* ---- brackets --------------------------------------------------------------------------------------------------- */

static bool in_object(const struct pr_json_stream *json)
{
    uint32_t level = json->depth - 1;
    return json->is_object[level / 64] >> level % 64 & 1;
}

static bool push(struct pr_json_stream *json, bool object)
{
    if (json->depth == PR_JSON_MAX_DEPTH) {
        bad(json, PR_ERR_LIMIT, "objects and arrays are nested too deeply");
        return false;
    }
    uint64_t bit = UINT64_C(1) << json->depth % 64, *word = &json->is_object[json->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    json->depth++;
    return true;
}

static bool pop(struct pr_json_stream *json, int bracket)
{
    if (bracket != (in_object(json) ? '}' : ']')) {
        bad(json, PR_ERR_DAMAGED, in_object(json) ? "an object closes with another bracket"
                                                  : "an array closes with another bracket");
        return false;
    }
    json->depth--;
    json->expected = json->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    return true;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Moves past spaces, even where the window ends in them. */
static void skip_spaces(struct pr_source *src)
{
    do {
        while (src->at < src->end && is_space(*src->at))
            src->at++;
    } while (src->at == src->end && pr_source_need(src, 1));
}

/* The next byte that is not a space, or -1 at the end of the input. */
static inline int look(struct pr_json_stream *json)
{
    struct pr_source *src = json->src;
    if (src->at == src->end || *src->at <= ' ')
        skip_spaces(src);
    json->offset = pr_source_offset(src);
    return src->at < src->end ? *src->at : -1;
}

/*
 * Index of the first quote or backslash from AT on, or END. Eight bytes at a time: a byte is 0 where it is the same,
 * and the lowest bit found is one of the first such byte; a carry may have set others only above it.
 */
static inline size_t find_special(const uint8_t *text, size_t at, size_t end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; at + 8 <= end; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        word = le64toh(word);
        const uint64_t quotes = word ^ ones * '"', backslashes = word ^ ones * '\\';
        const uint64_t found = (((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes)) & highs;
        if (found)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    while (at < end && text[at] != '"' && text[at] != '\\')
        at++;
    return at;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

static int hex(uint8_t byte)
{
    if (pr_is_digit(byte))
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The code of the four digits at TEXT, or -1. */
static int32_t four_digits(const uint8_t *text, size_t length)
{
    int32_t code = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < length ? hex(text[i]) : -1;
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

/*
 * The character of an escape `\uXXXX` at TEXT; returns the bytes it takes, 0 = not one. Two surrogates are one
 * character. A lone one from DC80 to DCFF is a byte that was not UTF-8 (Python, "surrogateescape") and becomes that
 * byte again; other lone ones keep their three bytes, which are not UTF-8 either.
 */
static size_t decode_unicode(struct pr_json_stream *json, const uint8_t *text, size_t length)
{
    struct pr_buf *out = &json->decoded;
    int32_t code = four_digits(text + 2, length - 2), low = -1;
    if (code < 0)
        return 0;
    if (code >= 0xD800 && code < 0xDC00 && length > 7 && text[6] == '\\' && text[7] == 'u')
        low = four_digits(text + 8, length - 8);
    if (low >= 0xDC00 && low < 0xE000) {
        pr_utf8_add(out, 0x10000 + ((uint32_t)code - 0xD800) * 0x400 + ((uint32_t)low - 0xDC00));
        return 12;
    }
    json->has_lone_surrogate |= code >= 0xD800 && code < 0xE000;
    if (code >= 0xDC80 && code < 0xDD00)
        pr_buf_byte(out, (unsigned)code & 0xFF);
    else
        pr_utf8_add(out, (uint32_t)code);
    return 6;
}

/* The same for every escape. There is at least one byte after the backslash. */
static size_t decode_escape(struct pr_json_stream *json, const uint8_t *text, size_t length)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (text[1] == 'u')
        return decode_unicode(json, text, length);
    const char *found = text[1] ? strchr(from, text[1]) : NULL;
    if (!found)
        return 0;
    pr_buf_byte(&json->decoded, (unsigned char)to[found - from]);
    return 2;
}

static bool decode(struct pr_json_stream *json, const uint8_t *text, size_t length)
{
    struct pr_buf *out = &json->decoded;
    out->length = 0;
    for (size_t at = 0; at < length;) {
        size_t plain = find_special(text, at, length);
        pr_buf_add(out, text + at, plain - at);
        if (plain == length)
            break;
        size_t taken = decode_escape(json, text + plain, length - plain);
        if (!taken) {
            bad(json, PR_ERR_DAMAGED, "a string holds an escape that JSON does not have");
            return false;
        }
        at = plain + taken;
    }
    if (out->failed) {
        json->expected = BROKEN;
        json->token = PR_JSON_BAD;
        pr_fail_memory(json->err);
        return false;
    }
    json->text = (struct pr_text){out->bytes, (uint32_t)out->length};
    return true;
}

static enum pr_json_token read_string(struct pr_json_stream *json, enum pr_json_token token)
{
    struct pr_source *src = json->src;
    bool escaped = false;
    size_t at = 1, have;
    for (;;) {
        have = (size_t)(src->end - src->at);
        at = at < have ? find_special(src->at, at, have) : at;
        if (at < have && src->at[at] == '"')
            break;
        if (at < have) {
            escaped = true;
            at += 2;
            continue;
        }
        if (at > json->max_string_bytes)
            return bad(json, PR_ERR_LIMIT, "a string is too long");
        if (!pr_source_need(src, at + 1))
            return cut(json, "the input ends in a string");
    }
    if (at - 1 > json->max_string_bytes)
        return bad(json, PR_ERR_LIMIT, "a string is too long");
    const uint8_t *text = src->at + 1;
    pr_source_skip(src, at + 1);
    json->text = (struct pr_text){(const char *)text, (uint32_t)(at - 1)};
    if (escaped && !decode(json, text, at - 1))
        return PR_JSON_BAD;
    return set(json, token);
}

/* ---- numbers and words ------------------------------------------------------------------------------------------ */

static bool is_number_byte(uint8_t byte)
{
    return pr_is_digit(byte) || byte == '.' || byte == '-' || byte == '+' || byte == 'e' || byte == 'E';
}

/* Number of digits at TEXT. */
static size_t digits(const uint8_t *text, const uint8_t *end)
{
    const uint8_t *at = text;
    while (at < end && pr_is_digit(*at))
        at++;
    return (size_t)(at - text);
}

/* As RFC 8259 writes them, except for leading zeros. */
static bool is_number(const uint8_t *text, const uint8_t *end)
{
    text += text < end && *text == '-';
    size_t count = digits(text, end);
    text += count;
    if (count && text < end && *text == '.') {
        count = digits(text + 1, end);
        text += 1 + count;
    }
    if (count && text < end && (*text | 0x20) == 'e') {
        text++;
        text += text < end && (*text == '-' || *text == '+');
        count = digits(text, end);
        text += count;
    }
    return count && text == end;
}

static enum pr_json_token read_word(struct pr_json_stream *json, const char *word, enum pr_json_token token)
{
    struct pr_source *src = json->src;
    size_t length = strlen(word);
    bool whole = pr_source_need(src, length);
    size_t have = whole ? length : (size_t)(src->end - src->at);
    if (memcmp(src->at, word, have))
        return bad(json, PR_ERR_DAMAGED, "this is not a JSON value");
    if (!whole)
        return cut(json, "the input ends in a value");
    json->text = (struct pr_text){(const char *)src->at, (uint32_t)length};
    json->is_whole = false;
    pr_source_skip(src, length);
    return set(json, token);
}

static enum pr_json_token take_number(struct pr_json_stream *json, size_t length)
{
    json->text = (struct pr_text){(const char *)json->src->at, (uint32_t)length};
    pr_source_skip(json->src, length);
    return set(json, PR_JSON_NUMBER);
}

/*
 * Length of a number without an exponent, as nearly all are, if the text continues after it; 0: look closer. Most are
 * whole and short, as indexes and ids are: these get their value right away.
 */
static size_t plain_number(struct pr_json_stream *json)
{
    enum { SURE_DIGITS = 18 };
    const uint8_t *text = json->src->at, *end = json->src->end, *at = text + (*text == '-'), *first = at;
    uint64_t value = 0;
    while (at < end && pr_is_digit(*at))
        value = value * 10 + (*at++ - '0');
    const bool any = at > first;
    json->is_whole = any && first == text && at - text <= SURE_DIGITS;
    json->whole = value;
    if (any && at < end && *at == '.') {
        const size_t decimals = digits(at + 1, end);
        at += decimals ? 1 + decimals : 0;
        json->is_whole = false;
    }
    return any && at < end && !is_number_byte(*at) ? (size_t)(at - text) : 0;
}

static enum pr_json_token read_number(struct pr_json_stream *json)
{
    struct pr_source *src = json->src;
    size_t length = plain_number(json);
    if (length)
        return take_number(json, length);
    json->is_whole = false;
    length = 1;
    for (;;) {
        size_t have = (size_t)(src->end - src->at);
        while (length < have && is_number_byte(src->at[length]))
            length++;
        if (length < have)
            break;
        if (length > json->max_string_bytes)
            return bad(json, PR_ERR_LIMIT, "a number is too long");
        if (!pr_source_need(src, have + 1)) /* a document may be a number, which ends with the input */
            break;
    }
    if (length == 1 && *src->at == '-' && src->at + 1 < src->end && src->at[1] == 'I')
        return read_word(json, "-Infinity", PR_JSON_NUMBER);
    if (src->at + length == src->end && json->depth)
        return cut(json, "the input ends in a number");
    if (!is_number(src->at, src->at + length))
        return bad(json, PR_ERR_DAMAGED, "a number is not written as JSON writes them");
    return take_number(json, length);
}

/* The value at hand is not of the kind asked for; null counts as missing. */
static void count_unlike(const struct pr_json_stream *json, enum pr_damage_kind kind)
{
    if (json->damage && json->token > PR_JSON_CLOSE && json->token != PR_JSON_NULL)
        pr_damage_add(json->damage, kind, 1, json->offset);
}

bool pr_json_number(const struct pr_json_stream *json, struct pr_decimal *number)
{
    *number = (struct pr_decimal){0};
    if (json->token == PR_JSON_NUMBER && pr_decimal_parse(json->text.bytes, json->text.length, number))
        return true;
    count_unlike(json, PR_DAMAGE_NOT_NUMBERS);
    return false;
}

int64_t pr_json_scaled(const struct pr_json_stream *json, int32_t exponent, int64_t otherwise)
{
    struct pr_decimal number;
    if (json->token == PR_JSON_NUMBER && json->is_whole && !exponent)
        return (int64_t)json->whole;
    return pr_json_number(json, &number) ? pr_decimal_scaled(number, exponent) : otherwise;
}

bool pr_json_index(const struct pr_json_stream *json, uint64_t *number)
{
    struct pr_decimal decimal;
    *number = 0;
    if (json->token != PR_JSON_NUMBER)
        return false;
    if (json->is_whole) {
        *number = json->whole;
        return true;
    }
    if (!pr_decimal_parse(json->text.bytes, json->text.length, &decimal) || pr_decimal_places(decimal) ||
        (decimal.negative && decimal.digits))
        return false;
    const int64_t scaled = pr_decimal_scaled(decimal, 0);
    *number = (uint64_t)scaled;
    return scaled < INT64_MAX;
}

struct pr_maybe pr_json_maybe(const struct pr_json_stream *json, int32_t exponent)
{
    struct pr_decimal number;
    const bool known = pr_json_number(json, &number);
    return (struct pr_maybe){known, known ? pr_decimal_scaled(number, exponent) : 0};
}

struct pr_maybe pr_json_value(struct pr_json_stream *json, int32_t exponent)
{
    pr_json_next(json);
    const struct pr_maybe value = pr_json_maybe(json, exponent);
    pr_json_skip(json);
    return value;
}

pr_str pr_json_intern(const struct pr_json_stream *json, struct pr_strings *strings)
{
    return json->token == PR_JSON_STRING ? pr_strings_add(strings, json->text.bytes, json->text.length) : 0;
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static enum pr_json_token open_bracket(struct pr_json_stream *json, bool object)
{
    if (!push(json, object))
        return PR_JSON_BAD;
    pr_source_skip(json->src, 1);
    json->expected = EXPECT_FIRST;
    return set(json, object ? PR_JSON_OBJECT : PR_JSON_ARRAY);
}

static enum pr_json_token close_bracket(struct pr_json_stream *json, int bracket)
{
    if (!pop(json, bracket))
        return PR_JSON_BAD;
    pr_source_skip(json->src, 1);
    return set(json, PR_JSON_CLOSE);
}

static enum pr_json_token read_value(struct pr_json_stream *json, int first)
{
    if (first == '{' || first == '[')
        return open_bracket(json, first == '{');
    json->expected = json->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    switch (first) {
    case '"': return read_string(json, PR_JSON_STRING);
    case 't': return read_word(json, "true", PR_JSON_TRUE);
    case 'f': return read_word(json, "false", PR_JSON_FALSE);
    case 'n': return read_word(json, "null", PR_JSON_NULL);
    case 'N': return read_word(json, "NaN", PR_JSON_NUMBER);
    case 'I': return read_word(json, "Infinity", PR_JSON_NUMBER);
    default: break;
    }
    if (first == '-' || pr_is_digit(first))
        return read_number(json);
    return bad(json, PR_ERR_DAMAGED, "this is not a JSON value");
}

static enum pr_json_token end_of_input(struct pr_json_stream *json, bool between)
{
    json->ended_between = between && json->depth && json->src->error.code == PR_ERR_NONE;
    return cut(json, json->depth ? "the input ends before the document does" : "there is no document");
}

/* After an item: past the comma, to the byte after it. A closing bracket, even after a comma, stays. */
static int pass_comma(struct pr_json_stream *json, int first)
{
    if (first == ',') {
        pr_source_skip(json->src, 1);
        first = look(json);
        /* Writers of trace events put a comma after every item; the viewers of that format accept it. */
        if (first != ']' || in_object(json))
            json->expected = in_object(json) ? EXPECT_KEY : EXPECT_VALUE;
    }
    return first;
}

enum pr_json_token pr_json_next(struct pr_json_stream *json)
{
    if (json->expected == BROKEN)
        return PR_JSON_BAD;
    int first = look(json);
    bool between = json->expected == EXPECT_COMMA || json->expected == EXPECT_FIRST;
    if (json->expected == EXPECT_NOTHING) {
        if (first >= 0)
            return bad(json, PR_ERR_DAMAGED, "something follows the end of the document");
        return json->src->error.code == PR_ERR_NONE ? set(json, PR_JSON_END) : cut(json, "");
    }
    if (json->expected == EXPECT_COMMA)
        first = pass_comma(json, first);
    if (first < 0)
        return end_of_input(json, between);
    if (json->expected == EXPECT_FIRST && first != '}' && first != ']')
        json->expected = in_object(json) ? EXPECT_KEY : EXPECT_VALUE;
    if (json->expected == EXPECT_COMMA || json->expected == EXPECT_FIRST) {
        if (first == '}' || first == ']')
            return close_bracket(json, first);
        return bad(json, PR_ERR_DAMAGED, "a comma is missing");
    }
    if (json->expected == EXPECT_COLON) {
        if (first != ':')
            return bad(json, PR_ERR_DAMAGED, "a colon is missing after a key");
        pr_source_skip(json->src, 1);
        first = look(json);
        return first < 0 ? end_of_input(json, false) : read_value(json, first);
    }
    if (json->expected == EXPECT_KEY) {
        if (first != '"')
            return bad(json, PR_ERR_DAMAGED, "an object has something else than a key");
        json->expected = EXPECT_COLON;
        return read_string(json, PR_JSON_KEY);
    }
    return read_value(json, first);
}

/* Past the string whose opening quote was taken. False: the input ends in it. */
static bool skip_string(struct pr_source *src)
{
    for (;;) {
        size_t have = (size_t)(src->end - src->at), at = find_special(src->at, 0, have);
        pr_source_skip(src, at);
        if (at < have && *src->at == '"') {
            pr_source_skip(src, 1);
            return true;
        }
        if (at < have) {
            if (!pr_source_need(src, 2))
                return false;
            pr_source_skip(src, 2);
        } else if (!pr_source_need(src, 1)) {
            return false;
        }
    }
}

/* Past the next bracket or string. */
static bool skip_step(struct pr_json_stream *json)
{
    static const bool special[256] = {['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true};
    struct pr_source *src = json->src;
    const uint8_t *at = src->at, *end = src->end;
    while (at < end && !special[*at])
        at++;
    src->at = at;
    if (at == end) {
        if (pr_source_need(src, 1))
            return true;
        json->offset = pr_source_offset(src);
        end_of_input(json, false);
        return false;
    }
    json->offset = pr_source_offset(src);
    uint8_t byte = *at;
    pr_source_skip(src, 1);
    if (byte == '"') {
        if (skip_string(src))
            return true;
        cut(json, "the input ends in a string");
        return false;
    }
    return byte == '{' || byte == '[' ? push(json, byte == '{') : pop(json, byte);
}

void pr_json_skip(struct pr_json_stream *json)
{
    if (json->token == PR_JSON_KEY)
        pr_json_next(json);
    if (json->token != PR_JSON_OBJECT && json->token != PR_JSON_ARRAY)
        return;
    for (uint32_t until = json->depth - 1; json->depth > until;)
        if (!skip_step(json))
            return;
    set(json, PR_JSON_CLOSE);
}

bool pr_json_object(struct pr_json_stream *json)
{
    while (pr_json_item(json)) {
        if (json->token == PR_JSON_OBJECT)
            return true;
        count_unlike(json, PR_DAMAGE_RECORDS);
        pr_json_skip(json);
    }
    return false;
}

bool pr_json_enter(struct pr_json_stream *json, enum pr_json_token bracket)
{
    if (pr_json_next(json) == bracket)
        return true;
    count_unlike(json, PR_DAMAGE_RECORDS);
    pr_json_skip(json);
    return false;
}

enum pr_status pr_json_status(const struct pr_json_stream *json)
{
    if (json->expected != BROKEN)
        return PR_OK;
    return json->decoded.failed ? PR_FAILED : PR_CUT;
}

enum pr_status pr_json_finish(struct pr_json_stream *json)
{
    if (json->token == PR_JSON_CLOSE)
        pr_json_next(json);
    return pr_json_status(json);
}

enum pr_status pr_json_unexpected(struct pr_json_stream *json, const char *wanted)
{
    if (json->expected != BROKEN) {
        pr_cut(json->err, PR_ERR_DAMAGED, json->offset, "JSON", "%s is expected here", wanted);
        json->expected = BROKEN;
        json->token = PR_JSON_BAD;
    }
    return PR_CUT;
}
