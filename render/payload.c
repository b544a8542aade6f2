/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes a profile for the script of a card. Frames and strings get new numbers, in the order in which the tree first
 * needs them: what is not shown is not in the page, and numbers that are near each other pack well.
 */
#include "render/payload.h"

#include "render/html.h"
#include "render/pack.h"
#include "render/payload_parts.h"

#include <stdlib.h>

static bool numbering_init(struct pr_numbering *numbering, size_t count)
{
    numbering->number = calloc(count ? count : 1, sizeof *numbering->number);
    numbering->order = calloc(count ? count : 1, sizeof *numbering->order);
    return numbering->number && numbering->order;
}

static void numbering_clear(struct pr_numbering *numbering)
{
    free(numbering->number);
    free(numbering->order);
}

static void add_nodes(struct pr_encoder *encoder)
{
    const struct pr_fold *fold = encoder->fold;
    const pr_frame_id *frame = encoder->profile->tree.frame;
    struct pr_columns *columns = &encoder->columns;
    for (uint32_t i = 1; i < fold->count; i++) {
        if (fold->source[i] != PR_NO_NODE)
            pr_number_of(&encoder->frames, frame[fold->source[i]]);
    }
    const uint32_t smaller_frames = encoder->frames.count; /* behind all others */

    pr_columns_begin(columns);
    for (uint32_t i = 1; i < fold->count; i++)
        pr_columns_uv(columns, i - fold->parent[i]);
    pr_columns_end(columns, "nodes.up", "uv");

    pr_columns_begin(columns);
    for (uint32_t i = 1; i < fold->count; i++)
        pr_columns_uv(columns, fold->source[i] == PR_NO_NODE ? smaller_frames
                                                             : pr_number_of(&encoder->frames, frame[fold->source[i]]));
    pr_columns_end(columns, "nodes.frame", "uv");
}

static void add_folded(struct pr_encoder *encoder)
{
    const struct pr_fold *fold = encoder->fold;
    struct pr_columns *columns = &encoder->columns;
    if (!fold->folded_frames)
        return;
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < fold->count; i++) {
        if (fold->smaller[i])
            pr_columns_dv(columns, i);
    }
    pr_columns_end(columns, "folded.node", "dv");
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < fold->count; i++) {
        if (fold->smaller[i])
            pr_columns_uv(columns, fold->smaller[i]);
    }
    pr_columns_end(columns, "folded.count", "uv");
}

static const struct pr_frame *frame_at(const struct pr_encoder *encoder, uint32_t number)
{
    return &encoder->profile->frames[encoder->frames.order[number]];
}

/* Behind the frames of the profile comes the one of all that is folded; its name is the string behind all others. */
static void add_frames(struct pr_encoder *encoder)
{
    const bool folds = encoder->fold->folded_frames > 0;
    const uint32_t count = encoder->frames.count;
    struct pr_columns *columns = &encoder->columns;
    for (uint32_t i = 0; i < count; i++) {
        pr_number_of(&encoder->strings, frame_at(encoder, i)->function);
        pr_number_of(&encoder->strings, frame_at(encoder, i)->file);
    }

    pr_columns_begin(columns);
    for (uint32_t i = 0; i < count; i++)
        pr_columns_uv(columns, pr_number_of(&encoder->strings, frame_at(encoder, i)->function));
    if (folds)
        pr_columns_uv(columns, encoder->strings.count);
    pr_columns_end(columns, "frames.function", "uv");

    pr_columns_begin(columns);
    for (uint32_t i = 0; i < count; i++)
        pr_columns_uv(columns, pr_number_of(&encoder->strings, frame_at(encoder, i)->file));
    if (folds)
        pr_columns_uv(columns, 0);
    pr_columns_end(columns, "frames.file", "uv");

    pr_columns_begin(columns);
    for (uint32_t i = 0; i < count; i++)
        pr_columns_dv(columns, frame_at(encoder, i)->line > 0 ? frame_at(encoder, i)->line : 0);
    if (folds)
        pr_columns_dv(columns, 0);
    pr_columns_end(columns, "frames.line", "dv");

    pr_columns_begin(columns);
    for (uint32_t i = 0; i < count; i++)
        pr_columns_u8(columns, encoder->traits->of[encoder->frames.order[i]]);
    if (folds)
        pr_columns_u8(columns, PR_FRAME_OTHER);
    pr_columns_end(columns, "frames.kind", "u8");
}

static void add_strings(struct pr_encoder *encoder)
{
    struct pr_columns *columns = &encoder->columns;
    struct pr_buf bytes = {0};
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < encoder->strings.count; i++) {
        size_t start = bytes.length;
        pr_visible(&bytes, pr_profile_text(encoder->profile, encoder->strings.order[i]));
        pr_columns_uv(columns, bytes.length - start);
    }
    if (encoder->fold->folded_frames) {
        static const char name[] = "smaller frames";
        pr_buf_text(&bytes, name);
        pr_columns_uv(columns, sizeof name - 1);
    }
    pr_columns_end(columns, "strings.length", "uv");
    pr_columns_raw(columns, "strings.bytes", &bytes);
    columns->bytes.failed |= bytes.failed;
    pr_buf_clear(&bytes);
}

/* The list of columns is known only after them, and names of threads need numbers before the strings are written. */
static bool encode(struct pr_encoder *encoder)
{
    pr_number_of(&encoder->strings, 0);
    add_nodes(encoder);
    add_folded(encoder);
    if (!pr_payload_add_facts(encoder))
        return false;
    pr_payload_add_series(encoder);
    pr_payload_add_head(encoder);
    add_frames(encoder);
    add_strings(encoder);
    pr_buf_text(&encoder->head, ",\"columns\":[");
    pr_buf_add(&encoder->head, encoder->columns.list.bytes, encoder->columns.list.length);
    pr_buf_text(&encoder->head, "]}");
    return !encoder->head.failed && !encoder->columns.list.failed && !encoder->columns.bytes.failed;
}

static void join(const struct pr_encoder *encoder, struct pr_buf *bytes)
{
    size_t length = encoder->head.length;
    for (unsigned shift = 0; shift < 32; shift += 8)
        pr_buf_byte(bytes, (unsigned)(length >> shift) & 0xFF);
    pr_buf_add(bytes, encoder->head.bytes, length);
    pr_buf_add(bytes, encoder->columns.bytes.bytes, encoder->columns.bytes.length);
}

enum pr_status pr_payload_encode(const struct pr_profile *profile, const struct pr_traits *traits,
                                 const struct pr_fold *fold, struct pr_buf *bytes, struct pr_error *err)
{
    struct pr_encoder encoder = {.profile = profile, .traits = traits, .fold = fold};
    bool done = numbering_init(&encoder.frames, profile->frame_count);
    done = numbering_init(&encoder.strings, profile->strings.count) && done;
    done = done && encode(&encoder);
    if (done)
        join(&encoder, bytes);
    numbering_clear(&encoder.frames);
    numbering_clear(&encoder.strings);
    pr_columns_clear(&encoder.columns);
    pr_buf_clear(&encoder.head);
    return done && !bytes->failed ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_payload_make(const struct pr_profile *profile, const struct pr_traits *traits,
                               const struct pr_children *children, uint32_t max_nodes, struct pr_payload *payload,
                               struct pr_error *err)
{
    *payload = (struct pr_payload){0};
    struct pr_buf bytes = {0};
    enum pr_status status = pr_fold_make(profile, children, max_nodes, &payload->fold, err);
    if (status != PR_FAILED)
        status = pr_payload_encode(profile, traits, &payload->fold, &bytes, err);
    if (status != PR_FAILED)
        status = pr_pack(&bytes, &payload->text, err);
    pr_buf_clear(&bytes);
    return status;
}

void pr_payload_clear(struct pr_payload *payload)
{
    pr_buf_clear(&payload->text);
    pr_fold_clear(&payload->fold);
}
