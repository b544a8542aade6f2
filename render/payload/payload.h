/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a card, for its script: see doc/formats/payload.md. */
#ifndef PR_RENDER_PAYLOAD_PAYLOAD_H
#define PR_RENDER_PAYLOAD_PAYLOAD_H

#include "profrender/buf.h"
#include "render/model/fold.h"
#include "render/model/frame_traits.h"

struct pr_payload {
    struct pr_buf text;  /* base64, as it is in the page */
    struct pr_fold fold; /* which nodes are in it */
    uint32_t bin_count;  /* time bins in it; 0 = it has no history */
    bool has_heat;       /* it has a heat map of time */
};

struct pr_payload_limits {
    uint32_t max_nodes;
    size_t max_bytes; /* of the text */
};

/*
 * Encodes PROFILE. Nodes beyond the limit are folded. Time bins are merged in pairs until the text is short enough;
 * the heat map takes what is left, on a grid that is coarse enough. Everything else stays, so the text may be longer
 * than the limit when there are no bins left.
 *
 * Owner:  pr_payload_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_make(const struct pr_profile *profile, const struct pr_traits *traits,
                               const struct pr_children *children, const struct pr_payload_limits *limits,
                               struct pr_payload *payload, struct pr_error *err);
void pr_payload_clear(struct pr_payload *payload);

/* True if the profile has what a heat map shows: a metric with an order of time, by a clock. */
bool pr_payload_has_heat(const struct pr_profile *profile);

/* Makes the text again, from the nodes that the payload has. */
enum pr_status pr_payload_pack(const struct pr_profile *profile, const struct pr_traits *traits, size_t max_bytes,
                               struct pr_payload *payload, struct pr_error *err);

/* The same before it is packed: one head, and all columns, with all bins. For tests, and for use of the data alone. */
enum pr_status pr_payload_encode(const struct pr_profile *profile, const struct pr_traits *traits,
                                 const struct pr_fold *fold, struct pr_buf *bytes, struct pr_error *err);

#endif
