/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a recording, off the bytes of a chunk that are in memory. A cursor that failed stays failed and yields
 * zeros: read a record to its end, then ask `failed` once.
 *
 * Whole numbers are compressed (a flag of the chunk) or big-endian. Compressed: 7 bits a byte, the lowest first, with
 * the top bit set on all but the last one; the 9th byte has all its 8 bits. Numbers below 0 are sign-extended to
 * 64 bits first. Sizes in events are padded to 4 bytes. Bytes, booleans, floats and doubles are never compressed.
 *
 * Source: OpenJDK 17 to 25, jdk/jfr/internal/consumer/RecordingInput.java (readLong) and StringParser.java;
 * src/hotspot/share/jfr/writers/jfrEncoders.hpp (BigEndianEncoder, Varint128Encoder).
 */
#ifndef PR_CAPTURE_JFR_JFR_BYTES_H
#define PR_CAPTURE_JFR_JFR_BYTES_H

#include "profrender/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct pr_jfr_bytes {
    const uint8_t *at, *end;
    bool compressed; /* whole numbers are */
    bool failed;     /* the bytes end in a value, or it makes no sense */
};

/* StringParser.Encoding. */
enum pr_jfr_encoding {
    PR_JFR_NULL,
    PR_JFR_EMPTY,
    PR_JFR_CONSTANT, /* a key of the pool of strings */
    PR_JFR_UTF8,
    PR_JFR_UTF16, /* characters as whole numbers */
    PR_JFR_LATIN1,
    PR_JFR_ENCODINGS
};

struct pr_jfr_string {
    enum pr_jfr_encoding encoding;
    int64_t key;              /* of a constant */
    struct pr_jfr_bytes text; /* of the others */
};

uint8_t pr_jfr_u8(struct pr_jfr_bytes *bytes);

/* COUNT bytes, at most 8, the highest first. */
uint64_t pr_jfr_big_endian(struct pr_jfr_bytes *bytes, unsigned count);

/* A whole number that takes SIZE bytes where numbers are not compressed. */
int64_t pr_jfr_integer(struct pr_jfr_bytes *bytes, unsigned size);

/* A count of things that take a byte or more each: more than there are bytes is a failure, and 0. */
uint32_t pr_jfr_count(struct pr_jfr_bytes *bytes);

/* Moves on by COUNT bytes. */
void pr_jfr_skip(struct pr_jfr_bytes *bytes, uint64_t count);

/* A string, borrowed from BYTES, which moves on to what follows. */
struct pr_jfr_string pr_jfr_string(struct pr_jfr_bytes *bytes);

/* Appends STRING, which is not a constant, to OUT as UTF-8; bytes of UTF-8 stay as they are. */
void pr_jfr_string_add(const struct pr_jfr_string *string, struct pr_buf *out);

#endif
