/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a digest: from the head, plain from the file, or through zstd; 64 KiB at a time. */
#include "capture/digest/digest_column_input.h"

#include "capture/base/varint.h"

#include <stdio.h>
#include <zstd_errors.h>

void pr_unpack_begin(struct pr_unpack *u, const struct pr_digest_entry *entry)
{
    u->entry = entry;
    snprintf(u->doing, sizeof u->doing, "column %.32s", entry->name);
    u->at = u->end = u->buffer;
    u->raw_left = entry->raw_bytes;
    u->packed_left = entry->packed_bytes;
    u->frame_ended = false;
    XXH64_reset(&u->hash, 0);
    if (entry->place == PR_DIGEST_IN_HEAD) {
        u->at = entry->bytes;
        u->end = entry->bytes + entry->raw_bytes;
        u->raw_left = 0;
    } else if (entry->place == PR_DIGEST_ZSTD && u->context) {
        ZSTD_DCtx_reset(u->context, ZSTD_reset_session_only);
    }
}

static bool fail(struct pr_unpack *u, enum pr_error_code code, const char *why)
{
    if (!u->failed)
        pr_fail(u->err, code, pr_source_offset(u->src), u->doing, "%s", why);
    u->failed = true;
    return false;
}

static bool fail_memory(struct pr_unpack *u)
{
    if (!u->failed)
        pr_fail_memory(u->err);
    u->failed = true;
    return false;
}

/* Up to PR_UNPACK_BYTES of the packed column, in the window of the source; 0 on failure. */
static size_t next_packed(struct pr_unpack *u)
{
    const size_t want = u->packed_left < PR_UNPACK_BYTES ? (size_t)u->packed_left : PR_UNPACK_BYTES;
    if (!want || pr_source_need(u->src, want)) {
        uint64_t done, size;
        pr_source_progress(u->src, &done, &size);
        if (!u->progress || u->progress(u->progress_context, done, size))
            return want;
        if (!u->failed)
            pr_fail(u->err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
        u->failed = true;
        return 0;
    }
    if (u->src->error.code != PR_ERR_NONE && u->err && u->err->code == PR_ERR_NONE)
        *u->err = u->src->error;
    fail(u, PR_ERR_TRUNCATED, "the digest ends here, and only all of it can be used");
    return 0;
}

/* COUNT bytes of the packed column were used. */
static void take_packed(struct pr_unpack *u, size_t count)
{
    XXH64_update(&u->hash, u->src->at, count);
    pr_source_skip(u->src, count);
    u->packed_left -= count;
}

static bool fill_plain(struct pr_unpack *u)
{
    const size_t count = next_packed(u);
    if (!count)
        return fail(u, PR_ERR_DAMAGED, "it is shorter than it should be");
    memcpy(u->buffer, u->src->at, count);
    take_packed(u, count);
    u->end = u->buffer + count;
    return true;
}

static bool make_context(struct pr_unpack *u)
{
    if (!u->context) {
        u->context = ZSTD_createDCtx();
        if (u->context)
            ZSTD_DCtx_setParameter(u->context, ZSTD_d_windowLogMax, PR_DIGEST_WINDOW_LOG);
    }
    return u->context || fail_memory(u);
}

/* One call of libzstd: it takes some input, gives some output, or the frame ends. */
static bool step_zstd(struct pr_unpack *u, ZSTD_outBuffer *out)
{
    const size_t have = next_packed(u);
    if (u->failed)
        return false;
    ZSTD_inBuffer in = {.src = u->src->at, .size = have};
    const size_t result = ZSTD_decompressStream(u->context, out, &in);
    take_packed(u, in.pos);
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return fail_memory(u);
    if (ZSTD_isError(result))
        return fail(u, PR_ERR_DAMAGED, "it cannot be unpacked: the digest is damaged");
    u->frame_ended = result == 0;
    return in.pos || out->pos || u->frame_ended || fail(u, PR_ERR_DAMAGED, "it is shorter than it should be");
}

static bool fill_zstd(struct pr_unpack *u)
{
    ZSTD_outBuffer out = {.dst = u->buffer, .size = sizeof u->buffer};
    if (!make_context(u))
        return false;
    while (!out.pos && !u->frame_ended) {
        if (!step_zstd(u, &out))
            return false;
    }
    u->end = u->buffer + out.pos;
    return out.pos || fail(u, PR_ERR_DAMAGED, "it is shorter than it should be");
}

/* The last block of a frame may be an empty one. */
static bool finish_zstd(struct pr_unpack *u)
{
    ZSTD_outBuffer out = {.dst = u->buffer, .size = sizeof u->buffer};
    if (!make_context(u))
        return false;
    while (!u->frame_ended) {
        if (!step_zstd(u, &out))
            return false;
        if (out.pos)
            return fail(u, PR_ERR_DAMAGED, "it is longer than it should be");
    }
    return true;
}

static bool is_within_budget(struct pr_unpack *u)
{
    struct pr_unpack_budget *budget = u->src->budget;
    struct pr_error problem = {0};
    if (!budget || pr_unpack_budget_spend(budget, (uint64_t)(u->end - u->at), pr_source_offset(u->src), &problem))
        return true;
    return fail(u, PR_ERR_UNPACKED, problem.text);
}

/* More bytes at `at`. */
static bool fill(struct pr_unpack *u)
{
    if (u->failed || !u->raw_left)
        return fail(u, PR_ERR_DAMAGED, "it is shorter than its values");
    u->at = u->end = u->buffer;
    if (!(u->entry->place == PR_DIGEST_ZSTD ? fill_zstd(u) : fill_plain(u)))
        return false;
    if ((uint64_t)(u->end - u->at) > u->raw_left)
        return fail(u, PR_ERR_DAMAGED, "it is longer than it should be");
    if (u->entry->place == PR_DIGEST_ZSTD && !is_within_budget(u))
        return false;
    u->raw_left -= (uint64_t)(u->end - u->at);
    return true;
}

bool pr_unpack_number(struct pr_unpack *u, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (u->at == u->end && !fill(u))
            return false;
        const uint8_t byte = *u->at++;
        if (shift == 63 && byte > 1)
            break;
        if (!pr_varint_add(value, shift, byte))
            return true;
    }
    return fail(u, PR_ERR_DAMAGED, "a number in it does not end");
}

bool pr_unpack_bytes(struct pr_unpack *u, void *bytes, size_t length)
{
    uint8_t *out = bytes;
    while (length) {
        if (u->at == u->end && !fill(u))
            return false;
        const size_t have = (size_t)(u->end - u->at), part = have < length ? have : length;
        memcpy(out, u->at, part);
        u->at += part;
        out += part;
        length -= part;
    }
    return true;
}

void pr_unpack_rest(struct pr_unpack *u)
{
    u->at = u->end;
    u->raw_left = 0;
    u->frame_ended = true;
    while (u->packed_left) {
        const size_t have = next_packed(u);
        if (!have)
            return;
        take_packed(u, have);
    }
}

enum pr_status pr_unpack_end(struct pr_unpack *u)
{
    const struct pr_digest_entry *entry = u->entry;
    if (!u->failed && (u->at != u->end || u->raw_left))
        fail(u, PR_ERR_DAMAGED, "it is longer than its values");
    if (u->failed || entry->place == PR_DIGEST_IN_HEAD)
        return u->failed ? PR_FAILED : PR_OK;
    if (entry->place == PR_DIGEST_ZSTD && !finish_zstd(u))
        return PR_FAILED;
    if (u->packed_left)
        fail(u, PR_ERR_DAMAGED, "it is longer than it should be");
    else if (XXH64_digest(&u->hash) != entry->hash)
        fail(u, PR_ERR_DAMAGED, "its checksum is wrong: the digest is damaged");
    return u->failed ? PR_FAILED : PR_OK;
}

void pr_unpack_clear(struct pr_unpack *u)
{
    ZSTD_freeDCtx(u->context);
    u->context = NULL;
}
