/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted array with gaps. */
#include "capture/heap/packed_live_set.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BITS = 48, BORN_LOW_BITS = 16, FACT_BITS = 24, BORN_HIGH_BITS = 8, FIRST_SPAN = 1 << 12 };

#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)
#define BORN_LIMIT (UINT32_C(1) << (BORN_LOW_BITS + BORN_HIGH_BITS))
#define FACT_MASK (((UINT64_C(1) << FACT_BITS) - 1) << BORN_HIGH_BITS)

static bool is_used(const struct pr_packed_live *slot)
{
    return (slot->rest & FACT_MASK) != 0;
}

static uint64_t hash_of(const struct pr_packed_set *set, uint64_t address)
{
    /* No two addresses have the same: each step can be undone. */
    uint64_t hash = (address ^ set->salt) * UINT64_C(0x9e3779b97f4a7c15) & ADDRESS_MASK;
    hash ^= hash >> ADDRESS_BITS / 2;
    return hash * UINT64_C(0xd6e8feb86659fd93) & ADDRESS_MASK;
}

static uint64_t hash_in(const struct pr_packed_live *slot)
{
    return slot->place >> BORN_LOW_BITS;
}

/* The first place for HASH; it never falls as hashes rise. */
static size_t home_of(const struct pr_packed_set *set, uint64_t hash)
{
    return (size_t)((hash >> 16) * set->span >> 32);
}

static bool fits(const struct pr_live *entry)
{
    return entry->address <= ADDRESS_MASK && entry->size <= UINT32_MAX && entry->born < BORN_LIMIT &&
           entry->fact < UINT32_C(1) << FACT_BITS;
}

static struct pr_packed_live pack(uint64_t hash, const struct pr_live *entry)
{
    return (struct pr_packed_live){hash << BORN_LOW_BITS | (entry->born & 0xffff),
                                   entry->size << 32 | (uint64_t)entry->fact << BORN_HIGH_BITS | entry->born >> 16};
}

static struct pr_live unpack(const struct pr_packed_live *slot)
{
    return (struct pr_live){.size = slot->rest >> 32,
                            .fact = (uint32_t)((slot->rest & FACT_MASK) >> BORN_HIGH_BITS),
                            .born = (uint32_t)(slot->rest & 0xff) << BORN_LOW_BITS | (uint32_t)(slot->place & 0xffff)};
}

/* Room after SPAN slots, as those of the highest hashes may be pushed out of it: some times what is likely. */
static size_t slots_for(size_t span)
{
    return span + span / 16 + 4096;
}

/* Spreads what is sorted over a larger array, in place: first all of it to its end, then each to where it belongs. */
static bool resize(struct pr_packed_set *set, size_t span)
{
    const size_t count = slots_for(span);
    size_t bytes;
    if (!pr_mul_size(count, sizeof *set->slots, &bytes))
        return false;
    struct pr_packed_live *slots = realloc(set->slots, bytes);
    if (!slots)
        return false;
    memset(slots + set->slot_count, 0, (count - set->slot_count) * sizeof *slots);
    size_t from = count;
    for (size_t i = set->slot_count; i-- > 0;) {
        const struct pr_packed_live slot = slots[i];
        slots[i].rest = 0;
        if (is_used(&slot))
            slots[--from] = slot;
    }
    set->slots = slots;
    set->slot_count = count;
    set->span = span;
    for (size_t next = 0; from < count; from++, next++) {
        const struct pr_packed_live slot = slots[from];
        const size_t home = home_of(set, hash_in(&slot));
        slots[from].rest = 0;
        next = home > next ? home : next;
        if (next > from) /* hashes are not spread at all: nobody's luck is that bad */
            return false;
        slots[next] = slot;
    }
    return true;
}

bool pr_packed_init(struct pr_packed_set *set)
{
    *set = (struct pr_packed_set){.salt = pr_hash_new_salt()};
    return pr_liveset_init(&set->others) && resize(set, FIRST_SPAN);
}

void pr_packed_clear(struct pr_packed_set *set)
{
    free(set->slots);
    pr_liveset_clear(&set->others);
    *set = (struct pr_packed_set){0};
}

/* The first slot from HASH's home on that is free or has no lower hash; slot_count: there is none. */
static size_t find(const struct pr_packed_set *set, uint64_t hash)
{
    size_t at = home_of(set, hash);
    while (at < set->slot_count && is_used(&set->slots[at]) && hash_in(&set->slots[at]) < hash)
        at++;
    return at;
}

static bool is_at(const struct pr_packed_set *set, size_t at, uint64_t hash)
{
    return at < set->slot_count && is_used(&set->slots[at]) && hash_in(&set->slots[at]) == hash;
}

static size_t free_from(const struct pr_packed_set *set, size_t at)
{
    while (at < set->slot_count && is_used(&set->slots[at]))
        at++;
    return at;
}

/* Where a new entry of HASH belongs, all that was there moved up. slot_count: no memory. */
static size_t make_place(struct pr_packed_set *set, uint64_t hash)
{
    size_t at = find(set, hash), end = free_from(set, at);
    while (set->count >= set->span - set->span / 8 || end == set->slot_count) {
        if (!resize(set, set->span + set->span / 8))
            return set->slot_count;
        at = find(set, hash);
        end = free_from(set, at);
    }
    memmove(&set->slots[at + 1], &set->slots[at], (end - at) * sizeof *set->slots);
    return at;
}

bool pr_packed_put(struct pr_packed_set *set, const struct pr_live *entry, struct pr_live *old)
{
    const bool here = fits(entry);
    const uint64_t hash = hash_of(set, entry->address);
    old->fact = 0;
    if (!here || set->others.count) { /* at the same address, either may be in the other set */
        struct pr_live before = {0};
        if (pr_packed_take(set, entry->address, &before) || !here) {
            struct pr_live none;
            const bool done = here ? pr_packed_put(set, entry, &none) : pr_liveset_put(&set->others, entry, &none);
            *old = before;
            return done;
        }
    }
    size_t at = find(set, hash);
    if (is_at(set, at, hash)) {
        *old = unpack(&set->slots[at]);
    } else {
        at = make_place(set, hash);
        if (at == set->slot_count)
            return false;
        set->count++;
    }
    set->slots[at] = pack(hash, entry);
    return true;
}

bool pr_packed_take(struct pr_packed_set *set, uint64_t address, struct pr_live *old)
{
    const uint64_t hash = hash_of(set, address);
    const size_t at = address <= ADDRESS_MASK ? find(set, hash) : set->slot_count;
    if (!is_at(set, at, hash))
        return set->others.count && pr_liveset_take(&set->others, address, old);
    *old = unpack(&set->slots[at]);
    /* What follows moves down, as far as its own place lets it. */
    size_t end = at + 1;
    while (end < set->slot_count && is_used(&set->slots[end]) && home_of(set, hash_in(&set->slots[end])) < end)
        end++;
    memmove(&set->slots[at], &set->slots[at + 1], (end - at - 1) * sizeof *set->slots);
    set->slots[end - 1].rest = 0;
    set->count--;
    return true;
}

bool pr_packed_get(const struct pr_packed_set *set, size_t slot, struct pr_live *entry)
{
    *entry = unpack(&set->slots[slot]);
    return entry->fact != 0;
}
