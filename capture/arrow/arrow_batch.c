/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/arrow_batch.h"

#include "capture/arrow/arrow_check.h"
#include "capture/base/little_endian.h"
#include "capture/input/layer.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the fields of each table, as Message.fbs lists them. */
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_VARIADIC };
enum { CODEC_NONE = -1, CODEC_LZ4, CODEC_ZSTD };

/* Rows that no byte of the batch stands for, as a column of nothing has them: each costs time. */
#define MOST_FREE_ROWS UINT64_C(100000000)

struct reading {
    struct pr_arrow_batch *batch;
    const struct pr_arrow_parcel *parcel;
    struct pr_flat_vector nodes, buffers, variadic; /* each is used up in the order of the columns and their parts */
    uint32_t next_node, next_buffer, next_variadic;
    int codec;
    struct pr_error *err;
};

enum pr_status pr_arrow_refuse(const struct pr_arrow_field *field, struct pr_error *err, const char *what)
{
    char name[64];
    const uint32_t length = field->name.length < 60 ? field->name.length : 60;
    for (uint32_t i = 0; i < length; i++)
        name[i] = (unsigned char)field->name.bytes[i] < 32 || field->name.bytes[i] == 127 ? '?' : field->name.bytes[i];
    name[length] = '\0';
    return pr_fail(err, PR_ERR_DAMAGED, PR_NO_OFFSET, "Arrow batch", "a batch of rows is damaged: column '%s' %s", name,
                   what);
}

struct pr_arrow_dictionary *pr_arrow_dictionary_of(const struct pr_arrow_dictionaries *dictionaries, int64_t id)
{
    size_t low = 0, high = dictionaries->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (dictionaries->list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < dictionaries->count && dictionaries->list[low].id == id ? &dictionaries->list[low] : NULL;
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

/* The LENGTH bytes that PACKED is packed from. */
static uint8_t *unpack(struct reading *reading, const struct pr_arrow_field *field, struct pr_arrow_bytes packed,
                       uint64_t length)
{
    struct pr_source view = {.at = packed.at,
                             .end = packed.at + packed.size,
                             .end_offset = packed.size,
                             .at_eof = true,
                             .name = "Arrow buffer",
                             .budget = reading->parcel->budget};
    struct pr_source *src = reading->codec == CODEC_LZ4 ? pr_lz4_source_new(&view) : pr_zstd_source_new(&view);
    uint8_t *bytes = NULL;
    size_t used = 0, room = 0;
    if (!src) {
        pr_fail_memory(reading->err);
        return NULL;
    }
    src->budget = view.budget;
    while (used < length && pr_source_need(src, 1)) {
        size_t count = (size_t)(src->end - src->at);
        count = count < length - used ? count : (size_t)(length - used);
        if (used + count > room) { /* it grows by what is really there, not by what a header claims */
            room = used + count + (used + count < length ? used : 0);
            uint8_t *larger = realloc(bytes, room);
            if (!larger) {
                pr_fail_memory(reading->err);
                break;
            }
            bytes = larger;
        }
        memcpy(bytes + used, src->at, count);
        pr_source_skip(src, count);
        used += count;
    }
    if (used < length && src->error.code != PR_ERR_NONE && reading->err && reading->err->code == PR_ERR_NONE)
        *reading->err = src->error;
    if (used < length)
        pr_arrow_refuse(field, reading->err, "has a buffer that unpacks to less than it says");
    src->class->close(src); /* that below is no source of its own */
    if (used == length)
        return bytes;
    free(bytes);
    return NULL;
}

/* Unpacks *BYTES, which begins with its length; -1: it is not packed. */
static bool unpack_buffer(struct reading *reading, const struct pr_arrow_field *field, struct pr_arrow_bytes *bytes)
{
    if (bytes->size < 8)
        return pr_arrow_refuse(field, reading->err, "has a packed buffer without its length") == PR_OK;
    const uint64_t length = pr_le64(bytes->at);
    const struct pr_arrow_bytes packed = {bytes->at + 8, bytes->size - 8};
    *bytes = packed;
    if (length == UINT64_MAX)
        return true;
    bytes->size = length;
    if (!length)
        return true;
    if (length > SIZE_MAX / 2)
        return pr_arrow_refuse(field, reading->err, "has a buffer of a size that cannot be") == PR_OK;
    uint8_t *unpacked = unpack(reading, field, packed, length);
    bytes->at = unpacked;
    if (!unpacked)
        return false;
    return pr_arena_take(&reading->batch->arena, unpacked) || pr_fail_memory(reading->err) == PR_OK;
}

/* The next buffer, unpacked. */
static bool next_buffer(struct reading *reading, const struct pr_arrow_field *field, struct pr_arrow_bytes *bytes)
{
    const struct pr_arrow_bytes body = reading->parcel->body;
    if (reading->next_buffer >= reading->buffers.count)
        return pr_arrow_refuse(field, reading->err, "lacks a buffer") == PR_OK;
    const uint8_t *entry = reading->buffers.flat->bytes + reading->buffers.at + 16 * reading->next_buffer++;
    const uint64_t offset = pr_le64(entry), size = pr_le64(entry + 8);
    if (offset > body.size || size > body.size - offset)
        return pr_arrow_refuse(field, reading->err, "has a buffer beyond the end of the batch") == PR_OK;
    *bytes = (struct pr_arrow_bytes){body.at + offset, size};
    if (size && reading->codec != CODEC_NONE && !unpack_buffer(reading, field, bytes))
        return false;
    reading->batch->bytes += bytes->size;
    return true;
}

/* The next buffer, which must have NEED bytes. */
static bool buffer_of(struct reading *reading, const struct pr_arrow_array *array, uint64_t need, const uint8_t **at,
                      uint64_t *size)
{
    struct pr_arrow_bytes bytes;
    if (!next_buffer(reading, array->field, &bytes))
        return false;
    if (bytes.size < need)
        return pr_arrow_refuse(array->field, reading->err, "has a buffer that is too short for its rows") == PR_OK;
    *at = bytes.at;
    if (size)
        *size = bytes.size;
    return true;
}

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

static uint64_t count_bits(const uint8_t *bits, uint64_t count)
{
    uint64_t sum = 0, i = 0;
    for (; i + 64 <= count; i += 64)
        sum += (uint64_t)__builtin_popcountll(pr_le64(bits + i / 8));
    for (; i < count; i++)
        sum += pr_arrow_bit(bits, i);
    return sum;
}

static bool read_validity(struct reading *reading, struct pr_arrow_array *array)
{
    struct pr_arrow_bytes bits;
    if (!next_buffer(reading, array->field, &bits))
        return false;
    if (!array->missing)
        return true;
    if (bits.size < array->length / 8 + (array->length % 8 != 0))
        return pr_arrow_refuse(array->field, reading->err, "lacks the bits that say which values are missing") == PR_OK;
    array->validity = bits.at;
    if (array->length - count_bits(bits.at, array->length) != array->missing)
        return pr_arrow_refuse(array->field, reading->err, "has another number of missing values than it says") ==
               PR_OK;
    return true;
}

static bool read_node(struct reading *reading, struct pr_arrow_array *array)
{
    if (reading->next_node >= reading->nodes.count)
        return pr_arrow_refuse(array->field, reading->err, "is not in the batch") == PR_OK;
    const uint8_t *node = reading->nodes.flat->bytes + reading->nodes.at + 16 * reading->next_node++;
    array->length = pr_le64(node);
    array->missing = pr_le64(node + 8);
    if (array->length > INT64_MAX || array->missing > array->length)
        return pr_arrow_refuse(array->field, reading->err, "has a number of rows that cannot be") == PR_OK;
    return true;
}

static bool read_parts(struct reading *reading, struct pr_arrow_array *array)
{
    if (reading->next_variadic >= reading->variadic.count)
        return pr_arrow_refuse(array->field, reading->err, "lacks the number of its buffers") == PR_OK;
    const uint64_t count =
        pr_le64(reading->variadic.flat->bytes + reading->variadic.at + 8 * reading->next_variadic++);
    if (count > reading->buffers.count - reading->next_buffer)
        return pr_arrow_refuse(array->field, reading->err, "lacks a buffer") == PR_OK;
    struct pr_arrow_bytes *parts = pr_arena_array(&reading->batch->arena, (size_t)count, sizeof *parts);
    if (!parts)
        return pr_fail_memory(reading->err) == PR_OK;
    for (uint64_t i = 0; i < count; i++)
        if (!next_buffer(reading, array->field, &parts[i]))
            return false;
    array->parts = parts;
    array->part_count = (uint32_t)count;
    return true;
}

/* Buffers after those with values. */
static bool read_more(struct reading *reading, struct pr_arrow_array *array)
{
    const struct pr_arrow_field *field = array->field;
    if (array->is_index)
        return true;
    if (field->kind == PR_ARROW_BYTES && field->is_view)
        return read_parts(reading, array);
    if (field->kind == PR_ARROW_BYTES)
        return buffer_of(reading, array, 0, &array->more, &array->more_size);
    if (field->kind == PR_ARROW_LIST && field->is_view)
        return buffer_of(reading, array, pr_arrow_data_bytes(array), &array->more, NULL);
    if (field->kind == PR_ARROW_UNION && field->is_dense)
        return buffer_of(reading, array, array->length > UINT64_MAX / 4 ? UINT64_MAX : array->length * 4, &array->more,
                         NULL);
    return true;
}

static bool has_data(const struct pr_arrow_array *array)
{
    const enum pr_arrow_kind kind = array->field->kind;
    return array->is_index || (kind != PR_ARROW_FIXED_LIST && kind != PR_ARROW_STRUCT);
}

static bool read_array(struct reading *reading, const struct pr_arrow_field *field, bool as_values,
                       struct pr_arrow_array *array);

static bool read_children(struct reading *reading, struct pr_arrow_array *array)
{
    const struct pr_arrow_field *field = array->field;
    array->children = pr_arena_array(&reading->batch->arena, field->child_count, sizeof *array->children);
    if (!array->children)
        return pr_fail_memory(reading->err) == PR_OK;
    for (uint32_t i = 0; i < field->child_count; i++)
        if (!read_array(reading, &field->children[i], false, &array->children[i]))
            return false;
    return true;
}

static bool read_buffers(struct reading *reading, struct pr_arrow_array *array)
{
    const enum pr_arrow_kind kind = array->is_index ? PR_ARROW_INTEGER : array->field->kind;
    const bool has_validity = kind != PR_ARROW_UNION || reading->parcel->is_version_4;
    if (kind == PR_ARROW_NULL || kind == PR_ARROW_RUNS)
        return true;
    if (has_validity && !read_validity(reading, array))
        return false;
    if (has_data(array) && !buffer_of(reading, array, pr_arrow_data_bytes(array), &array->data, NULL))
        return false;
    return read_more(reading, array);
}

/* The part of FIELD that is next in the batch. AS_VALUES: those of its dictionary. The depth is that of the schema. */
static bool read_array(struct reading *reading, const struct pr_arrow_field *field, bool as_values,
                       struct pr_arrow_array *array)
{
    array->field = field;
    array->is_index = field->has_dictionary && !as_values;
    if (!read_node(reading, array) || !read_buffers(reading, array))
        return false;
    if (array->is_index) {
        array->dictionary = pr_arrow_dictionary_of(reading->parcel->dictionaries, field->dictionary_id);
        if (!array->dictionary)
            return pr_arrow_refuse(field, reading->err, "has no dictionary") == PR_OK;
    } else if (!read_children(reading, array)) {
        return false;
    }
    const char *wrong = pr_arrow_what_is_wrong(array);
    return !wrong || pr_arrow_refuse(field, reading->err, wrong) == PR_OK;
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

static bool read_codec(struct reading *reading)
{
    const struct pr_flat_table compression = pr_flat_child(reading->parcel->table, BATCH_COMPRESSION);
    reading->codec = CODEC_NONE;
    if (!pr_flat_is_there(compression))
        return true;
    reading->codec = (int)pr_flat_number(compression, 0, 1, CODEC_LZ4);
    if ((reading->codec == CODEC_LZ4 || reading->codec == CODEC_ZSTD) && pr_flat_number(compression, 1, 1, 0) == 0)
        return true;
    pr_fail(reading->err, PR_ERR_UNSUPPORTED, PR_NO_OFFSET, "Arrow batch",
            "a batch of rows is packed in a way that Arrow 1.5 does not have");
    return false;
}

static bool read_columns(struct reading *reading)
{
    const struct pr_arrow_parcel *parcel = reading->parcel;
    struct pr_arrow_batch *batch = reading->batch;
    for (uint32_t i = 0; i < parcel->field_count; i++) {
        if (!read_array(reading, &parcel->fields[i], parcel->of_dictionary, &batch->columns[i]))
            return false;
        if (batch->columns[i].length != batch->rows)
            return pr_arrow_refuse(&parcel->fields[i], reading->err, "has another number of rows than the batch") ==
                   PR_OK;
    }
    if (batch->rows > MOST_FREE_ROWS && batch->rows / 8 > batch->bytes)
        return pr_fail(reading->err, PR_ERR_LIMIT, PR_NO_OFFSET, "Arrow batch",
                       "a batch says that it has %llu rows, in %llu bytes", (unsigned long long)batch->rows,
                       (unsigned long long)batch->bytes) == PR_OK;
    return true;
}

enum pr_status pr_arrow_batch_read(struct pr_arrow_batch *batch, const struct pr_arrow_parcel *parcel,
                                   struct pr_error *err)
{
    struct reading reading = {.batch = batch,
                              .parcel = parcel,
                              .nodes = pr_flat_vector(parcel->table, BATCH_NODES, 16),
                              .buffers = pr_flat_vector(parcel->table, BATCH_BUFFERS, 16),
                              .variadic = pr_flat_vector(parcel->table, BATCH_VARIADIC, 8),
                              .err = err};
    const int64_t rows = pr_flat_number(parcel->table, BATCH_LENGTH, 8, 0);
    if (!read_codec(&reading))
        return PR_FAILED;
    if (rows < 0 || !parcel->table.flat || parcel->table.flat->is_broken)
        return pr_fail(err, PR_ERR_DAMAGED, PR_NO_OFFSET, "Arrow batch",
                       "a batch of rows is damaged: its header points out of itself");
    batch->rows = (uint64_t)rows;
    batch->columns = pr_arena_array(&batch->arena, parcel->field_count, sizeof *batch->columns);
    if (!batch->columns)
        return pr_fail_memory(err);
    return read_columns(&reading) ? PR_OK : PR_FAILED;
}

void pr_arrow_batch_clear(struct pr_arrow_batch *batch)
{
    pr_arena_clear(&batch->arena);
    *batch = (struct pr_arrow_batch){0};
}
