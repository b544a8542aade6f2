/* SPDX-License-Identifier: Apache-2.0 */
/* Shared only by the files that encode the payload. */
#ifndef PR_RENDER_PAYLOAD_PAYLOAD_INTERNAL_H
#define PR_RENDER_PAYLOAD_PAYLOAD_INTERNAL_H

#include "capture/heap/history.h"
#include "render/payload/payload_columns.h"
#include "render/payload/payload.h"

/* New numbers for old ones, given in the order of asking. */
struct pr_numbering {
    uint32_t *number; /* [old] new number + 1; 0 = none yet */
    uint32_t *order;  /* [new] old number */
    uint32_t count;
};

static inline uint32_t pr_number_of(struct pr_numbering *numbering, uint32_t old)
{
    if (!numbering->number[old]) {
        numbering->order[numbering->count] = old;
        numbering->number[old] = ++numbering->count;
    }
    return numbering->number[old] - 1;
}

struct pr_encoder {
    const struct pr_profile *profile;
    const struct pr_traits *traits;
    const struct pr_fold *fold;
    struct pr_numbering frames, strings;
    uint32_t *group; /* [fact_count of the profile] the fact of the page that each is part of */
    uint32_t group_count;
    struct pr_columns columns;
    struct pr_buf head;
    struct pr_history coarser; /* with wider bins than were recorded, once these did not fit */
    unsigned halvings;         /* of it; 0 = there is none yet */
};

/* The columns facts.* and metric.*; fills in the groups. False: out of memory. */
bool pr_payload_add_facts(struct pr_encoder *encoder);

/* How each head begins. */
#define PR_PAYLOAD_HEAD "{\"version\":2"

/* The columns bins.* */
void pr_payload_add_bins(struct pr_columns *columns, const struct pr_history *history);

/* The columns steps.*, and moves.*, for the groups of facts. */
void pr_payload_add_steps(struct pr_columns *columns, const struct pr_history *history);
void pr_payload_add_moves(struct pr_columns *columns, const struct pr_history *history);

/* The columns exact.* */
void pr_payload_add_exact(struct pr_encoder *encoder);

/* The columns series.* */
void pr_payload_add_series(struct pr_encoder *encoder);

/* The columns slices.* and what the head says about them. False: out of memory. */
bool pr_payload_add_slices(struct pr_encoder *encoder);

/* The slices of the profile with the facts of the page, neighbours joined, into SLICES, which has room for all. */
size_t pr_payload_take_slices(const struct pr_encoder *encoder, struct pr_slice *slices);

/* `,"layers":[...]`: the metric of each layer among SLICES, which have facts of the page, and how many it has. */
void pr_payload_add_layers(const struct pr_profile *profile, const struct pr_slice *slices, size_t count,
                           struct pr_buf *head);

/* Where a thread of a layer has got to; zeros at first. */
struct pr_payload_clock {
    bool is_set;
    uint32_t thread, layer;
    int64_t now_ns;
};

/* From the end of the slice before it, or from 0 where SLICE is the first of its thread and layer. */
int64_t pr_payload_gap(struct pr_payload_clock *clock, const struct pr_slice *slice, const uint32_t *fact_thread);

/*
 * Appends a space and the pack of the heat map, of at most MAX_BYTES; nothing where the profile has no clock, or where
 * no grid is coarse enough. With any limit from *LEAST to MAX_BYTES it would be the same.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_add_heat(const struct pr_encoder *encoder, size_t max_bytes, struct pr_buf *text,
                                   size_t *least, struct pr_error *err);

/* The head up to its list of columns. Gives numbers to the names of threads and processes. */
void pr_payload_add_head(struct pr_encoder *encoder);

#endif
