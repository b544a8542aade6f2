/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a trace, off the bytes of a block that are in memory. A cursor that failed stays failed and yields zeros:
 * read a record to its end, then ask `failed` once.
 *
 * Numbers are little-endian and not aligned. Texts are UTF-16 with a 0 after them, or (since version 6, in all but
 * what the runtime puts into its events) UTF-8 after their length.
 *
 * Source: doc/formats/nettrace.md.
 */
#ifndef PR_CAPTURE_NETTRACE_NETTRACE_BYTES_H
#define PR_CAPTURE_NETTRACE_NETTRACE_BYTES_H

#include "profrender/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct pr_nettrace_bytes {
    const uint8_t *at, *end;
    bool failed; /* the bytes end in a value */
};

/* COUNT bytes, at most 8, the lowest first. */
uint64_t pr_nettrace_number(struct pr_nettrace_bytes *bytes, unsigned count);

/* 7 bits a byte, the lowest first. */
uint64_t pr_nettrace_varint(struct pr_nettrace_bytes *bytes);

/* The next COUNT bytes as a cursor of their own; BYTES moves past them. */
struct pr_nettrace_bytes pr_nettrace_part(struct pr_nettrace_bytes *bytes, uint64_t count);

/* Appends a text of UTF-16 to OUT as UTF-8. OUT NULL: moves past it. */
void pr_nettrace_utf16(struct pr_nettrace_bytes *bytes, struct pr_buf *out);

/* The same for UTF-8 after its length. */
void pr_nettrace_utf8(struct pr_nettrace_bytes *bytes, struct pr_buf *out);

#endif
