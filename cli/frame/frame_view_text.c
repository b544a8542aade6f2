/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, boxes and bars in the terminal, in the width that there is. */
#include "cli/frame/frame_reports.h"

#include "capture/base/text.h"
#include "cli/frame/frame_lines.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/report.h"
#include "render/words/data_ticks.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ROWS = 40, MOST_CELL = 28, LEAST_CELL = 3, MOST_LANES = 60, LABEL_COLUMNS = 24 };

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void cell_text(struct pr_buf *text, const struct pr_data_column *column, const struct pr_data_value *value)
{
    if (value->kind == PR_KIND_MISSING)
        pr_buf_text(text, "\xE2\x80\x93");
    else
        pr_data_value_text(text, column, value, 120);
}

static size_t columns_of(const struct pr_buf *text)
{
    return pr_text_columns(text->length ? text->bytes : "", text->length);
}

static size_t width_of(const struct pr_data_frame *frame, uint32_t c, uint32_t rows)
{
    size_t width = pr_text_columns(frame->columns[c].name.bytes, frame->columns[c].name.length);
    for (uint32_t i = 0; i < rows; i++) {
        struct pr_buf text = {0};
        cell_text(&text, &frame->columns[c], &frame->sheet.rows[i].cells[c]);
        const size_t columns = columns_of(&text);
        width = columns > width ? columns : width;
        pr_buf_clear(&text);
    }
    return width < LEAST_CELL ? LEAST_CELL : width > MOST_CELL ? MOST_CELL : width;
}

static bool is_number(const struct pr_data_column *column)
{
    return column->has_numbers && column->type <= PR_TYPE_DECIMAL;
}

/* As many columns as fit, from the first. */
static uint32_t fit(const struct pr_report *report, const struct pr_data_frame *frame, uint32_t rows, size_t *widths,
                    size_t number_width)
{
    const uint32_t kept = frame->column_count < PR_DATA_SHOWN ? frame->column_count : PR_DATA_SHOWN;
    size_t used = 2 + number_width + 2;
    uint32_t shown = 0;
    for (; shown < kept; shown++) {
        widths[shown] = width_of(frame, shown, rows);
        used += widths[shown] + 2;
        if (used > report->term.columns + 2 && shown)
            break;
    }
    return shown;
}

static void put_sheet(struct pr_report *report, const struct pr_data_frame *frame)
{
    const uint32_t rows = frame->sheet.count < MOST_ROWS ? frame->sheet.count : MOST_ROWS;
    size_t widths[PR_DATA_SHOWN], number_width = 3;
    struct pr_buf line = {0};
    for (uint32_t i = 0; i < rows; i++) {
        const struct pr_figure number = pr_data_count_text(frame->sheet.rows[i].number);
        number_width = pr_figure_columns(&number) > number_width ? pr_figure_columns(&number) : number_width;
    }
    const uint32_t shown = fit(report, frame, rows, widths, number_width);
    pr_report_heading(report, "Table");
    for (int head = 0; head < 2; head++) {
        pr_buf_printf(&line, "  %s", report->style.dim);
        pr_frame_cell(&line, pr_text_of(head ? "" : "row"), number_width, true);
        for (uint32_t c = 0; c < shown; c++)
            pr_frame_cell(&line, head ? pr_text_of(pr_data_type_words(frame->columns[c].type)) : frame->columns[c].name,
                          widths[c], is_number(&frame->columns[c]));
        pr_frame_end_line(report, &line);
    }
    for (uint32_t i = 0; i < rows; i++) {
        pr_buf_text(&line, "  ");
        pr_frame_cell(&line, pr_text_of(pr_data_count_text(frame->sheet.rows[i].number).text), number_width, true);
        for (uint32_t c = 0; c < shown; c++) {
            struct pr_buf text = {0};
            cell_text(&text, &frame->columns[c], &frame->sheet.rows[i].cells[c]);
            pr_frame_cell(&line, pr_frame_text_of(&text), widths[c], is_number(&frame->columns[c]));
            line.failed |= text.failed;
            pr_buf_clear(&text);
        }
        pr_frame_end_line(report, &line);
    }
    if (rows < frame->rows)
        pr_buf_printf(&line, "%s of %s rows are shown; ", pr_data_count_text(rows).text,
                      pr_data_count_text(frame->rows).text);
    if (shown < frame->column_count)
        pr_buf_printf(&line, "%s of %s columns are shown; ", pr_data_count_text(shown).text,
                      pr_data_count_text(frame->column_count).text);
    if (line.length)
        pr_buf_text(&line, "the page (-o FILE.html) and --json have more");
    if (line.length)
        pr_frame_line(report, 2, &line);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

/* ├──▒▒█▒▒▒──┤ in WIDTH columns, points for outliers. */
static void add_box(struct pr_buf *line, const struct pr_data_box *box, double from, double to, size_t width)
{
    enum { MOST = 200 };
    static const char *const parts[] = {" ", "\xE2\x94\x80", "\xE2\x96\x92", "\xE2\x96\x88", "\xE2\x94\x9C",
                                        "\xE2\x94\xA4", "\xC2\xB7"};
    unsigned char cells[MOST] = {0};
    const double span = to - from;
    width = width > MOST ? MOST : width;
#define AT(value) ((size_t)(span > 0 && isfinite(span) ? ((value)-from) / span * (double)(width - 1) + 0.5 : 0))
    for (uint32_t i = 0; i < box->low_outlier_count; i++)
        cells[AT(box->low_outliers[i])] = 6;
    for (uint32_t i = 0; i < box->high_outlier_count; i++)
        cells[AT(box->high_outliers[i])] = 6;
    for (size_t i = AT(box->low); i <= AT(box->high); i++)
        cells[i] = 1;
    cells[AT(box->low)] = 4;
    cells[AT(box->high)] = 5;
    for (size_t i = AT(box->first); i <= AT(box->third); i++)
        cells[i] = 2;
    cells[AT(box->median)] = 3;
#undef AT
    for (size_t i = 0; i < width; i++)
        pr_buf_text(line, parts[cells[i]]);
}

static void put_box(struct pr_report *report, struct pr_text label, const struct pr_data_column *column,
                    const struct pr_data_box *box, double from, double to)
{
    struct pr_buf line = {0}, rest = {0};
    const size_t columns = report->term.columns;
    const size_t plot = columns > LABEL_COLUMNS + 60 ? columns - LABEL_COLUMNS - 50 : 24;
    pr_buf_text(&line, "  ");
    pr_frame_cell(&line, label, LABEL_COLUMNS, false);
    if (box->count) {
        add_box(&rest, box, from, to, plot);
        pr_buf_printf(&rest, "  %smedian %s", box->rank_error > 0 ? "about " : "",
                      pr_data_figure(column, box->median).text);
        pr_buf_printf(&rest, ", half %s to ", pr_data_figure(column, box->first).text);
        pr_buf_printf(&rest, "%s", pr_data_figure(column, box->third).text);
        if (box->below + box->above)
            pr_buf_printf(&rest, ", %s", pr_units_counted(pr_units_signed(box->below + box->above), "outliers").text);
    } else {
        pr_buf_text(&rest, "no numbers");
    }
    pr_text_cut_end(&line, pr_frame_text_of(&rest), columns > LABEL_COLUMNS + 24 ? columns - LABEL_COLUMNS - 4 : 20);
    line.failed |= rest.failed;
    pr_buf_clear(&rest);
    pr_frame_end_line(report, &line);
}

static void put_boxes(struct pr_report *report, const struct pr_data_frame *frame)
{
    const struct pr_data_boxes *boxes = &frame->boxes;
    struct pr_buf line = {0};
    double from = INFINITY, to = -INFINITY;
    uint32_t shown = boxes->count;
    pr_report_heading(report, "Box plot");
    for (uint32_t i = 0; i < boxes->count; i++) {
        from = fmin(from, boxes->boxes[i].minimum);
        to = fmax(to, boxes->boxes[i].maximum);
    }
    for (uint32_t i = 0; i < boxes->count; i++)
        put_box(report, boxes->boxes[i].is_missing ? pr_text_of("(missing)") : boxes->boxes[i].label,
                &frame->columns[boxes->value], &boxes->boxes[i], from, to);
    for (uint32_t c = 0; boxes->by == PR_DATA_NONE && c < frame->column_count; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        if (!column->has_numbers || (boxes->value != PR_DATA_NONE && boxes->value != c))
            continue;
        put_box(report, column->name, column, &column->box, column->box.minimum, column->box.maximum);
        shown++;
    }
    if (!shown) {
        pr_buf_text(&line, boxes->by == PR_DATA_NONE ? "No column has numbers" : "There are no rows");
        pr_frame_line(report, 2, &line);
    }
    if (boxes->rows_left_out) {
        pr_buf_printf(&line, "the %d categories with the most rows; ", PR_DATA_BOXES);
        pr_buf_printf(&line, "the others have %s",
                      pr_units_counted(pr_units_signed(boxes->rows_left_out), "rows").text);
        pr_frame_line(report, 2, &line);
    }
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

/* In eighths of a column: BAR from FROM to TO of WIDTH columns. */
static void add_bars(struct pr_buf *line, const struct pr_data_frame *frame, uint32_t first, uint32_t end, size_t width)
{
    enum { MOST = 200 };
    const struct pr_data_gantt *gantt = &frame->gantt;
    const double span = gantt->to - gantt->from;
    unsigned char cells[MOST] = {0};
    width = width > MOST ? MOST : width;
    for (uint32_t i = first; i < end; i++) {
        const struct pr_data_span *bar = &gantt->spans[i];
        const double scale = span > 0 && isfinite(span) ? (double)width / span : 0;
        const double from = isnan(bar->start) ? 0 : (bar->start - gantt->from) * scale;
        const double to = isnan(bar->finish) ? (double)width : (bar->finish - gantt->from) * scale;
        size_t at = (size_t)from < width ? (size_t)from : width - 1;
        const bool is_open = isnan(bar->start) || isnan(bar->finish);
        do
            cells[at] = is_open ? 2 : 1;
        while (++at < width && (double)at < to);
    }
    for (size_t i = 0; i < width; i++)
        pr_buf_text(line, cells[i] == 2 ? "\xE2\x96\x92" : cells[i] ? "\xE2\x96\x88" : " ");
}

static void put_gantt(struct pr_report *report, const struct pr_data_frame *frame)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    const size_t columns = report->term.columns;
    const size_t plot = columns > LABEL_COLUMNS + 60 ? columns - LABEL_COLUMNS - 40 : 30;
    struct pr_buf line = {0};
    uint32_t lanes = 0, first = 0;
    pr_report_heading(report, "Gantt chart");
    if (gantt->count) {
        const struct pr_data_column *start = &frame->columns[gantt->start];
        pr_buf_printf(&line, "%s to ", pr_data_figure(start, gantt->from).text);
        pr_buf_printf(&line, "%s, ", pr_data_figure(start, gantt->to).text);
        pr_buf_printf(&line, "%s", pr_data_distance(start, gantt->to - gantt->from).text);
        pr_frame_line(report, 2, &line);
    }
    for (uint32_t end; first < gantt->count && lanes < MOST_LANES; first = end, lanes++) {
        const struct pr_data_span *span = &gantt->spans[first];
        const bool continues = first && pr_text_compare(gantt->spans[first - 1].name, span->name) == 0;
        for (end = first + 1; end < gantt->count && gantt->spans[end].lane == span->lane; end++)
            continue;
        pr_buf_text(&line, "  ");
        pr_frame_cell(&line, continues ? pr_text_of("") : span->name, LABEL_COLUMNS, false);
        add_bars(&line, frame, first, end, plot);
        if (end - first > 1)
            pr_buf_printf(&line, "  %s", pr_units_counted(end - first, "bars").text);
        else if (isnan(span->start) || isnan(span->finish))
            pr_buf_printf(&line, "  %s not known", isnan(span->start) ? "start" : "finish");
        else
            pr_buf_printf(&line, "  %s",
                          pr_data_distance(&frame->columns[gantt->start], span->finish - span->start).text);
        pr_frame_end_line(report, &line);
    }
    if (first < gantt->count) {
        pr_buf_printf(&line, "the first %u lanes of %u; the page has more", (unsigned)lanes,
                      (unsigned)gantt->lane_count);
        pr_frame_line(report, 2, &line);
    }
    if (pr_data_gantt_words(&line, frame))
        pr_frame_line(report, 2, &line);
}

void pr_frame_view_text(struct pr_report *report, const struct pr_data_frame *frame)
{
    if (frame->view == PR_VIEW_TABLE)
        put_sheet(report, frame);
    else if (frame->view == PR_VIEW_BOX)
        put_boxes(report, frame);
    else
        put_gantt(report, frame);
}
