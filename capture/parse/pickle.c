/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: a function for each group of opcodes, a stack, and marks in it. */
#include "capture/parse/pickle.h"

#include "capture/base/decimal.h"
#include "capture/base/text.h"
#include "capture/base/utf8.h"
#include "capture/parse/pickle_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST_PROTOCOL = 5, MAX_INT_BYTES = 8, MAX_STRING = 16 << 20 };

/* Names that take part in how objects are written, and mean nothing here. */
static const char *const plain_names[] = {"copyreg _reconstructor", "copy_reg _reconstructor", "builtins object",
                                          "__builtin__ object", NULL};

void pr_pickle_begin(struct pr_pickle *p, struct pr_source *src, struct pr_strings *strings,
                     const struct pr_pickle_rules *rules, struct pr_damage *damage, struct pr_error *err)
{
    *p = (struct pr_pickle){
        .scan = pr_scan_begin(src, "pickle", err), .strings = strings, .rules = rules, .damage = damage};
}

void pr_pickle_end(struct pr_pickle *p)
{
    for (size_t i = 0; i < p->object_count; i++)
        free(p->objects[i].items);
    free(p->stack);
    free(p->marks);
    free(p->objects);
    free(p->unused);
    free(p->memo);
    free(p->wide);
    pr_buf_clear(&p->text);
}

void pr_pickle_stop(struct pr_pickle *p, enum pr_error_code code, const char *why)
{
    pr_pickle_broken(p, code, "%s", why);
}

enum pr_status pr_pickle_status(const struct pr_pickle *p)
{
    if (p->no_memory || p->scan.no_memory)
        return PR_FAILED;
    return p->scan.failed ? PR_CUT : PR_OK;
}

unsigned pr_pickle_evidence(struct pr_source *src)
{
    if (!pr_source_need(src, 2) || src->at[0] != 0x80 || src->at[1] < 2 || src->at[1] > NEWEST_PROTOCOL)
        return 0;
    return 16;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

/* The next line, without its end; borrowed until the source moves. NULL: there is none, and the reading ends. */
static const uint8_t *take_line(struct pr_pickle *p, size_t *length)
{
    struct pr_source *src = p->scan.src;
    size_t seen = 0;
    while (pr_source_need(src, seen + 1)) {
        const size_t have = (size_t)(src->end - src->at);
        const uint8_t *end = memchr(src->at + seen, '\n', have - seen);
        if (end) {
            const uint8_t *line = src->at;
            *length = (size_t)(end - line);
            pr_source_skip(src, *length + 1);
            return line;
        }
        seen = have;
        if (seen > MAX_STRING) {
            pr_pickle_broken(p, PR_ERR_LIMIT, "a line is too long");
            return NULL;
        }
    }
    pr_scan_cut(&p->scan);
    return NULL;
}

static void push_bytes(struct pr_pickle *p, enum pr_pickle_tag tag, uint64_t length)
{
    const uint8_t *bytes = p->scan.failed ? NULL : pr_scan_bytes(&p->scan, length, MAX_STRING);
    if (bytes)
        pr_pickle_push(p, pr_pickle_make_string(p, tag, bytes, (size_t)length));
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void push_int(struct pr_pickle *p, int64_t value)
{
    if (!p->scan.failed)
        pr_pickle_push(p, pr_pickle_make_int(p, value));
}

/* COUNT bytes, little-endian, two's complement: what does not fit is held at the end of the range. */
static void push_long(struct pr_pickle *p, uint64_t count)
{
    const uint8_t *bytes = p->scan.failed ? NULL : pr_scan_bytes(&p->scan, count, MAX_STRING);
    if (!bytes)
        return;
    const bool negative = count && bytes[count - 1] & 0x80;
    uint64_t value = negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < count && i < MAX_INT_BYTES; i++)
        value = (value & ~(UINT64_C(0xFF) << 8 * i)) | (uint64_t)bytes[i] << 8 * i;
    bool fits = count <= MAX_INT_BYTES || (value >> 63) == negative;
    for (size_t i = MAX_INT_BYTES; i < count; i++)
        fits = fits && bytes[i] == (negative ? 0xFF : 0);
    pr_damage_add(p->damage, PR_DAMAGE_BOUNDED, !fits, p->scan.record_offset);
    push_int(p, fits ? (int64_t)value : negative ? INT64_MIN : INT64_MAX);
}

/* Digits with a sign; a long has an L after them. */
static bool parse_int(struct pr_pickle *p, const uint8_t *at, size_t length, int64_t *value)
{
    const bool negative = length && *at == '-';
    size_t i = negative;
    bool fits = true;
    *value = 0;
    if (length && at[length - 1] == 'L')
        length--;
    if (i == length)
        return false;
    for (; i < length; i++) {
        const int digit = at[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
               !__builtin_add_overflow(*value, negative ? -digit : digit, value);
    }
    pr_damage_add(p->damage, PR_DAMAGE_BOUNDED, !fits, p->scan.record_offset);
    *value = fits ? *value : negative ? INT64_MIN : INT64_MAX;
    return true;
}

static void push_text_int(struct pr_pickle *p, bool has_truth)
{
    size_t length;
    int64_t value;
    const uint8_t *line = take_line(p, &length);
    if (!line)
        return;
    if (has_truth && length == 2 && line[0] == '0' && (line[1] == '0' || line[1] == '1'))
        pr_pickle_push(p, pr_tagged(PR_TAG_BOOL, line[1] == '1'));
    else if (parse_int(p, line, length, &value))
        push_int(p, value);
    else
        pr_pickle_broken(p, PR_ERR_DAMAGED, "an integer has other characters than digits");
}

static void push_text_float(struct pr_pickle *p)
{
    size_t length;
    struct pr_decimal number;
    const uint8_t *line = take_line(p, &length);
    if (!line)
        return;
    const bool good = pr_decimal_parse((const char *)line, length, &number) == length && length;
    pr_pickle_push(p, pr_pickle_make_float(p, good ? pr_decimal_double(number) : NAN));
}

/* Big-endian, unlike all else. */
static void push_float(struct pr_pickle *p)
{
    uint64_t word = __builtin_bswap64(pr_scan_u64(&p->scan));
    double value;
    memcpy(&value, &word, sizeof value);
    if (!p->scan.failed)
        pr_pickle_push(p, pr_pickle_make_float(p, value));
}

static void push_text(struct pr_pickle *p, enum pr_pickle_tag tag)
{
    if (p->text.failed)
        pr_pickle_no_memory(p);
    pr_pickle_push(p, pr_pickle_make_string(p, tag, p->text.bytes, p->text.length));
}

/* ---- text of protocol 0 ----------------------------------------------------------------------------------------- */

/* COUNT hexadecimal digits at AT; false: there are fewer. */
static bool parse_hex(const uint8_t *at, const uint8_t *end, unsigned count, uint32_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < count; i++, at++) {
        const unsigned digit = at == end ? 16 : pr_hex_digit((char)*at);
        if (digit > 15)
            return false;
        *value = *value << 4 | digit;
    }
    return true;
}

/* A string as Python shows it: quotes, backslashes. */
static void push_quoted(struct pr_pickle *p)
{
    static const char escapes[] = "n\nt\tr\r\\\\'\'\"\"";
    size_t length;
    uint32_t value;
    const uint8_t *at = take_line(p, &length);
    if (!at)
        return;
    if (length < 2 || (*at != '\'' && *at != '"') || at[length - 1] != *at) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a string is without its quotes");
        return;
    }
    p->text.length = 0;
    for (const uint8_t *end = at++ + length - 1; at < end; at++) {
        const char *escape = at[0] == '\\' && at + 1 < end ? strchr(escapes, at[1]) : NULL;
        if (escape && at[1] && (escape - escapes) % 2 == 0) {
            pr_buf_byte(&p->text, (unsigned char)escape[1]);
            at++;
        } else if (at[0] == '\\' && at + 1 < end && at[1] == 'x' && parse_hex(at + 2, end, 2, &value)) {
            pr_buf_byte(&p->text, value);
            at += 3;
        } else {
            pr_buf_byte(&p->text, *at);
        }
    }
    push_text(p, PR_TAG_STRING);
}

/* Latin-1 with \u and \U. */
static void push_unicode(struct pr_pickle *p)
{
    size_t length;
    const uint8_t *at = take_line(p, &length);
    p->text.length = 0;
    for (const uint8_t *end = at ? at + length : at; at < end; at++) {
        uint32_t character = *at, escaped;
        const unsigned digits = *at == '\\' && at + 1 < end ? at[1] == 'u' ? 4 : at[1] == 'U' ? 8 : 0 : 0;
        if (digits && parse_hex(at + 2, end, digits, &escaped)) {
            character = escaped;
            at += 1 + digits;
        }
        pr_utf8_add(&p->text, character & 0x1FFFFF);
    }
    push_text(p, PR_TAG_STRING);
}

/* ---- containers ------------------------------------------------------------------------------------------------- */

/*
 * Parts for a list wait above a mark. Python writes a thousand at a time, PyTorch's C++ all of them, so many are added
 * early: all but the latest, which may be incomplete. Then nothing but a list may come of them; one is remembered at a
 * time.
 */
static void add_waiting(struct pr_pickle *p)
{
    enum { LATEST = PR_PICKLE_MOST_WAITING / 16 };
    const size_t from = p->marks[p->mark_count - 1], end = p->stack_count;
    const bool is_another = p->early && p->early != from;
    if (!from || is_another || pr_pickle_kind(p, p->stack[from - 1]) != PR_PICKLE_LIST)
        return;
    p->early = from;
    p->stack_count = end - LATEST;
    pr_pickle_fill(p, p->stack[from - 1], from);
    memmove(p->stack + from, p->stack + end - LATEST, LATEST * sizeof *p->stack);
    p->stack_count = from + LATEST;
}

static void push_mark(struct pr_pickle *p)
{
    if (pr_pickle_is_waiting(p, p->stack_count))
        add_waiting(p);
    if (pr_pickle_room(p, &p->marks, &p->mark_capacity, p->mark_count + 1, sizeof *p->marks))
        p->marks[p->mark_count++] = p->stack_count;
}

/* Takes the last mark off; *FROM is the place of the first value above it. */
static bool pop_mark(struct pr_pickle *p, size_t *from)
{
    if (!p->mark_count) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a mark is missing");
        return false;
    }
    *from = p->marks[--p->mark_count];
    if (p->early && *from == p->early) {
        pr_pickle_broken(p, PR_ERR_LIMIT, "a container other than a list has too many parts");
        return false;
    }
    return true;
}

/* The values from FROM on go into the container below them, which has to be of KIND. */
static void extend(struct pr_pickle *p, size_t from, enum pr_pickle_kind kind)
{
    const size_t floor = p->mark_count ? p->marks[p->mark_count - 1] : 0;
    if (from <= floor || pr_pickle_kind(p, p->stack[from - 1]) != kind)
        pr_pickle_broken(p, PR_ERR_DAMAGED, "parts are added to what has none");
    else if (kind == PR_PICKLE_DICT && (p->stack_count - from) % 2)
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a key has no value");
    else
        pr_pickle_fill(p, p->stack[from - 1], from);
}

static void extend_marked(struct pr_pickle *p, enum pr_pickle_kind kind)
{
    size_t from;
    if (kind == PR_PICKLE_LIST && p->mark_count && p->marks[p->mark_count - 1] == p->early)
        p->early = 0;
    if (pop_mark(p, &from))
        extend(p, from, kind);
}

static void extend_by(struct pr_pickle *p, size_t count, enum pr_pickle_kind kind)
{
    if (p->stack_count < count)
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a value is missing");
    else
        extend(p, p->stack_count - count, kind);
}

static void make_marked(struct pr_pickle *p, enum pr_pickle_kind kind)
{
    size_t from;
    if (!pop_mark(p, &from))
        return;
    if (kind == PR_PICKLE_DICT && (p->stack_count - from) % 2) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a key has no value");
        return;
    }
    const pr_pickled container = pr_pickle_make_container(p, kind);
    if (container == PR_PICKLE_NOTHING)
        return;
    pr_pickle_fill(p, container, from);
    pr_pickle_push(p, container);
}

static void make_tuple(struct pr_pickle *p, size_t from)
{
    const pr_pickled tuple = pr_pickle_make_tuple(p, from ? p->stack + from : p->stack, p->stack_count - from);
    p->stack_count = from;
    pr_pickle_push(p, tuple);
}

static void make_tuple_of(struct pr_pickle *p, size_t count)
{
    const size_t floor = p->mark_count ? p->marks[p->mark_count - 1] : 0;
    if (p->stack_count - floor < count)
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a value is missing");
    else
        make_tuple(p, p->stack_count - count);
}

static void make_marked_tuple(struct pr_pickle *p)
{
    size_t from;
    if (pop_mark(p, &from))
        make_tuple(p, from);
}

/* ---- classes and objects ---------------------------------------------------------------------------------------- */

static bool is_listed(const char *const *names, struct pr_text name)
{
    for (; names && *names; names++)
        if (strlen(*names) == name.length && !memcmp(*names, name.bytes, name.length))
            return true;
    return false;
}

/* The class in p->text, "module name". */
static void push_class(struct pr_pickle *p)
{
    const struct pr_text name = {p->text.bytes, (uint32_t)p->text.length};
    if (p->text.failed)
        pr_pickle_no_memory(p);
    else if (!is_listed(p->rules->classes, name) && !is_listed(plain_names, name))
        pr_pickle_broken(p, PR_ERR_UNSUPPORTED, "it needs '%.*s', so it is not data alone", (int)name.length,
                         name.bytes);
    else
        push_text(p, PR_TAG_CLASS);
}

static void push_global(struct pr_pickle *p)
{
    p->text.length = 0;
    for (int i = 0; i < 2; i++) {
        size_t length;
        const uint8_t *line = take_line(p, &length);
        if (!line)
            return;
        if (i)
            pr_buf_byte(&p->text, ' ');
        pr_buf_add(&p->text, line, length);
    }
    push_class(p);
}

static void push_stack_global(struct pr_pickle *p)
{
    pr_str name, module;
    const pr_pickled last = pr_pickle_pop(p), first = pr_pickle_pop(p);
    if (p->scan.failed)
        return;
    if (!pr_pickle_string(p, last, &name) || !pr_pickle_string(p, first, &module)) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a class has no name");
        return;
    }
    const struct pr_text parts[2] = {pr_strings_get(p->strings, module), pr_strings_get(p->strings, name)};
    p->text.length = 0;
    pr_buf_add(&p->text, parts[0].bytes, parts[0].length);
    pr_buf_byte(&p->text, ' ');
    pr_buf_add(&p->text, parts[1].bytes, parts[1].length);
    push_class(p);
}

/* An object of CLASS with ARGUMENTS; nothing is called. */
static void push_object(struct pr_pickle *p, pr_pickled class, pr_pickled arguments)
{
    if (p->scan.failed)
        return;
    if (pr_tag_of(class) != PR_TAG_CLASS) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "an object has no class");
        return;
    }
    uint32_t count;
    const pr_pickled *items = pr_pickle_items(p, arguments, &count);
    if (count && pr_tag_of(items[0]) == PR_TAG_CLASS) /* _reconstructor: its first argument is the class */
        class = items[0];
    const pr_pickled object = pr_pickle_make_container(p, PR_PICKLE_OBJECT);
    pr_pickle_add(p, object, class);
    pr_pickle_add(p, object, arguments);
    pr_pickle_push(p, object);
}

static void reduce(struct pr_pickle *p, unsigned more)
{
    for (unsigned i = 0; i < more; i++) /* keywords */
        pr_pickle_pop(p);
    const pr_pickled arguments = pr_pickle_pop(p), class = pr_pickle_pop(p);
    push_object(p, class, arguments);
}

static void build(struct pr_pickle *p)
{
    const pr_pickled state = pr_pickle_pop(p), object = pr_pickle_pop(p);
    if (p->scan.failed)
        return;
    if (pr_pickle_kind(p, object) != PR_PICKLE_OBJECT) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a state is set of what is not an object");
        return;
    }
    pr_pickle_add(p, object, pr_pickle_taken(p, object, state));
    pr_pickle_push(p, object);
}

/* Protocol 0: class by name, or the first above the mark; the rest above it are arguments. */
static void make_instance(struct pr_pickle *p, bool by_name)
{
    size_t from;
    if (!pop_mark(p, &from))
        return;
    if (by_name) {
        push_global(p);
        if (p->scan.failed)
            return;
        const pr_pickled class = p->stack[--p->stack_count];
        make_tuple(p, from);
        push_object(p, class, pr_pickle_pop(p));
        return;
    }
    if (p->stack_count <= from) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "an object has no class");
        return;
    }
    make_tuple(p, from + 1);
    reduce(p, 0);
}

/* ---- opcodes ---------------------------------------------------------------------------------------------------- */

static void take_protocol(struct pr_pickle *p)
{
    const unsigned version = pr_scan_u8(&p->scan);
    if (version > NEWEST_PROTOCOL)
        pr_pickle_broken(p, PR_ERR_UNSUPPORTED, "protocol %u; this build reads 0 to %d", version, NEWEST_PROTOCOL);
}

static uint32_t take_u16(struct pr_pickle *p)
{
    const uint32_t low = pr_scan_u8(&p->scan);
    return low | (uint32_t)pr_scan_u8(&p->scan) << 8;
}

static void text_number(struct pr_pickle *p, void (*use)(struct pr_pickle *, uint64_t))
{
    size_t length;
    int64_t number;
    const uint8_t *line = take_line(p, &length);
    if (!line)
        return;
    if (parse_int(p, line, length, &number) && number >= 0)
        use(p, (uint64_t)number);
    else
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a value has no number");
}

static void remember(struct pr_pickle *p, uint64_t number)
{
    if (!p->scan.failed)
        pr_pickle_remember(p, number);
}

static void recall(struct pr_pickle *p, uint64_t number)
{
    if (!p->scan.failed)
        pr_pickle_recall(p, number);
}

static void duplicate(struct pr_pickle *p)
{
    const pr_pickled value = pr_pickle_pop(p);
    pr_pickle_share(p, value);
    pr_pickle_push(p, value);
    pr_pickle_push(p, value);
}

/* POP takes the last mark, if nothing is above it. */
static void pop(struct pr_pickle *p)
{
    if (p->mark_count && p->marks[p->mark_count - 1] == p->stack_count)
        p->mark_count--;
    else
        pr_pickle_pop(p);
}

static void pop_marked(struct pr_pickle *p)
{
    size_t from;
    if (pop_mark(p, &from))
        p->stack_count = from;
}

/* Numbers and other scalars. False: OP is something else. */
static bool push_scalar(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case 'N': pr_pickle_push(p, pr_tagged(PR_TAG_NONE, 0)); return true;
    case 0x88: pr_pickle_push(p, pr_tagged(PR_TAG_BOOL, 1)); return true;
    case 0x89: pr_pickle_push(p, pr_tagged(PR_TAG_BOOL, 0)); return true;
    case 'K': push_int(p, pr_scan_u8(&p->scan)); return true;
    case 'M': push_int(p, take_u16(p)); return true;
    case 'J': push_int(p, (int32_t)pr_scan_u32(&p->scan)); return true;
    case 0x8a: push_long(p, pr_scan_u8(&p->scan)); return true;
    case 0x8b: push_long(p, pr_scan_u32(&p->scan)); return true;
    case 'I': push_text_int(p, true); return true;
    case 'L': push_text_int(p, false); return true;
    case 'F': push_text_float(p); return true;
    case 'G': push_float(p); return true;
    default: return false;
    }
}

static bool push_string(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case 0x8c: push_bytes(p, PR_TAG_STRING, pr_scan_u8(&p->scan)); return true;
    case 'X': push_bytes(p, PR_TAG_STRING, pr_scan_u32(&p->scan)); return true;
    case 0x8d: push_bytes(p, PR_TAG_STRING, pr_scan_u64(&p->scan)); return true;
    case 'U': push_bytes(p, PR_TAG_STRING, pr_scan_u8(&p->scan)); return true;
    case 'T': push_bytes(p, PR_TAG_STRING, pr_scan_u32(&p->scan)); return true;
    case 'C': push_bytes(p, PR_TAG_BYTES, pr_scan_u8(&p->scan)); return true;
    case 'B': push_bytes(p, PR_TAG_BYTES, pr_scan_u32(&p->scan)); return true;
    case 0x8e:
    case 0x96: push_bytes(p, PR_TAG_BYTES, pr_scan_u64(&p->scan)); return true;
    case 'S': push_quoted(p); return true;
    case 'V': push_unicode(p); return true;
    default: return false;
    }
}

static bool use_container(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case '(': push_mark(p); return true;
    case ']': pr_pickle_push(p, pr_pickle_make_container(p, PR_PICKLE_LIST)); return true;
    case '}': pr_pickle_push(p, pr_pickle_make_container(p, PR_PICKLE_DICT)); return true;
    case 0x8f: pr_pickle_push(p, pr_pickle_make_container(p, PR_PICKLE_SET)); return true;
    case ')': make_tuple_of(p, 0); return true;
    case 0x85: make_tuple_of(p, 1); return true;
    case 0x86: make_tuple_of(p, 2); return true;
    case 0x87: make_tuple_of(p, 3); return true;
    case 't': make_marked_tuple(p); return true;
    case 'l': make_marked(p, PR_PICKLE_LIST); return true;
    case 'd': make_marked(p, PR_PICKLE_DICT); return true;
    case 0x91: make_marked(p, PR_PICKLE_SET); return true;
    case 'a': extend_by(p, 1, PR_PICKLE_LIST); return true;
    case 'e': extend_marked(p, PR_PICKLE_LIST); return true;
    case 's': extend_by(p, 2, PR_PICKLE_DICT); return true;
    case 'u': extend_marked(p, PR_PICKLE_DICT); return true;
    case 0x90: extend_marked(p, PR_PICKLE_SET); return true;
    default: return false;
    }
}

static bool use_memo(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case 0x94: remember(p, p->memo_used); return true;
    case 'q': remember(p, pr_scan_u8(&p->scan)); return true;
    case 'r': remember(p, pr_scan_u32(&p->scan)); return true;
    case 'p': text_number(p, remember); return true;
    case 'h': recall(p, pr_scan_u8(&p->scan)); return true;
    case 'j': recall(p, pr_scan_u32(&p->scan)); return true;
    case 'g': text_number(p, recall); return true;
    default: return false;
    }
}

static bool use_object(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case 'c': push_global(p); return true;
    case 0x93: push_stack_global(p); return true;
    case 'R':
    case 0x81: reduce(p, 0); return true;
    case 0x92: reduce(p, 1); return true;
    case 'b': build(p); return true;
    case 'i': make_instance(p, true); return true;
    case 'o': make_instance(p, false); return true;
    default: return false;
    }
}

static void use_rest(struct pr_pickle *p, unsigned op)
{
    switch (op) {
    case 0x80: take_protocol(p); return;
    case 0x95: pr_scan_u64(&p->scan); return; /* a frame: its length helps who reads in pieces */
    case '0': pop(p); return;
    case '1': pop_marked(p); return;
    case '2': duplicate(p); return;
    case '.': p->stopped = true; return;
    case 'P':
    case 'Q':
    case 0x82:
    case 0x83:
    case 0x84:
    case 0x97:
    case 0x98: pr_pickle_broken(p, PR_ERR_UNSUPPORTED, "it needs objects that are not in it"); return;
    default: pr_pickle_broken(p, PR_ERR_DAMAGED, "0x%02x is not an opcode of pickle", op); return;
    }
}

static void step(struct pr_pickle *p)
{
    pr_pickle_run(p);
    p->scan.record_offset = pr_source_offset(p->scan.src);
    const unsigned op = pr_scan_u8(&p->scan);
    if (p->scan.failed)
        return;
    if (!use_container(p, op) && !push_scalar(p, op) && !use_memo(p, op) && !push_string(p, op) && !use_object(p, op))
        use_rest(p, op);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* After a cut: everything above the last mark goes into the container below it, as far as there are pairs. */
static void close_marked(struct pr_pickle *p)
{
    const size_t from = p->marks[--p->mark_count];
    const enum pr_pickle_kind kind = from ? pr_pickle_kind(p, p->stack[from - 1]) : PR_PICKLE_ABSENT;
    if (kind == PR_PICKLE_LIST || kind == PR_PICKLE_DICT || kind == PR_PICKLE_SET)
        pr_pickle_fill(p, p->stack[from - 1], from);
    else if (p->stack_count > from)
        p->stack_count = from;
}

/* The same without a mark, for the two topmost containers: an item of a list, or the value of a key. */
static void close_single(struct pr_pickle *p)
{
    const size_t top = p->stack_count - 1;
    if (top >= 1 && pr_pickle_kind(p, p->stack[top - 1]) == PR_PICKLE_LIST)
        pr_pickle_fill(p, p->stack[top - 1], top);
    else if (top >= 2 && pr_pickle_kind(p, p->stack[top - 2]) == PR_PICKLE_DICT)
        pr_pickle_fill(p, p->stack[top - 2], top - 1);
    else
        p->stack_count--;
}

static void close_all(struct pr_pickle *p)
{
    p->closing = true;
    while (p->mark_count)
        close_marked(p);
    while (p->stack_count > 1)
        close_single(p);
}

pr_pickled pr_pickle_read(struct pr_pickle *p)
{
    while (!p->stopped && !p->scan.failed)
        step(p);
    if (p->stopped && !p->stack_count)
        pr_pickle_broken(p, PR_ERR_DAMAGED, "it ends without a value");
    if (p->scan.failed && pr_pickle_status(p) == PR_CUT)
        close_all(p);
    return p->stack_count ? p->stack[p->stack_count - 1] : PR_PICKLE_NOTHING;
}
