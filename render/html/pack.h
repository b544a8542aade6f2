/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way into a page: one zstd frame, in base64; and base64 alone. */
#ifndef PR_RENDER_HTML_PACK_H
#define PR_RENDER_HTML_PACK_H

#include "profrender/buf.h"

/*
 * What the bytes are, which decides how hard packing tries. Measured on the cards of 100 MB and of a million stacks:
 * trees and names become a quarter smaller up to level 9 and half a percent beyond it, at twice the time; the numbers
 * of a history hardly repeat, and nothing beyond level 6 finds more than a thousandth.
 */
enum pr_pack_kind { PR_PACK_TREE = 9, PR_PACK_HISTORY = 6, PR_PACK_HEAT = 6 /* levels of zstd */ };

/*
 * Appends the packed BYTES to TEXT. The same bytes and the same libzstd give the same text.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_pack(const struct pr_buf *bytes, enum pr_pack_kind kind, struct pr_buf *text, struct pr_error *err);

/* Appends LENGTH bytes in base64, padded. Out of memory is kept in TEXT, as with the other functions of pr_buf. */
void pr_base64(struct pr_buf *text, const unsigned char *bytes, size_t length);

#endif
