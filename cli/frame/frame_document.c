/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times are numbers here too, to compute with: microseconds since 1970-01-01, or of the day. */
#include "cli/frame/frame_reports.h"

#include "cli/io/json_writer.h"
#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/base/utf8.h"
#include "render/words/data_words.h"

#include <math.h>

static void put_uint(struct pr_json_writer *json, const char *key, uint64_t value)
{
    pr_json_put_key(json, key);
    pr_json_put_uint(json, value);
}

static void put_real(struct pr_json_writer *json, const char *key, double value)
{
    pr_json_put_key(json, key);
    pr_json_put_real(json, value);
}

static void put_bool(struct pr_json_writer *json, const char *key, bool value)
{
    pr_json_put_key(json, key);
    pr_json_put_bool(json, value);
}

static void put_text(struct pr_json_writer *json, const char *key, const char *value)
{
    pr_json_put_key(json, key);
    pr_json_put_text(json, value);
}

static void put_count(struct pr_json_writer *json, const char *key, struct pr_data_count count)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '{');
    put_uint(json, "value", count.value);
    put_uint(json, "low", count.low);
    put_uint(json, "high", count.high);
    pr_json_put_close(json, '}');
}

/* A number as a number, a text as a text; with what is left of a long one. */
static void put_value(struct pr_json_writer *json, const struct pr_data_column *column,
                      const struct pr_data_value *value, bool is_redacted)
{
    pr_json_put_key(json, "value");
    if (is_redacted)
        pr_json_put_null(json);
    else if (column->has_numbers && isinf(value->number))
        pr_json_put_text(json, value->number > 0 ? "inf" : "-inf");
    else if (column->has_numbers && !value->text.length)
        pr_json_put_real(json, value->number);
    else
        pr_json_put_name(json, value->text);
    if (value->text.length < value->size && value->text.length)
        put_uint(json, "bytes", value->size);
}

static void put_values(struct pr_json_writer *json, const char *key, const struct pr_data_column *column,
                       const struct pr_data_value *values, uint32_t count, bool is_redacted)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        pr_json_put_open(json, '{');
        put_value(json, column, &values[i], is_redacted);
        put_uint(json, "count", values[i].count);
        if (values[i].most != values[i].count)
            put_uint(json, "at_most", values[i].most);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void put_numbers(struct pr_json_writer *json, const struct pr_data_column *column)
{
    static const char *const names[PR_DATA_QUANTILES] = {"min", "1%", "5%", "25%", "50%", "75%", "95%", "99%", "max"};
    const struct pr_data_spread spread = pr_data_spread_of(column);
    pr_json_put_key(json, "numbers");
    pr_json_put_open(json, '{');
    put_uint(json, "count", column->number_count);
    put_real(json, "mean", column->mean);
    put_real(json, "sum", column->sum);
    put_real(json, "std", spread.deviation);
    put_real(json, "variance", column->variance);
    put_real(json, "skewness", column->skewness);
    put_real(json, "kurtosis", column->kurtosis);
    put_real(json, "range", spread.range);
    put_real(json, "iqr", spread.iqr);
    put_real(json, "mad", column->mad);
    put_real(json, "cv", spread.variation);
    put_text(json, "order", pr_data_order_name(column->order));
    put_uint(json, "zeros", column->zeros);
    put_uint(json, "negatives", column->negatives);
    put_uint(json, "infinite", column->infinite);
    pr_json_put_key(json, "quantiles");
    pr_json_put_open(json, '{');
    for (unsigned i = 0; i < PR_DATA_QUANTILES; i++)
        put_real(json, names[i], column->quantiles[i]);
    pr_json_put_close(json, '}');
    put_real(json, "rank_error", column->rank_error);
    pr_json_put_key(json, "histogram");
    pr_json_put_open(json, '{');
    put_real(json, "from", column->bin_from);
    put_real(json, "to", column->bin_to);
    pr_json_put_key(json, "counts");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < column->bin_count; i++)
        pr_json_put_uint(json, column->bins[i]);
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
    pr_json_put_close(json, '}');
}

/* What characters are there, the most frequent first; values have none where they are hidden. */
static void put_characters(struct pr_json_writer *json, const struct pr_data_column *column)
{
    put_uint(json, "different", column->different_characters);
    put_bool(json, "more", column->more_characters);
    put_bool(json, "sampled", column->characters_sampled);
    pr_json_put_key(json, "frequent");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < column->top_character_count; i++) {
        struct pr_buf text = {0};
        pr_utf8_add(&text, column->top_characters[i].character);
        pr_json_put_open(json, '{');
        pr_json_put_buf(json, "value", &text);
        put_uint(json, "count", column->top_characters[i].count);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_key(json, "scripts");
    pr_json_put_open(json, '{');
    for (enum pr_data_script script = 0; script < PR_SCRIPT_COUNT; script++)
        if (column->scripts[script])
            put_uint(json, pr_data_script_name(script), column->scripts[script]);
    pr_json_put_close(json, '}');
}

static void put_lengths(struct pr_json_writer *json, const struct pr_data_column *column)
{
    pr_json_put_key(json, "lengths");
    pr_json_put_open(json, '{');
    put_uint(json, "shortest", column->shortest);
    put_uint(json, "longest", column->longest);
    put_real(json, "mean", pr_data_spread_of(column).mean_length);
    put_real(json, "median", column->median_length);
    if (column->median_length_error > 0)
        put_real(json, "median_error", column->median_length_error);
    pr_json_put_close(json, '}');
    if (!column->has_characters)
        return;
    pr_json_put_key(json, "characters");
    pr_json_put_open(json, '{');
    put_uint(json, "letters", column->letters);
    put_uint(json, "digits", column->digits);
    put_uint(json, "blanks", column->blanks);
    put_uint(json, "others", column->others);
    put_uint(json, "beyond_ascii", column->beyond_ascii);
    put_characters(json, column);
    pr_json_put_close(json, '}');
}

/* What the schema says, and what is not so. */
static void put_asked(struct pr_json_writer *json, const struct pr_data_frame *frame,
                      const struct pr_data_column *column)
{
    put_bool(json, "by_schema", true);
    if (!column->refused)
        return;
    pr_json_put_key(json, "not_of_type");
    pr_json_put_open(json, '{');
    put_uint(json, "count", column->refused);
    put_uint(json, "first", column->first_refused);
    pr_json_put_key(json, "value");
    if (frame->is_redacted)
        pr_json_put_null(json);
    else
        pr_json_put_name(json, column->refused_text);
    pr_json_put_close(json, '}');
}

static void put_column(struct pr_json_writer *json, const struct pr_data_frame *frame,
                       const struct pr_data_column *column)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "name");
    pr_json_put_name(json, column->name);
    put_text(json, "type", pr_data_type_name(column->type));
    put_uint(json, "count", column->count);
    put_uint(json, "missing", column->missing);
    put_count(json, "distinct", column->distinct);
    put_bool(json, "constant", column->is_constant);
    put_bool(json, "unique", column->is_unique);
    if (column->is_asked)
        put_asked(json, frame, column);
    pr_json_put_key(json, "kinds");
    pr_json_put_open(json, '{');
    for (enum pr_data_kind kind = PR_KIND_BOOLEAN; kind < PR_KIND_COUNT; kind++)
        if (column->kinds[kind])
            put_uint(json, pr_data_kind_name(kind), column->kinds[kind]);
    pr_json_put_close(json, '}');
    if (column->has_numbers)
        put_numbers(json, column);
    if (column->has_lengths)
        put_lengths(json, column);
    put_values(json, "frequent", column, column->frequent, column->frequent_count, frame->is_redacted);
    if (column->word_count) {
        put_uint(json, "words", column->word_total);
        put_values(json, "frequent_words", column, column->words, column->word_count, frame->is_redacted);
    }
    if (column->has_numbers) {
        put_values(json, "lowest", column, column->lowest, column->lowest_count, frame->is_redacted);
        put_values(json, "highest", column, column->highest, column->highest_count, frame->is_redacted);
    }
    pr_json_put_close(json, '}');
}

static void put_findings(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    pr_json_put_key(json, "findings");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < frame->finding_count; i++) {
        const struct pr_data_finding *finding = &frame->findings[i];
        struct pr_buf words = {0};
        pr_data_finding_words(&words, frame, finding);
        pr_json_put_open(json, '{');
        put_text(json, "kind", pr_data_finding_name(finding->kind));
        pr_json_put_key(json, "column");
        if (finding->column == PR_DATA_NONE)
            pr_json_put_null(json);
        else
            pr_json_put_name(json, frame->columns[finding->column].name);
        pr_json_put_buf(json, "text", &words);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void put_damage(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    pr_json_put_key(json, "damage");
    pr_json_put_open(json, '{');
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++) {
        if (!frame->damage[damage].count)
            continue;
        pr_json_put_key(json, pr_data_damage_name(damage));
        pr_json_put_open(json, '{');
        put_uint(json, "count", frame->damage[damage].count);
        put_uint(json, "first", frame->damage[damage].first);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, '}');
    put_text(json, "problem", frame->problem.code != PR_ERR_NONE ? frame->problem.text : NULL);
}

static void put_matrix(struct pr_json_writer *json, const char *key, const double *matrix, uint32_t count)
{
    pr_json_put_key(json, key);
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        pr_json_put_open(json, '[');
        for (uint32_t k = 0; k < count; k++)
            pr_json_put_real(json, matrix[i * count + k]);
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}

static void put_columns_of(struct pr_json_writer *json, const uint32_t *columns, uint32_t count, uint32_t left_out)
{
    pr_json_put_key(json, "columns");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < count; i++)
        pr_json_put_uint(json, columns[i]);
    pr_json_put_close(json, ']');
    put_uint(json, "left_out", left_out);
}

static void put_measures(struct pr_json_writer *json, const char *key, const struct pr_data_matrix *matrix)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '{');
    put_columns_of(json, matrix->columns, matrix->count, matrix->left_out);
    put_matrix(json, "values", matrix->values, matrix->count);
    pr_json_put_close(json, '}');
}

static void put_correlations(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    pr_json_put_key(json, "correlations");
    pr_json_put_open(json, '{');
    put_columns_of(json, frame->related, frame->related_count, frame->related_left_out);
    put_matrix(json, "pearson", frame->pearson, frame->related_count);
    if (frame->spearman)
        put_matrix(json, "spearman", frame->spearman, frame->related_count);
    if (frame->kendall)
        put_matrix(json, "kendall", frame->kendall, frame->related_count);
    if (frame->view == PR_VIEW_PROFILE) {
        put_uint(json, "rows", frame->paired_rows);
        put_measures(json, "cramers_v", &frame->cramers_v);
        put_measures(json, "phi_k", &frame->phi_k);
    }
    pr_json_put_close(json, '}');
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

static void put_column_number(struct pr_json_writer *json, const char *key, uint32_t column)
{
    pr_json_put_key(json, key);
    if (column == PR_DATA_NONE)
        pr_json_put_null(json);
    else
        pr_json_put_uint(json, column);
}

/* A number would lose what makes it a code: the zeros of 01189, the sign of +49301234. */
static bool is_code(struct pr_text text)
{
    uint32_t at = 0;
    while (at < text.length && pr_is_blank(text.bytes[at]))
        at++;
    if (at < text.length && text.bytes[at] == '+')
        return true;
    at += at < text.length && text.bytes[at] == '-';
    return at + 1 < text.length && text.bytes[at] == '0' && pr_is_digit(text.bytes[at + 1]);
}

static void put_cell(struct pr_json_writer *json, const struct pr_data_column *column, const struct pr_data_value *cell)
{
    if (cell->kind == PR_KIND_MISSING)
        pr_json_put_null(json);
    else if (column->has_numbers && column->type <= PR_TYPE_DECIMAL && isfinite(cell->number) &&
             fabs(cell->number) <= 9007199254740992.0 && !is_code(cell->text))
        pr_json_put_real(json, cell->number);
    else
        pr_json_put_name(json, cell->text);
}

/* In the columns that are shown. */
static void put_cells(struct pr_json_writer *json, const struct pr_data_frame *frame, const struct pr_data_row *row)
{
    pr_json_put_key(json, "cells");
    pr_json_put_open(json, '[');
    for (uint32_t c = 0; row->cells && c < frame->column_count && c < PR_DATA_SHOWN; c++)
        put_cell(json, &frame->columns[c], &row->cells[c]);
    pr_json_put_close(json, ']');
}

static void put_groups(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    pr_json_put_key(json, "duplicate_groups");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < frame->group_count; i++) {
        pr_json_put_open(json, '{');
        put_uint(json, "count", frame->group_rows[i]);
        put_uint(json, "row", frame->groups[i].number);
        put_cells(json, frame, &frame->groups[i]);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    put_bool(json, "duplicate_groups_sampled", frame->groups_are_sampled);
}

static void put_table(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    const uint32_t columns = frame->column_count < PR_DATA_SHOWN ? frame->column_count : PR_DATA_SHOWN;
    pr_json_put_key(json, "table");
    pr_json_put_open(json, '{');
    put_column_number(json, "sorted_by", frame->sheet.sort);
    put_bool(json, "descending", frame->sheet.descending);
    put_uint(json, "columns", columns);
    pr_json_put_key(json, "rows");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < frame->sheet.count; i++) {
        pr_json_put_open(json, '{');
        put_uint(json, "number", frame->sheet.rows[i].number);
        put_cells(json, frame, &frame->sheet.rows[i]);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

static void put_box_figures(struct pr_json_writer *json, const struct pr_data_box *box)
{
    put_uint(json, "count", box->count);
    put_real(json, "min", box->minimum);
    put_real(json, "low", box->low);
    put_real(json, "25%", box->first);
    put_real(json, "50%", box->median);
    put_real(json, "75%", box->third);
    put_real(json, "high", box->high);
    put_real(json, "max", box->maximum);
    put_uint(json, "below", box->below);
    put_uint(json, "above", box->above);
    put_real(json, "rank_error", box->rank_error);
}

static void put_categories(struct pr_json_writer *json, const struct pr_data_boxes *boxes)
{
    for (uint32_t i = 0; i < boxes->count; i++) {
        pr_json_put_open(json, '{');
        put_uint(json, "column", boxes->value);
        pr_json_put_key(json, "category");
        if (boxes->boxes[i].is_missing)
            pr_json_put_null(json);
        else
            pr_json_put_name(json, boxes->boxes[i].label);
        put_box_figures(json, &boxes->boxes[i]);
        pr_json_put_close(json, '}');
    }
}

static void put_boxes_of(struct pr_json_writer *json, const struct pr_data_boxes *boxes)
{
    pr_json_put_key(json, "boxes");
    pr_json_put_open(json, '[');
    put_categories(json, boxes);
    pr_json_put_close(json, ']');
}

static void put_boxes(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    const struct pr_data_boxes *boxes = &frame->boxes;
    pr_json_put_key(json, "boxes");
    pr_json_put_lines(json, '[');
    put_categories(json, boxes);
    for (uint32_t c = 0; boxes->by == PR_DATA_NONE && c < frame->column_count; c++) {
        if (!frame->columns[c].has_numbers || (boxes->value != PR_DATA_NONE && boxes->value != c))
            continue;
        pr_json_put_open(json, '{');
        put_uint(json, "column", c);
        put_box_figures(json, &frame->columns[c].box);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    put_uint(json, "rows_left_out", boxes->rows_left_out);
}

static void put_gantt(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    pr_json_put_key(json, "gantt");
    pr_json_put_open(json, '{');
    put_real(json, "from", gantt->from);
    put_real(json, "to", gantt->to);
    put_uint(json, "lanes", gantt->lane_count);
    put_uint(json, "left_out", gantt->left_out);
    put_uint(json, "untimed", gantt->untimed);
    put_uint(json, "reversed", gantt->reversed);
    put_uint(json, "open", gantt->open);
    pr_json_put_key(json, "bars");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < gantt->count; i++) {
        const struct pr_data_span *span = &gantt->spans[i];
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "name");
        pr_json_put_name(json, span->name);
        if (gantt->group != PR_DATA_NONE) {
            pr_json_put_key(json, "group");
            pr_json_put_name(json, span->group);
        }
        put_real(json, "start", span->start);
        put_real(json, "finish", span->finish);
        put_uint(json, "lane", span->lane);
        put_uint(json, "row", span->row);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

static void put_view(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    if (frame->view == PR_VIEW_TABLE)
        put_table(json, frame);
    else if (frame->view == PR_VIEW_BOX)
        put_boxes(json, frame);
    else if (frame->view == PR_VIEW_GANTT)
        put_gantt(json, frame);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static void put_ends(struct pr_json_writer *json, const char *key, double from, double to)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    pr_json_put_real(json, from);
    pr_json_put_real(json, to);
    pr_json_put_close(json, ']');
}

static void put_labels(struct pr_json_writer *json, const char *key, const struct pr_text *labels, uint32_t count)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < count; i++)
        pr_json_put_name(json, labels[i]);
    pr_json_put_close(json, ']');
}

static void put_grid(struct pr_json_writer *json, const struct pr_data_pair *pair)
{
    pr_json_put_key(json, "counts");
    pr_json_put_open(json, '[');
    for (uint32_t y = 0; y < pair->height; y++) {
        pr_json_put_open(json, '[');
        for (uint32_t x = 0; x < pair->width; x++)
            pr_json_put_uint(json, pair->counts[y * pair->width + x]);
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}

static void put_pair(struct pr_json_writer *json, const struct pr_data_pair *pair)
{
    static const char *const kinds[] = {"points", "boxes", "categories"};
    pr_json_put_open(json, '{');
    put_text(json, "kind", kinds[pair->kind]);
    put_uint(json, "x", pair->x);
    put_uint(json, "y", pair->y);
    put_real(json, "pearson", pair->pearson);
    put_real(json, "phi_k", pair->phi_k);
    put_uint(json, "rows", pair->rows);
    put_uint(json, "rows_left_out", pair->rows_left_out);
    if (pair->kind == PR_PAIR_POINTS) {
        put_ends(json, "x_range", pair->x_from, pair->x_to);
        put_ends(json, "y_range", pair->y_from, pair->y_to);
    } else if (pair->kind == PR_PAIR_CATEGORIES) {
        put_labels(json, "x_labels", pair->x_labels, pair->width);
        put_labels(json, "y_labels", pair->y_labels, pair->height);
    }
    if (pair->kind == PR_PAIR_BOXES)
        put_boxes_of(json, &pair->boxes);
    else
        put_grid(json, pair);
    pr_json_put_close(json, '}');
}

static void put_pairs(struct pr_json_writer *json, const struct pr_data_frame *frame)
{
    pr_json_put_key(json, "pairs");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < frame->pair_count; i++)
        put_pair(json, &frame->pairs[i]);
    pr_json_put_close(json, ']');
    put_uint(json, "pairs_left_out", frame->pairs_left_out);
}

void pr_frame_document(struct pr_output *out, const struct pr_data_frame *frame, const char *name)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    const char separator[] = {frame->separator, '\0'};
    pr_json_put_lines(&json, '{');
    put_text(&json, "schema", "profrender/frame/1");
    put_text(&json, "source", name);
    put_text(&json, "format", frame->format);
    put_text(&json, "separator", frame->separator ? separator : NULL);
    put_text(&json, "encoding", frame->encoding);
    put_bool(&json, "header", frame->has_header);
    put_uint(&json, "bytes", frame->bytes);
    put_uint(&json, "rows", frame->rows);
    put_uint(&json, "cells", frame->cells);
    put_uint(&json, "missing", frame->missing);
    put_count(&json, "duplicates", frame->duplicates);
    put_bool(&json, "exact", frame->is_exact);
    put_bool(&json, "redacted", frame->is_redacted);
    put_damage(&json, frame);
    put_findings(&json, frame);
    pr_json_put_key(&json, "columns");
    pr_json_put_lines(&json, '[');
    for (uint32_t c = 0; c < frame->column_count; c++)
        put_column(&json, frame, &frame->columns[c]);
    pr_json_put_close(&json, ']');
    put_groups(&json, frame);
    put_correlations(&json, frame);
    put_pairs(&json, frame);
    put_view(&json, frame);
    pr_json_put_close(&json, '}');
}
