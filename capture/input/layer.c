/* SPDX-License-Identifier: Apache-2.0 */
/* The window that every source but one in memory has: a buffer that is appended to, slides, and grows when it must. */
#include "capture/input/layer.h"

#include "capture/base/little_endian.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small enough to stay in a core's second cache, large enough to make a slide of 64 KiB of LZ4 history rare. */
enum { WINDOW_BYTES = 512 * 1024 };

/* Zeroed: liblz4 takes a match at distance 0, and then copies what has not been written yet. */
static uint8_t *window_new(size_t bytes)
{
    return calloc(1, bytes);
}

void *pr_layer_new(size_t type_bytes, const struct pr_source_class *class, const char *name, const char *packing,
                   struct pr_source *below, size_t step_bytes)
{
    struct pr_layer *layer = calloc(1, type_bytes);
    if (!layer)
        return NULL;
    layer->window = window_new(WINDOW_BYTES);
    if (!layer->window) {
        free(layer);
        return NULL;
    }
    layer->capacity_bytes = WINDOW_BYTES;
    layer->step_bytes = step_bytes;
    layer->source.at = layer->source.end = layer->window;
    layer->source.name = name;
    layer->source.packing = packing;
    layer->source.below = below;
    layer->source.class = class;
    layer->source.state = layer;
    return layer;
}

void pr_layer_free(struct pr_layer *layer)
{
    free(layer->window);
    free(layer);
}

/* Moves the KEPT bytes before `end` to the start of WINDOW, which may be the one they are in. */
static void move_window(struct pr_layer *layer, uint8_t *window, size_t kept)
{
    struct pr_source *src = &layer->source;
    const size_t unread = pr_source_available(src);
    memmove(window, src->end - kept, kept);
    src->end = window + kept;
    src->at = src->end - unread;
}

/*
 * Room for a step after `end`, and for WANT bytes in all at once, so that a big want does not grow the window step by
 * step. The window slides only where that frees a quarter of it: what moves is then paid for by what was read.
 */
static bool make_room(struct pr_layer *layer, size_t want)
{
    struct pr_source *src = &layer->source;
    const size_t used = (size_t)(src->end - layer->window), unread = pr_source_available(src);
    size_t kept = layer->history_bytes > unread ? layer->history_bytes : unread;
    if (kept && layer->capacity_bytes - used >= layer->step_bytes)
        return true;

    const size_t need = kept + (want - unread) + layer->step_bytes;
    if (need <= layer->capacity_bytes - layer->capacity_bytes / 4) {
        move_window(layer, layer->window, kept);
        return true;
    }
    uint8_t *window = window_new(2 * need);
    if (!window)
        return false;
    move_window(layer, window, kept);
    free(layer->window);
    layer->window = window;
    layer->capacity_bytes = 2 * need;
    return true;
}

/* Stops an unpacking layer whose BYTES more were too many. */
static void count_unpacked(struct pr_layer *layer, uint64_t bytes)
{
    struct pr_source *src = &layer->source;
    struct pr_error problem = {0};
    if (!src->budget || !src->packing || pr_unpack_budget_spend(src->budget, bytes, src->end_offset, &problem))
        return;
    struct pr_error *error = pr_layer_stop(layer);
    if (error->code == PR_ERR_NONE)
        *error = problem;
    pr_error_name(error, src->name);
}

void pr_layer_fill(struct pr_source *src, size_t want)
{
    struct pr_layer *layer = src->state;
    if (want > PR_SOURCE_MAX_WINDOW) {
        src->at_eof = true;
        pr_cut(&src->error, PR_ERR_LIMIT, src->end_offset, NULL, "%zu bytes at once are over the limit of %d", want,
               PR_SOURCE_MAX_WINDOW);
        pr_error_name(&src->error, src->name);
        return;
    }
    while (!src->at_eof && pr_source_available(src) < want) {
        if (!make_room(layer, want)) {
            src->at_eof = true;
            pr_fail_memory(&src->error);
            pr_error_name(&src->error, src->name);
            return;
        }
        const size_t used = (size_t)(src->end - layer->window);
        const uint64_t before = src->end_offset;
        layer->step(layer, layer->window + used, layer->capacity_bytes - used);
        count_unpacked(layer, src->end_offset - before);
    }
}

struct pr_error *pr_layer_stop(struct pr_layer *layer)
{
    struct pr_source *src = &layer->source;
    src->at_eof = true;
    if (src->below && src->below->error.code != PR_ERR_NONE) {
        src->error = src->below->error;
        src->error.offset = src->end_offset; /* offsets are those of the stream that the reader sees */
    }
    pr_error_name(&src->error, src->name);
    return &src->error;
}

void pr_layer_break(struct pr_layer *layer, enum pr_error_code code, const char *what, uint64_t at, const char *format,
                    ...)
{
    char how[128];
    va_list args;
    va_start(args, format);
    vsnprintf(how, sizeof how, format, args);
    va_end(args);
    const char *input = layer->source.below->packing ? "unpacked input" : "input";
    pr_cut(pr_layer_stop(layer), code, layer->source.end_offset, what, "the %s at byte %" PRIu64 " of the %s %s", what,
           at, input, how);
}

bool pr_source_has_magic(struct pr_source *src, uint32_t magic)
{
    return pr_source_need(src, 4) && pr_le32(src->at) == magic;
}

bool pr_source_skip_frames(struct pr_source *src)
{
    while (pr_source_need(src, 4) && (pr_le32(src->at) & 0xFFFFFFF0u) == 0x184D2A50) {
        if (!pr_source_need(src, 8))
            return false;
        size_t left = pr_le32(src->at + 4);
        pr_source_skip(src, 8);
        while (left) {
            if (!pr_source_need(src, 1))
                return false;
            const size_t some = left < pr_source_available(src) ? left : pr_source_available(src);
            pr_source_skip(src, some);
            left -= some;
        }
    }
    return true;
}
