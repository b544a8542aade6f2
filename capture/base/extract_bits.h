/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chosen bits of a word, moved together: one instruction, where the processor has it.
 *
 *     if (pr_can_extract()) ... pr_extract_bits(0xab, 0xf0) == 0xa
 *
 * A function whose loops use it has the attribute PR_EXTRACTS, so that what is around it may use the instructions of
 * the same processors.
 */
#ifndef PR_CAPTURE_BASE_EXTRACT_BITS_H
#define PR_CAPTURE_BASE_EXTRACT_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* This processor has the instruction, and it is fast. */
bool pr_can_extract(void);

#if defined(__x86_64__)

#define PR_EXTRACTS __attribute__((target("bmi,bmi2")))

/* The bits of WORD that MASK has. By the instruction's name: an intrinsic function asks its callers for a target. */
static inline uint64_t pr_extract_bits(uint64_t word, uint64_t mask)
{
    uint64_t bits;
    __asm__("pextq %2, %1, %0" : "=r"(bits) : "r"(word), "r"(mask));
    return bits;
}

#else

#define PR_EXTRACTS

static inline uint64_t pr_extract_bits(uint64_t word, uint64_t mask)
{
    uint64_t bits = 0;
    for (unsigned to = 0; mask; mask &= mask - 1)
        bits |= (word >> __builtin_ctzll(mask) & 1) << to++;
    return bits;
}

#endif

#endif
