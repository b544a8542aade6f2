/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a source with a window of its own shares with the others; internal to the files that implement sources.
 *
 * A layer puts struct pr_layer first in its own struct and gives it a step: "append something to the window, or stop".
 * The window, how much is kept of it, when it moves and when it grows, is here, once for all of them.
 */
#ifndef PR_CAPTURE_INPUT_LAYER_H
#define PR_CAPTURE_INPUT_LAYER_H

#include "capture/input/source.h"

struct pr_layer {
    struct pr_source source; /* source.state is this layer */
    uint8_t *window;         /* owned; source.at and source.end point into it */
    size_t capacity_bytes;
    size_t history_bytes; /* how many bytes before source.end the layer itself still reads, as LZ4 matches do */
    size_t step_bytes;    /* room that the next step needs; a step may change it */
    uint64_t size_bytes;  /* of the input, where it is known; 0 in the layers that unpack */
    /*
     * Appends up to ROOM bytes (at least step_bytes) at OUT, which is source.end, and reports it by pr_layer_add; or
     * calls pr_layer_stop. It may do neither when it only read a header.
     */
    void (*step)(struct pr_layer *layer, uint8_t *out, size_t room);
};

/*
 * A layer of TYPE_BYTES, zeroed except for the fields given by the arguments.
 *
 * Owner:  free it with pr_layer_free, from the class's close; BELOW (may be NULL) stays the caller's.
 * Errors: NULL when there is no memory.
 */
void *pr_layer_new(size_t type_bytes, const struct pr_source_class *class, const char *name, const char *packing,
                   struct pr_source *below, size_t step_bytes);
void pr_layer_free(struct pr_layer *layer);

/* The `fill` of every class that is made of a layer: steps until WANT bytes are there. */
void pr_layer_fill(struct pr_source *src, size_t want);

/* COUNT bytes at source.end were written by the step. */
static inline void pr_layer_add(struct pr_layer *layer, size_t count)
{
    layer->source.end += count;
    layer->source.end_offset += count;
}

/*
 * Nothing comes after this. Returns the error of the source, for pr_cut when the end is not a clean one; it already
 * holds the error of the source below, if that had one: the deepest cause is reported.
 */
struct pr_error *pr_layer_stop(struct pr_layer *layer);

/*
 * Stops because of WHAT ("LZ4 block"), which begins at offset AT of the source below. FORMAT continues the sentence
 * "the LZ4 block at byte 7 of the input ...".
 */
void pr_layer_break(struct pr_layer *layer, enum pr_error_code code, const char *what, uint64_t at, const char *format,
                    ...) PR_PRINTF(5, 6);

/* How many bytes the window of SRC holds. */
static inline size_t pr_source_available(const struct pr_source *src)
{
    return (size_t)(src->end - src->at);
}

/* True when SRC continues with MAGIC (little endian, as the LZ4 and zstd formats write it). */
bool pr_source_has_magic(struct pr_source *src, uint32_t magic);

/*
 * Moves SRC past the skippable frames at `at`, which LZ4 and zstd have in common: 0x184D2A50 to 0x184D2A5F, u32 length,
 * that many bytes of no one's content. False when the last one is cut short.
 *
 * Source: lz4 doc/lz4_Frame_format.md (1.9.4), "Skippable Frames"; RFC 8878, 3.1.2.
 */
bool pr_source_skip_frames(struct pr_source *src);

/* Source: lz4 doc/lz4_Frame_format.md (1.9.4), "Magic Number" and "Legacy frame"; RFC 8878, 3.1.1. */
#define PR_LZ4_MAGIC 0x184D2204u
#define PR_LZ4_LEGACY_MAGIC 0x184C2102u
#define PR_ZSTD_MAGIC 0xFD2FB528u

/* The sources themselves. NULL when there is no memory; BELOW is taken over once the layer exists. */
struct pr_source *pr_file_source_new(int fd, bool owns_fd, const char *name, uint64_t size_bytes);
struct pr_source *pr_lz4_source_new(struct pr_source *below);
struct pr_source *pr_zstd_source_new(struct pr_source *below);
struct pr_source *pr_gzip_source_new(struct pr_source *below);

#endif
