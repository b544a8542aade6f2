/* SPDX-License-Identifier: Apache-2.0 */
/* How columns vary together, where values are missing, and the rows at both ends. */
#include "render/frame/frame_parts.h"
#include "render/words/data_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_CHARACTERS = 30, CELL_BYTES = 80, MOST_GAPS = 60 };

/* ---- correlations ----------------------------------------------------------------------------------------------- */

static const char *class_of(double r)
{
    static const char *const up[] = {"", "p1", "p2", "p3"}, *const down[] = {"", "n1", "n2", "n3"};
    const unsigned level = fabs(r) >= 0.7 ? 3 : fabs(r) >= 0.4 ? 2 : fabs(r) >= 0.15 ? 1 : 0;
    return r < 0 ? down[level] : up[level];
}

static void coefficient(struct pr_buf *out, double r, bool is_same)
{
    char text[16];
    if (is_same || isnan(r)) {
        pr_html(out, "<td class='same'>%s</td>", is_same ? "" : "\xE2\x80\x93");
        return;
    }
    snprintf(text, sizeof text, "%.2f", fabs(r));
    pr_html(out, "<td class='%s'>%s%s</td>", class_of(r), r <= -0.005 ? "\xE2\x88\x92" : "", text);
}

/* A value of each pair of columns. */
struct shown_matrix {
    const uint32_t *columns;
    uint32_t count;
    const double *values;
};

static void matrix(const struct pr_data_frame *frame, struct shown_matrix shown, const char *name, struct pr_buf *out)
{
    pr_html(out,
            "<div class='scroll' tabindex='0' role='group' aria-label='%s'><table class='matrix'><caption "
            "class='caption'>%s</caption><thead><tr><td></td>",
            name, name);
    for (uint32_t i = 0; i < shown.count; i++) {
        pr_buf_text(out, "<th scope='col'>");
        pr_frame_name(out, &frame->columns[shown.columns[i]], NAME_CHARACTERS);
        pr_buf_text(out, "</th>");
    }
    pr_buf_text(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < shown.count; i++) {
        pr_buf_text(out, "<tr><th scope='row'>");
        pr_frame_name(out, &frame->columns[shown.columns[i]], NAME_CHARACTERS);
        pr_buf_text(out, "</th>");
        for (uint32_t k = 0; k < shown.count; k++)
            coefficient(out, shown.values[i * shown.count + k], i == k);
        pr_buf_text(out, "</tr>\n");
    }
    pr_buf_text(out, "</tbody></table></div>");
}

static void matrix_of_numbers(const struct pr_data_frame *frame, const double *values, const char *name,
                              struct pr_buf *out)
{
    matrix(frame, (struct shown_matrix){frame->related, frame->related_count, values}, name, out);
}

static void matrices(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_matrix *phi_k = &frame->phi_k, *v = &frame->cramers_v;
    pr_buf_text(out, "<div class='matrices'>");
    if (frame->related_count > 1) {
        matrix_of_numbers(frame, frame->pearson, "Pearson", out);
        if (frame->spearman)
            matrix_of_numbers(frame, frame->spearman, "Spearman, of ranks", out);
        if (frame->kendall)
            matrix_of_numbers(frame, frame->kendall, "Kendall, tau-b", out);
    }
    if (phi_k->count > 1)
        matrix(frame, (struct shown_matrix){phi_k->columns, phi_k->count, phi_k->values}, "phi-k, of all", out);
    if (v->count > 1)
        matrix(frame, (struct shown_matrix){v->columns, v->count, v->values}, "Cram\xC3\xA9r\xE2\x80\x99s V", out);
    pr_buf_text(out, "</div>\n");
}

static void notes_on_numbers(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (frame->related_count < 2)
        return;
    if (!frame->spearman)
        pr_buf_text(out, "<p class='caption'>Spearman\xE2\x80\x99s and Kendall\xE2\x80\x99s are left out: they need "
                         "all numbers in memory.</p>");
    else if (!frame->kendall)
        pr_html(out,
                "<p class='caption'>Kendall\xE2\x80\x99s is left out: rows times pairs of columns exceed %s.</p>",
                pr_data_count_text(PR_DATA_CONCORDANT).text);
    if (frame->related_left_out)
        pr_html(out, "<p class='caption'>The first %" PRIu32 " columns with numbers; %" PRIu32 " are left out.</p>",
                frame->related_count, frame->related_left_out);
}

static void notes_on_measures(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_matrix *phi_k = &frame->phi_k, *v = &frame->cramers_v;
    if (phi_k->count < 2)
        return;
    pr_html(out,
            "<p class='caption'>phi-k%s: 0 where columns are independent, 1 where one determines the other; numbers "
            "are in ten bins. ",
            v->count > 1 ? " and Cram\xC3\xA9r\xE2\x80\x99s V" : "");
    if (v->count > 1)
        pr_buf_text(out, "V is of categories, and is corrected for bias. ");
    if (phi_k->left_out)
        pr_html(out,
                "They are of the first %" PRIu32 " columns, with at most %d bins and categories in all; %" PRIu32
                " more left out. ",
                phi_k->count, PR_DATA_MEASURED_BINS, phi_k->left_out);
    if (frame->paired_rows < frame->rows)
        pr_html(out, "They are estimates, from a sample of %s.",
                pr_units_counted(pr_units_signed(frame->paired_rows), "rows").text);
    pr_buf_text(out, "</p>");
}

void pr_frame_related(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (frame->related_count < 2 && frame->phi_k.count < 2)
        return;
    pr_html(out,
            "<section class='panel' id='%scorrelations'><div class='head'><h2>Correlations</h2><span class='muted'>"
            "over the rows that have both values</span></div>\n",
            pr_frame_prefix_of(frame).text);
    matrices(frame, out);
    notes_on_numbers(frame, out);
    notes_on_measures(frame, out);
    pr_buf_text(out, "</section>\n");
}

/* ---- missing values --------------------------------------------------------------------------------------------- */

static void gaps(const struct pr_data_frame *frame, struct pr_buf *out)
{
    uint32_t shown = 0, all = 0;
    pr_buf_text(
        out,
        "<div class='scroll' tabindex='0' role='group' aria-label='Missing values by column'><table "
        "class='list'><thead><tr><th>Column</th><th class='r'>Missing</th>"
        "<th class='r'>Of all rows</th><th class='wide'>From the first row to the last</th></tr></thead><tbody>\n");
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        all += column->missing > 0;
        if (!column->missing || shown == MOST_GAPS)
            continue;
        shown++;
        pr_buf_text(out, "<tr><th scope='row'>");
        pr_frame_name(out, column, NAME_CHARACTERS * 2);
        pr_html(out, "</th><td class='r'>%s</td><td class='r'>%s</td><td class='wide'>",
                pr_data_count_text(column->missing).text, pr_data_share(column->missing, frame->rows).text);
        pr_frame_gaps(out, frame, column);
        pr_buf_text(out, "</td></tr>\n");
    }
    pr_buf_text(out, "</tbody></table></div>");
    if (all > shown)
        pr_html(out, "<p class='caption'>The first %" PRIu32 " of %" PRIu32 " columns with missing values.</p>", shown,
                all);
}

static void pattern_names(const struct pr_data_frame *frame, uint64_t columns, struct pr_buf *out)
{
    enum { MOST_NAMES = 8 };
    unsigned shown = 0, all = 0;
    for (uint32_t c = 0; c < frame->column_count && c < 64; c++) {
        if (!(columns >> c & 1))
            continue;
        all++;
        if (shown == MOST_NAMES)
            continue;
        pr_buf_text(out, shown++ ? ", <code>" : "<code>");
        pr_frame_name(out, &frame->columns[c], NAME_CHARACTERS);
        pr_buf_text(out, "</code>");
    }
    if (!all)
        pr_buf_text(out, "<span class='muted'>none: every value is present</span>");
    if (all > shown)
        pr_html(out, " and %u more", all - shown);
}

static void patterns(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (frame->pattern_count < 2)
        return;
    pr_buf_text(out, "<div class='scroll' tabindex='0' role='group' aria-label='Missing together'><table "
                     "class='list together'><thead><tr><th class='r'>Rows</th><th class='r'>Of all</th>"
                     "<th class='wide'>Missing together</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < frame->pattern_count; i++) {
        pr_html(out, "<tr><td class='r'>%s</td><td class='r'>%s</td><td class='wide'>",
                pr_data_count_text(frame->patterns[i].rows).text,
                pr_data_share(frame->patterns[i].rows, frame->rows).text);
        pattern_names(frame, frame->patterns[i].columns, out);
        pr_buf_text(out, "</td></tr>\n");
    }
    pr_buf_text(out, "</tbody></table></div>");
    if (frame->patterns_cut)
        pr_html(out, "<p class='caption'>The most frequent patterns%s; there are more.</p>",
                frame->column_count > 64 ? " of the first 64 columns" : "");
}

void pr_frame_missing(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (!frame->missing)
        return;
    pr_html(out,
            "<section class='panel' id='%smissing'><div class='head'><h2>Missing values</h2><span class='muted'>%s of "
            "%s cells</span></div>\n",
            pr_frame_prefix_of(frame).text,
            pr_data_count_text(frame->missing).text, pr_data_count_text(frame->cells).text);
    gaps(frame, out);
    patterns(frame, out);
    pr_buf_text(out, "</section>\n");
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void cell(struct pr_buf *out, const struct pr_data_frame *frame, uint32_t c, const struct pr_data_value *value)
{
    const struct pr_data_column *column = &frame->columns[c];
    const bool is_right = column->has_numbers && column->type <= PR_TYPE_DECIMAL;
    struct pr_buf text = {0};
    if (value->kind == PR_KIND_MISSING) {
        pr_html(out, "<td class='none%s'>missing</td>", is_right ? " r" : "");
        return;
    }
    pr_data_value_text(&text, column, value, CELL_BYTES);
    pr_html(out, "<td class='%s'>%.*s</td>", is_right ? "r" : "", (int)text.length, text.length ? text.bytes : "");
    out->failed |= text.failed;
    pr_buf_clear(&text);
}

void pr_frame_row_table(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_row *list,
                        uint32_t count, const char *label, const char *number)
{
    const uint32_t columns = frame->column_count < PR_DATA_SHOWN ? frame->column_count : PR_DATA_SHOWN;
    pr_html(out,
            "<div class='scroll' tabindex='0' role='group' aria-label='%s'><table class='list cells'><thead><tr><th "
            "scope='col' class='r'>%s</th>",
            label, number);
    for (uint32_t c = 0; c < columns; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        pr_buf_text(out, column->has_numbers && column->type <= PR_TYPE_DECIMAL ? "<th scope='col' class='r'>"
                                                                                : "<th scope='col'>");
        pr_frame_name(out, column, NAME_CHARACTERS);
        pr_html(out, "<span class='type'>%s</span></th>", pr_data_type_words(column->type));
    }
    pr_buf_text(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count; i++) {
        pr_html(out, "<tr><th scope='row'>%s</th>", pr_data_count_text(list[i].number).text);
        for (uint32_t c = 0; c < columns; c++)
            cell(out, frame, c, &list[i].cells[c]);
        pr_buf_text(out, "</tr>\n");
    }
    pr_buf_text(out, "</tbody></table></div>");
}

void pr_frame_columns_left_out(struct pr_buf *out, const struct pr_data_frame *frame)
{
    if (frame->column_count > PR_DATA_SHOWN)
        pr_html(out, "<p class='caption'>The first %d columns of %" PRIu32 ".</p>", PR_DATA_SHOWN, frame->column_count);
}

static void group_counts(struct pr_buf *out, const struct pr_data_frame *frame)
{
    pr_buf_text(out, "<p class='caption'>");
    for (uint32_t i = 0; i < frame->group_count; i++)
        pr_html(out, "%s%s", i ? ", " : "", pr_data_count_text(frame->group_rows[i]).text);
    pr_buf_text(out, " times.</p>");
}

/* How often instead of which row. */
void pr_frame_groups(const struct pr_data_frame *frame, struct pr_buf *out)
{
    struct pr_data_row list[PR_DATA_ROWS];
    if (!frame->group_count)
        return;
    for (uint32_t i = 0; i < frame->group_count; i++)
        list[i] = (struct pr_data_row){frame->group_rows[i], frame->groups[i].cells};
    pr_html(out,
            "<section class='panel' id='%srepeated'><div class='head'><h2>Repeated rows</h2><span class='muted'>the "
            "most frequent ones</span></div>\n",
            pr_frame_prefix_of(frame).text);
    if (frame->is_redacted) {
        group_counts(out, frame);
    } else {
        pr_frame_row_table(out, frame, list, frame->group_count, "Repeated rows", "Times");
        pr_frame_columns_left_out(out, frame);
    }
    if (frame->groups_are_sampled)
        pr_buf_text(out, "<p class='caption'>Not every row could be counted: others may be there as often. These "
                         "counts are exact.</p>");
    pr_buf_text(out, "</section>\n");
}

static void rows(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_row *list, uint32_t count,
                 const char *title, const char *id)
{
    if (!count)
        return;
    pr_html(out, "<section class='panel' id='%s%s'><div class='head'><h2>%s</h2></div>\n",
            pr_frame_prefix_of(frame).text, id, title);
    pr_frame_row_table(out, frame, list, count, title, "Row");
    pr_frame_columns_left_out(out, frame);
    pr_buf_text(out, "</section>\n");
}

void pr_frame_rows(const struct pr_data_frame *frame, struct pr_buf *out)
{
    rows(out, frame, frame->head, frame->head_count, frame->tail_count ? "First rows" : "Rows", "rows");
    rows(out, frame, frame->tail, frame->tail_count, "Last rows", "last-rows");
}
