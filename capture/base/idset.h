/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for keys: a set of small fixed-size keys, each of which gets the next number when it is first added.
 *
 *     struct pr_idset tids = {.words = 1};
 *     uint32_t index = pr_idset_add(&tids, &tid, 1);     // 0, 1, 2, ... in the order of first appearance
 *
 * A key is one or two 64-bit words; two ids are one word (pair.h). The functions are inline so that the number of words
 * is a constant in each loop that matters. Hashes are salted for each set: no file can be made to collide on purpose.
 */
#ifndef PR_CAPTURE_BASE_IDSET_H
#define PR_CAPTURE_BASE_IDSET_H

#include "capture/base/hash.h"
#include "capture/base/pair.h"

#include <stdbool.h>

#define PR_NO_ID UINT32_MAX

struct pr_idset_slot {
    uint32_t number; /* + 1; 0 = free */
    uint32_t hash;   /* its low bits: it rules out most other keys, and a larger table is filled from it */
};

struct pr_idset {
    unsigned words; /* 1 or 2; set before the first use */
    uint32_t count;
    uint32_t limit;     /* maximum of keys; 0 = as many as there are numbers */
    uint64_t salt;
    uint64_t *keys;     /* [count * words] */
    size_t capacity;    /* of keys, in words */
    struct pr_idset_slot *slots; /* open addressing */
    uint32_t listed; /* keys that are in the slots */
    uint32_t slot_mask;
};

/* Adds a key that is not there; for pr_idset_add. PR_NO_ID: no memory, or the limit is reached. */
uint32_t pr_idset_add_new(struct pr_idset *set, const uint64_t *key);

/*
 * Adds a key that is known to be new and will be found by other means: no slot is taken for it, so looking it up does
 * not find it. Number, keys and count are as of pr_idset_add.
 */
uint32_t pr_idset_append(struct pr_idset *set, const uint64_t *key);

/* Nothing will be added or looked up any more: only keys and count are kept. */
void pr_idset_close(struct pr_idset *set);

void pr_idset_clear(struct pr_idset *set);

static inline uint32_t pr_idset_hash(const struct pr_idset *set, const uint64_t *key, unsigned words)
{
    return (uint32_t)(words == 1 ? pr_hash_u64(key[0] ^ set->salt) : pr_hash_two(key[0] ^ set->salt, key[1]));
}

/* Starts fetching the slot of KEY, for a look-up some keys later. */
static inline void pr_idset_prefetch(const struct pr_idset *set, const uint64_t *key, unsigned words)
{
    if (set->slots)
        __builtin_prefetch(&set->slots[pr_idset_hash(set, key, words) & set->slot_mask]);
}

/* The number of KEY, or PR_NO_ID when it is not there. WORDS is set->words, as a constant. */
static inline uint32_t pr_idset_find(const struct pr_idset *set, const uint64_t *key, unsigned words)
{
    if (!set->slots)
        return PR_NO_ID;
    const uint32_t hash = pr_idset_hash(set, key, words);
    for (uint32_t at = hash & set->slot_mask;; at = (at + 1) & set->slot_mask) {
        const struct pr_idset_slot slot = set->slots[at];
        if (!slot.number)
            return PR_NO_ID;
        const uint64_t *found = &set->keys[(size_t)(slot.number - 1) * words];
        if (slot.hash == hash && found[0] == key[0] && (words == 1 || found[1] == key[1]))
            return slot.number - 1;
    }
}

/* The number of KEY, which is added if it is new. PR_NO_ID: no memory, or the limit is reached. */
static inline uint32_t pr_idset_add(struct pr_idset *set, const uint64_t *key, unsigned words)
{
    uint32_t id = pr_idset_find(set, key, words);
    return id != PR_NO_ID ? id : pr_idset_add_new(set, key);
}

#endif
