/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/cell_hash.h"

#include "capture/base/ascii.h"
#include "capture/base/hash.h"
#include "capture/frame/column_parts.h"

#include <math.h>
#include <string.h>

bool pr_cell_is_wide(const struct pr_cell_value *value)
{
    if (value->kind != PR_KIND_INTEGER)
        return false;
    const bool is_rounded_down = value->whole > PR_WIDEST || value->whole < -PR_WIDEST; /* its double is PR_WIDEST */
    return is_rounded_down || fabs(value->number) > (double)PR_WIDEST;
}

uint64_t pr_hash_of_value(const struct pr_cell_value *value, const char *text, uint32_t length)
{
    if (value->kind == PR_KIND_MISSING)
        return PR_MISSING_HASH;
    if (value->kind == PR_KIND_BOOLEAN && value->number > 0)
        return pr_hash_bytes("true", 4);
    if (value->kind == PR_KIND_BOOLEAN)
        return pr_hash_bytes("false", 5);
    if (pr_family_of(value->kind) == PR_FAMILY_BROKEN)
        return pr_hash_bytes(text, length);
    if (!pr_cell_is_wide(value))
        return pr_hash_of_number(value->number);
    return value->whole ? pr_hash_u64((uint64_t)value->whole) : pr_hash_bytes(text, length); /* more than 64 bits */
}

/*
 * The number is written without a sign that says nothing, a zero at either end, an exponent or a blank; and with so few
 * digits that no other text of this form is the same number. Whole millions are left out: dates in microseconds have
 * their hashes.
 */
static bool is_plain_number(const struct pr_cell_value *value, const char *text, uint32_t length)
{
    enum { SURE_WHOLE = 18, SURE_REAL = 16, ZEROS = 6 };
    const bool is_whole = value->kind == PR_KIND_INTEGER;
    const char *first = text + (*text == '-'), *last = text + length - 1;
    if (!value->is_plain || length > (is_whole ? SURE_WHOLE : SURE_REAL) || !pr_is_digit(*first) || !pr_is_digit(*last))
        return false;
    if (is_whole)
        return (*first != '0' || length == 1) && (length <= ZEROS || memcmp(last + 1 - ZEROS, "000000", ZEROS) != 0);
    return (*first != '0' || first[1] == '.') && *last != '0';
}

/* 2026-11-18, and 2026-11-18 12:30:00 if it is not the beginning of a day; not 1970-01-01, whose hash 0 has. */
static bool is_plain_moment(const struct pr_cell_value *value, const char *text, uint32_t length)
{
    enum { OF_DATE = 10, OF_MOMENT = 19 };
    if (length < OF_DATE || text[4] != '-' || text[7] != '-' || !pr_is_digit(text[0]) || value->number == 0)
        return false;
    if (value->kind == PR_KIND_DATE)
        return length == OF_DATE && pr_is_digit(text[OF_DATE - 1]);
    return length == OF_MOMENT && text[OF_DATE] == ' ' && text[13] == ':' && text[16] == ':' &&
           memcmp(text + OF_MOMENT - 2, "60", 2) != 0 && (int64_t)value->number % PR_US_PER_DAY != 0;
}

uint64_t pr_hash_of_written(const struct pr_cell_value *value, uint64_t hash, const char *text, uint32_t length)
{
    switch (pr_family_of(value->kind)) {
    case PR_FAMILY_NUMBERS:
        return is_plain_number(value, text, length) ? hash : pr_hash_bytes(text, length);
    case PR_FAMILY_MOMENTS:
        return is_plain_moment(value, text, length) ? hash : pr_hash_bytes(text, length);
    case PR_FAMILY_TIMES:
    case PR_FAMILY_DURATIONS:
        return pr_hash_bytes(text, length);
    default:
        return value->kind == PR_KIND_BOOLEAN ? pr_hash_bytes(text, length) : hash;
    }
}
