/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip members, one after another, unpacked by zlib, which also checks their CRC and length.
 *
 * Source: RFC 1952, 2.2 (members follow one another); gzip 1.12 ignores padding and other bytes after the last one.
 */
#include <limits.h>

#define ZLIB_CONST /* what zlib reads from is const */
#include <zlib.h>

#include "capture/input/layer.h"

enum {
    GZIP_ONLY = 16 + MAX_WBITS, /* zlib.h, inflateInit2: a gzip header and trailer are expected */
    STEP_BYTES = 128 * 1024
};

struct gzip_source {
    struct pr_layer layer;
    z_stream stream;
    bool in_member;
    uint64_t member_at; /* offset of the member in the source below */
};

static bool at_member(struct pr_source *below)
{
    return pr_source_need(below, 2) && below->at[0] == 0x1F && below->at[1] == 0x8B;
}

static void find_member(struct gzip_source *gzip)
{
    struct pr_source *below = gzip->layer.source.below;
    if (at_member(below)) {
        gzip->member_at = pr_source_offset(below);
        gzip->in_member = true;
        inflateReset(&gzip->stream);
    } else {
        pr_layer_stop(&gzip->layer);
    }
}

static uInt at_most_uint(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

static void unpack(struct gzip_source *gzip, uint8_t *out, size_t room)
{
    struct pr_layer *layer = &gzip->layer;
    struct pr_source *below = layer->source.below;
    z_stream *stream = &gzip->stream;
    const bool is_more = pr_source_need(below, 1);
    stream->next_in = below->at;
    stream->avail_in = at_most_uint(pr_source_available(below));
    stream->next_out = out;
    stream->avail_out = at_most_uint(room);
    const int result = inflate(stream, Z_NO_FLUSH);
    const size_t made = (size_t)(stream->next_out - out);
    pr_source_skip(below, (size_t)(stream->next_in - below->at));
    pr_layer_add(layer, made);

    if (result == Z_STREAM_END)
        gzip->in_member = false;
    else if (result == Z_MEM_ERROR)
        pr_layer_break(layer, PR_ERR_MEMORY, "gzip data", gzip->member_at, "needs more memory than there is");
    else if (result != Z_OK && result != Z_BUF_ERROR)
        pr_layer_break(layer, PR_ERR_DAMAGED, "gzip data", gzip->member_at, "cannot be unpacked further: %s",
                       stream->msg ? stream->msg : zError(result));
    else if (!is_more && made == 0)
        pr_layer_break(layer, PR_ERR_TRUNCATED, "gzip data", gzip->member_at, "is cut short");
}

static void gzip_step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    struct gzip_source *gzip = (struct gzip_source *)layer;
    if (gzip->in_member)
        unpack(gzip, out, room);
    else
        find_member(gzip);
}

static void gzip_close(struct pr_source *src)
{
    struct gzip_source *gzip = src->state;
    inflateEnd(&gzip->stream);
    pr_layer_free(&gzip->layer);
}

static const struct pr_source_class gzip_class = {.fill = pr_layer_fill, .close = gzip_close};

struct pr_source *pr_gzip_source_new(struct pr_source *below)
{
    struct gzip_source *gzip = pr_layer_new(sizeof *gzip, &gzip_class, below->name, "gzip", below, STEP_BYTES);
    if (!gzip)
        return NULL;
    gzip->layer.step = gzip_step;
    if (inflateInit2(&gzip->stream, GZIP_ONLY) != Z_OK) {
        pr_layer_free(&gzip->layer);
        return NULL;
    }
    return &gzip->layer.source;
}
