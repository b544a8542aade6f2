/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was read of a column's short cells in this batch, by their bytes: a column with few values repeats them, and
 * each is read and counted once a batch, times how often it was seen.
 *
 * A table of one place for each hash: a cell takes the place of another. It is empty before each column of a batch, so
 * that it belongs to who adds columns, not to a column.
 */
#ifndef PR_CAPTURE_FRAME_KNOWN_CELLS_H
#define PR_CAPTURE_FRAME_KNOWN_CELLS_H

#include "capture/frame/column_build.h"
#include "capture/frame/text_traits.h"

enum { PR_KNOWN_CELLS = 512, PR_KNOWN_BYTES = 16 };

struct pr_known_cell {
    uint64_t bytes[2]; /* of the cell, and zeros */
    uint32_t shape;    /* its length and form */
    uint32_t use;      /* the one in which it was put here; of another use, the place is free */
    uint64_t seen;     /* cells like it since then that are not counted */
    size_t item;       /* its place among the frequent values */
    double number;
    uint64_t row_hash, as_text; /* what it adds to those of its row */
    bool is_rewritten;
};

struct pr_known_cells {
    struct pr_known_cell cells[PR_KNOWN_CELLS];
    uint16_t used[PR_KNOWN_CELLS]; /* [used_count] places of this use */
    uint32_t used_count, use;
    uint32_t looked_for, found; /* of the last few */
};

/* Empty, for the next column of a batch. */
void pr_known_cells_begin(struct pr_known_cells *known);

static inline bool pr_may_be_known(const struct pr_cell *cell)
{
    return cell->length && cell->length <= PR_KNOWN_BYTES && cell->form != PR_FORM_ABSENT;
}

/*
 * The place of CELL, which may be known. *IS_KNOWN: it is there; else what is there, of this use, is another's that has
 * to be counted before pr_known_cells_put takes its place.
 */
static inline struct pr_known_cell *pr_known_cells_find(struct pr_known_cells *known, const struct pr_cell *cell,
                                                        uint64_t bytes[2], bool *is_known)
{
    pr_short_text(cell->text, cell->length, bytes);
    const uint64_t mixed = (bytes[0] ^ (bytes[1] << 29 | bytes[1] >> 35)) * UINT64_C(0x9e3779b97f4a7c15);
    struct pr_known_cell *at = &known->cells[mixed >> 55];
    *is_known = at->use == known->use && at->bytes[0] == bytes[0] && at->bytes[1] == bytes[1] &&
                at->shape == (cell->length << 8 | (uint32_t)cell->form);
    return at;
}

_Static_assert(PR_KNOWN_CELLS == 1 << (64 - 55), "the highest bits of a hash are a place");

/* CELL at its place, without what is known of it. */
void pr_known_cells_put(struct pr_known_cells *known, struct pr_known_cell *at, const struct pr_cell *cell,
                        const uint64_t bytes[2]);

/* The cell that AT has; its text is in AT. */
struct pr_cell pr_known_cell_of(const struct pr_known_cell *at);

/* Notes that a cell was looked for. False: so few were found that it is better to look for no more. */
static inline bool pr_known_cells_pay(struct pr_known_cells *known, bool is_known)
{
    enum { LOOK_BACK = 256 };
    known->found += is_known;
    if (++known->looked_for < LOOK_BACK)
        return true;
    const bool pays = known->found >= LOOK_BACK / 2;
    known->looked_for = known->found = 0;
    return pays;
}

#endif
