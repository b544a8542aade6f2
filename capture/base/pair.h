/* SPDX-License-Identifier: Apache-2.0 */
/* Two ids of 32 bits as one word: a key of an id set; sorted by the first, then by the second. */
#ifndef PR_CAPTURE_BASE_PAIR_H
#define PR_CAPTURE_BASE_PAIR_H

#include <stdint.h>

static inline uint64_t pr_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static inline uint32_t pr_high(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static inline uint32_t pr_low(uint64_t pair)
{
    return (uint32_t)pair;
}

#endif
