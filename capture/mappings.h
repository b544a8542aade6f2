/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings that are alive, as pieces [start, end): munmap may take the end, the start, the middle or several at once.
 *
 * Pieces may overlap (mmap over a living mapping cuts nothing: capture/formats/memray.md, "Matching"), so they are kept in
 * a treap by start, in which each node knows the highest end below it: a cut costs O(log n) and what it hits.
 */
#ifndef PR_MAPPINGS_H
#define PR_MAPPINGS_H

#include "capture/base/error.h"

struct pr_piece {
    uint64_t start, end;
    uint32_t fact;
    uint32_t born; /* memory samples seen before the mapping was made */
};

struct pr_mappings {
    struct pr_piece_node *nodes; /* [count], node 0 is nobody; free ones are chained through `left` */
    uint32_t count, root, free;
    size_t capacity;
    uint64_t random;
};

/* Adds a piece; size 0 adds nothing. False: out of memory. A piece that would wrap ends at the end of the address space. */
bool pr_mappings_add(struct pr_mappings *mappings, uint64_t start, uint64_t size, uint32_t fact, uint32_t born);

/* What a cut did to one piece: BYTES of it are gone, and COUNT pieces more or less (-1, 0, 1) are there. */
typedef void pr_piece_cut_fn(void *context, const struct pr_piece *piece, uint64_t bytes, int count);

/* Cuts [start, start + size) out of every piece and tells CUT about each one hit. False: out of memory. */
bool pr_mappings_cut(struct pr_mappings *mappings, uint64_t start, uint64_t size, pr_piece_cut_fn *cut, void *context);

void pr_mappings_clear(struct pr_mappings *mappings);

#endif
