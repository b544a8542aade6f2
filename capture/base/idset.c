/* SPDX-License-Identifier: Apache-2.0 */
/* The growing half of an idset: salt, slots, keys. */
#include "capture/base/idset.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <sys/random.h>

static void place(struct pr_idset *set, uint32_t id)
{
    const uint64_t *key = &set->keys[(size_t)id * set->words];
    uint32_t at = (uint32_t)pr_idset_hash(set, key, set->words) & set->slot_mask;
    while (set->slots[at])
        at = (at + 1) & set->slot_mask;
    set->slots[at] = id + 1;
}

static bool grow_slots(struct pr_idset *set)
{
    size_t count = set->slots ? ((size_t)set->slot_mask + 1) * 2 : 64;
    if (count > (size_t)1 << 31)
        return false;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    /* Without entropy the salt stays 0: slower on a hostile file, as right as ever. */
    if (!set->slots && getrandom(&set->salt, sizeof set->salt, GRND_NONBLOCK) != (ssize_t)sizeof set->salt)
        set->salt = 0;
    free(set->slots);
    set->slots = slots;
    set->slot_mask = (uint32_t)(count - 1);
    for (uint32_t id = 0; id < set->count; id++)
        place(set, id);
    return true;
}

uint32_t pr_idset_append(struct pr_idset *set, const uint64_t *key)
{
    if (set->count == PR_NO_ID - 1 || (set->limit && set->count >= set->limit))
        return PR_NO_ID;
    size_t start = (size_t)set->count * set->words;
    if (!pr_grow(&set->keys, &set->capacity, start + set->words, sizeof *set->keys))
        return PR_NO_ID;
    for (unsigned i = 0; i < set->words; i++)
        set->keys[start + i] = key[i];
    return set->count++;
}

uint32_t pr_idset_add_new(struct pr_idset *set, const uint64_t *key)
{
    if ((!set->slots || set->count >= set->slot_mask / 2) && !grow_slots(set))
        return PR_NO_ID;
    const uint32_t id = pr_idset_append(set, key);
    if (id != PR_NO_ID)
        place(set, id);
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
