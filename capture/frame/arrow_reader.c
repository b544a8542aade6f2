/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow batches become rows of a table. Numbers, dates and times go to their columns as numbers; texts as they are in
 * the batch; only the few rows that are shown get texts for all.
 *
 * Decisions: NaN is missing, as pandas has it. A decimal of up to 18 digits is a whole number of its smallest unit;
 * a longer one is a double. Intervals have no length of their own: they are text. Bytes that are no text are shown in
 * hexadecimal. Moments are counted from 1970 in UTC, or in the local time that they have.
 */
#include "capture/arrow/arrow_stream.h"
#include "capture/arrow/arrow_value.h"
#include "capture/base/decimal.h"
#include "capture/base/hash.h"
#include "capture/base/little_endian.h"
#include "capture/frame/data_asked.h"
#include "capture/frame/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_CELL = 1 << 16, WHOLE_DIGITS = 18 };

/* What a column needs for itself: several are read at once. */
struct column {
    struct pr_arena texts; /* of this slice */
    struct pr_buf text;
    bool failed; /* no memory */
};

struct arrow {
    struct pr_table_reading *reading;
    struct pr_arrow_stream stream;
    struct column *columns; /* [column_count of the build] */
    uint32_t *fields;       /* [column_count] the field of each in the schema of the file */
    uint64_t first;         /* row of the batch with which the slice begins */
};

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* The field of the values: of runs, theirs. */
static const struct pr_arrow_field *values_of(const struct pr_arrow_field *field)
{
    while (field->kind == PR_ARROW_RUNS)
        field = &field->children[1];
    return field;
}

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static void scale_by_unit(struct pr_column_type *type, int unit)
{
    static const int64_t us[] = {1000000, 1000, 1, 1};
    type->multiply = us[unit];
    type->divide = unit == PR_ARROW_NANOSECONDS ? 1000 : 1;
}

static void set_numbers(struct pr_column_type *type, enum pr_data_kind kind, enum pr_data_type shown, bool has_wholes)
{
    type->kind = kind;
    type->type = shown;
    type->has_numbers = true;
    type->has_wholes = has_wholes;
}

static void set_decimal(struct pr_column_type *type, const struct pr_arrow_field *field)
{
    const bool is_whole = field->precision <= WHOLE_DIGITS && field->scale >= 0 && field->scale <= WHOLE_DIGITS;
    if (field->is_signed) /* a whole number of 128 bits */
        set_numbers(type, PR_KIND_INTEGER, PR_TYPE_INTEGER, is_whole);
    else
        set_numbers(type, PR_KIND_REAL, PR_TYPE_DECIMAL, is_whole);
    type->has_hashes = !is_whole;
    type->places = field->scale > 0 ? (uint32_t)field->scale : 0;
    type->divide = is_whole ? power_of_ten(field->scale) : 1;
}

static struct pr_column_type type_of(const struct pr_arrow_field *column)
{
    const struct pr_arrow_field *field = values_of(column);
    struct pr_column_type type = {.is_known = true, .kind = PR_KIND_TEXT, .multiply = 1, .divide = 1};
    switch (field->kind) {
    case PR_ARROW_BOOLEAN:
        type.kind = PR_KIND_BOOLEAN;
        break;
    case PR_ARROW_INTEGER:
        set_numbers(&type, PR_KIND_INTEGER, PR_TYPE_INTEGER, true);
        type.is_unsigned = field->bits == 64 && !field->is_signed;
        break;
    case PR_ARROW_REAL:
        set_numbers(&type, PR_KIND_REAL, PR_TYPE_REAL, false);
        break;
    case PR_ARROW_DECIMAL:
        set_decimal(&type, field);
        break;
    case PR_ARROW_DATE:
        set_numbers(&type, PR_KIND_DATE, PR_TYPE_DATE, true);
        type.multiply = field->bits == 64 ? 1000 : PR_US_PER_DAY;
        break;
    case PR_ARROW_TIME:
        set_numbers(&type, PR_KIND_TIME, PR_TYPE_TIME, true);
        scale_by_unit(&type, field->unit);
        break;
    case PR_ARROW_MOMENT:
        set_numbers(&type, PR_KIND_MOMENT, PR_TYPE_MOMENT, true);
        scale_by_unit(&type, field->unit);
        break;
    case PR_ARROW_DURATION:
        set_numbers(&type, PR_KIND_DURATION, PR_TYPE_DURATION, true);
        scale_by_unit(&type, field->unit);
        break;
    case PR_ARROW_LIST:
    case PR_ARROW_FIXED_LIST:
    case PR_ARROW_STRUCT:
    case PR_ARROW_UNION:
        type.kind = PR_KIND_NESTED;
        break;
    default:
        type.type = field->has_dictionary ? PR_TYPE_CATEGORY : PR_TYPE_EMPTY;
    }
    return type;
}

static bool name_columns(struct arrow *arrow, struct pr_error *err)
{
    const struct pr_arrow_schema *schema = &arrow->stream.schema;
    struct pr_data_build *build = arrow->reading->build;
    if (schema->field_count > PR_DATA_MOST_COLUMNS) {
        pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "has more than %d columns", (int)PR_DATA_MOST_COLUMNS);
        return false;
    }
    arrow->columns = calloc(schema->field_count + (size_t)1, sizeof *arrow->columns);
    if (!arrow->columns || !pr_data_build_columns(build, schema->field_count))
        return pr_fail_memory(err) == PR_OK;
    for (uint32_t c = 0; c < schema->field_count; c++) {
        const struct pr_text name = schema->fields[c].name;
        if (!pr_data_build_name(build, c, name.bytes, name.length))
            return pr_fail_memory(err) == PR_OK;
    }
    return true;
}

/* A column of which another type is asked is given as texts. */
static void give_types(struct arrow *arrow)
{
    struct pr_data_build *build = arrow->reading->build;
    for (size_t c = 0; c < build->column_count; c++) {
        struct pr_column_build *column = &build->columns[c];
        const struct pr_column_type own = type_of(&arrow->stream.schema.fields[arrow->fields[c]]);
        const bool is_own = column->asked && column->asked->type == own.type;
        if (column->asked && !is_own)
            column->given = (struct pr_column_type){.multiply = 1, .divide = 1};
        else
            column->given = own;
        if (is_own)
            column->asked = NULL;
    }
}

static bool ask_columns(struct arrow *arrow, struct pr_error *err)
{
    const uint32_t count = arrow->stream.schema.field_count;
    uint32_t *places;
    if (pr_table_ask(arrow->reading, &places, err) == PR_FAILED)
        return false;
    arrow->fields = malloc((count ? count : 1) * sizeof *arrow->fields);
    for (uint32_t i = 0; arrow->fields && i < count; i++)
        if (!places || places[i] != PR_DATA_NONE)
            arrow->fields[places ? places[i] : i] = i;
    free(places);
    if (!arrow->fields)
        return pr_fail_memory(err) == PR_OK;
    give_types(arrow);
    return true;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* The text of a value that is none in the batch. */
static struct pr_cell written(struct column *column, const struct pr_arrow_array *array, uint64_t at)
{
    struct pr_buf *text = &column->text;
    text->length = 0;
    pr_arrow_write(text, array, at, LONGEST_CELL);
    const char *copy = text->length ? pr_arena_copy(&column->texts, text->bytes, text->length) : "";
    column->failed |= text->failed || !copy;
    return copy ? (struct pr_cell){copy, (uint32_t)text->length, PR_FORM_KNOWN}
                : (struct pr_cell){"", 0, PR_FORM_ABSENT};
}

static struct pr_cell cell_of(struct column *column, const struct pr_arrow_array *whole, uint64_t row)
{
    const struct pr_arrow_array *array = whole;
    uint64_t at = row;
    if (!pr_arrow_find(&array, &at))
        return (struct pr_cell){"", 0, PR_FORM_ABSENT};
    if (whole->field->kind == PR_ARROW_UNION) /* texts in quotes: "1" is not 1 */
        return written(column, whole, row);
    if (array->field->kind == PR_ARROW_BYTES && array->field->is_text) {
        const struct pr_text text = pr_arrow_bytes_of(array, at);
        return (struct pr_cell){text.bytes, text.length, PR_FORM_KNOWN};
    }
    if (array->field->kind == PR_ARROW_BOOLEAN)
        return pr_arrow_bit(array->data, at) ? (struct pr_cell){"true", 4, PR_FORM_KNOWN}
                                             : (struct pr_cell){"false", 5, PR_FORM_KNOWN};
    return written(column, array, at);
}

/* The same as a text that is read: of text, "NA" is a word; of numbers, NaN is missing. */
static struct pr_cell asked_cell(struct column *column, const struct pr_arrow_array *whole, uint64_t row)
{
    struct pr_cell cell = cell_of(column, whole, row);
    const struct pr_arrow_field *field = values_of(whole->field);
    if (cell.form == PR_FORM_ABSENT)
        return cell;
    cell.form = type_of(field).kind == PR_KIND_NESTED ? PR_FORM_NESTED
                : field->kind == PR_ARROW_BYTES       ? PR_FORM_STRING
                                                      : PR_FORM_TEXT;
    return cell;
}

/* A decimal with more digits than a double has, or than fit 64 bits; and the hash of all its digits. */
static double long_decimal(struct column *column, const struct pr_arrow_array *array, uint64_t at, int64_t *hash)
{
    struct pr_decimal number;
    struct pr_buf *text = &column->text;
    text->length = 0;
    pr_arrow_write(text, array, at, LONGEST_CELL);
    column->failed |= text->failed;
    if (!text->length)
        return NAN;
    *hash = (int64_t)pr_hash_bytes(text->bytes, text->length);
    const bool negative = *text->bytes == '-';
    pr_decimal_parse(text->bytes + negative, text->length - negative, &number);
    number.negative = negative;
    return pr_decimal_double(number);
}

/* Numbers of 64 bits each, and not by way of a dictionary or runs. */
static bool is_plain(const struct pr_arrow_array *array, const struct pr_column_type *type)
{
    const enum pr_arrow_kind kind = array->field->kind;
    return !array->is_index && kind != PR_ARROW_RUNS && array->field->bits == 64 &&
           (type->has_wholes || kind == PR_ARROW_REAL);
}

static void fill_plain(const struct pr_arrow_array *array, const struct pr_column_type *type, uint64_t first,
                       uint32_t rows, double *numbers, int64_t *wholes)
{
    const uint8_t *at = array->data + 8 * first;
    const bool is_as_given = type->multiply == 1 && type->divide == 1 && !type->is_unsigned;
    for (uint32_t row = 0; row < rows; row++) {
        const uint64_t bits = pr_le64(at + 8 * (size_t)row);
        if (type->has_wholes) {
            wholes[row] = (int64_t)bits;
            numbers[row] = is_as_given ? (double)wholes[row] : pr_column_number_of(type, wholes[row]);
        } else {
            memcpy(&numbers[row], &bits, sizeof bits);
        }
    }
    for (uint32_t row = 0; array->validity && row < rows; row++)
        if (!pr_arrow_bit(array->validity, first + row)) {
            numbers[row] = NAN;
            wholes[row] = 0;
        }
}

static bool fill(void *reader, size_t c, uint32_t rows, double *numbers, int64_t *wholes)
{
    struct arrow *arrow = reader;
    struct column *own = &arrow->columns[c];
    const struct pr_arrow_array *column = &arrow->stream.batch.columns[arrow->fields[c]];
    const struct pr_column_type *type = &arrow->reading->build->columns[c].given;
    if (is_plain(column, type)) {
        fill_plain(column, type, arrow->first, rows, numbers, wholes);
        return true;
    }
    for (uint32_t row = 0; row < rows; row++) {
        const struct pr_arrow_array *array = column;
        uint64_t at = arrow->first + row;
        numbers[row] = NAN;
        wholes[row] = 0;
        if (!pr_arrow_find(&array, &at))
            continue;
        if (type->has_wholes) {
            wholes[row] = pr_arrow_whole(array, at);
            numbers[row] = pr_column_number_of(type, wholes[row]);
        } else if (array->field->kind == PR_ARROW_REAL) {
            numbers[row] = pr_arrow_real(array, at);
        } else {
            numbers[row] = long_decimal(own, array, at, &wholes[row]);
        }
    }
    return !own->failed;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool prepare(void *reader, size_t c)
{
    struct arrow *arrow = reader;
    struct column *own = &arrow->columns[c];
    struct pr_data_build *build = arrow->reading->build;
    const struct pr_arrow_array *array = &arrow->stream.batch.columns[arrow->fields[c]];
    const bool is_asked = build->columns[c].asked && !build->columns[c].given.is_known;
    struct pr_cell *cells = build->cells + c * build->stride;
    const bool is_shown_only = build->columns[c].given.has_numbers && !build->take;
    pr_arena_clear(&own->texts);
    if (is_shown_only && c >= PR_DATA_SHOWN)
        return true;
    for (uint32_t row = 0; row < build->batch_rows && !own->failed; row++)
        if (!is_shown_only || pr_data_build_shows(build, row))
            cells[row] = is_asked ? asked_cell(own, array, arrow->first + row)
                                  : cell_of(own, array, arrow->first + row);
    return !own->failed;
}

/* What `prepare` left without a text: numbers of rows that are not at either end. */
static void show(void *reader, uint32_t row)
{
    struct arrow *arrow = reader;
    struct pr_data_build *build = arrow->reading->build;
    for (size_t c = 0; c < build->column_count && c < PR_DATA_SHOWN; c++)
        if (build->columns[c].given.has_numbers && !build->take && !pr_data_build_shows(build, row))
            build->cells[c * build->stride + row] =
                cell_of(&arrow->columns[c], &arrow->stream.batch.columns[arrow->fields[c]], arrow->first + row);
}

static bool add_batch(struct arrow *arrow)
{
    struct pr_data_build *build = arrow->reading->build;
    const uint64_t all = arrow->stream.batch.rows;
    for (arrow->first = 0; arrow->first < all; arrow->first += build->stride) {
        const uint64_t rest = all - arrow->first;
        const uint32_t rows = rest < build->stride ? (uint32_t)rest : (uint32_t)build->stride;
        build->filled_rows = rows;
        if (!pr_data_build_flush(build))
            return false;
        if (!pr_table_progress(arrow->reading))
            return true;
    }
    return true;
}

static enum pr_status read_batches(struct arrow *arrow, struct pr_error *err)
{
    struct pr_error problem = {0};
    enum pr_status status;
    while ((status = pr_arrow_next(&arrow->stream, &problem)) == PR_OK) {
        if (!add_batch(arrow))
            return pr_fail_memory(err);
        if (arrow->reading->interrupted || !pr_table_progress(arrow->reading))
            return PR_OK;
    }
    if (status == PR_FAILED)
        return pr_fail_memory(err);
    if (status == PR_CUT)
        arrow->reading->frame->problem = problem;
    return PR_OK;
}

enum pr_status pr_read_arrow(struct pr_table_reading *reading, struct pr_error *err)
{
    struct arrow *arrow = calloc(1, sizeof *arrow);
    enum pr_status status = PR_FAILED;
    if (!arrow)
        return pr_fail_memory(err);
    arrow->reading = reading;
    reading->build->prepare = prepare;
    reading->build->fill = fill;
    reading->build->show = show;
    reading->build->reader = arrow;
    reading->build->is_utf8 = true;
    reading->frame->has_header = true;
    reading->frame->encoding = "UTF-8";
    if (pr_arrow_open(&arrow->stream, reading->src, err) == PR_OK && name_columns(arrow, err) &&
        ask_columns(arrow, err))
        status = read_batches(arrow, err);
    pr_arrow_close(&arrow->stream);
    for (size_t c = 0; arrow->columns && c < reading->build->column_count; c++) {
        pr_arena_clear(&arrow->columns[c].texts);
        pr_buf_clear(&arrow->columns[c].text);
    }
    free(arrow->columns);
    free(arrow->fields);
    free(arrow);
    return status;
}
