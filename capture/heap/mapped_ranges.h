/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings that are alive, as pieces [start, end): munmap may take the end, the start, the middle or several at once.
 *
 * Pieces may overlap (mmap over a living mapping cuts nothing: doc/formats/memray.md, "Matching"), so they are kept in
 * a treap by start, in which each node knows the highest end below it: a cut costs O(log n) plus what it hits.
 */
#ifndef PR_CAPTURE_HEAP_MAPPED_RANGES_H
#define PR_CAPTURE_HEAP_MAPPED_RANGES_H

#include "profrender/error.h"

struct pr_piece {
    uint64_t start, end;
    uint32_t fact;
    uint32_t born;    /* memory samples seen before the mapping was made */
    uint32_t mapping; /* which mapping it is a piece of: the number of its count of pieces */
};

struct pr_mapped_range {
    uint32_t pieces; /* left of it; of a free one: the next free one */
    uint32_t hits;   /* pieces that the current cut has taken away */
};

struct pr_mapped_ranges {
    struct pr_piece_node *nodes; /* [count], node 0 is unused; free ones are chained through `left` */
    uint32_t count, root, free;
    size_t capacity;
    struct pr_mapped_range *mappings; /* [mapping_count], number 0 is unused */
    uint32_t mapping_count, free_mapping;
    size_t mapping_capacity;
    uint64_t random;
};

/*
 * Adds a piece; size 0 adds nothing. False: out of memory. A piece that would wrap ends at the end of the address
 * space.
 */
bool pr_mapped_ranges_add(struct pr_mapped_ranges *mappings, uint64_t start, uint64_t size, uint32_t fact,
                          uint32_t born);

/*
 * What a cut did to one piece: BYTES of it are gone, the number of pieces changed by COUNT (-1, 0, 1). LAST: nothing is
 * left of its mapping, and the same cut hit no other piece of that.
 */
typedef void pr_piece_cut_fn(void *context, const struct pr_piece *piece, uint64_t bytes, int count, bool last);

/* Cuts [start, start + size) out of every piece and calls CUT for each one hit. False: out of memory. */
bool pr_mapped_ranges_cut(struct pr_mapped_ranges *mappings, uint64_t start, uint64_t size, pr_piece_cut_fn *cut,
                          void *context);

/* Calls EACH for every piece, in no particular order; FIRST: the first one of its mapping. Stops at a false. */
bool pr_mapped_ranges_each(struct pr_mapped_ranges *mappings,
                           bool (*each)(void *context, const struct pr_piece *piece, bool first), void *context);

void pr_mapped_ranges_clear(struct pr_mapped_ranges *mappings);

#endif
