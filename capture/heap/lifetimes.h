/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations by the bin in which they were made and the bin in which they were freed: what is leaked of a window is
 * what was made in it and not freed by its end.
 *
 * What is freed in the bin in which it was made is not kept. The rest is added up by (fact, from, to): new ones are
 * collected, sorted in bulk and merged into the sorted rest, which costs far less than a look-up each. A program frees
 * much alike in a row: what was collected lately is found by its key's hash, and most of the new ones are added there.
 */
#ifndef PR_MOVES_H
#define PR_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PR_MOVE_RECENT_LOG2 = 11, PR_MOVE_RECENT = 1 << PR_MOVE_RECENT_LOG2 };

enum { PR_MOVE_BIN_BITS = 16, PR_MOVE_NEVER = (1 << PR_MOVE_BIN_BITS) - 1 };

struct pr_raw_move {
    uint64_t key; /* fact, from, to: 32, 16, 16 bits; `to` is PR_MOVE_NEVER for what is alive at the end */
    int64_t bytes, count;
};

struct pr_moves {
    struct pr_raw_move *sorted; /* [sorted_count], one for each key */
    size_t sorted_count;
    struct pr_raw_move *fresh;  /* [fresh_count]; at most PR_MOVES_FRESH */
    size_t fresh_count, fresh_capacity;
    uint32_t recent[PR_MOVE_RECENT]; /* places in FRESH, by hash; only hints */
};

enum { PR_MOVES_FRESH = 1 << 18 };

static inline uint64_t pr_move_key(uint32_t fact, uint32_t from, uint32_t to)
{
    return (uint64_t)fact << 2 * PR_MOVE_BIN_BITS | (uint64_t)from << PR_MOVE_BIN_BITS | to;
}

static inline uint32_t pr_move_fact(uint64_t key)
{
    return (uint32_t)(key >> 2 * PR_MOVE_BIN_BITS);
}

static inline uint32_t pr_move_from(uint64_t key)
{
    return (uint32_t)(key >> PR_MOVE_BIN_BITS) & PR_MOVE_NEVER;
}

static inline uint32_t pr_move_to(uint64_t key)
{
    return (uint32_t)key & PR_MOVE_NEVER;
}

bool pr_moves_init(struct pr_moves *moves); /* false: out of memory */
void pr_moves_clear(struct pr_moves *moves);

/* Merges what was collected. False: out of memory. */
bool pr_moves_settle(struct pr_moves *moves);

/* For pr_moves_add: room for another new one. False: out of memory. */
bool pr_moves_make_room(struct pr_moves *moves);

/* False: out of memory. */
static inline bool pr_moves_add(struct pr_moves *moves, uint32_t fact, uint32_t from, uint32_t to, uint64_t bytes,
                                int64_t count)
{
    const uint64_t key = pr_move_key(fact, from, to);
    uint32_t *recent = &moves->recent[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PR_MOVE_RECENT_LOG2)];
    if (*recent < moves->fresh_count && moves->fresh[*recent].key == key) {
        struct pr_raw_move *same = &moves->fresh[*recent];
        same->bytes = (int64_t)((uint64_t)same->bytes + bytes);
        same->count += count;
        return true;
    }
    if (moves->fresh_count == moves->fresh_capacity && !pr_moves_make_room(moves))
        return false;
    *recent = (uint32_t)moves->fresh_count;
    moves->fresh[moves->fresh_count++] = (struct pr_raw_move){key, (int64_t)bytes, count};
    return true;
}

/* Bins are merged in pairs. False: out of memory. */
bool pr_moves_halve(struct pr_moves *moves);

/* True when there are more than there should be. */
bool pr_moves_are_full(const struct pr_moves *moves);

#endif
