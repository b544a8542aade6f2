/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/arrow_schema.h"

#include "capture/base/little_endian.h"

#include <string.h>

/* Numbers of the fields of each table, and of the union Type, as the .fbs files list them. */
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS };
enum {
    FIELD_NAME,
    FIELD_TYPE_TYPE = 2,
    FIELD_TYPE,
    FIELD_DICTIONARY,
    FIELD_CHILDREN,
    FIELD_METADATA
};
enum { DICTIONARY_ID, DICTIONARY_INDEX, DICTIONARY_KIND = 3 };
enum {
    TYPE_NULL = 1,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_BINARY,
    TYPE_UTF8,
    TYPE_BOOL,
    TYPE_DECIMAL,
    TYPE_DATE,
    TYPE_TIME,
    TYPE_TIMESTAMP,
    TYPE_INTERVAL,
    TYPE_LIST,
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_FIXED_BINARY,
    TYPE_FIXED_LIST,
    TYPE_MAP,
    TYPE_DURATION,
    TYPE_LARGE_BINARY,
    TYPE_LARGE_UTF8,
    TYPE_LARGE_LIST,
    TYPE_RUNS,
    TYPE_BINARY_VIEW,
    TYPE_UTF8_VIEW,
    TYPE_LIST_VIEW,
    TYPE_LARGE_LIST_VIEW
};

struct reading {
    struct pr_arrow_schema *schema;
    struct pr_error *err;
};

static bool refuse(struct reading *reading, const struct pr_arrow_field *field, const char *what)
{
    char name[48];
    const uint32_t length = field->name.length < sizeof name ? field->name.length : (uint32_t)sizeof name - 1;
    memcpy(name, field->name.bytes, length);
    name[length] = '\0';
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    pr_fail(reading->err, PR_ERR_DAMAGED, PR_NO_OFFSET, "Arrow schema", "its Arrow schema is damaged: column '%s' %s",
            name, what);
    return false;
}

static bool read_integer(struct pr_flat_table type, uint16_t *bits, bool *is_signed)
{
    const int64_t width = pr_flat_number(type, 0, 4, 0);
    *bits = (uint16_t)width;
    *is_signed = pr_flat_number(type, 1, 1, 0) != 0;
    return width == 8 || width == 16 || width == 32 || width == 64;
}

static bool read_decimal(struct pr_flat_table type, struct pr_arrow_field *field)
{
    const int64_t precision = pr_flat_number(type, 0, 4, 0), scale = pr_flat_number(type, 1, 4, 0);
    const int64_t bits = pr_flat_number(type, 2, 4, 128);
    if ((bits != 32 && bits != 64 && bits != 128 && bits != 256) || precision < 1 || precision > 76 || scale < -76 ||
        scale > 76)
        return false;
    field->bits = (uint16_t)bits;
    field->precision = (int32_t)precision;
    field->scale = (int32_t)scale;
    return true;
}

/* polars' Int128, which Arrow has no type for: laid out as a decimal without places. */
static bool is_longest_integer(struct pr_flat_table type, struct pr_arrow_field *field)
{
    enum { BITS = 128, DIGITS = 39 };
    field->kind = PR_ARROW_DECIMAL;
    field->bits = BITS;
    field->precision = DIGITS;
    return pr_flat_number(type, 0, 4, 0) == BITS && field->is_signed;
}

static bool read_unit(struct pr_flat_table type, struct pr_arrow_field *field, int64_t fallback, int most)
{
    const int64_t unit = pr_flat_number(type, 0, 2, fallback);
    field->unit = (int)unit;
    return unit >= 0 && unit <= most;
}

static bool read_time(struct pr_flat_table type, struct pr_arrow_field *field)
{
    const int64_t bits = pr_flat_number(type, 1, 4, 32);
    field->bits = (uint16_t)bits;
    return read_unit(type, field, PR_ARROW_MILLISECONDS, PR_ARROW_NANOSECONDS) && (bits == 32 || bits == 64);
}

static bool read_interval(struct pr_flat_table type, struct pr_arrow_field *field)
{
    static const uint16_t bits[] = {32, 64, 128};
    if (!read_unit(type, field, PR_ARROW_MONTHS, PR_ARROW_MONTHS_DAYS_NS))
        return false;
    field->bits = bits[field->unit];
    return true;
}

static bool read_size(struct pr_flat_table type, struct pr_arrow_field *field)
{
    field->size = (int32_t)pr_flat_number(type, 0, 4, 0);
    return field->size >= 0;
}

/* Without a list of ids, they are the numbers of the children. */
static bool read_union(struct reading *reading, struct pr_flat_table type, struct pr_arrow_field *field)
{
    int8_t *members = pr_arena_alloc(&reading->schema->arena, 128);
    const struct pr_flat_vector ids = pr_flat_vector(type, 1, 4);
    if (!members)
        return pr_fail_memory(reading->err) == PR_OK;
    memset(members, -1, 128);
    field->members = members;
    field->is_dense = pr_flat_number(type, 0, 2, 0) == 1;
    if (field->child_count > 127 || (ids.count && ids.count != field->child_count))
        return false;
    for (uint32_t i = 0; i < field->child_count; i++) {
        uint32_t id = i;
        if (ids.count)
            id = pr_le32(ids.flat->bytes + ids.at + 4 * i);
        if (id > 127)
            return false;
        members[id] = (int8_t)i;
    }
    return true;
}

static bool read_bytes(struct pr_arrow_field *field, bool is_text, bool is_large, bool is_view)
{
    field->kind = PR_ARROW_BYTES;
    field->is_text = is_text;
    field->is_large = is_large;
    field->is_view = is_view;
    return true;
}

static bool read_list(struct pr_arrow_field *field, bool is_large, bool is_view)
{
    field->kind = PR_ARROW_LIST;
    field->is_large = is_large;
    field->is_view = is_view;
    return field->child_count == 1;
}

/* The kind of TYPE, where it has nothing but a size and a unit. False: it is not one of these, or damaged. */
static bool read_plain(struct pr_flat_table type, int64_t number, struct pr_arrow_field *field)
{
    switch (number) {
    case TYPE_NULL:
        field->kind = PR_ARROW_NULL;
        return true;
    case TYPE_BOOL:
        field->kind = PR_ARROW_BOOLEAN;
        return true;
    case TYPE_INT:
        field->kind = PR_ARROW_INTEGER;
        return read_integer(type, &field->bits, &field->is_signed) || is_longest_integer(type, field);
    case TYPE_FLOAT:
        field->kind = PR_ARROW_REAL;
        if (!read_unit(type, field, 0, 2))
            return false;
        field->bits = (uint16_t)(16 << field->unit);
        return true;
    case TYPE_DECIMAL:
        field->kind = PR_ARROW_DECIMAL;
        return read_decimal(type, field);
    case TYPE_DATE:
        field->kind = PR_ARROW_DATE;
        if (!read_unit(type, field, 1, 1))
            return false;
        field->bits = field->unit ? 64 : 32;
        return true;
    case TYPE_TIME:
        field->kind = PR_ARROW_TIME;
        return read_time(type, field);
    case TYPE_TIMESTAMP:
        field->kind = PR_ARROW_MOMENT;
        field->bits = 64;
        field->has_zone = pr_flat_text(type, 1).length > 0;
        return read_unit(type, field, PR_ARROW_SECONDS, PR_ARROW_NANOSECONDS);
    case TYPE_DURATION:
        field->kind = PR_ARROW_DURATION;
        field->bits = 64;
        return read_unit(type, field, PR_ARROW_MILLISECONDS, PR_ARROW_NANOSECONDS);
    case TYPE_INTERVAL:
        field->kind = PR_ARROW_INTERVAL;
        return read_interval(type, field);
    default:
        field->kind = PR_ARROW_FIXED_BYTES;
        return number == TYPE_FIXED_BINARY && read_size(type, field);
    }
}

static bool read_type(struct reading *reading, struct pr_flat_table type, int64_t number, struct pr_arrow_field *field)
{
    switch (number) {
    case TYPE_BINARY:
    case TYPE_UTF8:
        return read_bytes(field, number == TYPE_UTF8, false, false);
    case TYPE_LARGE_BINARY:
    case TYPE_LARGE_UTF8:
        return read_bytes(field, number == TYPE_LARGE_UTF8, true, false);
    case TYPE_BINARY_VIEW:
    case TYPE_UTF8_VIEW:
        return read_bytes(field, number == TYPE_UTF8_VIEW, false, true);
    case TYPE_LIST:
    case TYPE_LARGE_LIST:
        return read_list(field, number == TYPE_LARGE_LIST, false);
    case TYPE_LIST_VIEW:
    case TYPE_LARGE_LIST_VIEW:
        return read_list(field, number == TYPE_LARGE_LIST_VIEW, true);
    case TYPE_MAP:
        field->is_map = true;
        return read_list(field, false, false) && field->children[0].kind == PR_ARROW_STRUCT &&
               field->children[0].child_count == 2;
    case TYPE_FIXED_LIST:
        field->kind = PR_ARROW_FIXED_LIST;
        return field->child_count == 1 && read_size(type, field);
    case TYPE_STRUCT:
        field->kind = PR_ARROW_STRUCT;
        return true;
    case TYPE_UNION:
        field->kind = PR_ARROW_UNION;
        return read_union(reading, type, field);
    case TYPE_RUNS:
        field->kind = PR_ARROW_RUNS;
        return field->child_count == 2 && field->children[0].kind == PR_ARROW_INTEGER &&
               field->children[0].is_signed && field->children[0].bits >= 16 && !field->children[0].has_dictionary;
    default:
        return read_plain(type, number, field);
    }
}

static bool read_dictionary(struct pr_flat_table table, struct pr_arrow_field *field)
{
    const struct pr_flat_table dictionary = pr_flat_child(table, FIELD_DICTIONARY);
    if (!pr_flat_is_there(dictionary))
        return true;
    const struct pr_flat_table index = pr_flat_child(dictionary, DICTIONARY_INDEX);
    field->has_dictionary = true;
    field->dictionary_id = pr_flat_number(dictionary, DICTIONARY_ID, 8, 0);
    field->index_bits = 32;
    field->index_is_signed = true;
    if (pr_flat_is_there(index) && !read_integer(index, &field->index_bits, &field->index_is_signed))
        return false;
    return pr_flat_number(dictionary, DICTIONARY_KIND, 2, 0) == 0;
}

/* Whether the extension type of the field, which is in its metadata, is `arrow.uuid`. */
static bool is_uuid(struct pr_flat_table table)
{
    const struct pr_flat_vector pairs = pr_flat_vector(table, FIELD_METADATA, 4);
    for (uint32_t i = 0; i < pairs.count && i < 64; i++) {
        const struct pr_flat_table pair = pr_flat_element(pairs, i);
        const struct pr_text key = pr_flat_text(pair, 0), value = pr_flat_text(pair, 1);
        if (key.length == 20 && memcmp(key.bytes, "ARROW:extension:name", 20) == 0)
            return value.length == 10 && memcmp(value.bytes, "arrow.uuid", 10) == 0;
    }
    return false;
}

static bool read_fields(struct reading *reading, struct pr_flat_vector vector, unsigned depth,
                        struct pr_arrow_field **fields, uint32_t *count);

static bool read_field(struct reading *reading, struct pr_flat_table table, unsigned depth,
                       struct pr_arrow_field *field)
{
    const struct pr_text name = pr_flat_text(table, FIELD_NAME);
    const int64_t number = pr_flat_number(table, FIELD_TYPE_TYPE, 1, 0);
    field->name = (struct pr_text){pr_arena_copy(&reading->schema->arena, name.bytes, name.length), name.length};
    if (!field->name.bytes)
        return pr_fail_memory(reading->err) == PR_OK;
    if (!read_fields(reading, pr_flat_vector(table, FIELD_CHILDREN, 4), depth + 1, &field->children,
                     &field->child_count))
        return false;
    if (number < TYPE_NULL || number > TYPE_LARGE_LIST_VIEW)
        return refuse(reading, field, "has a type that Arrow 1.5 does not have");
    if (!read_type(reading, pr_flat_child(table, FIELD_TYPE), number, field))
        return refuse(reading, field, "has a type that cannot be");
    if (!read_dictionary(table, field))
        return refuse(reading, field, "has a dictionary that cannot be");
    field->is_uuid = field->kind == PR_ARROW_FIXED_BYTES && field->size == 16 && is_uuid(table);
    return true;
}

static bool read_fields(struct reading *reading, struct pr_flat_vector vector, unsigned depth,
                        struct pr_arrow_field **fields, uint32_t *count)
{
    struct pr_arrow_schema *schema = reading->schema;
    if (depth > PR_ARROW_MOST_DEPTH || vector.count > PR_ARROW_MOST_FIELDS - schema->all) {
        pr_fail(reading->err, PR_ERR_LIMIT, PR_NO_OFFSET, "Arrow schema",
                "has more than %d columns and parts of them, or parts within %d others", (int)PR_ARROW_MOST_FIELDS,
                (int)PR_ARROW_MOST_DEPTH);
        return false;
    }
    schema->all += vector.count;
    *fields = pr_arena_array(&schema->arena, vector.count, sizeof **fields);
    if (!*fields)
        return pr_fail_memory(reading->err) == PR_OK;
    *count = vector.count;
    for (uint32_t i = 0; i < vector.count; i++)
        if (!read_field(reading, pr_flat_element(vector, i), depth, &(*fields)[i]))
            return false;
    return true;
}

enum pr_status pr_arrow_schema_read(struct pr_arrow_schema *schema, struct pr_flat_table table, struct pr_error *err)
{
    struct reading reading = {schema, err};
    const int64_t order = pr_flat_number(table, SCHEMA_ENDIANNESS, 2, 0);
    if (order == 1)
        return pr_fail(err, PR_ERR_UNSUPPORTED, PR_NO_OFFSET, "Arrow schema",
                       "is Arrow data in big-endian byte order, which profrender does not read; pyarrow reads it, and "
                       "writes it in the other order");
    const bool done = read_fields(&reading, pr_flat_vector(table, SCHEMA_FIELDS, 4), 1, &schema->fields,
                                  &schema->field_count);
    if (table.flat && table.flat->is_broken)
        return pr_fail(err, PR_ERR_DAMAGED, PR_NO_OFFSET, "Arrow schema",
                       "its Arrow schema is damaged: it points out of itself");
    return done ? PR_OK : PR_FAILED;
}

void pr_arrow_schema_clear(struct pr_arrow_schema *schema)
{
    pr_arena_clear(&schema->arena);
    *schema = (struct pr_arrow_schema){0};
}
