/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each group of type bytes; parts are counted by who holds them, depth by who reads them. */
#include "capture/parse/marshal.h"

#include "profrender/damage.h"
#include "capture/base/checked.h"
#include "capture/base/decimal.h"

#include <math.h>
#include <string.h>

enum { FLAG_REFERENCE = 0x80, LONG_DIGIT_BITS = 15 };

static uint32_t read_object(struct pr_marshal *m, unsigned depth);

void pr_marshal_begin(struct pr_marshal *m, struct pr_source *src, struct pr_strings *strings,
                      const struct pr_limits *limits, struct pr_damage *damage, struct pr_error *err)
{
    *m = (struct pr_marshal){.scan = pr_scan_begin(src, "marshalled object", err),
                             .strings = strings,
                             .damage = damage,
                             .max_string_bytes = limits->max_string_bytes};
}

void pr_marshal_end(struct pr_marshal *m)
{
    free(m->objects);
    free(m->references);
    free(m->interned);
}

static uint32_t broken(struct pr_marshal *m, enum pr_error_code code, const char *why)
{
    if (!m->scan.failed)
        pr_cut(m->scan.err, code, m->scan.record_offset, m->scan.doing, "%s", why);
    m->scan.failed = true;
    return PR_NO_OBJECT;
}

static uint32_t no_memory(struct pr_marshal *m)
{
    m->scan.failed = true;
    pr_fail_memory(m->scan.err);
    return PR_NO_OBJECT;
}

static uint32_t add_object(struct pr_marshal *m, enum pr_marshal_kind kind)
{
    if (m->object_count >= PR_NO_OBJECT - 1 ||
        !pr_grow(&m->objects, &m->object_capacity, m->object_count + 1, sizeof *m->objects))
        return no_memory(m);
    uint32_t object = (uint32_t)m->object_count++;
    m->objects[object] = (struct pr_marshal_object){.kind = kind, .end = object + 1};
    return object;
}

static uint32_t add_integer(struct pr_marshal *m, int64_t value)
{
    uint32_t object = add_object(m, PR_MARSHAL_INT);
    if (object != PR_NO_OBJECT)
        m->objects[object].value.integer = value;
    return object;
}

static uint32_t add_float(struct pr_marshal *m, double value)
{
    uint32_t object = add_object(m, PR_MARSHAL_FLOAT);
    if (object != PR_NO_OBJECT)
        m->objects[object].value.real = value;
    return object;
}

static uint32_t add_string(struct pr_marshal *m, pr_str string)
{
    uint32_t object = add_object(m, PR_MARSHAL_STRING);
    if (object != PR_NO_OBJECT)
        m->objects[object].value.string = string;
    return object;
}

/* ---- scalars ---------------------------------------------------------------------------------------------------- */

/* A long: signed count of digits, whose sign is the number's, then 15-bit digits, low first. */
static uint32_t read_long(struct pr_marshal *m)
{
    int64_t count = (int32_t)pr_scan_u32(&m->scan);
    bool negative = count < 0, fits = true;
    uint64_t size = 0;
    count = negative ? -count : count;
    for (int64_t i = 0; i < count && !m->scan.failed; i++) {
        uint64_t digit = pr_scan_u8(&m->scan);
        digit |= (uint64_t)pr_scan_u8(&m->scan) << 8;
        if (i * LONG_DIGIT_BITS >= 60 ? digit != 0 : digit >> LONG_DIGIT_BITS)
            fits = false;
        else if (digit)
            size |= digit << i * LONG_DIGIT_BITS;
    }
    if (m->scan.failed)
        return PR_NO_OBJECT;
    if (!fits)
        return add_integer(m, negative ? INT64_MIN : INT64_MAX);
    return add_integer(m, negative ? -(int64_t)size : (int64_t)size);
}

static uint32_t read_text_float(struct pr_marshal *m)
{
    struct pr_decimal number;
    uint8_t length = pr_scan_u8(&m->scan);
    const uint8_t *bytes = pr_scan_bytes(&m->scan, length, UINT8_MAX);
    if (!bytes)
        return PR_NO_OBJECT;
    if (pr_decimal_parse((const char *)bytes, length, &number) == length)
        return add_float(m, pr_decimal_double(number));
    return add_float(m, NAN); /* inf, nan, or not a number at all */
}

static uint32_t read_binary_float(struct pr_marshal *m)
{
    uint64_t bits = pr_scan_u64(&m->scan);
    double value;
    memcpy(&value, &bits, sizeof value);
    return m->scan.failed ? PR_NO_OBJECT : add_float(m, value);
}

static uint32_t read_string(struct pr_marshal *m, uint32_t length, bool interned)
{
    const uint8_t *bytes = pr_scan_bytes(&m->scan, length, m->max_string_bytes);
    if (!bytes)
        return PR_NO_OBJECT;
    pr_str string = pr_strings_add(m->strings, bytes, length);
    if (string == PR_NO_STR)
        return no_memory(m);
    if (interned) {
        if (!pr_grow(&m->interned, &m->interned_capacity, m->interned_count + 1, sizeof *m->interned))
            return no_memory(m);
        m->interned[m->interned_count++] = string;
    }
    return add_string(m, string);
}

static uint32_t read_interned(struct pr_marshal *m)
{
    uint32_t number = pr_scan_u32(&m->scan);
    if (m->scan.failed)
        return PR_NO_OBJECT;
    if (number >= m->interned_count)
        return broken(m, PR_ERR_DAMAGED, "a reference leads to no interned string");
    return add_string(m, m->interned[number]);
}

static uint32_t read_reference(struct pr_marshal *m)
{
    uint32_t number = pr_scan_u32(&m->scan);
    if (m->scan.failed)
        return PR_NO_OBJECT;
    if (number >= m->reference_count || m->references[number] >= m->object_count)
        return broken(m, PR_ERR_DAMAGED, "a reference leads to no object");
    /* One dictionary in many places would make a small file a huge profile; no program writes that. */
    if (m->objects[m->references[number]].kind == PR_MARSHAL_DICT)
        return broken(m, PR_ERR_UNSUPPORTED, "a dictionary is referred to");
    uint32_t object = add_object(m, PR_MARSHAL_REFERENCE);
    if (object != PR_NO_OBJECT)
        m->objects[object].value.object = m->references[number];
    return object;
}

/* ---- containers ------------------------------------------------------------------------------------------------- */

static uint32_t read_tuple(struct pr_marshal *m, uint32_t object, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t part = read_object(m, depth + 1);
        if (part == PR_NO_OBJECT)
            return PR_NO_OBJECT;
        if (m->objects[part].kind == PR_MARSHAL_END)
            return broken(m, PR_ERR_DAMAGED, "a tuple ends before its last part");
    }
    m->objects[object].end = (uint32_t)m->object_count;
    return object;
}

static uint32_t read_dict(struct pr_marshal *m, uint32_t object, unsigned depth)
{
    for (;;) {
        uint32_t key = read_object(m, depth + 1);
        if (key == PR_NO_OBJECT)
            return PR_NO_OBJECT;
        if (m->objects[key].kind == PR_MARSHAL_END) {
            m->object_count = key; /* the end is not a part */
            m->objects[object].end = key;
            return object;
        }
        uint32_t value = read_object(m, depth + 1);
        if (value == PR_NO_OBJECT)
            return PR_NO_OBJECT;
        if (m->objects[value].kind == PR_MARSHAL_END)
            return broken(m, PR_ERR_DAMAGED, "a dictionary has a key without a value");
    }
}

/* ---- objects ---------------------------------------------------------------------------------------------------- */

static uint32_t read_scalar(struct pr_marshal *m, unsigned type)
{
    switch (type) {
    case 'i': {
        int32_t value = (int32_t)pr_scan_u32(&m->scan);
        return m->scan.failed ? PR_NO_OBJECT : add_integer(m, value);
    }
    case 'I': {
        int64_t value = (int64_t)pr_scan_u64(&m->scan);
        return m->scan.failed ? PR_NO_OBJECT : add_integer(m, value);
    }
    case 'l': return read_long(m);
    case 'T': return add_integer(m, 1);
    case 'F': return add_integer(m, 0);
    case 'f': return read_text_float(m);
    case 'g': return read_binary_float(m);
    case 'z':
    case 'Z': return read_string(m, pr_scan_u8(&m->scan), false);
    case 'a':
    case 'A':
    case 'u':
    case 's': return read_string(m, pr_scan_u32(&m->scan), false);
    case 't': return read_string(m, pr_scan_u32(&m->scan), true);
    case 'R': return read_interned(m);
    case 'r': return read_reference(m);
    case 'N':
    case '.': return add_object(m, PR_MARSHAL_OTHER);
    case '0': return add_object(m, PR_MARSHAL_END);
    case 'c': return broken(m, PR_ERR_UNSUPPORTED, "it contains code, so it is not a profile");
    default: return broken(m, PR_ERR_DAMAGED, "an object is of a kind that marshal does not have");
    }
}

/* The number of an object is taken before those of its parts. */
static bool number(struct pr_marshal *m, size_t *place)
{
    if (!pr_grow(&m->references, &m->reference_capacity, m->reference_count + 1, sizeof *m->references)) {
        no_memory(m);
        return false;
    }
    *place = m->reference_count++;
    m->references[*place] = (uint32_t)m->object_count;
    return true;
}

static uint32_t read_object(struct pr_marshal *m, unsigned depth)
{
    unsigned byte = pr_scan_u8(&m->scan), type = byte & 0x7F;
    size_t place;
    if (m->scan.failed)
        return PR_NO_OBJECT;
    if (depth > PR_MARSHAL_MAX_DEPTH)
        return broken(m, PR_ERR_LIMIT, "objects are nested too deeply");
    if (byte & FLAG_REFERENCE && !number(m, &place))
        return PR_NO_OBJECT;
    if (type != '(' && type != ')' && type != '[' && type != '{')
        return read_scalar(m, type);
    uint32_t object = add_object(m, type == '{' ? PR_MARSHAL_DICT : PR_MARSHAL_TUPLE);
    if (object == PR_NO_OBJECT)
        return PR_NO_OBJECT;
    if (type == '{')
        return read_dict(m, object, depth);
    uint32_t count = type == ')' ? pr_scan_u8(&m->scan) : pr_scan_u32(&m->scan);
    return m->scan.failed ? PR_NO_OBJECT : read_tuple(m, object, count, depth);
}

uint32_t pr_marshal_read(struct pr_marshal *m)
{
    m->scan.record_offset = pr_source_offset(m->scan.src);
    return read_object(m, 0);
}

bool pr_marshal_enter_dict(struct pr_marshal *m)
{
    unsigned byte = pr_scan_u8(&m->scan);
    size_t place;
    if (m->scan.failed)
        return false;
    if ((byte & 0x7F) != '{') {
        broken(m, PR_ERR_DAMAGED, "it has no dictionary");
        return false;
    }
    if (byte & FLAG_REFERENCE && !number(m, &place))
        return false;
    return add_object(m, PR_MARSHAL_DICT) != PR_NO_OBJECT; /* never referred to: read_reference refuses it */
}

uint32_t pr_marshal_next(struct pr_marshal *m)
{
    uint32_t object = pr_marshal_read(m);
    if (object != PR_NO_OBJECT && m->objects[object].kind == PR_MARSHAL_END)
        return PR_NO_OBJECT;
    return object;
}

/* ---- what was read ---------------------------------------------------------------------------------------------- */

const struct pr_marshal_object *pr_marshal_get(const struct pr_marshal *m, uint32_t object)
{
    const struct pr_marshal_object *o = &m->objects[object];
    return o->kind == PR_MARSHAL_REFERENCE ? &m->objects[o->value.object] : o;
}

bool pr_marshal_tuple(const struct pr_marshal *m, uint32_t object, uint32_t *parts, uint32_t count)
{
    const struct pr_marshal_object *o = pr_marshal_get(m, object);
    if (o->kind != PR_MARSHAL_TUPLE)
        return false;
    uint32_t at = (uint32_t)(o - m->objects) + 1;
    for (uint32_t i = 0; i < count; i++) {
        if (at >= o->end)
            return false;
        parts[i] = at;
        at = m->objects[at].end;
    }
    return at == o->end;
}

bool pr_marshal_scaled(const struct pr_marshal *m, uint32_t object, double factor, int64_t *value)
{
    const struct pr_marshal_object *o = pr_marshal_get(m, object);
    *value = 0;
    if (o->kind == PR_MARSHAL_FLOAT && !isfinite(o->value.real))
        pr_damage_add(m->damage, PR_DAMAGE_NOT_NUMBERS, 1, pr_source_offset(m->scan.src));
    else if (o->kind == PR_MARSHAL_FLOAT)
        *value = pr_double_scaled(o->value.real, factor);
    else if (o->kind == PR_MARSHAL_INT && factor == 1)
        *value = o->value.integer;
    else if (o->kind == PR_MARSHAL_INT)
        *value = pr_double_scaled((double)o->value.integer, factor);
    return o->kind == PR_MARSHAL_FLOAT || o->kind == PR_MARSHAL_INT;
}
