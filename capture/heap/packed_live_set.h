/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocations that are alive, in a third of the memory and more slowly than live_set.h: for a bound of memory.
 *
 * Entries are 16 bytes, sorted by the hash of their address: the table is an array, in which each is at or after the
 * place that is its hash's share of the whole, as near as those before it allow. So it grows by an eighth, in place,
 * and never needs a second table to move to. What does not fit into 16 bytes is in a set of the other kind.
 */
#ifndef PR_CAPTURE_HEAP_PACKED_LIVE_SET_H
#define PR_CAPTURE_HEAP_PACKED_LIVE_SET_H

#include "capture/heap/live_set.h"

struct pr_packed_live {
    uint64_t place; /* 48 bits of the hash, 16 of `born` */
    uint64_t rest;  /* 32 bits of the size, 24 of the fact + 1, 8 of `born`; a fact of 0 = a free slot */
};

struct pr_packed_set {
    struct pr_packed_live *slots; /* [slot_count] */
    size_t count, span; /* entries; slots over which hashes are spread, fewer than there are */
    size_t slot_count;
    uint64_t salt;
    struct pr_liveset others;
};

/* False: out of memory. */
bool pr_packed_init(struct pr_packed_set *set);
void pr_packed_clear(struct pr_packed_set *set);

/* As pr_liveset_put. */
bool pr_packed_put(struct pr_packed_set *set, const struct pr_live *entry, struct pr_live *old);

/* As pr_liveset_take; the address in OLD is that of ADDRESS. */
bool pr_packed_take(struct pr_packed_set *set, uint64_t address, struct pr_live *old);

/* The entry in SLOT, without its address. False: it is free. */
bool pr_packed_get(const struct pr_packed_set *set, size_t slot, struct pr_live *entry);

#endif
