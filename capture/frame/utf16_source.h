/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16 on its way to UTF-8. */
#ifndef PR_CAPTURE_FRAME_UTF16_SOURCE_H
#define PR_CAPTURE_FRAME_UTF16_SOURCE_H

#include "capture/input/source.h"

enum pr_utf16 { PR_NOT_UTF16, PR_UTF16_LITTLE, PR_UTF16_BIG };

/* By its byte order mark; without one, because every second byte of the first characters is 0. */
enum pr_utf16 pr_utf16_probe(struct pr_source *src);

/* A source over BELOW, which is taken over; NULL: no memory, and BELOW stays the caller's. */
struct pr_source *pr_utf16_source_new(struct pr_source *below, enum pr_utf16 order);

#endif
