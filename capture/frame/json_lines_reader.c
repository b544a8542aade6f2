/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON lines: an object for each row. Keys become columns in the order of their first occurrence; a row without a key
 * lacks the value, as one with null does. Lists and objects are kept as text.
 *
 * Source: jsonlines.org; RFC 8259.
 */
#include "capture/frame/data_asked.h"
#include "capture/frame/table_reader.h"
#include "capture/parse/json_stream.h"
#include "capture/parse/lines.h"

#include <stdlib.h>

enum { LONGEST_LINE = PR_SOURCE_MAX_WINDOW / 2, BATCH_BYTES = 1 << 23 };

struct json_lines {
    struct pr_table_reading *reading;
    struct pr_strings names; /* of the columns: string number N is column N - 1 */
    struct pr_arena texts, texts_before; /* of this batch, and of the one that is added meanwhile */
    size_t text_bytes;                   /* of this batch: beyond BATCH_BYTES it is added, full or not */
    struct pr_json_stream *json;
    struct pr_limits limits; /* of a line, which is in memory: a string may be all of it */
    uint64_t row;
    uint32_t next_column; /* the one that usually follows */
    uint32_t nameless;    /* that of the empty key; PR_DATA_NONE: there was none so far */
    bool failed;
};

/* The column of the key at hand; PR_DATA_NONE: left out. */
static uint32_t column_of(struct json_lines *lines)
{
    struct pr_data_build *build = lines->reading->build;
    const struct pr_text key = lines->json->text;
    if (lines->next_column < build->column_count && lines->next_column != lines->nameless) {
        const struct pr_column_build *column = &build->columns[lines->next_column];
        if (column->name_length == key.length && memcmp(column->name, key.bytes, key.length) == 0)
            return lines->next_column++;
    }
    const struct pr_data_asked *asked = pr_data_asked_of(lines->reading->options->schema, key);
    if (asked && asked->is_ignored)
        return PR_DATA_NONE;
    const uint32_t known = lines->names.count;
    const pr_str name = pr_strings_add(&lines->names, key.bytes, key.length);
    if (name == PR_NO_STR) {
        lines->failed = true;
        return PR_DATA_NONE;
    }
    const uint32_t place = name ? name - 1 + (name > lines->nameless) : lines->nameless;
    lines->next_column = place + 1;
    if (place < build->column_count)
        return place;
    if (build->column_count >= PR_DATA_MOST_COLUMNS) {
        if (lines->names.count > known || !name)
            pr_table_damage(lines->reading, PR_DATA_KEYS, lines->row);
        return PR_DATA_NONE;
    }
    const uint32_t column = pr_data_build_add_column(build, key.bytes, key.length);
    lines->failed |= column == PR_DATA_NONE;
    if (!name) {
        lines->nameless = column;
        lines->next_column = column + 1;
    }
    if (column != PR_DATA_NONE)
        pr_data_build_ask(build, column, asked);
    return column;
}

static struct pr_cell copied(struct json_lines *lines, const char *bytes, size_t length, enum pr_cell_form form)
{
    const char *copy = pr_arena_copy(&lines->texts, bytes, length);
    lines->failed |= !copy;
    lines->text_bytes += length;
    return (struct pr_cell){copy ? copy : "", copy ? (uint32_t)length : 0, form};
}

/* The value that is due. LINE is what the stream reads. */
static struct pr_cell read_value(struct json_lines *lines, struct pr_text line)
{
    struct pr_json_stream *json = lines->json;
    const size_t start = (size_t)json->offset; /* of a line, which is in memory */
    switch (json->token) {
    case PR_JSON_STRING:
        return copied(lines, json->text.bytes, json->text.length, PR_FORM_STRING);
    case PR_JSON_NUMBER:
        return copied(lines, json->text.bytes, json->text.length, PR_FORM_TEXT);
    case PR_JSON_TRUE:
        return (struct pr_cell){"true", 4, PR_FORM_TEXT};
    case PR_JSON_FALSE:
        return (struct pr_cell){"false", 5, PR_FORM_TEXT};
    case PR_JSON_OBJECT:
    case PR_JSON_ARRAY:
        pr_json_skip(json);
        return copied(lines, line.bytes + start, (size_t)pr_source_offset(json->src) - start, PR_FORM_NESTED);
    default:
        return (struct pr_cell){"", 0, PR_FORM_ABSENT};
    }
}

/* One line is one object. False: it is not, or something follows it. */
static bool read_object(struct json_lines *lines, struct pr_text line)
{
    struct pr_data_build *build = lines->reading->build;
    struct pr_json_stream *json = lines->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return false;
    lines->next_column = 0;
    while (pr_json_key(json) && !lines->failed) {
        const uint32_t column = column_of(lines);
        if (pr_json_next(json) <= PR_JSON_CLOSE)
            return false;
        const struct pr_cell cell = read_value(lines, line);
        if (column != PR_DATA_NONE) /* of a key that repeats, the last value; a new column may have moved the row */
            build->filling[column * build->stride + build->filled_rows - 1] = cell;
    }
    return lines->failed || pr_json_finish(json) == PR_OK;
}

/* The batch is added while the next one is read. */
static void pass_on(struct json_lines *lines)
{
    const struct pr_arena free_now = lines->texts_before;
    lines->failed |= !pr_data_build_pass(lines->reading->build);
    lines->texts_before = lines->texts;
    lines->texts = free_now;
    lines->text_bytes = 0;
    pr_arena_clear(&lines->texts);
}

static bool read_line(struct json_lines *lines, struct pr_text line)
{
    struct pr_data_build *build = lines->reading->build;
    struct pr_source view = {.at = (const uint8_t *)line.bytes,
                             .end = (const uint8_t *)line.bytes + line.length,
                             .end_offset = line.length,
                             .at_eof = true,
                             .name = lines->reading->src->name};
    struct pr_error problem = {0};
    if (pr_data_build_is_full(build) || lines->text_bytes > BATCH_BYTES)
        pass_on(lines);
    if (lines->failed || !pr_data_build_row(build))
        return false;
    pr_json_begin(lines->json, &view, &lines->limits, &problem);
    const bool good = read_object(lines, line);
    build->is_utf8 |= lines->json->has_lone_surrogate;
    pr_json_end(lines->json);
    lines->failed |= problem.code == PR_ERR_MEMORY;
    if (!good) {
        pr_data_build_drop_row(build);
        pr_table_damage(lines->reading, PR_DATA_BAD_LINES, lines->row);
    }
    return !lines->failed;
}

static bool is_blank(struct pr_text line)
{
    return pr_text_trim(line).length == 0;
}

static bool read_lines(struct json_lines *lines, struct pr_error *err)
{
    struct pr_table_reading *reading = lines->reading;
    struct pr_lines text = pr_lines_begin(reading->src, err);
    const uint8_t *window = reading->src->end;
    text.longest = LONGEST_LINE;
    while (pr_lines_next(&text)) {
        for (; text.left_out; text.left_out--)
            pr_table_damage(reading, PR_DATA_TOO_LONG, ++lines->row);
        if (reading->src->end != window) {
            window = reading->src->end;
            if (!pr_table_progress(reading))
                break;
        }
        lines->row++;
        if (is_blank(text.text)) {
            reading->frame->blank_lines++;
            continue;
        }
        if (!read_line(lines, text.text))
            break;
    }
    for (; text.left_out; text.left_out--)
        pr_table_damage(reading, PR_DATA_TOO_LONG, ++lines->row);
    return !lines->failed && pr_data_build_flush(reading->build);
}

enum pr_status pr_read_json_lines(struct pr_table_reading *reading, struct pr_error *err)
{
    struct json_lines lines = {.reading = reading,
                               .json = malloc(sizeof *lines.json),
                               .limits = reading->options->limits,
                               .nameless = PR_DATA_NONE};
    struct pr_error problem = {0};
    lines.limits.max_string_bytes = LONGEST_LINE;
    bool done = lines.json && pr_strings_init(&lines.names, err) == PR_OK && pr_data_build_columns(reading->build, 0);
    done = done && read_lines(&lines, &problem);
    if (problem.code != PR_ERR_NONE)
        reading->frame->problem = problem;
    pr_strings_clear(&lines.names);
    pr_data_build_settle(reading->build); /* what is left of it, where reading failed */
    pr_arena_clear(&lines.texts);
    pr_arena_clear(&lines.texts_before);
    free(lines.json);
    if (!done)
        return pr_fail_memory(err);
    reading->frame->has_header = true;
    if (!reading->build->column_count && reading->frame->damage[PR_DATA_TOO_LONG].count == lines.row)
        return pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "each of its lines is longer than 32 MiB");
    if (!reading->build->column_count)
        return pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, NULL, "no line is a JSON object with a column");
    return reading->interrupted ? PR_OK : pr_table_check_schema(reading, err);
}
