/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of numbers in memory, each as the difference from the one before: a byte or two where neighbours are alike.
 *
 *     uint8_t *at = room;                           // PR_DIFFERENCE_BYTES for each number
 *     at = pr_difference_put(at, last, now);
 *     ...
 *     const uint8_t *from = room;
 *     int64_t value = last;
 *     from = pr_difference_get(from, &value);       // value is now
 *
 * Zigzag varints, modulo 2^64. For reading back what was written here: nothing is checked.
 */
#ifndef PR_CAPTURE_BASE_DELTA_VARINT_H
#define PR_CAPTURE_BASE_DELTA_VARINT_H

#include <stdint.h>

enum { PR_DIFFERENCE_BYTES = 10 };

static inline uint8_t *pr_difference_put(uint8_t *at, int64_t before, int64_t now)
{
    uint64_t difference = (uint64_t)now - (uint64_t)before;
    uint64_t zigzag = difference << 1 ^ (0 - (difference >> 63));
    while (zigzag >= 0x80) {
        *at++ = (uint8_t)(zigzag | 0x80);
        zigzag >>= 7;
    }
    *at++ = (uint8_t)zigzag;
    return at;
}

static inline const uint8_t *pr_difference_get(const uint8_t *at, int64_t *value)
{
    uint64_t zigzag = 0;
    unsigned shift = 0;
    do
        zigzag |= (uint64_t)(*at & 0x7f) << shift, shift += 7;
    while (*at++ & 0x80);
    *value = (int64_t)((uint64_t)*value + (zigzag >> 1 ^ (0 - (zigzag & 1))));
    return at;
}

#endif
