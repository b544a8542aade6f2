/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a card, for its script: see doc/formats/payload.md. */
#ifndef PR_RENDER_PAYLOAD_PAYLOAD_H
#define PR_RENDER_PAYLOAD_PAYLOAD_H

#include "capture/base/crew.h"
#include "profrender/buf.h"
#include "render/model/fold.h"
#include "render/model/frame_traits.h"

struct pr_encoder; /* payload_internal.h */

struct pr_payload {
    struct pr_buf text;  /* base64, as it is in the page */
    struct pr_fold fold; /* which nodes are in it */
    uint32_t bin_count;  /* time bins in it; 0 = it has no history */
    bool has_heat;       /* it has a heat map of time */

    struct pr_encoder *encoder; /* what the text is made of; NULL until pr_payload_prepare */
    size_t tree_length; /* of the text: what is the same whatever its limit is; 0 until it is packed */
    unsigned halvings;  /* of the bins that were recorded: with fewer the text was too long */
};

/*
 * Encodes PROFILE, which is borrowed with TRAITS until pr_payload_clear, for the nodes that PAYLOAD->fold has; the rest
 * of PAYLOAD is zeros.
 *
 * Owner:  pr_payload_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_prepare(const struct pr_profile *profile, const struct pr_traits *traits,
                                  struct pr_payload *payload, struct pr_error *err);

/*
 * Makes the text, parts of it at once where there is a CREW. Time bins are merged in pairs until it is no longer than
 * MAX_BYTES; the heat map takes what is left, on a grid that is coarse enough. Everything else stays, so the text may
 * be longer when there are no bins left. May be called again, with a lower limit.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_pack(struct pr_payload *payload, size_t max_bytes, struct pr_crew *crew,
                               struct pr_error *err);

/*
 * Makes the text of FIRST, a payload of few nodes, which a page with WHOLE shows until it has read that one: its tree,
 * and the bins of WHOLE, which is packed. Nothing that facts have in them, and no heat map.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_pack_first(struct pr_payload *first, const struct pr_payload *whole, struct pr_error *err);

void pr_payload_clear(struct pr_payload *payload);

/* True if the profile has what a heat map shows: a metric with an order of time, by a clock. */
bool pr_payload_has_heat(const struct pr_profile *profile);

/* The data before it is packed: one head, and all columns, with all bins. For tests, and for use of the data alone. */
enum pr_status pr_payload_encode(const struct pr_profile *profile, const struct pr_traits *traits,
                                 const struct pr_fold *fold, struct pr_buf *bytes, struct pr_error *err);

#endif
