/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes for tables in memory. Keys of a file are hashed with a salt that no file can know, so that none can be made to
 * collide on purpose; nothing that is written depends on it, as all tables number their keys as they come.
 */
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

/* A salt for one table. Without entropy it is 0: slower on a hostile file, still correct. */
uint64_t pr_hash_new_salt(void);

static inline uint64_t pr_hash_salted(const void *bytes, size_t length, uint64_t salt)
{
    return XXH3_64bits_withSeed(bytes, length, salt);
}

/* Always the same for the same bytes: for values compared with those of another run, never for a table. */
static inline uint64_t pr_hash_bytes(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

#endif
