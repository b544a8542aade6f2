/* SPDX-License-Identifier: Apache-2.0 */
/* Script and style of a card: of their pieces, those that the card needs. */
#ifndef PR_RENDER_PAGE_PARTS_H
#define PR_RENDER_PAGE_PARTS_H

#include "assets/assets.h"
#include "render/page/page.h"

/* A text in pieces. Its bytes have all of them, in their order. */
struct pr_pieces {
    const unsigned char *bytes;
    const struct pr_asset_piece *piece; /* [count] */
    size_t count;
    const char *const *sha256; /* [PR_PART_SETS], for the policy */
};

struct pr_pieces pr_parts_script(void);
struct pr_pieces pr_parts_style(void);

/* The set of parts that PAGE needs: bits of enum PR_PART. */
unsigned pr_parts_of(const struct pr_page *page);

/* Appends the text of a set of parts, below PR_PART_SETS. */
void pr_parts_add(const struct pr_pieces *pieces, unsigned set, struct pr_buf *out);

/* How many bytes of TEXT, which has LENGTH, are the text of SET; 0 if it begins with something else. */
size_t pr_parts_match(const struct pr_pieces *pieces, unsigned set, const char *text, size_t length);

#endif
