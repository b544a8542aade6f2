/* SPDX-License-Identifier: Apache-2.0 */
/* Digits and a power of ten: parsed, and turned into whole numbers of a smaller unit. */
#include "capture/base/decimal.h"
#include "capture/base/text.h"

#include <math.h>

enum { MAX_EXPONENT = 100000 }; /* far beyond every number that fits anywhere; bounds what an exponent can add up to */

/* Appends a digit if there is room for it. *FULL: one was dropped, and no later one may take its place. */
static void add_digit(struct pr_decimal *number, unsigned digit, bool after_point, bool *full)
{
    if (number->digits > UINT64_MAX / 10 || (number->digits == UINT64_MAX / 10 && digit > UINT64_MAX % 10))
        *full = true;
    if (!*full) {
        number->digits = number->digits * 10 + digit;
        number->exponent -= after_point;
    } else if (!after_point && number->exponent < MAX_EXPONENT) {
        number->exponent++;
    }
}

static size_t parse_exponent(const char *text, size_t length, int32_t *exponent)
{
    size_t at = 1;
    int32_t value = 0;
    bool negative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+'))
        at++;
    size_t first = at;
    for (; at < length && pr_is_digit(text[at]); at++)
        value = value < MAX_EXPONENT ? value * 10 + (text[at] - '0') : value;
    *exponent = negative ? -value : value;
    return at == first ? 0 : at;
}

/* Digits and a point, no more than surely fit, without checking how much room is left: all of TEXT, or nothing. */
static bool parse_short(const char *text, size_t length, struct pr_decimal *number)
{
    enum { SURE_DIGITS = 18 };
    uint64_t digits = 0;
    size_t point = length;
    if (!length || length > SURE_DIGITS)
        return false;
    for (size_t at = 0; at < length; at++) {
        if (pr_is_digit(text[at]))
            digits = digits * 10 + (unsigned)(text[at] - '0');
        else if (text[at] == '.' && point == length && length > 1)
            point = at;
        else
            return false;
    }
    number->digits = digits;
    number->exponent = point < length ? -(int32_t)(length - point - 1) : 0;
    return true;
}

size_t pr_decimal_parse(const char *text, size_t length, struct pr_decimal *number)
{
    size_t at = 0;
    bool any = false, point = false, full = false;
    *number = (struct pr_decimal){0};
    if (parse_short(text, length, number))
        return length;
    if (length && (*text == '-' || *text == '+'))
        number->negative = text[at++] == '-';
    for (; at < length && (pr_is_digit(text[at]) || (text[at] == '.' && !point)); at++) {
        if (text[at] == '.') {
            point = true;
        } else {
            add_digit(number, (unsigned)(text[at] - '0'), point, &full);
            any = true;
        }
    }
    if (!any)
        return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        int32_t exponent;
        size_t taken = parse_exponent(text + at, length - at, &exponent);
        if (taken)
            number->exponent += exponent;
        at += taken;
    }
    return at;
}

static int64_t signed_of(uint64_t size, bool negative)
{
    if (size > INT64_MAX)
        return negative ? INT64_MIN : INT64_MAX;
    return negative ? -(int64_t)size : (int64_t)size;
}

int64_t pr_decimal_scaled(struct pr_decimal number, int32_t exponent)
{
    uint64_t value = number.digits;
    int32_t power = number.exponent + exponent;
    for (; value && power > 0; power--) {
        if (value > UINT64_MAX / 10)
            return signed_of(UINT64_MAX, number.negative);
        value *= 10;
    }
    if (power >= 0)
        return signed_of(value, number.negative);
    if (power < -20)
        return 0;
    uint64_t divisor = 1;
    for (; power < -19; power++)
        value /= 10; /* 10^20 is not a 64-bit number; the digit lost here is too small to affect rounding */
    for (; power < 0; power++)
        divisor *= 10;
    uint64_t rest = value % divisor;
    return signed_of(value / divisor + (rest >= divisor - rest && rest), number.negative);
}

double pr_decimal_double(struct pr_decimal number)
{
    long double value = (long double)number.digits;
    const int32_t power = number.exponent < -400 ? -400 : number.exponent > 400 ? 400 : number.exponent;
    for (int32_t i = 0; i < power; i++)
        value *= 10;
    long double divisor = 1;
    for (int32_t i = power; i < 0; i++)
        divisor *= 10;
    value /= divisor;
    return (double)(number.negative ? -value : value);
}

uint32_t pr_decimal_places(struct pr_decimal number)
{
    while (number.exponent < 0 && number.digits % 10 == 0) {
        if (!number.digits)
            return 0;
        number.digits /= 10;
        number.exponent++;
    }
    return number.exponent < 0 ? (uint32_t)-number.exponent : 0;
}

int64_t pr_double_scaled(double value, double factor)
{
    double scaled = round(value * factor);
    if (isnan(scaled))
        return 0;
    if (scaled >= 9223372036854775807.0)
        return INT64_MAX;
    return scaled <= -9223372036854775808.0 ? INT64_MIN : (int64_t)scaled;
}
