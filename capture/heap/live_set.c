/* SPDX-License-Identifier: Apache-2.0 */
/* Linear probing with multiplicative hashing and backward-shift removal: the rare cases. */
#include "capture/heap/live_set.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS_LOG2 = 12, MIDDLE_LOG2 = 18, LARGE_LOG2 = 20, MOST_WAITING = 256 };

/*
 * Short probes are worth a larger table, as each branch that a processor cannot predict costs as much as a fetch:
 * measured at 40,000 entries, at most three sixteenths full takes a third less time than three eighths, which takes a
 * quarter less than five eighths. A large table, 24 MiB, misses the caches anyway, and its size counts.
 */
static size_t most_entries(size_t slots)
{
    return slots / 16 * (slots < (size_t)1 << MIDDLE_LOG2 ? 3 : slots < (size_t)1 << LARGE_LOG2 ? 6 : 10);
}

static bool rebuild(struct pr_liveset *set, unsigned shift, uint64_t factor)
{
    const size_t count = (size_t)1 << (64 - shift), old_count = set->slots ? set->mask + 1 : 0;
    struct pr_live *slots = calloc(count, sizeof *slots), *old = set->slots;
    if (!slots)
        return false;
    set->slots = slots;
    set->mask = count - 1;
    set->most = most_entries(count);
    set->shift = shift;
    set->factor = factor;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].fact)
            slots[pr_liveset_find(set, old[i].address)] = old[i];
    }
    free(old);
    return true;
}

bool pr_liveset_init(struct pr_liveset *set)
{
    *set = (struct pr_liveset){0};
    return rebuild(set, 64 - FIRST_SLOTS_LOG2, UINT64_C(0x9e3779b97f4a7c15)); /* 2^64 / golden ratio */
}

void pr_liveset_clear(struct pr_liveset *set)
{
    free(set->slots);
    *set = (struct pr_liveset){0};
}

/* Whether ENTRY, taken from slot I, found its slot among those from I on, which it may have as all others left them. */
static inline bool settle(const struct pr_liveset *set, size_t i, const struct pr_live *entry)
{
    size_t at = pr_liveset_home(set, entry->address);
    if (at < i)
        return false;
    while (at <= set->mask && set->slots[at].fact)
        at++;
    if (at > set->mask)
        return false;
    set->slots[at] = *entry;
    return true;
}

/*
 * Puts the entries of the first OLD_COUNT slots, half of the table now, where they belong. A home becomes twice what it
 * was, or one more: from the last slot on, an entry goes where all others have left. The exceptions wait: a few near
 * the start, and those that find nothing free before the end. Addresses that were chosen to collide may make them many:
 * then all move to another table. False: out of memory.
 */
static bool spread(struct pr_liveset *set, size_t old_count)
{
    struct pr_live waiting[MOST_WAITING];
    const struct pr_liveset table = *set; /* in registers, as slots are written */
    size_t waits = 0;
    for (size_t i = old_count; i-- > 0;) {
        if (!table.slots[i].fact)
            continue;
        const struct pr_live entry = table.slots[i];
        if (waits == MOST_WAITING) {
            if (!rebuild(set, set->shift, set->factor))
                return false;
            break;
        }
        table.slots[i].fact = 0;
        if (!settle(&table, i, &entry))
            waiting[waits++] = entry;
    }
    while (waits) {
        const struct pr_live *entry = &waiting[--waits];
        set->slots[pr_liveset_find(set, entry->address)] = *entry;
    }
    return true;
}

/* In its place: two tables at a time would be the peak of our own memory, and the system makes pages slowly. */
bool pr_liveset_grow(struct pr_liveset *set)
{
    const size_t old_count = set->mask + 1;
    size_t bytes;
    if (set->shift <= 1)
        return false;
    if (old_count < (size_t)1 << MIDDLE_LOG2)
        return rebuild(set, set->shift - 1, set->factor);
    if (!pr_mul_size(old_count, 2 * sizeof *set->slots, &bytes))
        return false;
    struct pr_live *slots = realloc(set->slots, bytes);
    if (!slots)
        return false;
    memset(slots + old_count, 0, old_count * sizeof *slots);
    set->slots = slots;
    set->mask = 2 * old_count - 1;
    set->most = most_entries(2 * old_count);
    set->shift--;
    return spread(set, old_count);
}

/*
 * Addresses that collide were chosen to, or are unlucky: hash them by a factor that no file can know.
 */
void pr_liveset_stir(struct pr_liveset *set)
{
    const uint64_t factor = pr_hash_new_salt();
    set->next_stir = set->count * 2;
    if (factor)
        rebuild(set, set->shift, factor | 1);
}
