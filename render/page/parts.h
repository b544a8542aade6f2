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
};

struct pr_pieces pr_parts_script(void);
struct pr_pieces pr_parts_style(void);

/* The set of parts that PAGE needs: bits of enum PR_PART. */
unsigned pr_parts_of(const struct pr_page *page);

/* Appends the text of a set of parts, none of which is PR_PART_FILE. */
void pr_parts_add(const struct pr_pieces *pieces, unsigned set, struct pr_buf *out);

/* Appends the hash of that text as a Content-Security-Policy has it: "sha256-" and base64. */
void pr_parts_add_hash(const struct pr_pieces *pieces, unsigned set, struct pr_buf *out);

/*
 * The set of parts of the text that TEXT begins with, where it is one of ours. Whether it is: pr_parts_match. Parts
 * that have no style, or no script, are not in what is found of it; each has one of them.
 */
unsigned pr_parts_find(const struct pr_pieces *pieces, const char *text, size_t length);

/* How many bytes of TEXT, which has LENGTH, are the text of SET; 0 if it begins with something else. */
size_t pr_parts_match(const struct pr_pieces *pieces, unsigned set, const char *text, size_t length);

#endif
