/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/frequent.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/sort.h"

#include <string.h>

enum { SMALLEST = 64 };

static bool is_item(const struct pr_frequent *frequent, const struct pr_frequent_item *item, const char *text,
                    uint32_t length, uint64_t hash)
{
    return item->hash == hash && item->length == length && memcmp(frequent->bytes + item->at, text, item->kept) == 0;
}

static size_t first_slot(const struct pr_frequent *frequent, uint64_t hash)
{
    return (size_t)pr_hash_u64(hash ^ frequent->salt) & (frequent->slot_count - 1);
}

static void fill_slots(struct pr_frequent *frequent)
{
    memset(frequent->slots, 0, frequent->slot_count * sizeof *frequent->slots);
    for (size_t i = 0; i < frequent->count; i++) {
        size_t slot = first_slot(frequent, frequent->items[i].hash);
        while (frequent->slots[slot])
            slot = (slot + 1) & (frequent->slot_count - 1);
        frequent->slots[slot] = (uint32_t)i + 1;
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

/* The slot of a value, or the empty one where it belongs; there are slots. */
static size_t slot_of(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    size_t slot = first_slot(frequent, hash);
    while (frequent->slots[slot] &&
           !is_item(frequent, &frequent->items[frequent->slots[slot] - 1], text, length, hash))
        slot = (slot + 1) & (frequent->slot_count - 1);
    return slot;
}

bool pr_frequent_add(struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    if (!make_room(frequent))
        return false;
    const size_t slot = slot_of(frequent, text, length, hash);
    if (frequent->slots[slot]) {
        frequent->last = frequent->slots[slot] - 1;
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
    frequent->slots[slot] = (uint32_t)frequent->count;
    return true;
}

size_t pr_frequent_place(const struct pr_frequent *frequent, const char *text, uint32_t length, uint64_t hash)
{
    const uint32_t taken = frequent->slot_count ? frequent->slots[slot_of(frequent, text, length, hash)] : 0;
    return taken ? taken - 1 : frequent->count;
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
