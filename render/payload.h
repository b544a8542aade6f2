/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a card, for its script: render/payload.md says what it holds and how. */
#ifndef PR_RENDER_PAYLOAD_H
#define PR_RENDER_PAYLOAD_H

#include "capture/base/buf.h"
#include "render/fold.h"
#include "render/traits.h"

struct pr_payload {
    struct pr_buf text;  /* base64, as it stands in the page */
    struct pr_fold fold; /* which nodes are in it */
};

/*
 * Encodes PROFILE with at most MAX_NODES nodes.
 *
 * Owner:  pr_payload_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_payload_make(const struct pr_profile *profile, const struct pr_traits *traits,
                               const struct pr_children *children, uint32_t max_nodes, struct pr_payload *payload,
                               struct pr_error *err);
void pr_payload_clear(struct pr_payload *payload);

/* The same before it is packed: head and columns. For tests, and for who wants the data without a page. */
enum pr_status pr_payload_encode(const struct pr_profile *profile, const struct pr_traits *traits,
                                 const struct pr_fold *fold, struct pr_buf *bytes, struct pr_error *err);

#endif
