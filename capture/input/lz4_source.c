/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZ4 frames, unpacked block by block straight into the window; a block that is cut or damaged gives what it can.
 *
 * The frame is read here and not by liblz4's LZ4F, which delivers nothing of an incomplete block: at the end of a cut
 * capture that would be up to 64 KiB of records, in files of the lz4 tool up to 4 MiB.
 *
 * Source: lz4 doc/lz4_Frame_format.md and doc/lz4_Block_format.md, release 1.9.4.
 */
#include <inttypes.h>
#include <lz4.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/base/little_endian.h"
#include "capture/input/layer.h"

enum {
    HISTORY_BYTES = 64 * 1024, /* a match reaches back no further */
    MIN_HEADER_BYTES = 7,      /* magic, FLG, BD, header checksum */
    MIN_BLOCK_ID = 4,          /* in BD: 64 KiB; each further id is four times as much */
    MIN_BLOCK_BYTES = 64 * 1024,
    MIN_MATCH = 4
};

/* The FLG byte of a frame's header. */
enum {
    FLG_DICTIONARY = 0x01,
    FLG_RESERVED = 0x02,
    FLG_CONTENT_CHECKSUM = 0x04,
    FLG_CONTENT_SIZE = 0x08,
    FLG_BLOCK_CHECKSUM = 0x10,
    FLG_INDEPENDENT = 0x20,
    FLG_VERSION = 0xC0,
    FLG_VERSION_1 = 0x40
};

struct lz4_source {
    struct pr_layer layer; /* its step_bytes are the maximum that a block of the frame may hold */
    bool in_frame;
    uint8_t flags;          /* FLG of the frame */
    uint64_t content_bytes; /* what the frame should hold, if FLG_CONTENT_SIZE */
    uint64_t frame_start;   /* offset of the frame's first byte of content */
    XXH32_state_t hash;     /* of the frame's content so far, if FLG_CONTENT_CHECKSUM */
};

/* COUNT bytes of content were written after the window: history for linked blocks, and for the content's checksum. */
static void lz4_add(struct lz4_source *lz4, const uint8_t *out, size_t count)
{
    struct pr_layer *layer = &lz4->layer;
    if (lz4->flags & FLG_CONTENT_CHECKSUM)
        XXH32_update(&lz4->hash, out, count);
    pr_layer_add(layer, count);
    if (!(lz4->flags & FLG_INDEPENDENT)) {
        layer->history_bytes += count;
        if (layer->history_bytes > HISTORY_BYTES)
            layer->history_bytes = HISTORY_BYTES;
    }
}

/* Adds to *LENGTH, whose nibble was 15, the bytes that follow: 255 continues, less ends. False: IN ends before. */
static bool extend_length(const uint8_t **in, const uint8_t *in_end, size_t *length)
{
    while (*in < in_end) {
        const uint8_t more = *(*in)++;
        *length += more;
        if (more != 255)
            return true;
    }
    return false;
}

/*
 * Decodes the sequences of a block that liblz4 refuses, up to the first that is cut or impossible; of a cut run of
 * literals, those that are present. HISTORY bytes before OUT may be copied from. Returns how many bytes were written.
 */
static size_t decode_sequences(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t room, size_t history)
{
    const uint8_t *const in_end = in + in_bytes;
    size_t done = 0;
    while (in < in_end) {
        const uint8_t token = *in++;
        size_t literals = token >> 4;
        if (literals == 15 && !extend_length(&in, in_end, &literals))
            break;
        const size_t left = (size_t)(in_end - in);
        const size_t copied = literals < left ? literals : left;
        if (copied > room - done)
            break;
        memcpy(out + done, in, copied);
        done += copied;
        in += copied;
        if (in_end - in < 2) /* the last sequence has literals only */
            break;

        const size_t distance = in[0] | (size_t)in[1] << 8;
        in += 2;
        size_t match = token & 15;
        if (match == 15 && !extend_length(&in, in_end, &match))
            break;
        match += MIN_MATCH;
        if (distance == 0 || distance > done + history || match > room - done)
            break;
        for (size_t end = done + match; done < end; done++) /* byte by byte: a match may overlap what it writes */
            out[done] = *(out + done - distance);
    }
    return done;
}

/* Unpacks IN_BYTES of a block at OUT, as far as present. False when it cannot be an LZ4 block. */
static bool unpack_block(struct lz4_source *lz4, const uint8_t *in, size_t in_bytes, bool is_cut, uint8_t *out)
{
    const size_t history = lz4->layer.history_bytes, room = lz4->layer.step_bytes;
    int made = -1;
    if (!is_cut)
        made = LZ4_decompress_safe_usingDict((const char *)in, (char *)out, (int)in_bytes, (int)room,
                                             (const char *)(out - history), (int)history);
    lz4_add(lz4, out, made >= 0 ? (size_t)made : decode_sequences(in, in_bytes, out, room, history));
    return is_cut || made >= 0;
}

/* The end mark was seen; what the header promised about the whole is checked now, when all of it is delivered. */
static void end_frame(struct lz4_source *lz4)
{
    struct pr_layer *layer = &lz4->layer;
    struct pr_source *below = layer->source.below;
    const uint64_t at = pr_source_offset(below), content_bytes = layer->source.end_offset - lz4->frame_start;
    lz4->in_frame = false;
    if (lz4->flags & FLG_CONTENT_SIZE && content_bytes != lz4->content_bytes) {
        pr_layer_break(layer, PR_ERR_DAMAGED, "end of an LZ4 frame", at,
                       "comes after %" PRIu64 " bytes of content, its header promised %" PRIu64, content_bytes,
                       lz4->content_bytes);
    } else if (lz4->flags & FLG_CONTENT_CHECKSUM) {
        if (!pr_source_need(below, 4))
            pr_layer_break(layer, PR_ERR_TRUNCATED, "checksum of an LZ4 frame", at, "is cut short");
        else if (pr_le32(below->at) != XXH32_digest(&lz4->hash))
            pr_layer_break(layer, PR_ERR_DAMAGED, "checksum of an LZ4 frame", at, "does not match its content");
        else
            pr_source_skip(below, 4);
    }
}

/*
 * The next block of the frame. A block whose own checksum does not match is not unpacked: where in it the damage lies
 * is unknown.
 */
static void read_block(struct lz4_source *lz4, uint8_t *out)
{
    struct pr_layer *layer = &lz4->layer;
    struct pr_source *below = layer->source.below;
    const uint64_t at = pr_source_offset(below);
    if (!pr_source_need(below, 4)) {
        pr_layer_break(layer, PR_ERR_TRUNCATED, "LZ4 frame", at, "is cut short");
        return;
    }
    const uint32_t word = pr_le32(below->at);
    pr_source_skip(below, 4);
    if (word == 0) {
        end_frame(lz4);
        return;
    }
    const bool stored = word >> 31;
    const size_t size = word & 0x7FFFFFFF, checksum_size = lz4->flags & FLG_BLOCK_CHECKSUM ? 4 : 0;
    if (size > layer->step_bytes) {
        pr_layer_break(layer, PR_ERR_DAMAGED, "LZ4 block", at, "has %zu bytes, more than the %zu of its frame", size,
                       layer->step_bytes);
        return;
    }
    const bool is_whole = pr_source_need(below, size + checksum_size);
    if (is_whole && checksum_size && pr_le32(below->at + size) != XXH32(below->at, size, 0)) {
        pr_layer_break(layer, PR_ERR_DAMAGED, "LZ4 block", at, "does not match its checksum");
        return;
    }
    const size_t here = size < pr_source_available(below) ? size : pr_source_available(below);
    bool is_good = true;
    if (stored) {
        memcpy(out, below->at, here);
        lz4_add(lz4, out, here);
    } else {
        is_good = unpack_block(lz4, below->at, here, here < size, out);
    }
    pr_source_skip(below, is_whole ? size + checksum_size : here);
    if (!is_good)
        pr_layer_break(layer, PR_ERR_DAMAGED, "LZ4 block", at, "is damaged");
    else if (!is_whole)
        pr_layer_break(layer, PR_ERR_TRUNCATED, "LZ4 block", at, "is cut short");
}

/* Reads the header that starts at `at`; its bytes are checked before any of them is believed. */
static void read_header(struct lz4_source *lz4)
{
    struct pr_layer *layer = &lz4->layer;
    struct pr_source *below = layer->source.below;
    const uint64_t at = pr_source_offset(below);
    const char *const what = "LZ4 frame header";
    if (!pr_source_need(below, MIN_HEADER_BYTES)) {
        pr_layer_break(layer, PR_ERR_TRUNCATED, what, at, "is cut short");
        return;
    }
    const uint8_t flags = below->at[4], size_id = (below->at[5] >> 4) & 7;
    if ((flags & FLG_VERSION) != FLG_VERSION_1) {
        pr_layer_break(layer, PR_ERR_UNSUPPORTED, what, at, "has version %d, this build reads version 1", flags >> 6);
        return;
    }
    const size_t length =
        MIN_HEADER_BYTES + (flags & FLG_CONTENT_SIZE ? 8u : 0u) + (flags & FLG_DICTIONARY ? 4u : 0u);
    if (!pr_source_need(below, length)) {
        pr_layer_break(layer, PR_ERR_TRUNCATED, what, at, "is cut short");
        return;
    }
    const uint8_t *header = below->at;
    if (header[length - 1] != ((XXH32(header + 4, length - 5, 0) >> 8) & 0xFF)) {
        pr_layer_break(layer, PR_ERR_DAMAGED, what, at, "does not match its checksum");
        return;
    }
    if (flags & FLG_RESERVED || header[5] & 0x8F || size_id < MIN_BLOCK_ID) {
        pr_layer_break(layer, PR_ERR_UNSUPPORTED, what, at, "has options that this build does not know");
        return;
    }
    if (flags & FLG_DICTIONARY) {
        pr_layer_break(layer, PR_ERR_UNSUPPORTED, what, at, "asks for dictionary %" PRIu32 ", which is not in the file",
                       pr_le32(header + length - 5));
        return;
    }
    lz4->in_frame = true;
    lz4->flags = flags;
    lz4->content_bytes = flags & FLG_CONTENT_SIZE ? pr_le64(header + 6) : 0;
    lz4->frame_start = layer->source.end_offset;
    XXH32_reset(&lz4->hash, 0);
    layer->history_bytes = 0;
    layer->step_bytes = (size_t)MIN_BLOCK_BYTES << 2 * (size_id - MIN_BLOCK_ID);
    pr_source_skip(below, length);
}

/* Between frames. Bytes that start no frame are not ours: files are padded, and memray's reader ignores them too. */
static void find_frame(struct lz4_source *lz4)
{
    struct pr_layer *layer = &lz4->layer;
    struct pr_source *below = layer->source.below;
    const uint64_t at = pr_source_offset(below);
    if (!pr_source_skip_frames(below))
        pr_layer_break(layer, PR_ERR_TRUNCATED, "skippable frame", at, "is cut short");
    else if (pr_source_has_magic(below, PR_LZ4_MAGIC))
        read_header(lz4);
    else if (pr_source_has_magic(below, PR_LZ4_LEGACY_MAGIC))
        pr_layer_break(layer, PR_ERR_UNSUPPORTED, "LZ4 frame", pr_source_offset(below),
                       "has the legacy format; unpack it with lz4 -d first");
    else
        pr_layer_stop(layer);
}

static void lz4_step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    struct lz4_source *lz4 = (struct lz4_source *)layer;
    (void)room; /* at least step_bytes, the size of a block */
    if (lz4->in_frame)
        read_block(lz4, out);
    else
        find_frame(lz4);
}

static void lz4_close(struct pr_source *src)
{
    pr_layer_free(src->state);
}

static const struct pr_source_class lz4_class = {.fill = pr_layer_fill, .close = lz4_close};

struct pr_source *pr_lz4_source_new(struct pr_source *below)
{
    struct lz4_source *lz4 =
        pr_layer_new(sizeof *lz4, &lz4_class, below->name, "lz4", below, MIN_BLOCK_BYTES);
    if (!lz4)
        return NULL;
    lz4->layer.step = lz4_step;
    return &lz4->layer.source;
}
