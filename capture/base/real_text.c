/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/real_text.h"

#include "capture/base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIGITS = 17, EXACT_POWER = 22, MOST_POWER = 300 };

static double power_of_ten(int exponent)
{
    return pr_decimal_double((struct pr_decimal){1, exponent, false});
}

/* SIZE times ten to EXPONENT, rounded: both halves of the product are known where that power is a double. */
static uint64_t scaled(double size, int exponent)
{
    if (exponent > MOST_POWER) { /* of a number so small that the power is none */
        size *= power_of_ten(exponent - MOST_POWER);
        exponent = MOST_POWER;
    }
    if (exponent < -EXACT_POWER)
        return (uint64_t)rint(size / power_of_ten(-exponent));
    const double power = power_of_ten(exponent < 0 ? -exponent : exponent);
    if (exponent < 0)
        return (uint64_t)rint(size / power);
    const double high = size * power, low = exponent <= EXACT_POWER ? fma(size, power, -high) : 0, whole = floor(high);
    return (uint64_t)((int64_t)whole + (int64_t)rint(high - whole + low));
}

/* The decimal exponent of the first digit. */
static int first_place(double size)
{
    int place = (int)floor(log10(size));
    if (place > -MOST_POWER && place < MOST_POWER) {
        place += power_of_ten(place + 1) <= size;
        place -= power_of_ten(place) > size;
    }
    return place;
}

static bool is_it(uint64_t digits, int exponent, double size, unsigned bits)
{
    const double read = pr_decimal_double((struct pr_decimal){digits, exponent, false});
    return bits < 64 ? (float)read == (float)size : read == size;
}

/* DIGITS, of which the first has PLACE: with a point where %g has one, or with an exponent. */
static void put_digits(struct pr_buf *out, uint64_t digits, int place)
{
    char text[24];
    int count = snprintf(text, sizeof text, "%" PRIu64, digits);
    while (count > 1 && text[count - 1] == '0')
        count--;
    if (place < -5 || place >= MOST_DIGITS) {
        pr_buf_byte(out, (unsigned char)text[0]);
        if (count > 1)
            pr_buf_printf(out, ".%.*s", count - 1, text + 1);
        pr_buf_printf(out, "e%c%02d", place < 0 ? '-' : '+', place < 0 ? -place : place);
    } else if (place < 0) {
        pr_buf_printf(out, "0.%.*s%.*s", -place - 1, "00000", count, text);
    } else {
        for (int i = 0; i <= place; i++)
            pr_buf_byte(out, i < count ? (unsigned char)text[i] : '0');
        if (count > place + 1)
            pr_buf_printf(out, ".%.*s", count - place - 1, text + place + 1);
    }
}

void pr_real_text(struct pr_buf *out, double number, unsigned bits)
{
    const double size = fabs(number);
    if (isnan(number)) {
        pr_buf_text(out, "nan");
        return;
    }
    if (signbit(number) && size > 0)
        pr_buf_byte(out, '-');
    if (isinf(number) || size == 0) {
        pr_buf_text(out, isinf(number) ? "inf" : "0");
        return;
    }
    int place = first_place(size);
    uint64_t digits = 0, limit = 1;
    for (int count = 1; count <= MOST_DIGITS; count++) {
        limit *= 10;
        digits = scaled(size, count - 1 - place);
        const int exponent = place - count + 1;
        if ((count == MOST_DIGITS && digits) || is_it(digits, exponent, size, bits))
            break;
    }
    if (digits >= limit) /* rounded up to the next power of ten */
        place++;
    put_digits(out, digits, place);
}
