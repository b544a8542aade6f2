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

#include "capture/base/varint.h"

enum { PR_DIFFERENCE_BYTES = PR_VARINT_BYTES };

static inline uint8_t *pr_difference_put(uint8_t *at, int64_t before, int64_t now)
{
    uint64_t difference = (uint64_t)now - (uint64_t)before;
    return pr_varint_put(at, pr_zigzag((int64_t)difference));
}

static inline const uint8_t *pr_difference_get(const uint8_t *at, int64_t *value)
{
    uint64_t zigzag = 0;
    for (unsigned shift = 0; pr_varint_add(&zigzag, shift, *at++); shift += 7)
        ;
    *value = (int64_t)((uint64_t)*value + (uint64_t)pr_unzigzag(zigzag));
    return at;
}

#endif
