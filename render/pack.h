/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way into a page: one zstd frame, in base64. */
#ifndef PR_RENDER_PACK_H
#define PR_RENDER_PACK_H

#include "capture/base/buf.h"

/*
 * Appends the packed BYTES to TEXT. The same bytes and the same libzstd give the same text.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_pack(const struct pr_buf *bytes, struct pr_buf *text, struct pr_error *err);

#endif
