/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/arrow_stream.h"

#include "capture/base/checked.h"
#include "capture/base/little_endian.h"
#include "capture/base/sort.h"

#include <inttypes.h>
#include <string.h>

/* Numbers of fields and of the union MessageHeader, as Message.fbs and File.fbs list them. */
enum { MESSAGE_VERSION, MESSAGE_TYPE, MESSAGE_HEADER, MESSAGE_BODY };
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY, HEADER_BATCH };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_IS_DELTA };
enum { FOOTER_BATCHES = 3, BLOCK_BYTES = 24 };
enum { VERSION_4 = 3, VERSION_5 = 4 };

enum { MARK_BYTES = 6, FILE_HEAD_BYTES = 8, MOST_HEADER = 1 << 26, FIRST_ROOM = 1 << 20 };
#define CONTINUES UINT32_C(0xFFFFFFFF)
static const char mark[] = "ARROW1";

struct message {
    struct pr_flat flat;
    struct pr_flat_table table;
    int64_t type, body_bytes;
    uint64_t at;
};

bool pr_arrow_is_file(const struct pr_source *src)
{
    return src->end - src->at >= FILE_HEAD_BYTES && memcmp(src->at, mark, MARK_BYTES) == 0;
}

bool pr_arrow_is_stream(const struct pr_source *src)
{
    return src->end - src->at >= 8 && pr_le32(src->at) == CONTINUES;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static enum pr_status is_cut(const struct pr_arrow_stream *stream, struct pr_error *err, const char *what)
{
    if (stream->src->error.code != PR_ERR_NONE && err && err->code == PR_ERR_NONE)
        *err = stream->src->error;
    return pr_cut(err, PR_ERR_TRUNCATED, pr_source_offset(stream->src), "Arrow message",
                  "the Arrow data ends in %s, after %" PRIu64 " batch%s of rows", what, stream->batches,
                  stream->batches == 1 ? "" : "es");
}

/* Whether the SIZE bytes at BYTES are a message of that type, and which version of the format it has. */
static bool is_message(const uint8_t *bytes, size_t size, int64_t first_type, int64_t last_type)
{
    struct pr_flat flat = {bytes, size < MOST_HEADER ? (uint32_t)size : MOST_HEADER, false};
    const struct pr_flat_table table = pr_flat_root(&flat);
    const int64_t type = pr_flat_number(table, MESSAGE_TYPE, 1, 0);
    const int64_t version = pr_flat_number(table, MESSAGE_VERSION, 2, 0);
    return type >= first_type && type <= last_type && (version == VERSION_4 || version == VERSION_5) && !flat.is_broken;
}

/* Whether the COUNT bytes at AT begin with a message of rows, or with the end of all messages. */
static bool begins_message(const uint8_t *at, size_t count)
{
    if (count < 8 || pr_le32(at) != CONTINUES)
        return false;
    const uint32_t size = pr_le32(at + 4);
    return !size || (size <= count - 8 && is_message(at + 8, size, HEADER_DICTIONARY, HEADER_BATCH));
}

/*
 * Files of polars (2.1) begin with a schema that has no size in front of it, as whoever can seek reads the one at the
 * end. It reaches up to the next message.
 */
static bool find_bare_schema(struct pr_source *src, uint32_t *size)
{
    if (pr_le32(src->at) == CONTINUES)
        return false;
    for (size_t want = 1 << 16; want <= PR_SOURCE_MAX_WINDOW; want *= 4) {
        pr_source_need(src, want);
        const size_t have = (size_t)(src->end - src->at);
        if (have > 8 && is_message(src->at + 4, have - 4, HEADER_SCHEMA, HEADER_SCHEMA))
            return false; /* as before version 0.15 */
        if (!is_message(src->at, have, HEADER_SCHEMA, HEADER_SCHEMA))
            continue;
        for (size_t at = 8; at < have; at += 8)
            if (begins_message(src->at + at, have - at)) {
                *size = (uint32_t)at;
                return true;
            }
    }
    return false;
}

/*
 * The size of the next message's header. PR_END: there is none. Before version 0.15, Arrow wrote no mark in front of
 * the size.
 */
static enum pr_status read_size(struct pr_arrow_stream *stream, uint32_t *size, struct pr_error *err)
{
    struct pr_source *src = stream->src;
    if (!pr_source_need(src, 4)) {
        if (src->at == src->end && !stream->is_file && src->error.code == PR_ERR_NONE)
            return PR_END;
        return is_cut(stream, err, stream->is_file ? "its batches: the end of the file is missing" : "a message");
    }
    *size = pr_le32(src->at);
    pr_source_skip(src, 4);
    if (*size == CONTINUES) {
        if (!pr_source_need(src, 4))
            return is_cut(stream, err, "a message");
        *size = pr_le32(src->at);
        pr_source_skip(src, 4);
    }
    return *size ? PR_OK : PR_END;
}

static enum pr_status read_message(struct pr_arrow_stream *stream, struct message *message, struct pr_error *err)
{
    struct pr_source *src = stream->src;
    uint32_t size = 0;
    message->at = pr_source_offset(src);
    const bool is_first_of_file = stream->is_file && !stream->schema.fields && pr_source_need(src, 8);
    const enum pr_status status =
        is_first_of_file && find_bare_schema(src, &size) ? PR_OK : read_size(stream, &size, err);
    if (status != PR_OK)
        return status;
    if (size > MOST_HEADER)
        return pr_cut(err, PR_ERR_LIMIT, message->at, "Arrow message",
                      "the Arrow message at byte %" PRIu64 " says that its header has %" PRIu32 " bytes", message->at,
                      size);
    if (!pr_source_need(src, size))
        return is_cut(stream, err, "the header of a message");
    if (!pr_grow(&stream->header, &stream->header_room, size, 1))
        return pr_fail_memory(err);
    memcpy(stream->header, src->at, size);
    pr_source_skip(src, size);
    message->flat = (struct pr_flat){stream->header, size, false};
    message->table = pr_flat_root(&message->flat);
    message->type = pr_flat_number(message->table, MESSAGE_TYPE, 1, 0);
    message->body_bytes = pr_flat_number(message->table, MESSAGE_BODY, 8, 0);
    const int64_t version = pr_flat_number(message->table, MESSAGE_VERSION, 2, 0);
    if (message->flat.is_broken || message->body_bytes < 0)
        return pr_cut(err, PR_ERR_DAMAGED, message->at, "Arrow message",
                      "the Arrow message at byte %" PRIu64 " is damaged", message->at);
    if (version != VERSION_4 && version != VERSION_5)
        return pr_cut(err, PR_ERR_UNSUPPORTED, message->at, "Arrow message",
                      "the Arrow message at byte %" PRIu64 " has version %d of the format; 4 and 5 are read",
                      message->at, (int)version + 1);
    stream->is_version_4 = version == VERSION_4;
    return PR_OK;
}

/* The body of MESSAGE, taken by ARENA. */
static enum pr_status read_body(struct pr_arrow_stream *stream, const struct message *message, struct pr_arena *arena,
                                struct pr_arrow_bytes *body, struct pr_error *err)
{
    static const uint8_t nothing[1];
    struct pr_source *src = stream->src;
    const uint64_t length = (uint64_t)message->body_bytes;
    uint8_t *bytes = NULL;
    size_t used = 0, room = 0;
    *body = (struct pr_arrow_bytes){nothing, 0};
    if (length > SIZE_MAX / 2)
        return pr_cut(err, PR_ERR_LIMIT, message->at, "Arrow message",
                      "the batch of rows at byte %" PRIu64 " says that it has %" PRIu64 " bytes", message->at, length);
    while (used < length && pr_source_need(src, 1)) {
        size_t count = (size_t)(src->end - src->at);
        count = count < length - used ? count : (size_t)(length - used);
        if (used + count > room) {
            room = used + count > FIRST_ROOM / 2 ? 2 * (used + count) : FIRST_ROOM;
            room = room < length ? room : (size_t)length;
            uint8_t *larger = realloc(bytes, room);
            if (!larger) {
                free(bytes);
                return pr_fail_memory(err);
            }
            bytes = larger;
        }
        memcpy(bytes + used, src->at, count);
        pr_source_skip(src, count);
        used += count;
    }
    if (!pr_arena_take(arena, bytes))
        return pr_fail_memory(err);
    if (used < length)
        return is_cut(stream, err, "a batch of rows");
    if (bytes)
        *body = (struct pr_arrow_bytes){bytes, length};
    return PR_OK;
}

/* ---- dictionaries ----------------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct pr_arrow_dictionary *)a)->id, ((const struct pr_arrow_dictionary *)b)->id);
}

static void list_dictionaries(struct pr_arrow_stream *stream, const struct pr_arrow_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].has_dictionary)
            stream->dictionaries.list[stream->dictionaries.count++] =
                (struct pr_arrow_dictionary){.id = fields[i].dictionary_id, .field = &fields[i]};
        list_dictionaries(stream, fields[i].children, fields[i].child_count);
    }
}

static bool is_same_type(const struct pr_arrow_field *a, const struct pr_arrow_field *b)
{
    return a->kind == b->kind && a->bits == b->bits && a->unit == b->unit && a->scale == b->scale &&
           a->is_text == b->is_text && a->is_signed == b->is_signed && a->child_count == b->child_count;
}

/* One for each id; columns that share it must agree on what it holds. */
static enum pr_status find_dictionaries(struct pr_arrow_stream *stream, struct pr_error *err)
{
    struct pr_arrow_dictionaries *found = &stream->dictionaries;
    const struct pr_arrow_schema *schema = &stream->schema;
    size_t kept = 0;
    found->list = calloc(schema->all ? schema->all : 1, sizeof *found->list);
    if (!found->list)
        return pr_fail_memory(err);
    list_dictionaries(stream, schema->fields, schema->field_count);
    if (!pr_sort(found->list, found->count, sizeof *found->list, by_id, NULL))
        return pr_fail_memory(err);
    for (size_t i = 0; i < found->count; i++) {
        if (!kept || found->list[kept - 1].id != found->list[i].id)
            found->list[kept++] = found->list[i];
        else if (!is_same_type(found->list[kept - 1].field, found->list[i].field))
            return pr_arrow_refuse(found->list[i].field, err, "shares its dictionary with one of another type");
    }
    found->count = kept;
    return PR_OK;
}

static void forget(struct pr_arrow_dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->count; i++)
        pr_arena_clear(&dictionary->parts[i].arena);
    dictionary->count = 0;
    dictionary->length = 0;
}

/* BATCH is emptied: its memory is the dictionary's. */
static bool add_part(struct pr_arrow_dictionary *dictionary, struct pr_arrow_batch *batch)
{
    if (!pr_grow(&dictionary->parts, &dictionary->capacity, dictionary->count + 1, sizeof *dictionary->parts))
        return false;
    dictionary->parts[dictionary->count++] =
        (struct pr_arrow_part){.arena = batch->arena, .values = batch->columns[0], .first = dictionary->length};
    dictionary->length += batch->rows;
    *batch = (struct pr_arrow_batch){0};
    return true;
}

/* Reads TABLE, whose body is in the arena of the stream's batch. */
static enum pr_status read_rows(struct pr_arrow_stream *stream, struct pr_flat_table table, struct pr_arrow_bytes body,
                                const struct pr_arrow_dictionary *dictionary, struct pr_error *err)
{
    const struct pr_arrow_parcel parcel = {.table = table,
                                           .body = body,
                                           .fields = dictionary ? dictionary->field : stream->schema.fields,
                                           .field_count = dictionary ? 1 : stream->schema.field_count,
                                           .of_dictionary = dictionary != NULL,
                                           .is_version_4 = stream->is_version_4,
                                           .dictionaries = &stream->dictionaries,
                                           .budget = stream->src->budget};
    if (pr_arrow_batch_read(&stream->batch, &parcel, err) == PR_OK)
        return PR_OK;
    return err && err->code == PR_ERR_MEMORY ? PR_FAILED : PR_CUT;
}

static enum pr_status read_dictionary(struct pr_arrow_stream *stream, const struct message *message,
                                      struct pr_error *err)
{
    const struct pr_flat_table header = pr_flat_child(message->table, MESSAGE_HEADER);
    const int64_t id = pr_flat_number(header, DICTIONARY_ID, 8, 0);
    struct pr_arrow_dictionary *dictionary = pr_arrow_dictionary_of(&stream->dictionaries, id);
    if (!dictionary)
        return pr_cut(err, PR_ERR_DAMAGED, message->at, "Arrow message",
                      "the Arrow message at byte %" PRIu64 " is a dictionary that no column has", message->at);
    struct pr_arrow_bytes body;
    enum pr_status status = read_body(stream, message, &stream->batch.arena, &body, err);
    if (status == PR_OK)
        status = read_rows(stream, pr_flat_child(header, DICTIONARY_DATA), body, dictionary, err);
    if (status != PR_OK)
        return status;
    if (!pr_flat_number(header, DICTIONARY_IS_DELTA, 1, 0))
        forget(dictionary);
    if (dictionary->length + stream->batch.rows > INT64_MAX) {
        pr_arrow_refuse(dictionary->field, err, "has a dictionary of a size that cannot be");
        return PR_CUT;
    }
    return add_part(dictionary, &stream->batch) ? PR_OK : pr_fail_memory(err);
}

/* ---- streams ---------------------------------------------------------------------------------------------------- */

/* After the batches of a file: the list of them, its size, and the mark. */
static enum pr_status read_footer(struct pr_arrow_stream *stream, struct pr_error *err)
{
    struct pr_source *src = stream->src;
    pr_source_need(src, PR_SOURCE_MAX_WINDOW);
    const size_t rest = (size_t)(src->end - src->at);
    const uint32_t tail = 4 + MARK_BYTES;
    if (rest < tail || memcmp(src->end - MARK_BYTES, mark, MARK_BYTES) != 0)
        return is_cut(stream, err, "the list of its batches");
    const uint32_t size = pr_le32(src->end - tail);
    if (size > rest - tail)
        return pr_cut(err, PR_ERR_DAMAGED, pr_source_offset(src), "Arrow footer",
                      "the list of batches at the end of the Arrow file is damaged");
    struct pr_flat flat = {src->end - tail - size, size, false};
    const uint32_t count = pr_flat_vector(pr_flat_root(&flat), FOOTER_BATCHES, BLOCK_BYTES).count;
    pr_source_skip(src, rest);
    if (flat.is_broken || count != stream->batches)
        return pr_cut(err, PR_ERR_DAMAGED, pr_source_offset(src), "Arrow footer",
                      "the list at the end of the Arrow file has %" PRIu32 " batches of rows, and there are %" PRIu64,
                      count, stream->batches);
    return PR_END;
}

enum pr_status pr_arrow_open(struct pr_arrow_stream *stream, struct pr_source *src, struct pr_error *err)
{
    struct message message;
    *stream = (struct pr_arrow_stream){.src = src};
    stream->is_file = pr_arrow_is_file(src);
    if (stream->is_file)
        pr_source_skip(src, FILE_HEAD_BYTES);
    const enum pr_status status = read_message(stream, &message, err);
    if (status == PR_END)
        return pr_fail(err, PR_ERR_TRUNCATED, PR_NO_OFFSET, NULL, "is Arrow data without a schema");
    if (status != PR_OK)
        return PR_FAILED;
    if (message.type != HEADER_SCHEMA)
        return pr_fail(err, PR_ERR_DAMAGED, message.at, "Arrow message",
                       "is Arrow data that does not begin with a schema");
    if (pr_arrow_schema_read(&stream->schema, pr_flat_child(message.table, MESSAGE_HEADER), err) != PR_OK)
        return PR_FAILED;
    return find_dictionaries(stream, err);
}

static bool lacks_dictionary(const struct pr_arrow_stream *stream)
{
    for (size_t i = 0; i < stream->dictionaries.count; i++)
        if (!stream->dictionaries.list[i].count)
            return true;
    return false;
}

static enum pr_status hold(struct pr_arrow_stream *stream, const struct message *message, struct pr_error *err)
{
    struct pr_arrow_held held = {.flat = message->flat};
    held.flat.bytes = (const uint8_t *)pr_arena_copy(&held.arena, message->flat.bytes, message->flat.size);
    enum pr_status status = held.flat.bytes ? read_body(stream, message, &held.arena, &held.body, err)
                                            : pr_fail_memory(err);
    if (status == PR_OK &&
        !pr_grow(&stream->held, &stream->held_capacity, stream->held_count + 1, sizeof *stream->held))
        status = pr_fail_memory(err);
    if (status == PR_OK)
        stream->held[stream->held_count++] = held;
    else
        pr_arena_clear(&held.arena);
    return status;
}

static enum pr_status next_held(struct pr_arrow_stream *stream, struct pr_error *err)
{
    struct pr_arrow_held *held = &stream->held[stream->held_done++];
    const struct pr_flat_table message = pr_flat_root(&held->flat);
    stream->batch.arena = held->arena;
    held->arena = (struct pr_arena){0};
    return read_rows(stream, pr_flat_child(message, MESSAGE_HEADER), held->body, NULL, err);
}

/* Reads the next message. PR_SKIPPED: it was none with rows to give out now. */
static enum pr_status next_message(struct pr_arrow_stream *stream, struct pr_error *err)
{
    struct message message;
    struct pr_arrow_bytes body;
    enum pr_status status = read_message(stream, &message, err);
    if (status != PR_OK)
        return status;
    if (message.type == HEADER_DICTIONARY) {
        status = read_dictionary(stream, &message, err);
        return status == PR_OK ? PR_SKIPPED : status;
    }
    if (message.type != HEADER_BATCH)
        return pr_cut(err, PR_ERR_UNSUPPORTED, message.at, "Arrow message",
                      "the Arrow message at byte %" PRIu64 " has no rows of a table", message.at);
    const bool holds = stream->is_file && (stream->held_count || lacks_dictionary(stream));
    if (holds)
        status = hold(stream, &message, err);
    else if ((status = read_body(stream, &message, &stream->batch.arena, &body, err)) == PR_OK)
        status = read_rows(stream, pr_flat_child(message.table, MESSAGE_HEADER), body, NULL, err);
    stream->batches += status == PR_OK;
    return status == PR_OK && holds ? PR_SKIPPED : status;
}

enum pr_status pr_arrow_next(struct pr_arrow_stream *stream, struct pr_error *err)
{
    enum pr_status status = PR_SKIPPED;
    while (status == PR_SKIPPED && !stream->is_ended) {
        pr_arrow_batch_clear(&stream->batch);
        status = next_message(stream, err);
        stream->is_ended = status == PR_END;
    }
    if (!stream->is_ended)
        return status;
    pr_arrow_batch_clear(&stream->batch);
    if (stream->held_done < stream->held_count)
        return next_held(stream, err);
    return stream->is_file ? read_footer(stream, err) : PR_END;
}

void pr_arrow_close(struct pr_arrow_stream *stream)
{
    pr_arrow_batch_clear(&stream->batch);
    for (size_t i = 0; i < stream->dictionaries.count; i++) {
        forget(&stream->dictionaries.list[i]);
        free(stream->dictionaries.list[i].parts);
    }
    free(stream->dictionaries.list);
    for (size_t i = stream->held_done; i < stream->held_count; i++)
        pr_arena_clear(&stream->held[i].arena);
    free(stream->held);
    pr_arrow_schema_clear(&stream->schema);
    free(stream->header);
}
