/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of at most 64 KiB, as they are or unpacked; stacks as numbers of frames that the file defines later. */
#include "capture/readers/tachyon_samples.h"

#include "capture/base/checked.h"
#include "capture/base/varint.h"

bool pr_tachyon_bytes_init(struct pr_tachyon_bytes *bytes, struct pr_profile_builder *c, uint64_t length,
                           bool is_packed)
{
    *bytes = (struct pr_tachyon_bytes){.c = c, .left = length, .out = malloc(PR_TACHYON_STEP), .status = PR_OK};
    if (is_packed)
        bytes->zstd = ZSTD_createDCtx();
    if (bytes->out && (bytes->zstd || !is_packed))
        return true;
    pr_build_no_memory(c);
    return false;
}

void pr_tachyon_bytes_clear(struct pr_tachyon_bytes *bytes)
{
    ZSTD_freeDCtx(bytes->zstd);
    free(bytes->out);
}

/* How many bytes of the part are in the source's window; 0: it ends, which is a cut if the part goes on. */
static size_t available(struct pr_tachyon_bytes *bytes)
{
    struct pr_source *src = bytes->c->src;
    if (!bytes->left)
        return 0;
    if (!pr_source_need(src, 1)) {
        bytes->is_cut = true;
        bytes->status = src->error.code != PR_ERR_NONE
                            ? pr_cut(bytes->c->err, src->error.code, pr_source_offset(src), "samples", "%s",
                                     src->error.text)
                            : pr_cut(bytes->c->err, PR_ERR_TRUNCATED, pr_source_offset(src), "samples",
                                     "the input ends in them");
        return 0;
    }
    const size_t here = (size_t)(src->end - src->at);
    return here < bytes->left ? here : (size_t)bytes->left;
}

static void take(struct pr_tachyon_bytes *bytes, size_t count)
{
    pr_source_skip(bytes->c->src, count);
    bytes->left -= count;
}

static void copy_piece(struct pr_tachyon_bytes *bytes)
{
    const size_t here = available(bytes), count = here < PR_TACHYON_STEP ? here : PR_TACHYON_STEP;
    if (!count)
        return;
    memcpy(bytes->out, bytes->c->src->at, count);
    bytes->end = count;
    take(bytes, count);
}

/* Unpacks until something comes out. */
static void unpack_piece(struct pr_tachyon_bytes *bytes)
{
    struct pr_profile_builder *c = bytes->c;
    ZSTD_outBuffer out = {.dst = bytes->out, .size = PR_TACHYON_STEP};
    for (size_t here = 1; !out.pos && here;) {
        here = available(bytes);
        if (bytes->is_cut)
            return;
        ZSTD_inBuffer in = {.src = c->src->at, .size = here};
        const size_t result = ZSTD_decompressStream(bytes->zstd, &out, &in);
        if (ZSTD_isError(result)) {
            bytes->is_cut = true;
            bytes->status = pr_cut(c->err, PR_ERR_DAMAGED, pr_source_offset(c->src), "samples", "%s",
                                   ZSTD_getErrorName(result));
            return;
        }
        take(bytes, in.pos);
    }
    bytes->end = out.pos;
    if (c->src->budget && !pr_unpack_budget_spend(c->src->budget, out.pos, pr_source_offset(c->src), c->err)) {
        bytes->is_cut = true;
        bytes->status = PR_CUT;
        bytes->end = 0;
    }
}

bool pr_tachyon_more(struct pr_tachyon_bytes *bytes)
{
    if (bytes->at < bytes->end)
        return true;
    bytes->at = bytes->end = 0;
    if (bytes->is_cut)
        return false;
    if (bytes->zstd)
        unpack_piece(bytes);
    else
        copy_piece(bytes);
    return bytes->end != 0;
}

static uint8_t take_byte(struct pr_tachyon_bytes *bytes)
{
    if (!bytes->failed && pr_tachyon_more(bytes))
        return bytes->out[bytes->at++];
    bytes->failed = true;
    return 0;
}

uint64_t pr_tachyon_number(struct pr_tachyon_bytes *bytes, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t byte = take_byte(bytes);
        number = bytes->big_endian ? number << 8 | byte : number | byte << 8 * i;
    }
    return bytes->failed ? 0 : number;
}

uint64_t pr_tachyon_varint(struct pr_tachyon_bytes *bytes)
{
    uint64_t number = 0;
    unsigned shift = 0;
    while (shift <= 63 && pr_varint_add(&number, shift, take_byte(bytes)))
        shift += 7;
    bytes->failed = bytes->failed || shift > 63;
    return bytes->failed ? 0 : number;
}

bool pr_tachyon_stack_change(struct pr_tachyon_bytes *bytes, struct pr_tachyon_thread *thread, uint64_t kept,
                             uint64_t count)
{
    struct pr_profile_builder *c = bytes->c;
    const uint64_t most = c->options->limits.max_depth;
    if (bytes->failed || kept > thread->depth)
        return false;
    if (count > most || kept + count > most) {
        if (c->status == PR_OK)
            c->status = pr_cut(c->err, PR_ERR_LIMIT, pr_source_offset(c->src), "sample", "a stack is too deep");
        return false;
    }
    thread->depth = (size_t)kept;
    for (uint64_t i = 0; i < count; i++) { /* innermost first: turned over below */
        const uint64_t frame = pr_tachyon_varint(bytes);
        if (bytes->failed || frame > UINT32_MAX)
            return false;
        if (!pr_grow(&thread->stack, &thread->capacity, thread->depth + 1, sizeof *thread->stack)) {
            pr_build_no_memory(c);
            return false;
        }
        thread->stack[thread->depth++] = (uint32_t)frame;
    }
    for (size_t low = (size_t)kept, high = thread->depth; low + 1 < high; low++) {
        const uint32_t frame = thread->stack[--high];
        thread->stack[high] = thread->stack[low];
        thread->stack[low] = frame;
    }
    return true;
}
