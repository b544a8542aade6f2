/* SPDX-License-Identifier: Apache-2.0 */
/* Linear probing with multiplicative hashing and backward-shift removal: the rare cases. */
#include "capture/heap/live_set.h"

#include "capture/base/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS_LOG2 = 12, MIDDLE_LOG2 = 18, LARGE_LOG2 = 20 };

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

bool pr_liveset_grow(struct pr_liveset *set)
{
    return set->shift > 1 && rebuild(set, set->shift - 1, set->factor);
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
