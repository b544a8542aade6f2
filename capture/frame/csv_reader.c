/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV: records of fields, in the window of the source. The cells of a batch borrow the window: the batch that is added
 * is done before the window moves, and the cells of the one that is filled move along. So where a batch ends depends on
 * the table alone, not on how much of it a read gives: figures are the same to the last digit from a file and a pipe.
 *
 * What does not fit is kept as far as it can be: a short row lacks its last cells, a long one loses those beyond the
 * header, text after a closing quote belongs to the field, a quote that no other closes is a character like any other.
 */
#include "capture/frame/csv_scan.h"
#include "capture/frame/csv_shape.h"
#include "capture/frame/table_reader.h"

#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 22, BATCH_BYTES = 1 << 23, MOST_BYTES = PR_SOURCE_MAX_WINDOW / 2 };

struct csv {
    struct pr_table_reading *reading;
    struct pr_arena unquoted; /* texts of this batch that are not as they are in the file */
    struct pr_arena unquoted_before; /* of the one that is added meanwhile */
    char separator;
    struct pr_csv_marks marks; /* of the window */
    const char *first;         /* of the batch that is filled, in the window */
    size_t parsed;             /* bytes from there to the next record, while the window moves */
    size_t columns;    /* of the file */
    uint32_t *places;  /* [columns] of the table; PR_DATA_NONE: ignored. NULL: all are in their places */
    uint64_t row;           /* the one that is read, from 1 */
    uint64_t literal_until; /* up to this offset quotes are characters: one was never closed */
    bool window_has_nuls;
    uint64_t ends_lf, ends_crlf, ends_cr;
    bool failed; /* no memory */
};

static bool flush(struct csv *csv)
{
    csv->failed |= !pr_data_build_flush(csv->reading->build);
    pr_arena_clear(&csv->unquoted);
    pr_arena_clear(&csv->unquoted_before);
    return !csv->failed;
}

/* The batch is added while the next one is read, from NEXT on. */
static bool pass_on(struct csv *csv, const char *next)
{
    const struct pr_arena free_now = csv->unquoted_before;
    csv->failed |= !pr_data_build_pass(csv->reading->build);
    csv->unquoted_before = csv->unquoted;
    csv->unquoted = free_now;
    csv->first = next;
    pr_arena_clear(&csv->unquoted);
    return !csv->failed;
}

static struct pr_cell cell_of(struct csv *csv, const struct pr_csv_field *field)
{
    struct pr_cell cell = {field->text, (uint32_t)field->length, PR_FORM_TEXT};
    if (!field->has_quotes)
        return cell;
    char *copy = pr_arena_alloc(&csv->unquoted, field->length + 1);
    if (!copy) {
        csv->failed = true;
        return cell;
    }
    cell.length = (uint32_t)pr_csv_unquote(field, copy);
    cell.text = copy;
    return cell;
}

static void note_line_end(struct csv *csv, const char *next)
{
    if (next[-1] == '\r')
        csv->ends_cr++;
    else if (next[-2] == '\r')
        csv->ends_crlf++;
    else
        csv->ends_lf++;
}

static void note_width(struct csv *csv, size_t count, bool last_is_empty)
{
    if (count < csv->columns)
        pr_table_damage(csv->reading, PR_DATA_SHORT_ROWS, csv->row);
    else if (count > csv->columns + last_is_empty)
        pr_table_damage(csv->reading, PR_DATA_LONG_ROWS, csv->row);
}

/* Whether quotes count at offset AT of the stream. */
static bool takes_quotes(const struct csv *csv, const char *at)
{
    const struct pr_source *src = csv->reading->src;
    return src->end_offset - (uint64_t)((const char *)src->end - at) >= csv->literal_until;
}

/* A record while it is read. */
struct record {
    struct pr_cell *row;
    size_t count; /* of its fields so far */
    bool quotes;  /* they count in it */
    bool is_odd, last_is_empty, last_is_quoted;
};

/* Where its next field goes; NULL: nowhere. */
static struct pr_cell *next_cell(const struct csv *csv, const struct record *record)
{
    if (record->count >= csv->columns)
        return NULL;
    const size_t place = csv->places ? csv->places[record->count] : record->count;
    return place == PR_DATA_NONE ? NULL : record->row + place * csv->reading->build->stride;
}

/* The fields at AT that have no quotes: what follows them. *IS_WHOLE: so does the last of the record; a \n ends it. */
static const char *read_plain_fields(struct csv *csv, struct record *record, const char *at, bool *is_whole)
{
    const char *stop;
    *is_whole = false;
    while (at < csv->marks.end && !(*at == '"' && record->quotes) && (stop = pr_csv_marks_next(&csv->marks))) {
        struct pr_cell *cell = next_cell(csv, record);
        if (*stop == '\r' && csv->separator != '\r')
            break;
        if (cell)
            *cell = (struct pr_cell){at, (uint32_t)(stop - at), PR_FORM_TEXT};
        record->count++;
        record->last_is_empty = stop == at;
        record->last_is_quoted = false;
        at = stop + 1;
        *is_whole = *stop != csv->separator;
        if (*is_whole)
            break;
    }
    return at;
}

enum outcome { RECORD, NEED_MORE, OPEN_QUOTE };

/* The fields of the record at *AT, which moves on. IS_LAST: nothing follows the text. */
static enum outcome read_fields(struct csv *csv, struct record *record, const char **at, bool is_last)
{
    struct pr_csv_field field;
    bool is_whole;
    for (;;) {
        *at = read_plain_fields(csv, record, *at, &is_whole);
        if (is_whole) {
            note_line_end(csv, *at);
            return RECORD;
        }
        field = pr_csv_next(*at, csv->marks.end, csv->separator, record->quotes);
        if (field.end == PR_CSV_CUT && (!is_last || field.is_open))
            return field.is_open && is_last ? OPEN_QUOTE : NEED_MORE;
        *at = field.next;
        pr_csv_marks_from(&csv->marks, *at);
        struct pr_cell *cell = next_cell(csv, record);
        if (cell)
            *cell = cell_of(csv, &field);
        record->count++;
        record->is_odd |= field.is_odd;
        record->last_is_empty = !field.length;
        record->last_is_quoted = field.is_quoted;
        if (field.end == PR_CSV_FIELD)
            continue;
        if (field.end == PR_CSV_RECORD)
            note_line_end(csv, *at);
        return RECORD;
    }
}

/* Its cells are absent, where the record does not put others. */
static struct pr_cell *begin_row(const struct csv *csv)
{
    struct pr_data_build *build = csv->reading->build;
    return csv->places ? pr_data_build_row(build) : build->filling + build->filled_rows++;
}

static void end_row(const struct csv *csv, const struct record *record)
{
    const struct pr_data_build *build = csv->reading->build;
    for (size_t c = record->count; !csv->places && c < build->column_count; c++)
        record->row[c * build->stride] = (struct pr_cell){"", 0, PR_FORM_ABSENT};
}

/* The record at AT, into the next row. IS_LAST: nothing follows the text. *NEXT: what follows the record. */
static enum outcome read_record(struct csv *csv, const char *at, bool is_last, const char **next)
{
    struct pr_data_build *build = csv->reading->build;
    if ((pr_data_build_is_full(build) || at - csv->first >= BATCH_BYTES) && !pass_on(csv, at))
        return RECORD;
    struct record record = {.row = begin_row(csv), .quotes = takes_quotes(csv, at)};
    *next = at;
    const enum outcome outcome = read_fields(csv, &record, next, is_last);
    if (outcome != RECORD) {
        pr_data_build_drop_row(build);
        return outcome;
    }
    if (*next - at > MOST_BYTES) { /* it happened to fit the window */
        pr_data_build_drop_row(build);
        pr_table_damage(csv->reading, PR_DATA_TOO_LONG, csv->row++);
        pass_on(csv, *next);
        return RECORD;
    }
    if (record.count == 1 && record.last_is_empty && !record.last_is_quoted) {
        pr_data_build_drop_row(build);
        csv->reading->frame->blank_lines++;
        return RECORD;
    }
    end_row(csv, &record);
    if (record.is_odd)
        pr_table_damage(csv->reading, PR_DATA_QUOTES, csv->row);
    if (csv->window_has_nuls && memchr(at, 0, (size_t)(*next - at)))
        pr_table_damage(csv->reading, PR_DATA_NULS, csv->row);
    note_width(csv, record.count, record.last_is_empty);
    csv->row++;
    return RECORD;
}

/* Skips a record that is larger than any window, byte by byte; what is in quotes may contain line ends. */
static void skip_record(struct csv *csv)
{
    struct pr_source *src = csv->reading->src;
    bool inside = false, at_start = true;
    pr_table_damage(csv->reading, PR_DATA_TOO_LONG, csv->row++);
    while (pr_source_need(src, 1)) {
        const char *at = (const char *)src->at, *end = (const char *)src->end;
        for (; at < end; at++) {
            if (*at == '"' && (inside || at_start))
                inside = !inside;
            at_start = *at == csv->separator || (*at == '"' && !inside);
            if (!inside && (*at == '\n' || *at == '\r'))
                break;
        }
        pr_source_skip(src, (size_t)(at - (const char *)src->at));
        if (at < end) {
            pr_source_skip(src, 1);
            if (at[0] == '\r' && pr_source_need(src, 1) && *src->at == '\n')
                pr_source_skip(src, 1);
            return;
        }
        if (!pr_table_progress(csv->reading))
            return;
    }
}

/* Cells of the batch that is filled, of which the text was in the SIZE bytes at WAS, have it at NOW. */
static void move_cells(const struct csv *csv, uintptr_t was, size_t size, const char *now)
{
    struct pr_data_build *build = csv->reading->build;
    for (size_t c = 0; c < build->column_count && was != (uintptr_t)now; c++)
        for (uint32_t row = 0; row < build->filled_rows; row++) {
            struct pr_cell *cell = &build->filling[c * build->stride + row];
            const uintptr_t at = (uintptr_t)cell->text - was;
            if (at <= size)
                cell->text = now + at;
        }
}

/* Moves the window on: a batch that is being added is done first. WANT: bytes that are needed at once. */
static bool move_on(struct csv *csv, size_t want)
{
    struct pr_source *src = csv->reading->src;
    csv->failed |= !pr_data_build_settle(csv->reading->build);
    if (csv->failed || !pr_table_progress(csv->reading))
        return false;
    const uintptr_t was = (uintptr_t)src->at;
    const size_t before = (size_t)(src->end - src->at);
    pr_source_need(src, want < PR_SOURCE_MAX_WINDOW ? want : PR_SOURCE_MAX_WINDOW);
    move_cells(csv, was, before, (const char *)src->at);
    csv->window_has_nuls = memchr(src->at, 0, (size_t)(src->end - src->at)) != NULL;
    return (size_t)(src->end - src->at) > before || src->at_eof;
}

/* All records of the window; false at the end of the input, or of what can be done. */
static bool read_window(struct csv *csv)
{
    struct pr_source *src = csv->reading->src;
    const char *at = (const char *)src->at + csv->parsed, *end = (const char *)src->end, *next = at;
    enum outcome outcome = RECORD;
    csv->first = (const char *)src->at;
    csv->marks = (struct pr_csv_marks){.end = end, .separator = csv->separator};
    pr_csv_marks_begin(&csv->marks, at);
    while (at < end && !csv->failed && (outcome = read_record(csv, at, src->at_eof, &next)) == RECORD)
        at = next;
    const size_t left = (size_t)(end - at);
    const bool ends = csv->failed || (src->at_eof && !left), is_long = left >= MOST_BYTES && outcome != OPEN_QUOTE;
    pr_source_skip(src, (size_t)((ends || is_long ? at : csv->first) - (const char *)src->at));
    csv->parsed = is_long ? 0 : (size_t)(at - csv->first);
    if (ends)
        return false;
    if (outcome == OPEN_QUOTE) {
        pr_table_damage(csv->reading, PR_DATA_QUOTES, csv->row);
        csv->literal_until = src->end_offset;
        return true;
    }
    if (is_long) {
        if (!flush(csv))
            return false;
        skip_record(csv);
        return pr_source_need(src, 1);
    }
    return move_on(csv, csv->parsed + (left * 2 < CHUNK_BYTES ? CHUNK_BYTES : left * 2));
}

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

static bool read_names(struct csv *csv)
{
    struct pr_source *src = csv->reading->src;
    struct pr_data_build *build = csv->reading->build;
    const char *at = (const char *)src->at, *end = (const char *)src->end;
    struct pr_csv_field field;
    while (at < end && (*at == '\n' || *at == '\r'))
        at++;
    for (size_t i = 0; i < csv->columns; i++) {
        field = pr_csv_next(at, end, csv->separator, true);
        const struct pr_cell name = cell_of(csv, &field);
        if (!pr_data_build_name(build, i, name.text, name.length))
            return false;
        at = field.next;
    }
    if (field.end == PR_CSV_RECORD)
        note_line_end(csv, at);
    pr_source_skip(src, (size_t)(at - (const char *)src->at));
    return true;
}

static bool name_all_by_number(struct csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (!pr_data_build_name(csv->reading->build, i, "", 0))
            return false;
    return true;
}

/* The window has the first record, or as much of it as can be. */
static enum pr_status begin(struct csv *csv, struct pr_error *err)
{
    struct pr_table_reading *reading = csv->reading;
    struct pr_source *src = reading->src;
    struct pr_csv_shape shape = {0};
    for (size_t want = CHUNK_BYTES; want <= MOST_BYTES && !shape.columns; want *= 2) {
        pr_source_need(src, want);
        shape = pr_csv_shape_of((const char *)src->at, (size_t)(src->end - src->at), src->at_eof,
                                reading->options->separator);
        if (src->at_eof)
            break;
    }
    if (!shape.columns)
        return pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, "first line",
                       "its first line is longer than 32 MiB: it is not a table");
    if (shape.columns > PR_DATA_MOST_COLUMNS)
        return pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, "first line", "%zu columns are over the limit of %d",
                       shape.columns, PR_DATA_MOST_COLUMNS);
    csv->separator = reading->frame->separator = shape.separator;
    csv->columns = shape.columns;
    const enum pr_data_header header = reading->options->header;
    reading->frame->header_is_given = header != PR_HEADER_AUTO;
    reading->frame->has_header = header == PR_HEADER_YES || (header == PR_HEADER_AUTO && shape.has_header);
    if (!pr_data_build_columns(reading->build, csv->columns) ||
        !(reading->frame->has_header ? read_names(csv) : name_all_by_number(csv)))
        return pr_fail_memory(err);
    if (pr_table_ask(reading, &csv->places, err) == PR_FAILED)
        return PR_FAILED;
    csv->window_has_nuls = memchr(src->at, 0, (size_t)(src->end - src->at)) != NULL;
    return PR_OK;
}

enum pr_status pr_read_csv(struct pr_table_reading *reading, struct pr_error *err)
{
    struct csv csv = {.reading = reading, .row = 1};
    enum pr_status status = begin(&csv, err);
    if (status == PR_OK) {
        while (read_window(&csv))
            continue;
        csv.failed |= !pr_data_build_flush(reading->build);
        status = csv.failed ? pr_fail_memory(err) : PR_OK;
    }
    reading->frame->mixed_line_ends = (csv.ends_lf > 0) + (csv.ends_crlf > 0) + (csv.ends_cr > 0) > 1;
    pr_data_build_settle(reading->build); /* what is left of it, where reading failed */
    pr_arena_clear(&csv.unquoted);
    pr_arena_clear(&csv.unquoted_before);
    free(csv.places);
    return status;
}
