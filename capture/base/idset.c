/* SPDX-License-Identifier: Apache-2.0 */
/* The growing half of an idset: salt, slots, keys. */
#include "capture/base/idset.h"

#include "capture/base/checked.h"

#include <stdlib.h>

static void place(struct pr_idset *set, struct pr_idset_slot slot)
{
    uint32_t at = slot.hash & set->slot_mask;
    while (set->slots[at].number)
        at = (at + 1) & set->slot_mask;
    set->slots[at] = slot;
}

static bool grow_slots(struct pr_idset *set)
{
    const size_t old_count = set->slots ? (size_t)set->slot_mask + 1 : 0, count = old_count ? old_count * 2 : 64;
    if ((uint64_t)count > UINT64_C(1) << 32)
        return false;
    struct pr_idset_slot *slots = calloc(count, sizeof *slots), *old = set->slots;
    if (!slots)
        return false;
    if (!old)
        set->salt = pr_hash_new_salt();
    set->slots = slots;
    set->slot_mask = (uint32_t)(count - 1);
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].number)
            place(set, old[i]);
    }
    free(old);
    return true;
}

uint32_t pr_idset_append(struct pr_idset *set, const uint64_t *key)
{
    if (set->count == PR_NO_ID - 1 || (set->limit && set->count >= set->limit))
        return PR_NO_ID;
    const size_t start = (size_t)set->count * set->words, end = start + set->words;
    if (end > set->capacity && !pr_grow(&set->keys, &set->capacity, end, sizeof *set->keys))
        return PR_NO_ID;
    set->keys[start] = key[0];
    if (set->words == 2)
        set->keys[start + 1] = key[1];
    return set->count++;
}

static bool is_full(const struct pr_idset *set)
{
    return !set->slots || set->listed >= ((uint64_t)set->slot_mask + 1) / 4 * 3;
}

uint32_t pr_idset_add_new(struct pr_idset *set, const uint64_t *key)
{
    if (is_full(set) && !grow_slots(set))
        return PR_NO_ID;
    const uint32_t id = pr_idset_append(set, key);
    if (id == PR_NO_ID)
        return PR_NO_ID;
    place(set, (struct pr_idset_slot){id + 1, pr_idset_hash(set, key, set->words)});
    set->listed++;
    return id;
}

void pr_idset_close(struct pr_idset *set)
{
    free(set->slots);
    set->slots = NULL;
    set->slot_mask = 0;
}

void pr_idset_clear(struct pr_idset *set)
{
    free(set->keys);
    free(set->slots);
    *set = (struct pr_idset){.words = set->words, .limit = set->limit};
}
