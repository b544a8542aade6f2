/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations by the bin in which they were made and the bin in which they were freed: a window leaks what was made in
 * it and not freed by its end.
 *
 * What is freed in the bin in which it was made is not kept. The rest is added up by (fact, from, to): new ones are
 * collected, sorted in bulk and merged into the sorted rest, which costs far less than a look-up each. A program often
 * frees similar ones in a row: recently collected ones are found by their key's hash, and most new ones are added to
 * them.
 */
#ifndef PR_CAPTURE_HEAP_LIFETIMES_H
#define PR_CAPTURE_HEAP_LIFETIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PR_LIFETIME_RECENT_LOG2 = 11, PR_LIFETIME_RECENT = 1 << PR_LIFETIME_RECENT_LOG2 };

enum { PR_LIFETIME_BIN_BITS = 16, PR_LIFETIME_NEVER = (1 << PR_LIFETIME_BIN_BITS) - 1 };

struct pr_raw_lifetime {
    uint64_t key; /* fact, from, to: 32, 16, 16 bits; `to` is PR_LIFETIME_NEVER for what is alive at the end */
    int64_t bytes, count;
};

struct pr_lifetimes {
    struct pr_raw_lifetime *sorted; /* [sorted_count], one for each key */
    size_t sorted_count, sorted_capacity;
    size_t sorted_most; /* above it, there are too many */
    struct pr_raw_lifetime *fresh; /* [fresh_count]; about `fresh_most` are settled */
    size_t fresh_count, fresh_capacity, fresh_most;
    uint32_t recent[PR_LIFETIME_RECENT]; /* places in FRESH, by hash; only hints */
};

enum { PR_LIFETIMES_FRESH = 1 << 17 };

static inline uint64_t pr_lifetime_key(uint32_t fact, uint32_t from, uint32_t to)
{
    return (uint64_t)fact << 2 * PR_LIFETIME_BIN_BITS | (uint64_t)from << PR_LIFETIME_BIN_BITS | to;
}

static inline uint32_t pr_lifetime_fact(uint64_t key)
{
    return (uint32_t)(key >> 2 * PR_LIFETIME_BIN_BITS);
}

static inline uint32_t pr_lifetime_from(uint64_t key)
{
    return (uint32_t)(key >> PR_LIFETIME_BIN_BITS) & PR_LIFETIME_NEVER;
}

static inline uint32_t pr_lifetime_to(uint64_t key)
{
    return (uint32_t)key & PR_LIFETIME_NEVER;
}

bool pr_lifetimes_init(struct pr_lifetimes *moves); /* false: out of memory */
/* So that no more than MOST are kept, and fewer than usual collected. */
void pr_lifetimes_bound(struct pr_lifetimes *moves, size_t most);

void pr_lifetimes_clear(struct pr_lifetimes *moves);

/* Merges what was collected. False: out of memory. */
bool pr_lifetimes_settle(struct pr_lifetimes *moves);

/* The same when no more will be added: frees what only that needs. False: out of memory. */
bool pr_lifetimes_end(struct pr_lifetimes *moves);

/* For pr_lifetimes_add: room for one more new one. False: out of memory. */
bool pr_lifetimes_make_room(struct pr_lifetimes *moves);

/* False: out of memory. */
static inline bool pr_lifetimes_add(struct pr_lifetimes *moves, uint32_t fact, uint32_t from, uint32_t to,
                                    uint64_t bytes, int64_t count)
{
    const uint64_t key = pr_lifetime_key(fact, from, to);
    uint32_t *recent = &moves->recent[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PR_LIFETIME_RECENT_LOG2)];
    if (*recent < moves->fresh_count && moves->fresh[*recent].key == key) {
        struct pr_raw_lifetime *same = &moves->fresh[*recent];
        same->bytes = (int64_t)((uint64_t)same->bytes + bytes);
        same->count += count;
        return true;
    }
    if (moves->fresh_count == moves->fresh_capacity && !pr_lifetimes_make_room(moves))
        return false;
    *recent = (uint32_t)moves->fresh_count;
    moves->fresh[moves->fresh_count++] = (struct pr_raw_lifetime){key, (int64_t)bytes, count};
    return true;
}

/* Bins are merged in pairs. False: out of memory. */
bool pr_lifetimes_halve(struct pr_lifetimes *moves);

/*
 * Adds MOVE to what is sorted, whose key is not below any before BEGIN; from there on, keys may come in any order and
 * several times until pr_lifetimes_unite. False: out of memory.
 */
bool pr_lifetimes_append(struct pr_lifetimes *moves, size_t begin, const struct pr_raw_lifetime *move);

/* What was appended from BEGIN on is sorted, one for each key. False: out of memory. */
bool pr_lifetimes_unite(struct pr_lifetimes *moves, size_t begin);

/*
 * Of what is sorted: each fact becomes GROUP[fact], and those whose group is PR_NO_ID are left out. False: out of
 * memory.
 */
bool pr_lifetimes_group(struct pr_lifetimes *moves, const uint32_t *group);

/* True when there are too many. */
bool pr_lifetimes_are_full(const struct pr_lifetimes *moves);

#endif
