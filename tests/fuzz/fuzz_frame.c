/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a table: what is counted adds up, estimates are within their bounds, and the page that shows it has no
 * element that the input chose. The first byte chooses how much is kept in memory, so that sketches are tried too,
 * what is shown of the table, and what a schema says of its first columns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profrender/data_diff.h"
#include "profrender/data_schema.h"
#include "render/frame/frame_card.h"

#ifndef FUZZED_FORMAT
#define FUZZED_FORMAT NULL /* by content */
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_count(struct pr_data_count count)
{
    must(count.low <= count.value && count.value <= count.high);
}

static void check_values(const struct pr_data_value *values, uint32_t count, uint64_t all)
{
    for (uint32_t i = 0; i < count; i++) {
        must(values[i].count > 0 && values[i].count <= all && values[i].count <= values[i].most);
        must(!i || !values[i].count || values[i].text.bytes);
    }
}

static void check_numbers(const struct pr_data_column *column)
{
    uint64_t in_bins = 0;
    for (uint32_t i = 0; i < column->bin_count; i++)
        in_bins += column->bins[i];
    must(column->bin_count <= PR_DATA_BINS && in_bins == column->number_count);
    must(column->number_count + column->infinite == column->count);
    for (unsigned i = 1; i < PR_DATA_QUANTILES; i++)
        must(isnan(column->quantiles[i]) || !(column->quantiles[i] < column->quantiles[i - 1]));
    check_values(column->lowest, column->lowest_count, column->count);
    check_values(column->highest, column->highest_count, column->count);
}

static void check_column(const struct pr_data_frame *frame, const struct pr_data_column *column)
{
    uint64_t kinds = 0, missing = 0;
    for (unsigned i = 0; i < PR_KIND_COUNT; i++)
        kinds += column->kinds[i];
    for (unsigned i = 0; i < PR_DATA_PARTS; i++)
        missing += column->missing_in[i];
    must(kinds == frame->rows && column->count + column->missing == frame->rows && missing == column->missing);
    check_count(column->distinct);
    must(column->distinct.value <= column->count);
    check_values(column->frequent, column->frequent_count, column->count);
    if (column->has_numbers)
        check_numbers(column);
}

static void check_page(const struct pr_data_frame *frame, const char *title)
{
    const struct pr_frame_card_options how = {.title = title, .source = title};
    struct pr_buf page = {0};
    must(pr_render_frame(frame, &how, &page, NULL) == PR_OK);
    must(!memmem(page.bytes, page.length, "<script", 7) && !memmem(page.bytes, page.length, "<img", 4));
    pr_buf_clear(&page);
}

static void check_boxes(const struct pr_data_box *boxes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_data_box *box = &boxes[i];
        must(box->below + box->above <= box->count);
        must(!box->count || (box->minimum <= box->low && box->first <= box->median && box->median <= box->third &&
                             box->high <= box->maximum));
    }
}

static void check_bars(const struct pr_data_gantt *gantt)
{
    for (uint32_t i = 0; i < gantt->count; i++) {
        const struct pr_data_span *bar = &gantt->spans[i], *last = i ? bar - 1 : NULL;
        must(bar->lane < gantt->lane_count && !(bar->start > bar->finish));
        must(!last || last->lane + 1 == bar->lane || last->lane == bar->lane);
        must(!last || last->lane != bar->lane || !(last->finish > bar->start));
    }
}

static void check_view(const struct pr_data_frame *frame)
{
    uint64_t above = 0;
    for (uint32_t i = 0; i < frame->sheet.count; i++) {
        must(frame->sheet.rows[i].number > 0 && frame->sheet.rows[i].number <= frame->rows);
        above += frame->sheet.sort == PR_DATA_NONE && frame->sheet.rows[i].number != i + 1;
    }
    must(above == 0);
    check_boxes(frame->boxes.boxes, frame->boxes.count);
    check_bars(&frame->gantt);
}

static void check_matrix(const struct pr_data_frame *frame, const struct pr_data_matrix *matrix)
{
    const uint32_t count = matrix->count;
    for (uint32_t i = 0; i < count; i++) {
        must(matrix->columns[i] < frame->column_count);
        for (uint32_t k = 0; k < count; k++) {
            const double value = matrix->values[i * count + k];
            must(!(value < 0) && !(value > 1 + 1e-9) && !(value < matrix->values[k * count + i]));
        }
    }
}

static void check_pairs(const struct pr_data_frame *frame)
{
    must(frame->paired_rows <= frame->rows);
    check_matrix(frame, &frame->cramers_v);
    check_matrix(frame, &frame->phi_k);
    for (uint32_t i = 0; i < frame->pair_count; i++) {
        const struct pr_data_pair *pair = &frame->pairs[i];
        uint64_t sum = pair->rows_left_out;
        for (uint32_t at = 0; at < pair->width * pair->height; at++)
            sum += pair->counts[at];
        for (uint32_t at = 0; at < pair->boxes.count; at++)
            sum += pair->boxes.boxes[at].count;
        must(sum == pair->rows && pair->rows <= frame->paired_rows);
        check_boxes(pair->boxes.boxes, pair->boxes.count);
    }
}

/* A table is not different from itself. */
static void check_diff(const struct pr_data_frame *frame)
{
    const struct pr_frame_card_options how = {.title = "diff"};
    struct pr_data_diff *diff = NULL;
    struct pr_buf page = {0};
    must(pr_data_frame_diff(frame, frame, &diff, NULL) == PR_OK);
    must(diff->column_count == frame->column_count && diff->change_count == 0);
    for (uint32_t c = 0; c < diff->column_count; c++)
        must(diff->columns[c].distance == 0);
    must(pr_render_frame_diff(diff, &how, &page, NULL) == PR_OK);
    must(!memmem(page.bytes, page.length, "<script", 7) && !memmem(page.bytes, page.length, "<img", 4));
    pr_buf_clear(&page);
    pr_data_diff_free(diff);
}

static struct pr_data_wanted wanted_of(uint8_t byte)
{
    static const char *const pairs[] = {"column_1,column_2", "column_1,column_3"};
    static const struct pr_data_wanted all[] = {
        {.view = PR_VIEW_PROFILE},
        {.view = PR_VIEW_PROFILE, .pairs = pairs, .pair_count = 2},
        {.view = PR_VIEW_TABLE, .most_rows = 2, .sort = "column_1"},
        {.view = PR_VIEW_TABLE, .most_rows = 5, .sort = "column_2", .descending = true},
        {.view = PR_VIEW_BOX},
        {.view = PR_VIEW_BOX, .value = "column_1", .by = "column_2"},
        {.view = PR_VIEW_GANTT, .start = "column_1", .finish = "column_2", .name = "column_3"},
        {.view = PR_VIEW_GANTT, .start = "Start", .finish = "Finish", .name = "Name", .group = "Kind"}};
    return all[byte >> 1 & 7];
}

/* NULL: none. */
static struct pr_data_schema *schema_of(uint8_t byte)
{
    static const char *const types[] = {
        NULL, "\"boolean\"", "\"integer\"", "\"real\"", "\"decimal\"", "{\"type\":\"date\",\"day_first\":true}",
        "{\"type\":\"moment\",\"unit\":\"ns\"}", "\"time\"", "{\"type\":\"duration\",\"unit\":\"d\"}", "\"category\"",
        "\"text\"", "\"nested\"", "\"identifier\"", "\"ignore\"", "\"string\"",
        "{\"type\":\"date\",\"day_first\":false,\"unit\":\"s\"}"};
    enum { COUNT = sizeof types / sizeof *types };
    const unsigned first = byte >> 4;
    struct pr_data_schema *schema = NULL;
    char text[400];
    if (!first)
        return NULL;
    snprintf(text, sizeof text, "{\"column_1\":%s,\"column_2\":%s,\"column_3\":%s,\"a\":%s,\"Name\":%s}", types[first],
             types[first % (COUNT - 1) + 1], types[(first + 1) % (COUNT - 1) + 1], types[first], types[first]);
    must(pr_data_schema_read(text, &schema, NULL) == PR_OK);
    schema->is_for_several = true;
    return schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_data_options how = pr_data_options_default();
    struct pr_data_frame *frame = NULL;
    struct pr_error err = {0};
    if (!length)
        return 0;
    how.format = FUZZED_FORMAT;
    if (bytes[0] & 1)
        how.exact_values = bytes[0];
    how.wanted = wanted_of(bytes[0]);
    how.keep_distributions = length & 1;
    how.schema = schema_of(bytes[0]);
    if (pr_data_frame_read_memory("fuzz", bytes + 1, length - 1, &how, &frame, &err) == PR_FAILED) {
        must(err.code != PR_ERR_NONE);
        pr_data_schema_free(how.schema);
        return 0;
    }
    for (uint32_t c = 0; c < frame->column_count; c++)
        check_column(frame, &frame->columns[c]);
    check_count(frame->duplicates);
    check_view(frame);
    check_pairs(frame);
    if (how.keep_distributions)
        check_diff(frame);
    check_page(frame, "<script>alert(1)</script>");
    pr_data_frame_hide_values(frame);
    check_page(frame, "hidden");
    pr_data_frame_free(frame);
    pr_data_schema_free(how.schema);
    return 0;
}
