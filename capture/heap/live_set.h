/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocations that are alive, by address.
 *
 * Open addressing without tombstones: a removal moves up the entries after it, so a table that sees billions of
 * allocations stays as small as what is alive. Entries are 24 bytes and lie in the table itself: one cache miss a
 * look-up, and pr_liveset_prefetch hides that one.
 */
#ifndef PR_CAPTURE_HEAP_LIVE_SET_H
#define PR_CAPTURE_HEAP_LIVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_live {
    uint64_t address;
    uint64_t size;
    uint32_t fact; /* + 1; 0 = a free slot */
    uint32_t born; /* memory samples seen before it was made */
};

struct pr_liveset {
    struct pr_live *slots;
    size_t count, most; /* entries; when there are `most`, the next one makes it grow */
    size_t mask;        /* number of slots - 1 */
    unsigned shift;     /* 64 - log2 of the number of slots */
    uint64_t factor;    /* odd; a new random one when too many addresses meet */
    size_t next_stir;   /* choose no other factor before there are this many */
};

enum { PR_LIVESET_LONG_PROBE = 512 };

static inline size_t pr_liveset_home(const struct pr_liveset *set, uint64_t address)
{
    return (size_t)(address * set->factor >> set->shift);
}

/* Starts fetching the place of ADDRESS, for a look-up some events later. */
static inline void pr_liveset_prefetch(const struct pr_liveset *set, uint64_t address)
{
    __builtin_prefetch(&set->slots[pr_liveset_home(set, address)], 1);
}

/* False: out of memory. */
bool pr_liveset_init(struct pr_liveset *set);
void pr_liveset_clear(struct pr_liveset *set);

/* For pr_liveset_put: more slots. False: out of memory; what was in the set may be lost. */
bool pr_liveset_grow(struct pr_liveset *set);

/* For pr_liveset_put: hashes all addresses by another factor, if it has the memory for that. */
void pr_liveset_stir(struct pr_liveset *set);

/* The slot of ADDRESS, whose home is HOME, or the free one where it would be put. */
static inline size_t pr_liveset_find_from(const struct pr_liveset *set, size_t home, uint64_t address)
{
    const struct pr_live *slots = set->slots;
    size_t at = home;
    while (slots[at].fact && slots[at].address != address)
        at = (at + 1) & set->mask;
    return at;
}

static inline size_t pr_liveset_find(const struct pr_liveset *set, uint64_t address)
{
    return pr_liveset_find_from(set, pr_liveset_home(set, address), address);
}

/*
 * The slot that the caller is to fill with an entry of ADDRESS, whose fact is not 0, before anything else is done. An
 * entry that was there goes to OLD, whose fact is 0 when there was none. NULL: out of memory, as pr_liveset_grow says.
 */
static inline struct pr_live *pr_liveset_claim(struct pr_liveset *set, uint64_t address, struct pr_live *old)
{
    const size_t home = pr_liveset_home(set, address);
    size_t at = pr_liveset_find_from(set, home, address);
    if (__builtin_expect(set->slots[at].fact != 0, 0)) {
        *old = set->slots[at];
        return &set->slots[at];
    }
    old->fact = 0;
    if (__builtin_expect(set->count >= set->most, 0)) {
        if (!pr_liveset_grow(set))
            return NULL;
        at = pr_liveset_find(set, address);
    } else if (__builtin_expect(((at - home) & set->mask) >= PR_LIVESET_LONG_PROBE, 0) &&
               set->count >= set->next_stir) {
        pr_liveset_stir(set);
        at = pr_liveset_find(set, address);
    }
    set->count++;
    return &set->slots[at];
}

/* Adds ENTRY, whose fact is not 0, as above. False: out of memory, as in pr_liveset_grow. */
static inline bool pr_liveset_put(struct pr_liveset *set, const struct pr_live *entry, struct pr_live *old)
{
    struct pr_live *slot = pr_liveset_claim(set, entry->address, old);
    if (!slot)
        return false;
    *slot = *entry;
    return true;
}

/* Removes the entry of ADDRESS and returns it in OLD; false when absent. */
static inline bool pr_liveset_take(struct pr_liveset *set, uint64_t address, struct pr_live *old)
{
    struct pr_live *slots = set->slots;
    const size_t mask = set->mask;
    size_t hole = pr_liveset_find(set, address);
    *old = slots[hole];
    if (!old->fact)
        return false;
    set->count--;
    /* Move each later entry up into the hole, unless its home is after the hole. */
    for (size_t next = (hole + 1) & mask; slots[next].fact; next = (next + 1) & mask) {
        const size_t home = pr_liveset_home(set, slots[next].address);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            slots[hole] = slots[next];
            hole = next;
        }
    }
    slots[hole].fact = 0;
    return true;
}

#endif
