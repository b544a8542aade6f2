/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd frames, one after another, unpacked by libzstd, which also checks their checksums.
 *
 * Source: RFC 8878, 3.1 (frames follow one another; skippable frames); zstd.h 1.5.4, "Streaming decompression".
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "capture/input/layer.h"

enum {
    WINDOW_LOG = 27,       /* 128 MiB, the maximum memory a frame may cost; `zstd -d` grants as much unasked */
    BLOCK_HEADER_BYTES = 3 /* RFC 8878, 3.1.1.2 */
};

struct zstd_source {
    struct pr_layer layer;
    ZSTD_DCtx *context;
    bool in_frame;
    uint64_t frame_at; /* offset of the frame in the source below */
    size_t hint_bytes; /* how much input libzstd would like next */
};

/* At the end of a frame: a next one, or the end of the input. */
static void find_frame(struct zstd_source *zstd)
{
    struct pr_layer *layer = &zstd->layer;
    struct pr_source *below = layer->source.below;
    const uint64_t at = pr_source_offset(below);
    if (!pr_source_skip_frames(below)) {
        pr_layer_break(layer, PR_ERR_TRUNCATED, "skippable frame", at, "is cut short");
    } else if (pr_source_has_magic(below, PR_ZSTD_MAGIC)) {
        zstd->frame_at = pr_source_offset(below);
        zstd->hint_bytes = ZSTD_initDStream(zstd->context);
        zstd->in_frame = true;
    } else if (pr_source_need(below, 1)) {
        pr_layer_break(layer, PR_ERR_DAMAGED, "zstd data", pr_source_offset(below), "goes on with something else");
    } else {
        pr_layer_stop(layer);
    }
}

static enum pr_error_code code_of(size_t result)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return PR_ERR_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return PR_ERR_LIMIT;
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_version_unsupported:
    case ZSTD_error_dictionary_wrong:
        return PR_ERR_UNSUPPORTED;
    default:
        return PR_ERR_DAMAGED;
    }
}

/*
 * Feeds libzstd one block. When a call fails, libzstd does not report how much it had written, so a call must not span
 * blocks: what it asks for is a block and the header of the next, which is kept back here.
 */
static void unpack_block(struct zstd_source *zstd, uint8_t *out, size_t room)
{
    struct pr_layer *layer = &zstd->layer;
    struct pr_source *below = layer->source.below;
    pr_source_need(below, zstd->hint_bytes);
    const size_t here = pr_source_available(below);
    size_t wanted = zstd->hint_bytes;
    if (wanted > BLOCK_HEADER_BYTES)
        wanted -= BLOCK_HEADER_BYTES;

    ZSTD_inBuffer input = {.src = below->at, .size = here < wanted ? here : wanted};
    ZSTD_outBuffer output = {.dst = out, .size = room};
    const size_t result = ZSTD_decompressStream(zstd->context, &output, &input);
    pr_source_skip(below, input.pos);
    pr_layer_add(layer, output.pos);
    if (ZSTD_isError(result)) {
        pr_layer_break(layer, code_of(result), "zstd frame", zstd->frame_at, "cannot be unpacked further: %s",
                       ZSTD_getErrorName(result));
    } else if (result == 0) {
        zstd->in_frame = false;
    } else if (here == 0 && output.pos == 0) {
        pr_layer_break(layer, PR_ERR_TRUNCATED, "zstd frame", zstd->frame_at, "is cut short");
    } else {
        zstd->hint_bytes = result;
    }
}

static void zstd_step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    struct zstd_source *zstd = (struct zstd_source *)layer;
    if (zstd->in_frame)
        unpack_block(zstd, out, room);
    else
        find_frame(zstd);
}

static void zstd_close(struct pr_source *src)
{
    struct zstd_source *zstd = src->state;
    ZSTD_freeDCtx(zstd->context);
    pr_layer_free(&zstd->layer);
}

static const struct pr_source_class zstd_class = {.fill = pr_layer_fill, .close = zstd_close};

struct pr_source *pr_zstd_source_new(struct pr_source *below)
{
    struct zstd_source *zstd =
        pr_layer_new(sizeof *zstd, &zstd_class, below->name, "zstd", below, ZSTD_DStreamOutSize());
    if (!zstd)
        return NULL;
    zstd->layer.step = zstd_step;
    zstd->context = ZSTD_createDCtx();
    if (!zstd->context) {
        zstd_close(&zstd->layer.source);
        return NULL;
    }
    ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, WINDOW_LOG);
    return &zstd->layer.source;
}
