/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/arrow_value.h"

#include "capture/base/little_endian.h"
#include "capture/base/real_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 2 * PR_ARROW_MOST_DEPTH, MOST_HEX = 4096 };

/* ---- where the value is ----------------------------------------------------------------------------------------- */

static bool follow_index(const struct pr_arrow_array **array, uint64_t *at)
{
    const struct pr_arrow_field *field = (*array)->field;
    const struct pr_arrow_dictionary *dictionary = (*array)->dictionary;
    const uint64_t index = (uint64_t)pr_arrow_integer((*array)->data, field->index_bits, field->index_is_signed, *at);
    size_t low = 0, high = dictionary->count;
    if (index >= dictionary->length) /* of a dictionary that was replaced since */
        return false;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (dictionary->parts[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    *array = &dictionary->parts[low].values;
    *at = index - dictionary->parts[low].first;
    return *at < (*array)->length;
}

static void follow_run(const struct pr_arrow_array **array, uint64_t *at)
{
    const struct pr_arrow_array *ends = &(*array)->children[0];
    uint64_t low = 0, high = ends->length;
    while (low < high) { /* the first run that ends after the row */
        const uint64_t middle = low + (high - low) / 2;
        if ((uint64_t)pr_arrow_integer(ends->data, ends->field->bits, true, middle) <= *at)
            low = middle + 1;
        else
            high = middle;
    }
    *array = &(*array)->children[1];
    *at = low;
}

bool pr_arrow_find(const struct pr_arrow_array **array, uint64_t *at)
{
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        const struct pr_arrow_array *here = *array;
        if (here->validity && !pr_arrow_bit(here->validity, *at))
            return false;
        if (here->is_index) {
            if (!follow_index(array, at))
                return false;
        } else if (here->field->kind == PR_ARROW_RUNS) {
            follow_run(array, at);
        } else if (here->field->kind == PR_ARROW_UNION) {
            *array = &here->children[here->field->members[here->data[*at]]];
            *at = here->field->is_dense ? pr_le32(here->more + 4 * *at) : *at;
        } else {
            return here->field->kind != PR_ARROW_NULL;
        }
    }
    return false;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

int64_t pr_arrow_whole(const struct pr_arrow_array *array, uint64_t at)
{
    const struct pr_arrow_field *field = array->field;
    if (field->bits > 64) /* the low half of a decimal */
        return (int64_t)pr_le64(array->data + field->bits / 8 * at);
    return pr_arrow_integer(array->data, field->bits, field->kind != PR_ARROW_INTEGER || field->is_signed, at);
}

/* Source: IEEE 754-2019, binary16: a sign, 5 bits of exponent, 10 of fraction. */
static double half(const uint8_t *bytes)
{
    const unsigned bits = bytes[0] | (unsigned)bytes[1] << 8, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, (int)exponent - 25);
    return bits & 0x8000 ? -size : size;
}

double pr_arrow_real(const struct pr_arrow_array *array, uint64_t at)
{
    if (array->field->bits == 16)
        return half(array->data + 2 * at);
    if (array->field->bits == 32) {
        const uint32_t bits = pr_le32(array->data + 4 * at);
        float number;
        memcpy(&number, &bits, sizeof number);
        return (double)number;
    }
    const uint64_t bits = pr_le64(array->data + 8 * at);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

struct pr_text pr_arrow_bytes_of(const struct pr_arrow_array *array, uint64_t at)
{
    const struct pr_arrow_field *field = array->field;
    if (field->kind == PR_ARROW_FIXED_BYTES)
        return (struct pr_text){field->size ? (const char *)array->data + (uint64_t)field->size * at : "",
                                (uint32_t)field->size};
    if (field->is_view) {
        const uint8_t *view = array->data + 16 * at;
        const uint32_t size = pr_le32(view);
        const uint8_t *text = size <= 12 ? view + 4 : array->parts[pr_le32(view + 8)].at + pr_le32(view + 12);
        return (struct pr_text){(const char *)text, size};
    }
    const uint64_t from = pr_arrow_offset(array, at), size = pr_arrow_offset(array, at + 1) - from;
    return (struct pr_text){size ? (const char *)array->more + from : "",
                            size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* A number of up to 256 bits, with a point before its last SCALE digits. */
static void write_decimal(struct pr_buf *out, const struct pr_arrow_array *array, uint64_t at)
{
    enum { WORDS = 8, MOST_DIGITS = 80 };
    const unsigned words = array->field->bits / 32u;
    const uint8_t *bytes = array->data + (uint64_t)words * 4 * at;
    const bool negative = bytes[4 * words - 1] & 0x80;
    uint32_t number[WORDS];
    char digits[MOST_DIGITS];
    unsigned count = 0;
    uint64_t carry = negative;
    const int scale = array->field->scale;
    for (unsigned i = 0; i < words; i++) {
        carry += negative ? (uint32_t)~pr_le32(bytes + 4 * i) : pr_le32(bytes + 4 * i);
        number[i] = (uint32_t)carry;
        carry >>= 32;
    }
    for (bool any = true; (any || (int)count <= scale) && count < MOST_DIGITS;) {
        uint64_t rest = 0;
        any = false;
        for (unsigned i = words; i-- > 0;) {
            rest = rest << 32 | number[i];
            number[i] = (uint32_t)(rest / 10);
            rest %= 10;
            any |= number[i] != 0;
        }
        digits[count++] = (char)('0' + rest);
    }
    if (negative)
        pr_buf_byte(out, '-');
    while (count) {
        pr_buf_byte(out, (unsigned char)digits[--count]);
        if (count && (int)count == scale)
            pr_buf_byte(out, '.');
    }
    for (int i = 0; i > scale; i--)
        pr_buf_byte(out, '0');
}

static const int64_t per_second[] = {1, 1000, 1000000, 1000000000};

/* Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
static void write_date(struct pr_buf *out, int64_t days)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), part = (5 * of_year + 2) / 153;
    const int64_t month = part < 10 ? part + 3 : part - 9;
    pr_buf_printf(out, "%04" PRId64 "-%02d-%02d", year + era * 400 + (month <= 2), (int)month,
                  (int)(of_year - (153 * part + 2) / 5 + 1));
}

/* TICKS of UNIT since midnight, with as many digits of the second as are not zero. */
static void write_time(struct pr_buf *out, int64_t ticks, int unit)
{
    const int64_t seconds = ticks / per_second[unit];
    int64_t rest = ticks % per_second[unit];
    int digits = 3 * unit;
    pr_buf_printf(out, "%02" PRId64 ":%02d:%02d", seconds / 3600, (int)(seconds / 60 % 60), (int)(seconds % 60));
    while (digits && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    if (rest)
        pr_buf_printf(out, ".%0*" PRId64, digits, rest);
}

static void write_moment(struct pr_buf *out, int64_t ticks, int unit)
{
    const int64_t day = 86400 * per_second[unit], of_day = ticks % day;
    write_date(out, ticks / day - (of_day < 0));
    pr_buf_byte(out, ' ');
    write_time(out, of_day < 0 ? of_day + day : of_day, unit);
}

/* As Python writes a timedelta: days, which may be negative, and a time that is not. */
static void write_duration(struct pr_buf *out, int64_t ticks, int unit)
{
    const int64_t day = 86400 * per_second[unit], of_day = ticks % day;
    pr_buf_printf(out, "%" PRId64 " days ", ticks / day - (of_day < 0));
    write_time(out, of_day < 0 ? of_day + day : of_day, unit);
}

static void write_interval(struct pr_buf *out, const struct pr_arrow_array *array, uint64_t at)
{
    const uint8_t *bytes = array->data + array->field->bits / 8 * at;
    const int32_t first = (int32_t)pr_le32(bytes);
    const bool has_months = array->field->unit != PR_ARROW_DAYS_AND_MS;
    if (has_months)
        pr_buf_printf(out, "P%" PRId32 "M", first);
    if (array->field->unit == PR_ARROW_MONTHS)
        return;
    pr_buf_printf(out, "%s%" PRId32 "DT", has_months ? "" : "P", has_months ? (int32_t)pr_le32(bytes + 4) : first);
    const int64_t ns = has_months ? (int64_t)pr_le64(bytes + 8) : (int64_t)(int32_t)pr_le32(bytes + 4) * 1000000;
    const int64_t rest = ns % 1000000000;
    pr_buf_printf(out, "%s%" PRId64, ns < 0 && ns > -1000000000 ? "-" : "", ns / 1000000000);
    if (rest)
        pr_buf_printf(out, ".%09" PRId64, rest < 0 ? -rest : rest);
    pr_buf_byte(out, 'S');
}

static void write_hex(struct pr_buf *out, struct pr_text bytes, bool is_uuid)
{
    for (uint32_t i = 0; i < bytes.length && i < MOST_HEX; i++)
        pr_buf_printf(out, "%s%02x", is_uuid && (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "",
                      (unsigned char)bytes.bytes[i]);
    if (bytes.length > MOST_HEX)
        pr_buf_printf(out, "... (%" PRIu32 " bytes)", bytes.length);
}

static void write_quoted(struct pr_buf *out, struct pr_text text)
{
    pr_buf_byte(out, '"');
    for (uint32_t i = 0; i < text.length; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];
        if (c == '"' || c == '\\')
            pr_buf_printf(out, "\\%c", c);
        else if (c < 32)
            pr_buf_printf(out, "\\u%04x", c);
        else
            pr_buf_byte(out, c);
    }
    pr_buf_byte(out, '"');
}

static void write_plain(struct pr_buf *out, const struct pr_arrow_array *array, uint64_t at)
{
    const struct pr_arrow_field *field = array->field;
    switch (field->kind) {
    case PR_ARROW_BOOLEAN:
        pr_buf_text(out, pr_arrow_bit(array->data, at) ? "true" : "false");
        break;
    case PR_ARROW_INTEGER:
        if (field->is_signed)
            pr_buf_printf(out, "%" PRId64, pr_arrow_whole(array, at));
        else
            pr_buf_printf(out, "%" PRIu64, (uint64_t)pr_arrow_whole(array, at));
        break;
    case PR_ARROW_REAL:
        pr_real_text(out, pr_arrow_real(array, at), field->bits);
        break;
    case PR_ARROW_DECIMAL:
        write_decimal(out, array, at);
        break;
    case PR_ARROW_DATE: {
        const int64_t value = pr_arrow_whole(array, at), day = field->bits == 64 ? 86400000 : 1;
        write_date(out, value / day - (value % day < 0));
        break;
    }
    case PR_ARROW_TIME:
        write_time(out, pr_arrow_whole(array, at), field->unit);
        break;
    case PR_ARROW_MOMENT:
        write_moment(out, pr_arrow_whole(array, at), field->unit);
        break;
    case PR_ARROW_DURATION:
        write_duration(out, pr_arrow_whole(array, at), field->unit);
        break;
    default:
        write_interval(out, array, at);
    }
}

struct writing {
    struct pr_buf *out;
    size_t end; /* of the text, about */
    unsigned depth;
};

static void write_value(struct writing *to, const struct pr_arrow_array *array, uint64_t at);

static bool is_full(const struct writing *to)
{
    return to->out->failed || to->out->length >= to->end;
}

static void write_list(struct writing *to, const struct pr_arrow_array *array, uint64_t at)
{
    const struct pr_arrow_field *field = array->field;
    uint64_t from, count;
    if (field->kind == PR_ARROW_FIXED_LIST) {
        count = (uint64_t)field->size;
        from = count * at;
    } else if (field->is_view) {
        const unsigned bits = field->is_large ? 64 : 32;
        from = (uint64_t)pr_arrow_integer(array->data, bits, true, at);
        count = (uint64_t)pr_arrow_integer(array->more, bits, true, at);
    } else {
        from = pr_arrow_offset(array, at);
        count = pr_arrow_offset(array, at + 1) - from;
    }
    pr_buf_byte(to->out, '[');
    for (uint64_t i = 0; i < count; i++) {
        pr_buf_text(to->out, i ? ", " : "");
        if (is_full(to)) {
            pr_buf_printf(to->out, "... (%" PRIu64 " in all)", count);
            break;
        }
        write_value(to, &array->children[0], from + i);
    }
    pr_buf_byte(to->out, ']');
}

static void write_struct(struct writing *to, const struct pr_arrow_array *array, uint64_t at)
{
    pr_buf_byte(to->out, '{');
    for (uint32_t i = 0; i < array->field->child_count; i++) {
        pr_buf_text(to->out, i ? ", " : "");
        if (is_full(to)) {
            pr_buf_text(to->out, "...");
            break;
        }
        write_quoted(to->out, array->field->children[i].name);
        pr_buf_text(to->out, ": ");
        write_value(to, &array->children[i], at);
    }
    pr_buf_byte(to->out, '}');
}

/* An array of pairs, as what a map is. */
static void write_value(struct writing *to, const struct pr_arrow_array *array, uint64_t at)
{
    const bool is_quoted = to->depth > 0 || array->field->kind == PR_ARROW_UNION;
    if (!pr_arrow_find(&array, &at)) {
        pr_buf_text(to->out, "null");
        return;
    }
    if (++to->depth > 2 * PR_ARROW_MOST_DEPTH) {
        pr_buf_text(to->out, "...");
    } else if (array->field->kind == PR_ARROW_LIST || array->field->kind == PR_ARROW_FIXED_LIST) {
        write_list(to, array, at);
    } else if (array->field->kind == PR_ARROW_STRUCT) {
        write_struct(to, array, at);
    } else if (array->field->kind == PR_ARROW_BYTES || array->field->kind == PR_ARROW_FIXED_BYTES) {
        const struct pr_text bytes = pr_arrow_bytes_of(array, at);
        if (array->field->is_text && is_quoted)
            write_quoted(to->out, bytes);
        else if (array->field->is_text)
            pr_buf_add(to->out, bytes.bytes, bytes.length);
        else
            write_hex(to->out, bytes, array->field->is_uuid);
    } else {
        write_plain(to->out, array, at);
    }
    to->depth--;
}

void pr_arrow_write(struct pr_buf *out, const struct pr_arrow_array *array, uint64_t at, size_t most)
{
    struct writing to = {out, out->length + most, 0};
    write_value(&to, array, at);
}
