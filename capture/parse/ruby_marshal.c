/* SPDX-License-Identifier: Apache-2.0 */
/* A stack of what is open takes the place of recursion: what is not shown is read like the rest, and then left out. */
#include "capture/parse/ruby_marshal.h"

#include "capture/base/checked.h"
#include "capture/base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 4, MINOR = 8, SMALL = 4, SMALL_SHIFT = 5, WORD_BYTES = 2, WHOLE_BYTES = 8 };

void pr_ruby_begin(struct pr_ruby *ruby, struct pr_source *src, struct pr_strings *strings,
                   const struct pr_limits *limits, struct pr_error *err)
{
    memset(ruby, 0, sizeof *ruby);
    ruby->scan = pr_scan_begin(src, "marshalled object", err);
    ruby->strings = strings;
    ruby->max_string_bytes = limits->max_string_bytes;
}

void pr_ruby_end(struct pr_ruby *ruby)
{
    free(ruby->symbols);
    free(ruby->values);
    free(ruby->kinds);
}

static enum pr_ruby_token broken(struct pr_ruby *ruby, enum pr_error_code code, const char *why)
{
    if (!ruby->scan.failed)
        pr_cut(ruby->scan.err, code, ruby->scan.record_offset, ruby->scan.doing, "%s", why);
    ruby->scan.failed = true;
    return PR_RUBY_BAD;
}

static enum pr_ruby_token no_memory(struct pr_ruby *ruby)
{
    if (!ruby->scan.failed)
        pr_fail_memory(ruby->scan.err);
    ruby->scan.failed = ruby->scan.no_memory = true;
    return PR_RUBY_BAD;
}

/* ---- numbers and texts ------------------------------------------------------------------------------------------ */

/* A number in one byte, or in the one to four bytes that the first one counts, below 0 for numbers below 0. */
static int64_t read_small(struct pr_ruby *ruby)
{
    const int first = (int8_t)pr_scan_u8(&ruby->scan);
    const int bytes = first < 0 ? -first : first;
    if (bytes > SMALL)
        return first < 0 ? first + SMALL_SHIFT : first - SMALL_SHIFT;
    int64_t number = first < 0 ? -1 : 0;
    for (int i = 0; i < bytes; i++) {
        number &= ~(INT64_C(0xFF) << 8 * i);
        number |= (int64_t)pr_scan_u8(&ruby->scan) << 8 * i;
    }
    return number;
}

/* How many bytes or objects follow. */
static uint64_t read_count(struct pr_ruby *ruby)
{
    const int64_t count = read_small(ruby);
    if (count < 0)
        broken(ruby, PR_ERR_DAMAGED, "a length is below 0");
    return count < 0 || ruby->scan.failed ? 0 : (uint64_t)count;
}

/* A sign, then words of two bytes, the lowest first. */
static int64_t read_big(struct pr_ruby *ruby)
{
    const bool negative = pr_scan_u8(&ruby->scan) == '-';
    const uint64_t bytes = WORD_BYTES * read_count(ruby);
    uint64_t number = 0;
    bool fits = true;
    for (uint64_t i = 0; i < bytes && !ruby->scan.failed; i++) {
        const uint64_t byte = pr_scan_u8(&ruby->scan);
        if (i < WHOLE_BYTES)
            number |= byte << 8 * i;
        else
            fits &= !byte;
    }
    if (!fits || number > INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)number : (int64_t)number;
}

static pr_str read_bytes(struct pr_ruby *ruby)
{
    const uint64_t length = read_count(ruby);
    const uint8_t *bytes = pr_scan_bytes(&ruby->scan, length, ruby->max_string_bytes);
    const pr_str string = bytes ? pr_strings_add(ruby->strings, bytes, (size_t)length) : 0;
    if (string == PR_NO_STR)
        no_memory(ruby);
    return string == PR_NO_STR ? 0 : string;
}

/* "1.5", "inf", "-inf", "nan". */
static double read_float(struct pr_ruby *ruby)
{
    struct pr_decimal number;
    const uint64_t length = read_count(ruby);
    const char *text = (const char *)pr_scan_bytes(&ruby->scan, length, ruby->max_string_bytes);
    if (text && length && pr_decimal_parse(text, (size_t)length, &number) == length)
        return pr_decimal_double(number);
    return NAN;
}

static pr_str add_symbol(struct pr_ruby *ruby)
{
    const pr_str symbol = read_bytes(ruby);
    if (ruby->scan.failed)
        return 0;
    if (!pr_grow(&ruby->symbols, &ruby->symbol_capacity, ruby->symbol_count + 1, sizeof *ruby->symbols))
        return (pr_str)no_memory(ruby);
    return ruby->symbols[ruby->symbol_count++] = symbol;
}

static pr_str find_symbol(struct pr_ruby *ruby)
{
    const uint64_t number = read_count(ruby);
    if (number < ruby->symbol_count)
        return ruby->symbols[number];
    broken(ruby, PR_ERR_DAMAGED, "a link leads to no symbol");
    return 0;
}

/* The name of a class, which is read and not used. An encoding may follow it. */
static void pass_symbol(struct pr_ruby *ruby)
{
    switch (pr_scan_u8(&ruby->scan)) {
    case ':': add_symbol(ruby); break;
    case ';': find_symbol(ruby); break;
    default: broken(ruby, PR_ERR_DAMAGED, "an object has no class");
    }
}

/* ---- objects and links ------------------------------------------------------------------------------------------ */

/* Gives the object its number, for links. */
static enum pr_ruby_token numbered(struct pr_ruby *ruby, enum pr_ruby_token kind, uint64_t value)
{
    const size_t count = ruby->object_count + 1;
    if (ruby->scan.failed)
        return PR_RUBY_BAD;
    if (count > PR_RUBY_MAX_OBJECTS)
        return broken(ruby, PR_ERR_LIMIT, "it has more objects than are read");
    if (!pr_grow(&ruby->values, &ruby->value_capacity, count, sizeof *ruby->values) ||
        !pr_grow(&ruby->kinds, &ruby->kind_capacity, count, sizeof *ruby->kinds))
        return no_memory(ruby);
    ruby->values[ruby->object_count] = value;
    ruby->kinds[ruby->object_count++] = (uint8_t)kind;
    return kind;
}

static enum pr_ruby_token show(struct pr_ruby *ruby, enum pr_ruby_token kind, uint64_t value)
{
    if (kind == PR_RUBY_INTEGER)
        ruby->integer = (int64_t)value;
    else if (kind == PR_RUBY_FLOAT)
        memcpy(&ruby->real, &value, sizeof ruby->real);
    else if (kind == PR_RUBY_STRING)
        ruby->string = (pr_str)value;
    return kind;
}

static enum pr_ruby_token number_and_show(struct pr_ruby *ruby, enum pr_ruby_token kind, uint64_t value)
{
    show(ruby, kind, value);
    return numbered(ruby, kind, value);
}

static enum pr_ruby_token follow(struct pr_ruby *ruby)
{
    const uint64_t number = read_count(ruby);
    if (ruby->scan.failed)
        return PR_RUBY_BAD;
    if (number >= ruby->object_count)
        return broken(ruby, PR_ERR_DAMAGED, "a link leads to no object");
    const enum pr_ruby_token kind = (enum pr_ruby_token)ruby->kinds[number];
    return kind < PR_RUBY_ARRAY ? show(ruby, kind, ruby->values[number]) : PR_RUBY_OTHER;
}

static enum pr_ruby_token push(struct pr_ruby *ruby, enum pr_ruby_token kind, struct pr_ruby_open open)
{
    if (ruby->scan.failed)
        return PR_RUBY_BAD;
    if (ruby->depth == PR_RUBY_MAX_DEPTH)
        return broken(ruby, PR_ERR_LIMIT, "objects are nested too deeply");
    ruby->open[ruby->depth++] = open;
    ruby->hidden += open.is_hidden;
    return kind;
}

/* Instance variables of what is complete otherwise: they are hidden, and names and values in turn. */
static enum pr_ruby_token with_fields(struct pr_ruby *ruby, enum pr_ruby_token kind, bool is_numbered_at_end)
{
    const uint64_t count = 2 * read_count(ruby);
    return push(ruby, kind,
                (struct pr_ruby_open){.count = count, .is_hidden = true, .is_numbered_at_end = is_numbered_at_end});
}

static enum pr_ruby_token scalar(struct pr_ruby *ruby, enum pr_ruby_token kind, bool has_fields)
{
    return has_fields && kind != PR_RUBY_BAD ? with_fields(ruby, kind, false) : kind;
}

/* What a class dumped as bytes of its own has its number after its instance variables. */
static enum pr_ruby_token opaque(struct pr_ruby *ruby, bool has_fields)
{
    return has_fields ? with_fields(ruby, PR_RUBY_OTHER, true) : numbered(ruby, PR_RUBY_OTHER, 0);
}

static enum pr_ruby_token container(struct pr_ruby *ruby, enum pr_ruby_token kind, unsigned type, bool has_fields)
{
    if (numbered(ruby, kind, 0) == PR_RUBY_BAD)
        return PR_RUBY_BAD;
    const uint64_t count = read_count(ruby) * (kind == PR_RUBY_HASH ? 2 : 1);
    return push(ruby, kind,
                (struct pr_ruby_open){.count = count, .has_default = type == '}', .has_fields = has_fields});
}

/* An object that another one stands for. */
static enum pr_ruby_token wrapped(struct pr_ruby *ruby, bool has_fields)
{
    pass_symbol(ruby);
    if (numbered(ruby, PR_RUBY_OTHER, 0) == PR_RUBY_BAD)
        return PR_RUBY_BAD;
    return push(ruby, PR_RUBY_OTHER, (struct pr_ruby_open){.count = 1, .is_hidden = true, .has_fields = has_fields});
}

static enum pr_ruby_token read_float_object(struct pr_ruby *ruby)
{
    const double real = read_float(ruby);
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return number_and_show(ruby, PR_RUBY_FLOAT, bits);
}

/* What begins with TYPE. */
static enum pr_ruby_token read_typed(struct pr_ruby *ruby, unsigned type, bool has_fields)
{
    switch (type) {
    case '0':
    case 'T':
    case 'F': return PR_RUBY_OTHER;
    case 'i': return show(ruby, PR_RUBY_INTEGER, (uint64_t)read_small(ruby));
    case ':': return scalar(ruby, show(ruby, PR_RUBY_STRING, add_symbol(ruby)), has_fields);
    case ';': return show(ruby, PR_RUBY_STRING, find_symbol(ruby));
    case '@': return follow(ruby);
    case 'l': return number_and_show(ruby, PR_RUBY_INTEGER, (uint64_t)read_big(ruby));
    case 'f': return read_float_object(ruby);
    case '"':
    case 'c':
    case 'm':
    case 'M': return scalar(ruby, number_and_show(ruby, PR_RUBY_STRING, read_bytes(ruby)), has_fields);
    case '/': read_bytes(ruby); pr_scan_u8(&ruby->scan); return opaque(ruby, has_fields);
    case 'u': pass_symbol(ruby); read_bytes(ruby); return opaque(ruby, has_fields);
    case 'U':
    case 'd': return wrapped(ruby, has_fields);
    case 'o':
    case 'S': pass_symbol(ruby); return container(ruby, PR_RUBY_HASH, type, has_fields);
    case '[': return container(ruby, PR_RUBY_ARRAY, type, has_fields);
    case '{':
    case '}': return container(ruby, PR_RUBY_HASH, type, has_fields);
    default: return broken(ruby, PR_ERR_DAMAGED, "an object is of a kind that Marshal does not have");
    }
}

/* An object, after what says that instance variables follow it, or that it has a class of its own. */
static enum pr_ruby_token read_object(struct pr_ruby *ruby)
{
    bool has_fields = false;
    ruby->scan.record_offset = pr_source_offset(ruby->scan.src);
    for (;;) {
        const unsigned type = pr_scan_u8(&ruby->scan);
        if (ruby->scan.failed)
            return PR_RUBY_BAD;
        if (type == 'I')
            has_fields = true;
        else if (type == 'C' || type == 'e')
            pass_symbol(ruby);
        else
            return read_typed(ruby, type, has_fields);
    }
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

/* What is open has no more objects. True: it is closed; what is hidden closes without a token. */
static bool close_top(struct pr_ruby *ruby)
{
    struct pr_ruby_open *top = &ruby->open[ruby->depth - 1];
    if (top->has_default) {
        top->has_default = false;
        push(ruby, PR_RUBY_OTHER, (struct pr_ruby_open){.count = 1, .is_hidden = true});
        return false;
    }
    if (top->has_fields) {
        top->has_fields = false;
        with_fields(ruby, PR_RUBY_OTHER, false);
        return false;
    }
    if (top->is_numbered_at_end)
        numbered(ruby, PR_RUBY_OTHER, 0);
    ruby->hidden -= top->is_hidden;
    ruby->depth--;
    return !top->is_hidden;
}

static void begin(struct pr_ruby *ruby)
{
    ruby->has_begun = true;
    const unsigned major = pr_scan_u8(&ruby->scan), minor = pr_scan_u8(&ruby->scan);
    if (!ruby->scan.failed && (major != MAJOR || minor > MINOR))
        broken(ruby, PR_ERR_UNSUPPORTED, "it is of another version than Marshal 4.8");
}

/* One token, shown or not: *SHOWN. PR_RUBY_OTHER that is not shown may be no object at all. */
static enum pr_ruby_token step(struct pr_ruby *ruby, bool *shown)
{
    *shown = !ruby->hidden;
    if (!ruby->depth)
        return read_object(ruby);
    if (ruby->open[ruby->depth - 1].count) {
        ruby->open[ruby->depth - 1].count--;
        return read_object(ruby);
    }
    *shown = close_top(ruby) && !ruby->hidden;
    return PR_RUBY_CLOSE;
}

enum pr_ruby_token pr_ruby_next(struct pr_ruby *ruby)
{
    bool shown = false, is_first = !ruby->has_begun;
    if (is_first)
        begin(ruby);
    for (; !shown && !ruby->scan.failed; is_first = false) {
        if (!is_first && !ruby->depth) {
            ruby->token = PR_RUBY_END;
            break;
        }
        ruby->token = step(ruby, &shown);
    }
    if (ruby->scan.failed)
        ruby->token = PR_RUBY_BAD;
    return ruby->token;
}

void pr_ruby_skip(struct pr_ruby *ruby)
{
    const uint32_t depth = ruby->depth;
    if (ruby->token < PR_RUBY_ARRAY)
        return;
    while (ruby->depth >= depth && pr_ruby_next(ruby) > PR_RUBY_END)
        continue;
}
