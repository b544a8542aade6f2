/* SPDX-License-Identifier: Apache-2.0 */
/* Values by the types that a chunk describes. */
#include "capture/jfr/jfr_types.h"

#include <string.h>

enum { MAX_NESTING = 16 };

static void skip_fields(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes, unsigned depth);

/* Float.intBitsToFloat, Double.longBitsToDouble. */
static double real(struct pr_jfr_bytes *bytes, bool is_double)
{
    const uint64_t bits = pr_jfr_big_endian(bytes, is_double ? 8 : 4);
    const uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return is_double ? wide : (double)narrow;
}

static void read_one(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes,
                     struct pr_jfr_value *value, unsigned depth)
{
    const enum pr_jfr_kind kind = type == PR_NO_ID ? PR_JFR_UNKNOWN : types->types[type].kind;
    switch (kind) {
    case PR_JFR_BOOLEAN: value->number = pr_jfr_u8(bytes) != 0; break;
    case PR_JFR_BYTE: value->number = (int8_t)pr_jfr_u8(bytes); break;
    case PR_JFR_SHORT: value->number = (int16_t)pr_jfr_integer(bytes, 2); break;
    case PR_JFR_CHAR: value->number = (uint16_t)pr_jfr_integer(bytes, 2); break;
    case PR_JFR_INT: value->number = (int32_t)pr_jfr_integer(bytes, 4); break;
    case PR_JFR_LONG: value->number = pr_jfr_integer(bytes, 8); break;
    case PR_JFR_FLOAT: value->real = real(bytes, false); break;
    case PR_JFR_DOUBLE: value->real = real(bytes, true); break;
    case PR_JFR_STRING: pr_jfr_string(bytes); break;
    case PR_JFR_FIELDS: skip_fields(types, type, bytes, depth + 1); break;
    case PR_JFR_UNKNOWN: bytes->failed = true; break;
    }
}

static void read_field(const struct pr_jfr_types *types, const struct pr_jfr_field *field, struct pr_jfr_bytes *bytes,
                       struct pr_jfr_value *value, unsigned depth)
{
    *value = (struct pr_jfr_value){.at = *bytes};
    const uint32_t count = field->is_array ? pr_jfr_count(bytes) : 1;
    struct pr_jfr_value each = {0};
    for (uint32_t i = 0; i < count && !bytes->failed; i++) {
        if (field->is_constant)
            each.number = pr_jfr_integer(bytes, 8);
        else
            read_one(types, field->type, bytes, &each, depth);
    }
    value->number = each.number;
    value->real = each.real;
}

static void skip_fields(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes, unsigned depth)
{
    struct pr_jfr_value ignored;
    const struct pr_jfr_type *known = &types->types[type];
    bytes->failed |= depth > MAX_NESTING;
    for (uint32_t i = 0; i < known->field_count && !bytes->failed; i++)
        read_field(types, &types->fields[known->first_field + i], bytes, &ignored, depth);
}

void pr_jfr_values(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes,
                   struct pr_jfr_value *values)
{
    struct pr_jfr_value ignored;
    const struct pr_jfr_type *known = &types->types[type];
    const uint32_t count = known->field_count < PR_JFR_MAX_VALUES ? known->field_count : PR_JFR_MAX_VALUES;
    memset(values, 0, (count ? count : 1) * sizeof *values);
    if (known->kind != PR_JFR_FIELDS) {
        values->at = *bytes;
        read_one(types, type, bytes, values, 0);
    }
    for (uint32_t i = 0; i < known->field_count && !bytes->failed && known->kind == PR_JFR_FIELDS; i++)
        read_field(types, &types->fields[known->first_field + i], bytes, i < PR_JFR_MAX_VALUES ? &values[i] : &ignored,
                   0);
}

void pr_jfr_skip_value(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes)
{
    struct pr_jfr_value ignored = {0};
    read_one(types, type, bytes, &ignored, 0);
}
