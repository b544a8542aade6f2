/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of perf.data, in the byte order of the machine that recorded. A cursor that failed stays failed and yields
 * zeros: read a record to its end, then ask `failed` once.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_BYTES_H
#define PR_CAPTURE_PERF_DATA_PERF_BYTES_H

#include "profrender/string_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pr_perf_bytes {
    const uint8_t *at, *end;
    bool big_endian;
    bool failed; /* the bytes end in a value */
};

static inline size_t pr_perf_left(const struct pr_perf_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static inline void pr_perf_skip(struct pr_perf_bytes *bytes, uint64_t count)
{
    if (count > pr_perf_left(bytes)) {
        bytes->failed = true;
        bytes->at = bytes->end;
    } else {
        bytes->at += count;
    }
}

/* A number of COUNT bytes, at most 8. */
static inline uint64_t pr_perf_number(struct pr_perf_bytes *bytes, unsigned count)
{
    uint64_t number = 0;
    const uint8_t *at = bytes->at;
    pr_perf_skip(bytes, count);
    for (unsigned i = 0; i < count && !bytes->failed; i++)
        number = number << 8 | at[bytes->big_endian ? i : count - 1 - i];
    return number;
}

static inline uint16_t pr_perf_u16(struct pr_perf_bytes *bytes)
{
    return (uint16_t)pr_perf_number(bytes, 2);
}

static inline uint32_t pr_perf_u32(struct pr_perf_bytes *bytes)
{
    return (uint32_t)pr_perf_number(bytes, 4);
}

static inline uint64_t pr_perf_u64(struct pr_perf_bytes *bytes)
{
    return pr_perf_number(bytes, 8);
}

/* The next COUNT bytes as a cursor of their own; BYTES moves on. With fewer both have failed. */
static inline struct pr_perf_bytes pr_perf_take(struct pr_perf_bytes *bytes, uint64_t count)
{
    struct pr_perf_bytes part = *bytes;
    pr_perf_skip(bytes, count);
    part.end = bytes->at;
    part.failed = bytes->failed;
    if (part.failed)
        part.at = part.end;
    return part;
}

/* Text up to the first NUL, or to the end. It is not closed by a NUL then. */
static inline struct pr_text pr_perf_text(struct pr_perf_bytes bytes)
{
    const size_t most = pr_perf_left(&bytes);
    const uint8_t *nul = most ? memchr(bytes.at, 0, most) : NULL;
    return (struct pr_text){(const char *)bytes.at, (uint32_t)(nul ? (size_t)(nul - bytes.at) : most)};
}

#endif
