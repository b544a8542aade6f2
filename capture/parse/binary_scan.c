/* SPDX-License-Identifier: Apache-2.0 */
/* Checked reading of small values; every failure is noted once and yields zeros. */
#include "capture/parse/binary_scan.h"

#include "capture/base/little_endian.h"
#include "capture/base/varint.h"

#include <inttypes.h>
#include <string.h>

struct pr_scan pr_scan_begin(struct pr_source *src, const char *doing, struct pr_error *err)
{
    return (struct pr_scan){.src = src, .doing = doing, .record_offset = pr_source_offset(src), .err = err};
}

void pr_scan_cut(struct pr_scan *scan)
{
    if (scan->failed)
        return;
    scan->failed = true;
    const struct pr_error *cause = &scan->src->error;
    scan->no_memory = cause->code == PR_ERR_MEMORY;
    if (cause->code != PR_ERR_NONE)
        pr_cut(scan->err, cause->code, cause->offset, scan->doing, "%s", cause->text);
    else
        pr_cut(scan->err, PR_ERR_TRUNCATED, scan->record_offset, scan->doing, "the file ends in the middle of it");
}

static const uint8_t *take(struct pr_scan *scan, size_t length)
{
    if (scan->failed)
        return NULL;
    if (!pr_source_need(scan->src, length)) {
        pr_scan_cut(scan);
        return NULL;
    }
    const uint8_t *at = scan->src->at;
    pr_source_skip(scan->src, length);
    return at;
}

uint8_t pr_scan_u8(struct pr_scan *scan)
{
    const uint8_t *at = take(scan, 1);
    return at ? *at : 0;
}

uint32_t pr_scan_u32(struct pr_scan *scan)
{
    const uint8_t *at = take(scan, 4);
    return at ? pr_le32(at) : 0;
}

uint64_t pr_scan_u64(struct pr_scan *scan)
{
    const uint8_t *at = take(scan, 8);
    return at ? pr_le64(at) : 0;
}

uint64_t pr_scan_uv(struct pr_scan *scan)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < PR_VARINT_BYTES; i++) {
        uint8_t byte = pr_scan_u8(scan);
        if (!pr_varint_add(&value, 7 * i, byte))
            return value;
    }
    if (!scan->failed)
        pr_cut(scan->err, PR_ERR_DAMAGED, scan->record_offset, scan->doing, "a number of more than 10 bytes");
    scan->failed = true;
    return 0;
}

int64_t pr_scan_sv(struct pr_scan *scan)
{
    return pr_unzigzag(pr_scan_uv(scan));
}

static void over_limit(struct pr_scan *scan, const char *what, uint64_t max_bytes)
{
    pr_cut(scan->err, PR_ERR_LIMIT, scan->record_offset, scan->doing, "%s of more than %" PRIu64 " bytes", what,
           max_bytes);
    scan->failed = true;
}

pr_str pr_scan_string(struct pr_scan *scan, struct pr_strings *strings, uint64_t max_bytes)
{
    size_t searched = 0;
    while (!scan->failed) {
        struct pr_source *src = scan->src;
        size_t have = (size_t)(src->end - src->at);
        const uint8_t *nul = have > searched ? memchr(src->at + searched, 0, have - searched) : NULL;
        size_t length = nul ? (size_t)(nul - src->at) : have;
        if (length > max_bytes) {
            over_limit(scan, "a string", max_bytes);
        } else if (nul) {
            pr_str string = pr_strings_add(strings, src->at, length);
            pr_source_skip(src, length + 1);
            if (string != PR_NO_STR)
                return string;
            pr_fail_memory(scan->err);
            scan->failed = scan->no_memory = true;
        } else {
            searched = have;
            if (!pr_source_need(src, have + 1))
                pr_scan_cut(scan);
        }
    }
    return 0;
}

const uint8_t *pr_scan_bytes(struct pr_scan *scan, uint64_t length, uint64_t max_bytes)
{
    if (!scan->failed && length > max_bytes)
        over_limit(scan, "a table", max_bytes);
    return take(scan, (size_t)length);
}
