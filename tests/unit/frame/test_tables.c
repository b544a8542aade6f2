/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as files have them: separators, headers, quotes, encodings, and what does not fit. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame/csv_scan.h"
#include "capture/frame/csv_shape.h"
#include "profrender/buf.h"
#include "profrender/data_frame.h"
#include "tests/support/alloc_fail.h"

static struct pr_data_frame *read_bytes(const char *bytes, size_t length, const struct pr_data_options *how)
{
    struct pr_data_frame *frame = NULL;
    struct pr_error err = {0};
    if (pr_data_frame_read_memory("test", bytes, length, how, &frame, &err) == PR_FAILED)
        fail_msg("%s", err.text);
    return frame;
}

static struct pr_data_frame *read_text(const char *text)
{
    return read_bytes(text, strlen(text), NULL);
}

static enum pr_error_code refused(const char *bytes, size_t length)
{
    struct pr_data_frame *frame = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_data_frame_read_memory("test", bytes, length, NULL, &frame, &err), PR_FAILED);
    assert_null(frame);
    return err.code;
}

static void text_is(struct pr_text text, const char *wanted)
{
    if (text.length != strlen(wanted) || memcmp(text.bytes, wanted, text.length))
        fail_msg("'%.*s' is not '%s'", (int)text.length, text.bytes, wanted);
}

static void cell_is(const struct pr_data_frame *frame, unsigned row, unsigned column, const char *wanted)
{
    assert_true(row < frame->head_count);
    text_is(frame->head[row].cells[column].text, wanted);
}

static void the_separator_is_the_one_that_divides_evenly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char separator;
        unsigned columns;
    } cases[] = {{"a,b\n1,2\n3,4\n", ',', 2},
                 {"a\tb\tc\n1\t2\t3\n", '\t', 3},
                 {"a;b\n1,5;2,5\n3,5;4,5\n", ';', 2},
                 {"a|b\nx, y|z\n", '|', 2},
                 {"name,text\n1,\"a;b;c;d\"\n2,\"e;f;g;h\"\n", ',', 2},
                 {"one\n1\n2\n", ',', 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_data_frame *frame = read_text(cases[i].text);
        assert_int_equal(frame->separator, cases[i].separator);
        assert_int_equal(frame->column_count, cases[i].columns);
        pr_data_frame_free(frame);
    }
}

static void a_header_is_text_over_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool has_header;
    } cases[] = {{"a,b\n1,2\n", true},   {"1,2\n3,4\n", false},
                 {"x,1\ny,2\n", false},  {"name,2024,kind\nx,1,2.5\n", true},
                 {"name\nanna\n", true}, {"2026-01-01,5\n2026-01-02,6\n", false},
                 {"a,b\n", true},        {"1,2\n", false},
                 {",b\n0,x\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_data_frame *frame = read_text(cases[i].text);
        if (frame->has_header != cases[i].has_header)
            fail_msg("'%s': %d", cases[i].text, frame->has_header);
        pr_data_frame_free(frame);
    }
}

static void quotes_keep_separators_line_ends_and_quotes(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("a,b\r\n\"x,\"\"y\"\"\",\"line\r\nbreak\"\r\n\"\",z\r\n");
    assert_int_equal(frame->rows, 2);
    cell_is(frame, 0, 0, "x,\"y\"");
    cell_is(frame, 0, 1, "line\r\nbreak");
    assert_int_equal(frame->columns[0].missing, 1);
    assert_false(frame->mixed_line_ends);
    pr_data_frame_free(frame);
}

static void a_field_ends_where_it_ends_wherever_it_begins(void **state)
{
    (void)state;
    char text[64];
    for (size_t length = 0; length < 40; length++)
        for (size_t at = 0; at < 8; at++) {
            memset(text, 'x', sizeof text);
            text[at + length] = length % 3 == 0 ? ',' : length % 3 == 1 ? '\n' : '\r';
            assert_ptr_equal(pr_csv_field_end(text + at, text + sizeof text, ','), text + at + length);
            assert_ptr_equal(pr_csv_field_end(text + at, text + at + length, ','), text + at + length);
        }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Few different bytes, so that marks are near to one another; some are a bit away from one that is looked for. */
static void fill_random(char *text, size_t length, uint32_t *state)
{
    static const char bytes[] = ",\n\r\",;a\0\x80\xff-+.\x0b\x0c\x8a\x8d\xac";
    for (size_t i = 0; i < length; i++)
        text[i] = next_random(state) % 4 ? bytes[next_random(state) % (sizeof bytes - 1)] : (char)next_random(state);
}

static void blocks_have_the_same_marks_on_any_processor(void **state)
{
    (void)state;
    static const char separators[] = {',', '\t', ';', '|', '\0', '\xff', '\r'};
    uint32_t seed = 1;
    char text[64];
    for (unsigned round = 0; round < 20000; round++) {
        const char separator = separators[round % sizeof separators];
        uint64_t marks = 0;
        fill_random(text, sizeof text, &seed);
        for (unsigned i = 0; i < 64; i++)
            marks |= (uint64_t)(text[i] == separator || text[i] == '\n' || text[i] == '\r') << i;
        assert_int_equal(pr_csv_marks_of(text, separator), marks);
        assert_int_equal(pr_csv_marks_plain(text, separator), marks);
    }
}

/* Every mark from AT on, in memory that ends where the text does. */
static void walks_over(const char *text, size_t length, size_t at)
{
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    struct pr_csv_marks marks = {.end = copy + length, .separator = ','};
    pr_csv_marks_begin(&marks, copy);
    pr_csv_marks_from(&marks, copy + at);
    for (const char *from = copy + at; ; from++) {
        from = pr_csv_field_end(from, copy + length, ',');
        const char *found = pr_csv_marks_next(&marks);
        if (from == copy + length) {
            assert_null(found);
            break;
        }
        assert_ptr_equal(found, from);
    }
    free(copy);
}

static void a_walk_over_marks_finds_what_one_by_one_is_found(void **state)
{
    (void)state;
    uint32_t seed = 7;
    char text[200];
    for (unsigned round = 0; round < 300; round++) {
        fill_random(text, sizeof text, &seed);
        for (size_t length = 0; length <= sizeof text; length += 1 + round % 7)
            walks_over(text, length, length ? next_random(&seed) % (length + 1) : 0);
    }
}

static void rows_that_do_not_fit_are_kept_and_counted(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("a,b,c\n1,2,3\n4,5\n\n6,7,8,9\n10,\"11\"x,12\n13,14,15,\n");
    assert_int_equal(frame->rows, 5);
    assert_int_equal(frame->blank_lines, 1);
    assert_int_equal(frame->damage[PR_DATA_SHORT_ROWS].count, 1);
    assert_int_equal(frame->damage[PR_DATA_SHORT_ROWS].first, 2);
    assert_int_equal(frame->damage[PR_DATA_LONG_ROWS].count, 1);
    assert_int_equal(frame->damage[PR_DATA_LONG_ROWS].first, 3);
    assert_int_equal(frame->damage[PR_DATA_QUOTES].count, 1);
    cell_is(frame, 3, 1, "11x");
    assert_int_equal(frame->columns[2].missing, 1);
    pr_data_frame_free(frame);
}

static void a_quote_that_never_closes_is_a_character(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("size,n\n\"5 inch,1\n6 inch,2\n7 inch,3\n");
    assert_int_equal(frame->damage[PR_DATA_QUOTES].count, 1);
    assert_int_equal(frame->rows, 3);
    cell_is(frame, 1, 0, "6 inch");
    pr_data_frame_free(frame);
}

static void nul_bytes_and_mixed_line_ends_are_seen(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1,x\0y\r\n2,z\r3,w\n";
    struct pr_data_frame *frame = read_bytes(text, sizeof text - 1, NULL);
    assert_int_equal(frame->rows, 3);
    assert_int_equal(frame->damage[PR_DATA_NULS].count, 1);
    assert_true(frame->mixed_line_ends);
    assert_int_equal(frame->head[0].cells[1].text.length, 3);
    pr_data_frame_free(frame);
}

static void text_is_utf8_whatever_the_file_is_in(void **state)
{
    (void)state;
    static const char utf16[] = "\xFF\xFEn\0a\0m\0e\0,\0k\0\n\0M\0\xFC\0l\0l\0e\0r\0,\0\x31\0\n\0"
                                "\x3D\xD8\x00\xDE,\0\x32\0\n\0";
    static const char latin[] = "name,k\nM\xFCller,1\nS\xF8ren \x80,2\n",
                      bom[] = "\xEF\xBB\xBFname,k\nM\xC3\xBCller,1\n";
    struct pr_data_frame *frame = read_bytes(utf16, sizeof utf16 - 1, NULL);
    assert_string_equal(frame->encoding, "UTF-16LE");
    text_is(frame->columns[0].name, "name");
    cell_is(frame, 0, 0, "M\xC3\xBCller");
    cell_is(frame, 1, 0, "\xF0\x9F\x98\x80");
    pr_data_frame_free(frame);
    frame = read_bytes(latin, sizeof latin - 1, NULL);
    assert_string_equal(frame->encoding, "Windows-1252");
    cell_is(frame, 0, 0, "M\xC3\xBCller");
    cell_is(frame, 1, 0, "S\xC3\xB8ren \xE2\x82\xAC");
    pr_data_frame_free(frame);
    frame = read_text("k,M\xFCller\n1,2\n");
    assert_string_equal(frame->encoding, "Windows-1252");
    text_is(frame->columns[1].name, "M\xC3\xBCller");
    pr_data_frame_free(frame);
    frame = read_bytes(bom, sizeof bom - 1, NULL);
    assert_string_equal(frame->encoding, "UTF-8");
    text_is(frame->columns[0].name, "name");
    pr_data_frame_free(frame);
}

static void names_that_repeat_are_numbered(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a", "a.2", "a.1", "a.3", "column_5", "column_5.1"};
    struct pr_data_frame *frame = read_text("a,a,a.1,a,,column_5\n1,2,3,4,5,6\n2,3,5,7,9,8\n");
    uint32_t repeated = 0;
    for (unsigned c = 0; c < 6; c++)
        text_is(frame->columns[c].name, wanted[c]);
    text_is(frame->columns[0].given_name, "");
    text_is(frame->columns[3].given_name, "a");
    for (uint32_t i = 0; i < frame->finding_count; i++)
        repeated += frame->findings[i].kind == PR_FOUND_SAME_NAME;
    assert_int_equal(repeated, 3);
    pr_data_frame_free(frame);
}

static void half_a_character_is_no_encoding(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("{\"a\": \"x\\ud800\", \"b\": \"\\ud83d\\ude00\"}\n{\"a\": \"y\"}\n");
    assert_string_equal(frame->encoding, "UTF-8");
    assert_int_equal(frame->damage[PR_DATA_NOT_UTF8].count, 1);
    pr_data_frame_free(frame);
    frame = read_text("{\"a\": \"x\\udce9\"}\n");
    assert_string_equal(frame->encoding, "UTF-8");
    assert_int_equal(frame->damage[PR_DATA_NOT_UTF8].count, 1);
    pr_data_frame_free(frame);
    frame = read_text("{\"a\": \"\xE9t\xE9\"}\n");
    assert_string_equal(frame->encoding, "Windows-1252");
    pr_data_frame_free(frame);
}

static void types_come_from_all_rows(void **state)
{
    (void)state;
    static const enum pr_data_type wanted[] = {PR_TYPE_INTEGER, PR_TYPE_REAL,   PR_TYPE_DECIMAL, PR_TYPE_BOOLEAN,
                                               PR_TYPE_DATE,    PR_TYPE_MOMENT, PR_TYPE_TEXT,    PR_TYPE_EMPTY};
    struct pr_data_frame *frame = read_text("i,r,d,b,day,at,mixed,none\n"
                                            "1,1,2.50,true,2026-01-01,2026-01-01,5,\n"
                                            "2,1.25,3.10,False,2026-01-02,2026-01-01 10:00,6,NA\n"
                                            "NA,1e2,,TRUE,,,x,null\n");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(frame->columns[i].type, wanted[i]);
    assert_int_equal(frame->columns[2].places, 2);
    assert_int_equal(frame->columns[6].kinds[PR_KIND_INTEGER], 2);
    assert_false(frame->columns[6].has_numbers);
    pr_data_frame_free(frame);
}

/* COUNT rows of "number,text"; a number of row BREAK is text. */
static char *many_rows(size_t count, size_t broken, size_t *length)
{
    char *text = malloc(count * 40 + 20);
    *length = (size_t)sprintf(text, "n,t\n");
    for (size_t i = 0; i < count; i++)
        *length += (size_t)(i == broken ? sprintf(text + *length, "x%zu,v%zu\n", i, i % 7)
                                        : sprintf(text + *length, "%zu,v%zu\n", i * 7919 % count, i % 7));
    return text;
}

static void sketches_agree_with_memory(void **state)
{
    (void)state;
    enum { ROWS = 50000 };
    size_t length;
    char *text = many_rows(ROWS, SIZE_MAX, &length);
    struct pr_data_options how = pr_data_options_default();
    struct pr_data_frame *exact = read_bytes(text, length, &how);
    how.exact_values = 5000;
    struct pr_data_frame *sketched = read_bytes(text, length, &how);
    const struct pr_data_column *a = &exact->columns[0], *b = &sketched->columns[0];
    assert_true(a->mean == b->mean && a->variance == b->variance && a->minimum == b->minimum);
    assert_true(a->rank_error == 0 && b->rank_error > 0 && b->rank_error < 0.2);
    assert_int_equal(a->distinct.value, ROWS);
    assert_int_equal(b->distinct.value, ROWS);
    assert_false(sketched->is_exact);
    for (unsigned i = 0; i < PR_DATA_QUANTILES; i++)
        assert_true(fabs(a->quantiles[i] - b->quantiles[i]) <= b->rank_error * ROWS + 1);
    assert_int_equal(sketched->columns[1].frequent[0].count, exact->columns[1].frequent[0].count);
    pr_data_frame_free(exact);
    pr_data_frame_free(sketched);
    free(text);
}

static void one_text_among_numbers_makes_all_of_them_text(void **state)
{
    (void)state;
    enum { ROWS = 30000 };
    for (size_t broken = 0; broken < ROWS; broken += 9999) {
        size_t length;
        char *text = many_rows(ROWS, broken, &length);
        struct pr_data_options how = pr_data_options_default();
        for (unsigned kept = 0; kept < 2; kept++) {
            how.exact_values = kept ? 3000000 : 4000;
            struct pr_data_frame *frame = read_bytes(text, length, &how);
            const struct pr_data_column *column = &frame->columns[0];
            assert_int_equal(column->type, PR_TYPE_TEXT);
            assert_false(column->has_numbers);
            assert_int_equal(column->distinct.value, ROWS);
            assert_int_equal(column->kinds[PR_KIND_TEXT], 1);
            assert_int_equal(frame->findings[0].kind, PR_FOUND_MIXED);
            assert_int_equal(frame->findings[0].count, 1);
            pr_data_frame_free(frame);
        }
        free(text);
    }
}

static void numbers_too_wide_for_a_double_stay_apart(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("id\n9007199254740993\n9007199254740992\n9007199254740993\n");
    assert_int_equal(frame->columns[0].distinct.value, 2);
    assert_int_equal(frame->duplicates.value, 1);
    text_is(frame->columns[0].frequent[0].text, "9007199254740993");
    pr_data_frame_free(frame);
}

static void a_key_that_comes_late_makes_no_row_another(void **state)
{
    (void)state;
    enum { ROWS = 9000, LATE = 8800 };
    struct pr_buf text = {0};
    for (int i = 0; i < ROWS; i++)
        pr_buf_printf(&text, i < LATE ? "{\"a\": %d}\n" : "{\"a\": %d, \"b\": 1, \"c\": \"x\"}\n", i % 2);
    struct pr_data_frame *frame = read_bytes(text.bytes, text.length, NULL);
    assert_int_equal(frame->column_count, 3);
    assert_int_equal(frame->duplicates.value, ROWS - 4);
    assert_int_equal(frame->group_count, 4);
    assert_int_equal(frame->group_rows[0], LATE / 2);
    assert_int_equal(frame->group_rows[3], (ROWS - LATE) / 2);
    /* Rows that were kept before the columns came have cells of all of them. */
    assert_int_equal(frame->head[0].cells[2].kind, PR_KIND_MISSING);
    assert_int_equal(frame->groups[0].cells[2].kind, PR_KIND_MISSING);
    text_is(frame->groups[3].cells[2].text, "x");
    pr_data_frame_free(frame);
    pr_buf_clear(&text);
}

static void json_lines_become_columns(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("{\"a\": 1, \"b\": \"x\", \"d\": \"2026-01-01\"}\n\n"
                                            "{\"b\": null, \"a\": 2.5, \"list\": [1, {\"x\": 2}]}\n"
                                            "not json\n"
                                            "{\"a\": 3, \"b\": \"5\", \"c\": true}\n");
    static const enum pr_data_type wanted[] = {PR_TYPE_REAL, PR_TYPE_TEXT, PR_TYPE_DATE, PR_TYPE_NESTED,
                                               PR_TYPE_BOOLEAN};
    assert_string_equal(frame->format, "jsonl");
    assert_int_equal(frame->rows, 3);
    assert_int_equal(frame->column_count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(frame->columns[i].type, wanted[i]);
    assert_int_equal(frame->columns[1].missing, 1);
    assert_int_equal(frame->columns[4].missing, 2);
    text_is(frame->columns[3].frequent[0].text, "[1, {\"x\": 2}]");
    assert_int_equal(frame->damage[PR_DATA_BAD_LINES].count, 1);
    pr_data_frame_free(frame);
}

/* A key that is the name of that column is another one's. */
static void the_empty_key_is_a_column_like_any_other(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("{\"a\": 1, \"\": 2, \"b\": 3}\n{\"a\": 4, \"column_2\": 5}\n"
                                            "{\"\": 6, \"b\": 7, \"a\": 8}\n");
    static const char *const names[] = {"a", "column_2", "b", "column_2"};
    static const char *const cells[3][4] = {{"1", "2", "3", ""}, {"4", "", "", "5"}, {"8", "6", "7", ""}};
    assert_int_equal(frame->column_count, 4);
    for (unsigned c = 0; c < 4; c++) {
        text_is(frame->columns[c].name, names[c]);
        for (unsigned row = 0; row < 3; row++)
            cell_is(frame, row, c, cells[row][c]);
    }
    assert_int_equal(frame->damage[PR_DATA_KEYS].count, 0);
    pr_data_frame_free(frame);
}

static void what_is_no_table_is_refused_with_its_name(void **state)
{
    (void)state;
    static const char noise[] = "\x01\x02\x03\x04\x05\x06\x07\x08";
    assert_int_equal(refused("PAR1....", 8), PR_ERR_UNSUPPORTED);
    assert_int_equal(refused("ARROW1\0\0", 8), PR_ERR_TRUNCATED);
    assert_int_equal(refused("[{\"a\": 1}]", 10), PR_ERR_UNSUPPORTED);
    assert_int_equal(refused(noise, sizeof noise - 1), PR_ERR_UNKNOWN);
    assert_int_equal(refused(" \n\n", 3), PR_ERR_EMPTY);
    assert_int_equal(refused("{not json}\n", 11), PR_ERR_UNKNOWN);
}

static void a_table_without_values_shows_none(void **state)
{
    (void)state;
    struct pr_data_frame *frame = read_text("secret,n\nalpha,17\nbeta,18\nalpha,19\n");
    pr_data_frame_hide_values(frame);
    assert_int_equal(frame->head_count, 0);
    assert_int_equal(frame->columns[0].frequent[0].count, 2);
    assert_int_equal(frame->columns[0].frequent[0].text.length, 0);
    assert_true(isnan(frame->columns[1].minimum) && isnan(frame->columns[1].quantiles[4]));
    assert_int_equal(frame->columns[1].lowest_count, 0);
    /* Three numbers can be computed from their moments. */
    assert_true(isnan(frame->columns[1].mean) && isnan(frame->columns[1].variance));
    assert_true(isnan(frame->columns[1].skewness) && isnan(frame->columns[1].kurtosis));
    pr_data_frame_free(frame);
    frame = read_text("n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n15\n");
    pr_data_frame_hide_values(frame);
    assert_true(frame->columns[0].mean == 6);
    pr_data_frame_free(frame);
}

/* More columns than a batch of many rows has room for: their rows are kept, in order and each in its column. */
static void many_keys_and_long_lines_of_json_are_bounded(void **state)
{
    (void)state;
    enum { KEYS = 3000, ROWS = 40, LONG = 33 << 20 };
    struct pr_buf table = {0};
    for (unsigned row = 0; row < ROWS; row++) {
        pr_buf_printf(&table, "{\"k0\": %u", row);
        for (unsigned key = 1; key < KEYS / ROWS * (row + 1); key++)
            pr_buf_printf(&table, ", \"k%u\": %u", key, key + row);
        pr_buf_text(&table, "}\n");
    }
    char *filler = malloc(LONG);
    assert_non_null(filler);
    memset(filler, 'x', LONG);
    pr_buf_text(&table, "{\"k0\": \"");
    pr_buf_add(&table, filler, LONG);
    pr_buf_text(&table, "\"}\n{\"k0\": 100}\n");
    free(filler);
    struct pr_data_frame *frame = read_bytes(table.bytes, table.length, NULL);
    assert_int_equal(frame->rows, ROWS + 1);
    assert_int_equal(frame->damage[PR_DATA_TOO_LONG].count, 1);
    assert_int_equal(frame->damage[PR_DATA_TOO_LONG].first, ROWS + 1);
    assert_int_equal(frame->column_count, KEYS);
    for (unsigned key = 1; key < KEYS; key++) {
        const struct pr_data_column *column = &frame->columns[key];
        const unsigned first = key / (KEYS / ROWS);
        assert_int_equal(column->count, ROWS - first);
        assert_true(column->minimum == key + first && column->maximum == key + ROWS - 1);
    }
    assert_true(frame->columns[0].count == ROWS + 1 && frame->columns[0].maximum == 100);
    pr_data_frame_free(frame);
    pr_buf_clear(&table);
}

/* Everything that is shown of it; figures as their bits. */
static void same_frame(const struct pr_data_frame *a, const struct pr_data_frame *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->column_count, b->column_count);
    assert_int_equal(a->duplicates.value, b->duplicates.value);
    assert_int_equal(a->pattern_count, b->pattern_count);
    assert_int_equal(a->related_count, b->related_count);
    const size_t pairs = (size_t)a->related_count * a->related_count;
    assert_memory_equal(a->pearson, b->pearson, pairs * sizeof *a->pearson);
    for (uint32_t c = 0; c < a->column_count; c++) {
        const struct pr_data_column *x = &a->columns[c], *y = &b->columns[c];
        assert_int_equal(x->type, y->type);
        assert_memory_equal(x->kinds, y->kinds, sizeof x->kinds);
        assert_memory_equal(&x->mean, &y->mean, sizeof x->mean);
        assert_memory_equal(x->quantiles, y->quantiles, sizeof x->quantiles);
        assert_memory_equal(x->missing_in, y->missing_in, sizeof x->missing_in);
        assert_int_equal(x->distinct.value, y->distinct.value);
        assert_int_equal(x->characters, y->characters);
        assert_int_equal(x->frequent_count, y->frequent_count);
        for (uint32_t i = 0; i < x->frequent_count; i++)
            assert_int_equal(x->frequent[i].count, y->frequent[i].count);
    }
}

/* Texts that the file has in another form are kept for a batch, and late columns join those that are there. */
static void any_number_of_threads_reads_the_same(void **state)
{
    (void)state;
    enum { ROWS = 30000 };
    for (unsigned kind = 0; kind < 3; kind++) {
        struct pr_buf table = {0};
        struct pr_data_frame *first = NULL;
        pr_buf_text(&table, kind == 2 ? "" : "number,text,\"date\",many\n");
        for (unsigned i = 0; i < ROWS; i++) {
            const char *text = i % 3 ? "plain" : i % 5 ? "a \"\"quote\"\"" : "";
            if (kind == 2)
                pr_buf_printf(&table, "{\"number\": %u, \"text\": \"word %u\"%s}\n", i * 7919 % 1000, i % 13,
                              i > ROWS / 2 ? ", \"late\": true" : "");
            else
                pr_buf_printf(&table, "%u%s,\"%s\",2026-01-%02u,%u.5\n", i * 7919 % 1000,
                              kind && i == ROWS - 100 ? "x" : "", text, i % 31 + 1, i);
        }
        for (unsigned threads = 1; threads <= 7; threads += 3) {
            struct pr_data_options options = pr_data_options_default();
            struct pr_data_frame *frame = NULL;
            struct pr_error err = {0};
            options.threads = threads;
            options.exact_values = kind ? 3000000 : 10000;
            assert_int_equal(pr_data_frame_read_memory("test", table.bytes, table.length, &options, &frame, &err),
                             PR_OK);
            assert_int_equal(frame->rows, ROWS);
            if (first) {
                same_frame(first, frame);
                pr_data_frame_free(frame);
            } else {
                first = frame;
            }
        }
        pr_data_frame_free(first);
        pr_buf_clear(&table);
    }
}

/* What a batch repeats counts as often as it is there: beside different values, cells are read one by one. */
static void repeated_cells_count_as_often_as_they_are_there(void **state)
{
    (void)state;
    enum { TIMES = 3000 };
    static const char *const cells[] = {"a@b.org", "10.0.0.1",         "true",       "07",   "1.50", "x y",
                                        "12:30",   "4111111111111111", "2026-01-02", "1970-01-01", "", "NA"};
    enum { CELLS = sizeof cells / sizeof *cells };
    struct pr_buf repeated = {0}, mixed = {0};
    pr_buf_text(&repeated, "value\n");
    pr_buf_text(&mixed, "value\n");
    for (unsigned i = 0; i < TIMES * CELLS; i++)
        pr_buf_printf(&repeated, "%s%s\n", i % CELLS == 10 ? "\"\"" : "", cells[i % CELLS]);
    for (unsigned i = 0; i < TIMES * CELLS; i++) {
        pr_buf_printf(&mixed, "%s%s\n", i % CELLS == 10 ? "\"\"" : "", cells[i % CELLS]);
        for (unsigned k = 0; k < 3; k++)
            pr_buf_printf(&mixed, "w-%u\n", 3 * i + k);
    }
    struct pr_data_frame *a = read_text(repeated.bytes), *b = read_text(mixed.bytes);
    const struct pr_data_column *x = &a->columns[0], *y = &b->columns[0];
    for (unsigned kind = 0; kind < PR_KIND_COUNT; kind++)
        assert_int_equal(x->kinds[kind] + (kind == PR_KIND_TEXT ? 3 * TIMES * CELLS : 0), y->kinds[kind]);
    assert_int_equal(x->count, TIMES * 10);
    assert_int_equal(x->missing, TIMES * 2);
    assert_int_equal(x->distinct.value, 10);
    assert_int_equal(x->mails, TIMES);
    assert_int_equal(x->addresses, TIMES);
    assert_int_equal(x->cards, TIMES);
    assert_int_equal(x->mails, y->mails);
    assert_int_equal(x->addresses, y->addresses);
    assert_int_equal(x->cards, y->cards);
    assert_int_equal(x->blanks, y->blanks);
    assert_int_equal(x->frequent[0].count, TIMES);
    pr_data_frame_free(a);
    pr_data_frame_free(b);
    pr_buf_clear(&repeated);
    pr_buf_clear(&mixed);
}

/* Each allocation of reading the table once; NAME is for messages. */
static void fail_each_allocation(const char *name, const char *bytes, size_t length)
{
    bool done = false;
    for (unsigned long n = 1; !done && n < 5000; n++) {
        struct pr_data_frame *frame = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_data_frame_read_memory("test", bytes, length, NULL, &frame, &err);
        done = !alloc_fail_stop();
        if ((status == PR_FAILED) == done)
            fail_msg("allocation %lu of %s: status %d", n, name, status);
        if (!done && err.code != PR_ERR_MEMORY)
            fail_msg("allocation %lu of %s: error %d", n, name, err.code);
        pr_data_frame_free(frame);
    }
    assert_true(done);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = {"a,b,c\n1,\"x\"\"y\",2026-01-01\n2,y,2026-01-02\nz,\xFC,\n",
                                        "{\"a\": 1, \"b\": [2]}\n{\"c\": \"x\\n\"}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fail_each_allocation(texts[i], texts[i], strlen(texts[i]));
}

/* The sample has two batches with zstd, a dictionary, nulls, decimals and lists. */
static void every_allocation_for_arrow_may_fail(void **state)
{
    (void)state;
    char bytes[1 << 14];
    FILE *file = fopen("samples/tables/stock.arrow", "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(length > 4000 && length < sizeof bytes);
    fail_each_allocation("stock.arrow", bytes, length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_separator_is_the_one_that_divides_evenly),
        cmocka_unit_test(a_header_is_text_over_values),
        cmocka_unit_test(quotes_keep_separators_line_ends_and_quotes),
        cmocka_unit_test(a_field_ends_where_it_ends_wherever_it_begins),
        cmocka_unit_test(blocks_have_the_same_marks_on_any_processor),
        cmocka_unit_test(a_walk_over_marks_finds_what_one_by_one_is_found),
        cmocka_unit_test(rows_that_do_not_fit_are_kept_and_counted),
        cmocka_unit_test(a_quote_that_never_closes_is_a_character),
        cmocka_unit_test(nul_bytes_and_mixed_line_ends_are_seen),
        cmocka_unit_test(text_is_utf8_whatever_the_file_is_in),
        cmocka_unit_test(names_that_repeat_are_numbered),
        cmocka_unit_test(half_a_character_is_no_encoding),
        cmocka_unit_test(types_come_from_all_rows),
        cmocka_unit_test(sketches_agree_with_memory),
        cmocka_unit_test(one_text_among_numbers_makes_all_of_them_text),
        cmocka_unit_test(numbers_too_wide_for_a_double_stay_apart),
        cmocka_unit_test(json_lines_become_columns),
        cmocka_unit_test(a_key_that_comes_late_makes_no_row_another),
        cmocka_unit_test(the_empty_key_is_a_column_like_any_other),
        cmocka_unit_test(what_is_no_table_is_refused_with_its_name),
        cmocka_unit_test(a_table_without_values_shows_none),
        cmocka_unit_test(repeated_cells_count_as_often_as_they_are_there),
        cmocka_unit_test(any_number_of_threads_reads_the_same),
        cmocka_unit_test(many_keys_and_long_lines_of_json_are_bounded),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_for_arrow_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
