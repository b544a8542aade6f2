/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/frequent.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64, PLACE_BITS = 14, WAITING_BITS = 15 };

_Static_assert(PR_FREQUENT_MOST < 1 << PLACE_BITS, "a slot has room for the number of an item");
_Static_assert(PR_FREQUENT_WAITING == 1 << WAITING_BITS, "the highest bits of a hash choose a counter");

static bool is_item(const struct pr_frequent *frequent, const struct pr_frequent_item *item, const char *text,
                    uint32_t length, uint64_t hash)
{
    const char *bytes = frequent->bytes + item->at;
    if (item->hash != hash || item->length != length)
        return false;
    if (length != sizeof(uint64_t))
        return memcmp(bytes, text, item->kept) == 0;
    uint64_t a, b; /* as numbers are, without a call */
    memcpy(&a, bytes, sizeof a);
    memcpy(&b, text, sizeof b);
    return a == b;
}

/*
 * A slot has the number of an item + 1, and above it bits of the hash: nearly all items that are not the one looked for
 * are told apart without a look at them.
 */
static uint32_t tag_of(uint64_t mixed)
{
    return (uint32_t)(mixed >> 32) & ~((UINT32_C(1) << PLACE_BITS) - 1);
}

static size_t item_of(uint32_t slot)
{
    return (slot & ((UINT32_C(1) << PLACE_BITS) - 1)) - 1;
}

/* The slot of the item, or the free one where it belongs. */
static size_t find_slot(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash,
                        uint64_t mixed)
{
    const size_t mask = frequent->slot_count - 1;
    const uint32_t tag = tag_of(mixed);
    size_t slot = (size_t)mixed & mask;
    for (;; slot = (slot + 1) & mask) {
        const uint32_t found = frequent->slots[slot];
        if (!found)
            return slot;
        if (found >> PLACE_BITS != tag >> PLACE_BITS)
            continue;
        if (is_item(frequent, &frequent->items[item_of(found)], text, length, hash))
            return slot;
    }
}

static void fill_slots(struct pr_frequent *frequent)
{
    memset(frequent->slots, 0, frequent->slot_count * sizeof *frequent->slots);
    for (size_t i = 0; i < frequent->count; i++) {
        const uint64_t mixed = pr_hash_u64(frequent->items[i].hash ^ frequent->salt);
        size_t slot = (size_t)mixed & (frequent->slot_count - 1);
        while (frequent->slots[slot])
            slot = (slot + 1) & (frequent->slot_count - 1);
        frequent->slots[slot] = tag_of(mixed) | (uint32_t)(i + 1);
    }
}

/* Subtracts AMOUNT from all counts, and drops those that have nothing left. */
static void subtract(struct pr_frequent *frequent, uint64_t amount)
{
    size_t kept = 0, used = 0;
    for (size_t i = 0; i < frequent->count; i++) {
        struct pr_frequent_item item = frequent->items[i];
        if (item.count <= amount)
            continue;
        item.count -= amount;
        memmove(frequent->bytes + used, frequent->bytes + item.at, item.kept);
        item.at = used;
        used += item.kept;
        frequent->items[kept++] = item;
    }
    frequent->count = kept;
    frequent->bytes_used = used;
    frequent->error += amount;
    fill_slots(frequent);
}

/* The median of the counts, found among a few hundred of them: any amount keeps the bounds true. */
static uint64_t middle_count(const struct pr_frequent *frequent)
{
    enum { LOOKED_AT = 255 };
    int64_t counts[LOOKED_AT];
    const size_t step = frequent->count / LOOKED_AT;
    for (size_t i = 0; i < LOOKED_AT; i++)
        counts[i] = (int64_t)frequent->items[i * step].count;
    if (!pr_sort(counts, LOOKED_AT, sizeof *counts, pr_compare_numbers, NULL))
        return 1;
    return (uint64_t)counts[LOOKED_AT / 2];
}

/*
 * Values that are not in the table wait from now on, or longer. The bar is above the counters' mean by what these
 * differ from it, as far as values are all different; where so few wait that most counters have nothing, it stays.
 */
static bool raise_bar(struct pr_frequent *frequent)
{
    const double mean = (double)frequent->waited / PR_FREQUENT_WAITING;
    if (!frequent->waiting && !(frequent->waiting = calloc(PR_FREQUENT_WAITING, sizeof *frequent->waiting)))
        return false;
    if (4 * mean < (double)frequent->bar)
        return true;
    uint64_t bar = (uint64_t)(mean + sqrt(mean) + 1);
    if (bar <= frequent->bar)
        bar = frequent->bar + 1;
    if (bar > UINT16_MAX)
        bar = UINT16_MAX;
    frequent->error += bar - frequent->bar;
    frequent->bar = bar;
    return true;
}

/* Room for another item, in slots too. */
static bool make_room(struct pr_frequent *frequent)
{
    if (frequent->count >= PR_FREQUENT_MOST) {
        subtract(frequent, middle_count(frequent));
        if (!raise_bar(frequent))
            return false;
    }
    if (frequent->slot_count && frequent->count < frequent->slot_count / 2)
        return true;
    if (!frequent->slot_count)
        frequent->salt = pr_hash_new_salt();
    const size_t wanted = frequent->slot_count ? frequent->slot_count * 2 : SMALLEST;
    uint32_t *slots = realloc(frequent->slots, wanted * sizeof *slots);
    if (!slots)
        return false;
    frequent->slots = slots;
    frequent->slot_count = wanted;
    fill_slots(frequent);
    return true;
}

/* Whether a value that is not in the table waits once more, TIMES over. */
static bool waits(struct pr_frequent *frequent, uint64_t hash, uint64_t times)
{
    if (!frequent->waiting)
        return false;
    uint16_t *counter = &frequent->waiting[hash >> (64 - WAITING_BITS)];
    if (*counter + times > frequent->bar)
        return false;
    *counter = (uint16_t)(*counter + times);
    frequent->waited += times;
    frequent->last = PR_FREQUENT_NOWHERE;
    return true;
}

static bool insert(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash, uint64_t times)
{
    const uint32_t kept = length < PR_FREQUENT_BYTES ? length : PR_FREQUENT_BYTES;
    if (!make_room(frequent) ||
        !pr_grow(&frequent->items, &frequent->capacity, frequent->count + 1, sizeof *frequent->items) ||
        !pr_grow(&frequent->bytes, &frequent->bytes_capacity, frequent->bytes_used + kept + 1, 1))
        return false;
    const uint64_t mixed = pr_hash_u64(hash ^ frequent->salt);
    const size_t slot = find_slot(frequent, text, length, hash, mixed);
    if (kept)
        memcpy(frequent->bytes + frequent->bytes_used, text, kept);
    frequent->last = frequent->count;
    frequent->items[frequent->count++] = (struct pr_frequent_item){hash, times, frequent->bytes_used, length, kept};
    frequent->bytes_used += kept;
    frequent->slots[slot] = tag_of(mixed) | (uint32_t)frequent->count;
    return true;
}

/* MIXED: HASH and the salt. There are slots. */
static bool add_mixed(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash, uint64_t mixed,
                      uint64_t times)
{
    const uint32_t found = frequent->slots[find_slot(frequent, text, length, hash, mixed)];
    if (!found)
        return waits(frequent, hash, times) || insert(frequent, text, length, hash, times);
    frequent->last = item_of(found);
    frequent->items[frequent->last].count += times;
    return true;
}

bool pr_frequent_add_times(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash,
                           uint64_t times)
{
    return (frequent->slot_count || make_room(frequent)) &&
           add_mixed(frequent, text, length, hash, pr_hash_u64(hash ^ frequent->salt), times);
}

bool pr_frequent_add(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    return pr_frequent_add_times(frequent, text, length, hash, 1);
}

size_t pr_frequent_place(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    if (!frequent->slot_count)
        return frequent->count;
    const size_t slot = find_slot(frequent, text, length, hash, pr_hash_u64(hash ^ frequent->salt));
    return frequent->slots[slot] ? item_of(frequent->slots[slot]) : frequent->count;
}

static void expect_slot(const struct pr_frequent *frequent, uint64_t hash, uint64_t mixed)
{
    __builtin_prefetch(&frequent->slots[mixed & (frequent->slot_count - 1)], 1);
    if (frequent->waiting)
        __builtin_prefetch(&frequent->waiting[hash >> (64 - WAITING_BITS)], 1);
}

void pr_frequent_expect(const struct pr_frequent *frequent, uint64_t hash)
{
    if (frequent->slot_count)
        expect_slot(frequent, hash, pr_hash_u64(hash ^ frequent->salt));
}

/* Its item, if the slot says that it may be there. */
static void expect_item(const struct pr_frequent *frequent, uint64_t mixed)
{
    const uint32_t found = frequent->slots[mixed & (frequent->slot_count - 1)];
    if (found && found >> PLACE_BITS == tag_of(mixed) >> PLACE_BITS)
        __builtin_prefetch(&frequent->items[item_of(found)], 1);
}

bool pr_frequent_add_numbers(struct pr_frequent *frequent, const uint64_t *keys, uint64_t *hashes, size_t count,
                             size_t *rare)
{
    enum { PART = 512, SLOTS_AHEAD = 32, ITEMS_AHEAD = 16, WELL_KNOWN = 3 };
    uint64_t mixed[PART];
    *rare = 0;
    if (count && !frequent->slot_count && !make_room(frequent))
        return false;
    for (size_t first = 0; first < count; first += PART) {
        const size_t size = count - first < PART ? count - first : PART;
        for (size_t i = 0; i < size; i++)
            mixed[i] = pr_hash_u64(hashes[first + i] ^ frequent->salt);
        for (size_t i = 0; i < size + SLOTS_AHEAD; i++) {
            if (i < size)
                expect_slot(frequent, hashes[first + i], mixed[i]);
            if (i >= ITEMS_AHEAD && i - ITEMS_AHEAD < size)
                expect_item(frequent, mixed[i - ITEMS_AHEAD]);
            if (i < SLOTS_AHEAD)
                continue;
            const size_t at = i - SLOTS_AHEAD;
            const uint64_t hash = hashes[first + at];
            if (!add_mixed(frequent, (const char *)&keys[first + at], sizeof *keys, hash, mixed[at], 1))
                return false;
            hashes[*rare] = hash;
            *rare += frequent->last >= frequent->count || frequent->items[frequent->last].count < WELL_KNOWN;
        }
    }
    return true;
}

void pr_frequent_skip(struct pr_frequent *frequent, uint64_t count)
{
    frequent->error += count;
}

void pr_frequent_clear(struct pr_frequent *frequent)
{
    free(frequent->items);
    free(frequent->slots);
    free(frequent->bytes);
    free(frequent->waiting);
    *frequent = (struct pr_frequent){0};
}
