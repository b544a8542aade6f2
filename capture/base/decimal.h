/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers as text has them, without a double in between: 0.004 s are 4,000,000 ns, and ten of 0.1 are 1.
 *
 *     struct pr_decimal seconds;
 *     size_t length = pr_decimal_parse("0.004 ", 6, &seconds);    // 5
 *     int64_t ns = pr_decimal_scaled(seconds, 9);                 // 4000000
 */
#ifndef PR_CAPTURE_BASE_DECIMAL_H
#define PR_CAPTURE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DIGITS times ten to the power of EXPONENT. Digits that do not fit into 64 bits are dropped from the end. */
struct pr_decimal {
    uint64_t digits;
    int32_t exponent;
    bool negative;
};

/*
 * Reads the number that begins at TEXT: a sign, digits with a point among, before or after them, an exponent. Returns
 * how many of LENGTH bytes it takes; 0 = not a number.
 */
size_t pr_decimal_parse(const char *text, size_t length, struct pr_decimal *number);

/* NUMBER times ten to the power of EXPONENT, rounded to the nearest, halves away from 0; clamped to the range. */
int64_t pr_decimal_scaled(struct pr_decimal number, int32_t exponent);

/* The nearest double, or one next to it; infinite where it is too large. */
double pr_decimal_double(struct pr_decimal number);

/* How many digits after the point NUMBER needs; 0.50 needs one, 1e300 none. */
uint32_t pr_decimal_places(struct pr_decimal number);

/* VALUE times FACTOR in the same way; what is not a number is 0. */
int64_t pr_double_scaled(double value, double factor);

#endif
