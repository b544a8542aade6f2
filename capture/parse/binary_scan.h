/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small values off a source, with the input's end noticed at each step. For what is rare in a file: headers, names,
 * tables; the hot loops decode from the window themselves.
 *
 * A scan that failed stays failed: read a record to its end, then ask `failed` once. `err` then says what was read.
 */
#ifndef PR_CAPTURE_PARSE_BINARY_SCAN_H
#define PR_CAPTURE_PARSE_BINARY_SCAN_H

#include "profrender/string_table.h"
#include "capture/input/source.h"

struct pr_scan {
    struct pr_source *src;
    const char *doing;       /* what is being read, for messages; static */
    uint64_t record_offset;  /* where it starts */
    struct pr_error *err;
    bool failed;             /* the input ended, or a size was over its limit: `err` is filled */
    bool no_memory;          /* it failed for lack of memory */
};

struct pr_scan pr_scan_begin(struct pr_source *src, const char *doing, struct pr_error *err);

uint8_t pr_scan_u8(struct pr_scan *scan);
uint32_t pr_scan_u32(struct pr_scan *scan);
uint64_t pr_scan_u64(struct pr_scan *scan);

/* LEB128 of at most 10 bytes, and its zigzag form. */
uint64_t pr_scan_uv(struct pr_scan *scan);
int64_t pr_scan_sv(struct pr_scan *scan);

/* Bytes up to a NUL, which is skipped, interned in STRINGS. Longer than MAX_BYTES: PR_ERR_LIMIT. */
pr_str pr_scan_string(struct pr_scan *scan, struct pr_strings *strings, uint64_t max_bytes);

/* LENGTH bytes, which stay valid until the next call that takes the source; NULL when there are fewer. */
const uint8_t *pr_scan_bytes(struct pr_scan *scan, uint64_t length, uint64_t max_bytes);

/* PR_OK; for a failed scan PR_CUT, or PR_FAILED for lack of memory. */
static inline enum pr_status pr_scan_status(const struct pr_scan *scan)
{
    if (!scan->failed)
        return PR_OK;
    return scan->no_memory ? PR_FAILED : PR_CUT;
}

/* Fails the scan: the input ends in it. A better reason is taken from the source if it has one. */
void pr_scan_cut(struct pr_scan *scan);

#endif
