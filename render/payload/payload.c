/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes a profile for the script of a card. Frames and strings get new numbers, in the order in which the tree first
 * needs them: what is not shown is not in the page, and numbers close to each other pack well.
 */
#include "render/payload/payload.h"

#include "capture/model/functions.h"
#include "capture/model/nameless.h"
#include "capture/model/package.h"
#include "render/html/html.h"
#include "render/html/pack.h"
#include "render/payload/payload_internal.h"

#include <stdlib.h>
#include <string.h>

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
    *numbering = (struct pr_numbering){0};
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
    for (size_t i = 0; i < encoder->profile->exact_count; i++) /* some may be nowhere in the tree */
        pr_number_of(&encoder->frames, encoder->profile->exact_frame[i]);
    const uint32_t smaller_frames = encoder->frames.count; /* after all others */

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

/* What people call a function without a name of its own, as the number of a string; 0: its name will do. */
static uint64_t number_in_words(struct pr_encoder *encoder, pr_frame_id frame)
{
    const pr_str shown = pr_shown_name(encoder->profile, frame);
    return shown == encoder->profile->frames[frame].function ? 0 : pr_number_of(&encoder->strings, shown);
}

/* After the frames of the profile comes the one for all that is folded; its name is the last string. */
static bool add_frames(struct pr_encoder *encoder)
{
    int32_t *begins = pr_functions_tell_apart(encoder->profile);
    if (!begins)
        return false;
    const bool folds = encoder->fold->folded_frames > 0;
    const uint32_t count = encoder->frames.count;
    struct pr_columns *columns = &encoder->columns;
    for (uint32_t i = 0; i < count; i++) {
        pr_number_of(&encoder->strings, frame_at(encoder, i)->function);
        pr_number_of(&encoder->strings, frame_at(encoder, i)->file);
        number_in_words(encoder, encoder->frames.order[i]);
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
        pr_columns_uv(columns, (uint64_t)begins[encoder->frames.order[i]]);
    if (folds)
        pr_columns_uv(columns, 0);
    pr_columns_end(columns, "frames.begin", "uv");

    if (encoder->profile->shown) {
        pr_columns_begin(columns);
        for (uint32_t i = 0; i < count; i++)
            pr_columns_uv(columns, number_in_words(encoder, encoder->frames.order[i]));
        if (folds)
            pr_columns_uv(columns, 0);
        pr_columns_end(columns, "frames.shown", "uv");
    }

    pr_columns_begin(columns);
    for (uint32_t i = 0; i < count; i++)
        pr_columns_u8(columns, encoder->traits->of[encoder->frames.order[i]]);
    if (folds)
        pr_columns_u8(columns, PR_FRAME_OTHER | PR_OWNER_NONE << 2);
    pr_columns_end(columns, "frames.kind", "u8");
    free(begins);
    return true;
}

/* The package of each frame, by number in a list of their names. */
static bool add_packages(struct pr_encoder *encoder)
{
    struct pr_columns *columns = &encoder->columns;
    struct pr_strings names;
    struct pr_buf bytes = {0};
    struct pr_code_world world;
    bool done = pr_strings_init(&names, NULL) == PR_OK;
    pr_code_world_look(encoder->profile, &world);
    pr_columns_begin(columns);
    for (uint32_t i = 0; done && i < encoder->frames.count; i++) {
        const pr_frame_id frame = encoder->frames.order[i];
        const struct pr_text name =
            pr_package_of(encoder->profile, &world, frame, pr_traits_owner(encoder->traits, frame));
        const pr_str number = pr_strings_add(&names, name.bytes, name.length);
        done = number != PR_NO_STR;
        pr_columns_uv(columns, number);
    }
    if (encoder->fold->folded_frames > 0)
        pr_columns_uv(columns, 0);
    pr_columns_end(columns, "frames.package", "uv");
    pr_columns_begin(columns);
    for (pr_str i = 0; done && i < names.count; i++) {
        const size_t start = bytes.length;
        pr_visible(&bytes, pr_strings_get(&names, i));
        pr_columns_uv(columns, bytes.length - start);
    }
    pr_columns_end(columns, "packages.length", "uv");
    pr_columns_raw(columns, "packages.bytes", &bytes);
    done &= !bytes.failed;
    pr_buf_clear(&bytes);
    pr_strings_clear(&names);
    return done;
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

/*
 * All but the history. Names of threads need numbers before the strings are written. What each fact holds comes last, a
 * metric after the other: the script unpacks as far as what is shown.
 */
static bool encode(struct pr_encoder *encoder)
{
    pr_number_of(&encoder->strings, 0);
    add_nodes(encoder);
    add_folded(encoder);
    pr_payload_add_exact(encoder);
    pr_payload_add_series(encoder);
    pr_payload_add_head(encoder);
    if (!add_frames(encoder))
        return false;
    add_strings(encoder);
    if (!add_packages(encoder) || !pr_payload_add_facts(encoder) || !pr_payload_add_slices(encoder))
        return false;
    return !encoder->head.failed && !encoder->columns.list.failed && !encoder->columns.bytes.failed;
}

/* Encodes all but the history. ENCODER must be cleared, also after an error. */
static enum pr_status prepare(struct pr_encoder *encoder, struct pr_error *err)
{
    const struct pr_profile *profile = encoder->profile;
    bool done = numbering_init(&encoder->frames, profile->frame_count);
    done = numbering_init(&encoder->strings, profile->strings.count) && done;
    encoder->group = calloc(profile->fact_count + 1, sizeof *encoder->group);
    return done && encoder->group && encode(encoder) ? PR_OK : pr_fail_memory(err);
}

static void encoder_clear(struct pr_encoder *encoder)
{
    numbering_clear(&encoder->frames);
    numbering_clear(&encoder->strings);
    free(encoder->group);
    pr_columns_clear(&encoder->columns);
    pr_buf_clear(&encoder->head);
    pr_history_clear(&encoder->coarser);
}

/* A part of the history in the text: a pack after the others. COLUMNS are cleared. */
static enum pr_status add_part(struct pr_columns *columns, struct pr_buf *text, struct pr_error *err)
{
    struct pr_buf head = {0}, bytes = {0};
    pr_buf_text(&head, PR_PAYLOAD_HEAD);
    pr_columns_join(&head, columns, &bytes);
    pr_columns_clear(columns);
    pr_buf_clear(&head);
    pr_buf_byte(text, ' ');
    enum pr_status status = bytes.failed ? pr_fail_memory(err) : pr_pack(&bytes, PR_PACK_HISTORY, text, err);
    pr_buf_clear(&bytes);
    return status;
}

/* What the columns of the history become; they are cleared. */
static enum pr_status add_parts(struct pr_columns *bins, struct pr_columns *changes, struct pr_buf *text,
                                struct pr_error *err)
{
    enum pr_status status = add_part(bins, text, err);
    return status != PR_FAILED ? add_part(changes, text, err) : status;
}

static enum pr_status group(const struct pr_encoder *encoder, enum pr_history_parts parts, struct pr_history *history,
                            struct pr_error *err)
{
    return pr_history_group(encoder->profile, encoder->group, encoder->group_count, parts, history, err);
}

/*
 * The history in the text, in *BIN_COUNT bins; a single one says no more than the metrics, and is left out. Steps are
 * freed before moves are taken, and these before anything is packed: each would be most of our memory.
 */
static enum pr_status add_finest(const struct pr_encoder *encoder, uint32_t *bin_count, struct pr_buf *text,
                                 struct pr_error *err)
{
    struct pr_columns bins = {0}, changes = {0};
    struct pr_history history;
    enum pr_status status = group(encoder, PR_HISTORY_STEPS, &history, err);
    *bin_count = history.bins.count;
    const bool counts = status != PR_FAILED && *bin_count > 1;
    if (counts) {
        pr_payload_add_bins(&bins, &history);
        pr_payload_add_steps(&changes, &history);
    }
    pr_history_clear(&history);
    if (!counts)
        return status;
    status = group(encoder, PR_HISTORY_MOVES, &history, err);
    if (status != PR_FAILED)
        pr_payload_add_moves(&changes, &history);
    pr_history_clear(&history);
    if (status != PR_FAILED)
        status = add_parts(&bins, &changes, text, err);
    pr_columns_clear(&bins);
    pr_columns_clear(&changes);
    return status;
}

/* The same with bins 2^HALVINGS times as wide. HALVINGS is 1 at first, and never falls. */
static enum pr_status add_coarser(struct pr_encoder *encoder, unsigned halvings, uint32_t *bin_count,
                                  struct pr_buf *text, struct pr_error *err)
{
    struct pr_columns bins = {0}, changes = {0};
    struct pr_history *history = &encoder->coarser;
    enum pr_status status = encoder->halvings ? PR_OK : group(encoder, PR_HISTORY_ALL, history, err);
    for (; status != PR_FAILED && encoder->halvings < halvings; encoder->halvings++)
        status = pr_history_halve(history, err);
    *bin_count = history->bins.count;
    if (status == PR_FAILED || *bin_count <= 1)
        return status;
    pr_payload_add_bins(&bins, history);
    pr_payload_add_steps(&changes, history);
    pr_payload_add_moves(&changes, history);
    status = add_parts(&bins, &changes, text, err);
    pr_columns_clear(&bins);
    pr_columns_clear(&changes);
    return status;
}

/* The tree, whose columns are freed: they, the packing and the history would each be most of our memory. */
static enum pr_status add_tree(struct pr_encoder *encoder, struct pr_buf *text, struct pr_error *err)
{
    struct pr_buf bytes = {0};
    pr_columns_join(&encoder->head, &encoder->columns, &bytes);
    pr_columns_clear(&encoder->columns);
    enum pr_status status = bytes.failed ? pr_fail_memory(err) : pr_pack(&bytes, PR_PACK_TREE, text, err);
    pr_buf_clear(&bytes);
    return status;
}

/* What several threads packed at once, each as if it had all the room. */
enum part { TREE, HISTORY, HEAT, PARTS };

struct ahead {
    struct pr_encoder *encoder;
    size_t max_bytes;
    struct pr_buf text[PARTS];
    uint32_t bin_count;
    size_t least; /* room that the heat map needs */
    enum pr_status status[PARTS];
    struct pr_error err[PARTS];
};

static bool pack_part(void *context, unsigned worker, size_t part)
{
    struct ahead *ahead = context;
    struct pr_buf *text = &ahead->text[part];
    struct pr_error *err = &ahead->err[part];
    (void)worker;
    ahead->status[part] = part == TREE      ? add_tree(ahead->encoder, text, err)
                          : part == HISTORY ? add_finest(ahead->encoder, &ahead->bin_count, text, err)
                                            : pr_payload_add_heat(ahead->encoder, ahead->max_bytes, text, &ahead->least,
                                                                  err);
    return ahead->status[part] != PR_FAILED;
}

static void ahead_clear(struct ahead *ahead)
{
    for (unsigned i = 0; i < PARTS; i++)
        pr_buf_clear(&ahead->text[i]);
}

/* AHEAD: NULL, or as pack_part left it. */
static enum pr_status add_history(struct pr_payload *payload, const struct ahead *ahead, uint32_t *bin_count,
                                  struct pr_error *err)
{
    if (payload->halvings)
        return add_coarser(payload->encoder, payload->halvings, bin_count, &payload->text, err);
    if (!ahead)
        return add_finest(payload->encoder, bin_count, &payload->text, err);
    *bin_count = ahead->bin_count;
    pr_buf_add(&payload->text, ahead->text[HISTORY].bytes, ahead->text[HISTORY].length);
    return payload->text.failed ? pr_fail_memory(err) : PR_OK;
}

static enum pr_status add_heat(struct pr_payload *payload, const struct ahead *ahead, size_t max_bytes,
                               struct pr_error *err)
{
    size_t least;
    if (!ahead || ahead->least > max_bytes)
        return pr_payload_add_heat(payload->encoder, max_bytes, &payload->text, &least, err);
    pr_buf_add(&payload->text, ahead->text[HEAT].bytes, ahead->text[HEAT].length);
    return payload->text.failed ? pr_fail_memory(err) : PR_OK;
}

/* After the tree: as many bins as fit (those that were recorded, half of them, and so on), then the heat map. */
static enum pr_status add_times(struct pr_payload *payload, const struct ahead *ahead, size_t max_bytes,
                                struct pr_error *err)
{
    struct pr_buf *text = &payload->text;
    enum pr_status status = PR_OK;
    uint32_t bins = 2;
    for (; status != PR_FAILED && bins > 1; payload->halvings++) {
        text->length = payload->tree_length;
        status = add_history(payload, ahead, &bins, err);
        if (text->length <= max_bytes)
            break;
    }
    payload->bin_count = text->length > payload->tree_length ? bins : 0;
    const size_t without = text->length;
    if (status != PR_FAILED && max_bytes > without)
        status = add_heat(payload, ahead, max_bytes - without, err);
    payload->has_heat = text->length > without;
    return status;
}

/* The first text, by a crew. */
static enum pr_status pack_at_once(struct pr_payload *payload, size_t max_bytes, struct pr_crew *crew,
                                   struct pr_error *err)
{
    struct ahead ahead = {.encoder = payload->encoder, .max_bytes = max_bytes};
    enum pr_status status = PR_OK;
    pr_crew_run(crew, PARTS, pack_part, &ahead);
    for (unsigned i = 0; i < PARTS && status != PR_FAILED; i++) {
        status = ahead.status[i];
        if (status == PR_FAILED && err)
            *err = ahead.err[i];
    }
    if (status != PR_FAILED) {
        payload->text = ahead.text[TREE];
        payload->tree_length = payload->text.length;
        ahead.text[TREE] = (struct pr_buf){0};
        status = add_times(payload, &ahead, max_bytes, err);
    }
    ahead_clear(&ahead);
    return status;
}

enum pr_status pr_payload_encode(const struct pr_profile *profile, const struct pr_traits *traits,
                                 const struct pr_fold *fold, struct pr_buf *bytes, struct pr_error *err)
{
    struct pr_encoder encoder = {.profile = profile, .traits = traits, .fold = fold};
    struct pr_history history = {0};
    enum pr_status status = prepare(&encoder, err);
    if (status != PR_FAILED)
        status = group(&encoder, PR_HISTORY_ALL, &history, err);
    if (status != PR_FAILED) {
        if (history.bins.count > 1) {
            pr_payload_add_bins(&encoder.columns, &history);
            pr_payload_add_steps(&encoder.columns, &history);
            pr_payload_add_moves(&encoder.columns, &history);
        }
        pr_columns_join(&encoder.head, &encoder.columns, bytes);
        status = bytes->failed ? pr_fail_memory(err) : PR_OK;
    }
    pr_history_clear(&history);
    encoder_clear(&encoder);
    return status;
}

enum pr_status pr_payload_prepare(const struct pr_profile *profile, const struct pr_traits *traits,
                                  struct pr_payload *payload, struct pr_error *err)
{
    payload->encoder = calloc(1, sizeof *payload->encoder);
    if (!payload->encoder)
        return pr_fail_memory(err);
    *payload->encoder = (struct pr_encoder){.profile = profile, .traits = traits, .fold = &payload->fold};
    return prepare(payload->encoder, err);
}

enum pr_status pr_payload_pack(struct pr_payload *payload, size_t max_bytes, struct pr_crew *crew,
                               struct pr_error *err)
{
    numbering_clear(&payload->encoder->frames);
    numbering_clear(&payload->encoder->strings);
    if (payload->tree_length)
        return add_times(payload, NULL, max_bytes, err);
    if (crew)
        return pack_at_once(payload, max_bytes, crew, err);
    enum pr_status status = add_tree(payload->encoder, &payload->text, err);
    payload->tree_length = payload->text.length;
    return status != PR_FAILED ? add_times(payload, NULL, max_bytes, err) : status;
}

/* The number in WHOLE of each node; for smaller frames, that of their parent. */
static void add_numbers(struct pr_columns *columns, const struct pr_fold *fold, const struct pr_fold *whole)
{
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < fold->count; i++) {
        const pr_node_id source = fold->source[fold->source[i] == PR_NO_NODE ? fold->parent[i] : i];
        pr_columns_dv(columns, whole->number[source]);
    }
    pr_columns_end(columns, "nodes.whole", "dv");
}

enum pr_status pr_payload_pack_first(struct pr_payload *first, const struct pr_payload *whole, struct pr_error *err)
{
    numbering_clear(&first->encoder->frames);
    numbering_clear(&first->encoder->strings);
    if (!first->tree_length) {
        add_numbers(&first->encoder->columns, &first->fold, &whole->fold);
        if (add_tree(first->encoder, &first->text, err) == PR_FAILED)
            return PR_FAILED;
        first->tree_length = first->text.length;
    }
    first->text.length = first->tree_length;
    if (!whole->bin_count)
        return PR_OK;
    const char *bins = whole->text.bytes + whole->tree_length;
    const char *end = memchr(bins + 1, ' ', whole->text.length - whole->tree_length - 1);
    pr_buf_add(&first->text, bins, (size_t)(end - bins));
    return add_part(&(struct pr_columns){0}, &first->text, err);
}

void pr_payload_clear(struct pr_payload *payload)
{
    if (payload->encoder)
        encoder_clear(payload->encoder);
    free(payload->encoder);
    pr_buf_clear(&payload->text);
    pr_fold_clear(&payload->fold);
    *payload = (struct pr_payload){0};
}
