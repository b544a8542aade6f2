/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes for tables in memory: never stored, so free to change. */
#ifndef PR_CAPTURE_BASE_HASH_H
#define PR_CAPTURE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Mixes all bits of KEY into all bits of the result (the finaliser of splitmix64). */
static inline uint64_t pr_hash_u64(uint64_t key)
{
    key ^= key >> 30;
    key *= UINT64_C(0xbf58476d1ce4e5b9);
    key ^= key >> 27;
    key *= UINT64_C(0x94d049bb133111eb);
    return key ^ key >> 31;
}

static inline uint64_t pr_hash_two(uint64_t a, uint64_t b)
{
    return pr_hash_u64(a * UINT64_C(0x9e3779b97f4a7c15) ^ b);
}

static inline uint64_t pr_hash_bytes(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

#endif
