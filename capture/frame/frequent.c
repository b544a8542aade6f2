/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/frequent.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/sort.h"

#include <string.h>

enum { SMALLEST = 64, PLACE_BITS = 14 };

_Static_assert(PR_FREQUENT_MOST < 1 << PLACE_BITS, "a slot has room for the number of an item");

static bool is_item(const struct pr_frequent *frequent, const struct pr_frequent_item *item, const char *text,
                    uint32_t length, uint64_t hash)
{
    return item->hash == hash && item->length == length && memcmp(frequent->bytes + item->at, text, item->kept) == 0;
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

static bool make_room(struct pr_frequent *frequent)
{
    if (frequent->count >= PR_FREQUENT_MOST)
        subtract(frequent, middle_count(frequent));
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

bool pr_frequent_add(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    if (!make_room(frequent))
        return false;
    const uint64_t mixed = pr_hash_u64(hash ^ frequent->salt);
    const size_t slot = find_slot(frequent, text, length, hash, mixed);
    if (frequent->slots[slot]) {
        frequent->last = item_of(frequent->slots[slot]);
        frequent->items[frequent->last].count++;
        return true;
    }
    const uint32_t kept = length < PR_FREQUENT_BYTES ? length : PR_FREQUENT_BYTES;
    if (!pr_grow(&frequent->items, &frequent->capacity, frequent->count + 1, sizeof *frequent->items) ||
        !pr_grow(&frequent->bytes, &frequent->bytes_capacity, frequent->bytes_used + kept + 1, 1))
        return false;
    if (kept)
        memcpy(frequent->bytes + frequent->bytes_used, text, kept);
    frequent->last = frequent->count;
    frequent->items[frequent->count++] = (struct pr_frequent_item){hash, 1, frequent->bytes_used, length, kept};
    frequent->bytes_used += kept;
    frequent->slots[slot] = tag_of(mixed) | (uint32_t)frequent->count;
    return true;
}

size_t pr_frequent_place(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    if (!frequent->slot_count)
        return frequent->count;
    const size_t slot = find_slot(frequent, text, length, hash, pr_hash_u64(hash ^ frequent->salt));
    return frequent->slots[slot] ? item_of(frequent->slots[slot]) : frequent->count;
}

void pr_frequent_expect(const struct pr_frequent *frequent, uint64_t hash)
{
    if (frequent->slot_count)
        __builtin_prefetch(&frequent->slots[pr_hash_u64(hash ^ frequent->salt) & (frequent->slot_count - 1)], 1);
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
    *frequent = (struct pr_frequent){0};
}
