/* SPDX-License-Identifier: Apache-2.0 */
/* Linear probing with multiplicative hashing and backward-shift removal. */
#include "capture/liveset.h"

#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_SLOTS_LOG2 = 12, LARGE_LOG2 = 21, LONG_PROBE = 512 };

static size_t slot_count(const struct pr_liveset *set)
{
    return (size_t)1 << (64 - set->shift);
}

static void place(struct pr_liveset *set, const struct pr_live *entry)
{
    size_t mask = slot_count(set) - 1;
    size_t at = pr_liveset_home(set, entry->address);
    while (set->slots[at].fact)
        at = (at + 1) & mask;
    set->slots[at] = *entry;
}

static bool rebuild(struct pr_liveset *set, unsigned shift, uint64_t factor)
{
    struct pr_live *slots = calloc((size_t)1 << (64 - shift), sizeof *slots);
    if (!slots)
        return false;
    struct pr_live *old = set->slots;
    size_t old_count = old ? slot_count(set) : 0;
    set->slots = slots;
    set->shift = shift;
    set->factor = factor;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].fact)
            place(set, &old[i]);
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

/*
 * Addresses that meet in one place were chosen for it, or have bad luck: hash them by a factor that no file can know.
 */
static bool stir(struct pr_liveset *set)
{
    uint64_t factor = 0;
    set->next_stir = set->count * 2;
    if (getrandom(&factor, sizeof factor, GRND_NONBLOCK) != (ssize_t)sizeof factor)
        return true;
    return rebuild(set, set->shift, factor | 1);
}

/*
 * Short ways through the table are worth its size: measured, three eighths full at most takes a quarter less time than
 * five eighths. A large table, 48 MiB, misses the caches anyway, and its size counts.
 */
static bool is_full(const struct pr_liveset *set)
{
    const size_t slots = slot_count(set);
    return set->count >= slots / 8 * (slots < (size_t)1 << LARGE_LOG2 ? 3 : 5);
}

bool pr_liveset_put(struct pr_liveset *set, const struct pr_live *entry, struct pr_live *old)
{
    old->fact = 0;
    size_t slots = slot_count(set);
    if (is_full(set)) {
        if (set->shift == 1 || !rebuild(set, set->shift - 1, set->factor))
            return false;
        slots *= 2;
    }
    size_t mask = slots - 1;
    size_t at = pr_liveset_home(set, entry->address);
    for (size_t probe = 0; set->slots[at].fact; probe++, at = (at + 1) & mask) {
        if (set->slots[at].address == entry->address) {
            *old = set->slots[at];
            set->slots[at] = *entry;
            return true;
        }
        if (probe >= LONG_PROBE && set->count >= set->next_stir) {
            if (!stir(set))
                return false;
            return pr_liveset_put(set, entry, old);
        }
    }
    set->slots[at] = *entry;
    set->count++;
    return true;
}

bool pr_liveset_take(struct pr_liveset *set, uint64_t address, struct pr_live *old)
{
    size_t mask = slot_count(set) - 1;
    size_t at = pr_liveset_home(set, address);
    for (;; at = (at + 1) & mask) {
        if (!set->slots[at].fact)
            return false;
        if (set->slots[at].address == address)
            break;
    }
    *old = set->slots[at];
    set->count--;
    /* Move up each entry behind the hole that may not stand beyond its home. */
    size_t hole = at;
    for (size_t next = (at + 1) & mask; set->slots[next].fact; next = (next + 1) & mask) {
        size_t home = pr_liveset_home(set, set->slots[next].address);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            set->slots[hole] = set->slots[next];
            hole = next;
        }
    }
    set->slots[hole].fact = 0;
    return true;
}
