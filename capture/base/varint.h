/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LEB128: whole numbers of 64 bits in bytes of 7 bits, the lowest first; all but the last byte have the top bit set.
 * Zigzag makes small numbers of either sign small: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
 *
 *     uint8_t room[PR_VARINT_BYTES];
 *     uint8_t *end = pr_varint_put(room, pr_zigzag(-300));
 *     uint64_t value;
 *     size_t length = pr_varint_get(room, end, &value);     // 2; pr_unzigzag(value) is -300
 *
 * Source: DWARF 5, appendix C; protobuf's encoding, "Base 128 Varints" and "Signed Integers".
 */
#ifndef PR_CAPTURE_BASE_VARINT_H
#define PR_CAPTURE_BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PR_VARINT_BYTES = 10 }; /* of the longest */

/* Writes VALUE at AT, where PR_VARINT_BYTES must fit; returns where it ends. */
static inline uint8_t *pr_varint_put(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/*
 * Adds the next BYTE of a number to *VALUE, 0 before the first. SHIFT is how many bits came before, at most 63: 0, then
 * 7, 14, ... Bits above the 64th are lost. True: more bytes follow.
 */
static inline bool pr_varint_add(uint64_t *value, unsigned shift, uint8_t byte)
{
    *value |= (uint64_t)(byte & 0x7f) << shift;
    return byte & 0x80;
}

/* How many bytes of those from AT to END the number has; 0: it does not end in them, or not after PR_VARINT_BYTES. */
static inline size_t pr_varint_get(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < PR_VARINT_BYTES && at + i < end; i++)
        if (!pr_varint_add(value, 7 * (unsigned)i, at[i]))
            return i + 1;
    return 0;
}

static inline uint64_t pr_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (0 - ((uint64_t)value >> 63));
}

static inline int64_t pr_unzigzag(uint64_t zigzag)
{
    return (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

#endif
