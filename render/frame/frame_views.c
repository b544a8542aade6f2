/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shown of a table beside its profile: rows, box plots, a Gantt chart. Charts have places in percent, so that
 * they fit any width, and the same numbers in a table.
 */
#include "render/charts/gantt.h"
#include "render/frame/frame_parts.h"
#include "render/words/data_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    NAME_CHARACTERS = 60,
    LABEL_CHARACTERS = 80,
    ROWS_OF_PART = 200,
    LISTED_BARS = 1000,
    HUES = 6
};

static void begin(struct pr_buf *out, const struct pr_data_frame *frame, const char *title)
{
    pr_html(out, "<section class='panel' id='%scolumns'><div class='head'><h2>%s</h2><span class='muted'>",
            pr_frame_prefix_of(frame).text, title);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void sheet_words(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const uint32_t count = frame->sheet.count;
    if (count < frame->rows)
        pr_html(out, "The first %s of %s", pr_data_count_text(count).text,
                pr_units_counted(pr_units_signed(frame->rows), "rows").text);
    else
        pr_html(out, "%s", pr_units_counted(pr_units_signed(frame->rows), "rows").text);
    if (frame->sheet.sort == PR_DATA_NONE)
        return;
    pr_buf_text(out, ", sorted by ");
    pr_frame_name(out, &frame->columns[frame->sheet.sort], NAME_CHARACTERS);
    pr_buf_text(out, frame->sheet.descending ? ", the highest first" : ", the lowest first");
}

void pr_frame_sheet(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const uint32_t count = frame->sheet.count;
    begin(out, frame, "Table");
    sheet_words(frame, out);
    pr_buf_text(out, "</span></div>\n");
    for (uint32_t first = 0; first < count; first += ROWS_OF_PART) {
        const uint32_t rest = count - first, rows = rest < ROWS_OF_PART ? rest : ROWS_OF_PART;
        if (first)
            pr_html(out, "<details class='rest'><summary>Rows %s to %s</summary>\n",
                    pr_data_count_text(first + 1).text, pr_data_count_text(first + rows).text);
        pr_frame_row_table(out, frame, frame->sheet.rows + first, rows, "Table", "Row");
        pr_buf_text(out, first ? "</details>\n" : "\n");
    }
    if (!count)
        pr_buf_text(out, "<p class='caption'>There are no rows.</p>");
    pr_frame_columns_left_out(out, frame);
    pr_buf_text(out, "</section>\n");
}

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

static void outliers(struct pr_buf *out, const struct pr_chart_scale *scale, const double *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pr_buf_printf(out, "<circle cx='%.2f%%' cy='14' r='2.5'/>", pr_chart_percent(scale, list[i]));
}

static void box_svg(struct pr_buf *out, const struct pr_chart_scale *scale, const struct pr_data_box *box)
{
    const double low = pr_chart_percent(scale, box->low), first = pr_chart_percent(scale, box->first),
                 median = pr_chart_percent(scale, box->median), third = pr_chart_percent(scale, box->third),
                 high = pr_chart_percent(scale, box->high);
    pr_html(out, "<svg class='strip box' role='img' aria-label='%s%s, middle half %s to %s, whiskers %s to %s, %s'>",
            box->rank_error > 0 ? "about: median " : "median ", pr_data_figure(scale->column, box->median).text,
            pr_data_figure(scale->column, box->first).text, pr_data_figure(scale->column, box->third).text,
            pr_data_figure(scale->column, box->low).text, pr_data_figure(scale->column, box->high).text,
            pr_units_counted(pr_units_signed(box->below + box->above), "outliers").text);
    pr_buf_printf(out,
                  "<line x1='%.2f%%' x2='%.2f%%' y1='14' y2='14'/><line x1='%.2f%%' x2='%.2f%%' y1='14' y2='14'/>"
                  "<line x1='%.2f%%' x2='%.2f%%' y1='9' y2='19'/><line x1='%.2f%%' x2='%.2f%%' y1='9' y2='19'/>",
                  low, first, third, high, low, low, high, high);
    pr_buf_printf(out, "<rect x='%.2f%%' y='5' width='%.2f%%' height='18'/>", first, third - first);
    pr_buf_printf(out, "<line class='median' x1='%.2f%%' x2='%.2f%%' y1='5' y2='23'/>", median, median);
    outliers(out, scale, box->low_outliers, box->low_outlier_count);
    outliers(out, scale, box->high_outliers, box->high_outlier_count);
    pr_buf_text(out, "</svg>");
}

static void box_label(struct pr_buf *out, const struct pr_data_box *box, const struct pr_data_column *column)
{
    if (column)
        pr_frame_name(out, column, NAME_CHARACTERS);
    else if (box->is_missing)
        pr_buf_text(out, "<em>missing</em>");
    else
        pr_html_cut(out, box->label, LABEL_CHARACTERS);
}

static void box_lane(struct pr_buf *out, const struct pr_chart_scale *scale, const struct pr_data_box *box,
                     const struct pr_data_column *column)
{
    pr_buf_text(out, "<div class='lane'><span class='label'>");
    box_label(out, box, column);
    pr_buf_text(out, "</span>");
    if (box->count)
        box_svg(out, scale, box);
    else
        pr_buf_text(out, "<span class='muted'>no numbers</span>");
    pr_buf_text(out, "</div>\n");
}

static void box_row(struct pr_buf *out, const struct pr_data_column *of, const struct pr_data_box *box,
                    const struct pr_data_column *column)
{
    const double numbers[] = {box->minimum, box->low, box->first, box->median, box->third, box->high, box->maximum};
    pr_buf_text(out, "<tr><th scope='row'>");
    box_label(out, box, column);
    pr_html(out, "</th><td class='r'>%s</td>", pr_data_count_text(box->count).text);
    for (unsigned i = 0; i < 7; i++)
        pr_html(out, "<td class='r'>%s%s</td>", box->rank_error > 0 && i && i < 6 ? "~" : "",
                box->count ? pr_data_figure(of, numbers[i]).text : "");
    pr_html(out, "<td class='r'>%s%s</td><td class='r'>%s%s</td></tr>\n", box->rank_error > 0 ? "~" : "",
            pr_data_count_text(box->below).text, box->rank_error > 0 ? "~" : "", pr_data_count_text(box->above).text);
}

static void begin_box_table(struct pr_buf *out)
{
    pr_buf_text(out, "<div class='scroll' tabindex='0' role='group' aria-label='The same in numbers'><table "
                     "class='list'><thead><tr><th>Box</th><th class='r'>Values</th><th class='r'>Minimum</th>"
                     "<th class='r'>Whisker</th><th class='r'>25 %</th><th class='r'>Median</th><th class='r'>75 %</th>"
                     "<th class='r'>Whisker</th><th class='r'>Maximum</th><th class='r'>Outliers below</th>"
                     "<th class='r'>above</th></tr></thead><tbody>\n");
}

static void end_boxes(struct pr_buf *out, double rank_error)
{
    pr_html(out,
            "</tbody></table></div><p class='caption'>Whiskers end at the outermost values within 1.5 times the "
            "height of the box; values beyond are outliers. On either side, the outermost %d different outliers have "
            "a point.",
            PR_DATA_OUTLIERS);
    if (rank_error > 0) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", rank_error * 100);
        pr_html(out, " Figures with ~ are estimates: their ranks are off by at most %s %% of the values.", text);
    }
    pr_buf_text(out, "</p></section>\n");
}

static void boxes_of_columns(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const uint32_t only = frame->boxes.value;
    uint32_t shown = 0, left_out = 0;
    double error = 0;
    pr_buf_text(out, "<div class='plot'>");
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        const struct pr_chart_scale scale = {column, column->box.minimum, column->box.maximum};
        if (!column->has_numbers || (only != PR_DATA_NONE && c != only))
            continue;
        if (shown++ >= PR_DATA_BOXES) {
            left_out++;
            continue;
        }
        error = fmax(error, column->box.rank_error);
        box_lane(out, &scale, &column->box, column);
        pr_chart_axis(out, &scale);
    }
    if (!shown) {
        pr_buf_text(out, "</div><p class='caption'>No column has numbers.</p></section>\n");
        return;
    }
    pr_buf_text(out, "</div>\n");
    if (left_out)
        pr_html(out, "<p class='caption'>%s more with numbers are left out.</p>",
                pr_units_counted(left_out, "columns").text);
    begin_box_table(out);
    for (uint32_t c = 0, row = 0; c < frame->column_count && row < PR_DATA_BOXES; c++)
        if (frame->columns[c].has_numbers && (only == PR_DATA_NONE || c == only)) {
            box_row(out, &frame->columns[c], &frame->columns[c].box, &frame->columns[c]);
            row++;
        }
    end_boxes(out, error);
}

void pr_frame_box_lanes(struct pr_buf *out, const struct pr_data_column *column, const struct pr_data_boxes *boxes)
{
    struct pr_chart_scale scale = {column, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < boxes->count; i++) {
        scale.from = fmin(scale.from, boxes->boxes[i].minimum);
        scale.to = fmax(scale.to, boxes->boxes[i].maximum);
    }
    pr_buf_text(out, "<div class='plot'>");
    for (uint32_t i = 0; i < boxes->count; i++)
        box_lane(out, &scale, &boxes->boxes[i], NULL);
    pr_chart_axis(out, &scale);
    pr_buf_text(out, "</div>\n");
}

static void boxes_by_category(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_boxes *boxes = &frame->boxes;
    const struct pr_data_column *column = &frame->columns[boxes->value];
    double error = 0;
    if (!boxes->count) {
        pr_buf_text(out, "<p class='caption'>There are no rows.</p></section>\n");
        return;
    }
    for (uint32_t i = 0; i < boxes->count; i++)
        error = fmax(error, boxes->boxes[i].rank_error);
    pr_frame_box_lanes(out, column, boxes);
    if (boxes->rows_left_out) {
        pr_html(out, "<p class='caption'>The %d categories with the most rows", PR_DATA_BOXES);
        pr_html(out, "; the others have %s.</p>",
                pr_units_counted(pr_units_signed(boxes->rows_left_out), "rows").text);
    }
    begin_box_table(out);
    for (uint32_t i = 0; i < boxes->count; i++)
        box_row(out, column, &boxes->boxes[i], NULL);
    end_boxes(out, error);
}

void pr_frame_boxes(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_boxes *boxes = &frame->boxes;
    begin(out, frame, "Box plot");
    if (boxes->value != PR_DATA_NONE)
        pr_frame_name(out, &frame->columns[boxes->value], NAME_CHARACTERS);
    else
        pr_buf_text(out, "each column has its own scale");
    if (boxes->by != PR_DATA_NONE) {
        pr_buf_text(out, " by ");
        pr_frame_name(out, &frame->columns[boxes->by], NAME_CHARACTERS);
    }
    pr_buf_text(out, "</span></div>\n");
    if (boxes->by == PR_DATA_NONE)
        boxes_of_columns(frame, out);
    else
        boxes_by_category(frame, out);
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

static const char *const hues[HUES] = {"h0", "h1", "h2", "h3", "h4", "h5"};

static struct pr_gantt_bar bar_of(const void *context, size_t at)
{
    const struct pr_data_span *span = &((const struct pr_data_frame *)context)->gantt.spans[at];
    return (struct pr_gantt_bar){.name = span->name,
                                 .lane = span->lane,
                                 .start = span->start,
                                 .finish = span->finish,
                                 .style = hues[span->colour % HUES]};
}

static void bar_words(const void *context, size_t at, struct pr_buf *out)
{
    const struct pr_data_frame *frame = context;
    const struct pr_data_span *span = &frame->gantt.spans[at];
    pr_gantt_span_words(out, &frame->columns[frame->gantt.start], span->start, &frame->columns[frame->gantt.finish],
                        span->finish);
    if (span->group.length) {
        pr_buf_text(out, ", ");
        pr_html_cut(out, span->group, LABEL_CHARACTERS);
    }
}

static void legend(struct pr_buf *out, const struct pr_data_frame *frame)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    enum { SHOWN_GROUPS = 24 };
    if (gantt->group == PR_DATA_NONE)
        return;
    pr_buf_text(out, "<ul class='legend'>");
    for (uint32_t i = 0; i < gantt->group_count && i < SHOWN_GROUPS; i++) {
        pr_gantt_key(hues[i % HUES], out);
        if (gantt->groups[i].length)
            pr_html_cut(out, gantt->groups[i], LABEL_CHARACTERS);
        else
            pr_buf_text(out, "<em>missing</em>");
        pr_buf_text(out, "</li>");
    }
    if (gantt->group_count > SHOWN_GROUPS)
        pr_html(out, "<li>and %" PRIu32 " more</li>", gantt->group_count - SHOWN_GROUPS);
    pr_buf_text(out, "</ul>\n");
}

static void bar_table(struct pr_buf *out, const struct pr_data_frame *frame)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    const struct pr_data_column *start = &frame->columns[gantt->start], *finish = &frame->columns[gantt->finish];
    pr_buf_text(out, "<details class='rest'><summary>The same as a table</summary><div class='scroll' tabindex='0' "
                     "role='group' aria-label='Bars'><table class='list'><thead><tr><th>Name</th>");
    if (gantt->group != PR_DATA_NONE)
        pr_buf_text(out, "<th>Group</th>");
    pr_buf_text(out, "<th class='r'>Start</th><th class='r'>Finish</th><th class='r'>Duration</th></tr></thead>"
                     "<tbody>\n");
    for (uint32_t i = 0; i < gantt->count && i < LISTED_BARS; i++) {
        const struct pr_data_span *span = &gantt->spans[i];
        pr_buf_text(out, "<tr><th scope='row'>");
        pr_html_cut(out, span->name, LABEL_CHARACTERS);
        pr_buf_text(out, gantt->group != PR_DATA_NONE ? "</th><td>" : "</th>");
        if (gantt->group != PR_DATA_NONE)
            pr_html_cut(out, span->group, LABEL_CHARACTERS);
        pr_html(out, "%s<td class='r'>%s</td><td class='r'>%s</td><td class='r'>%s</td></tr>\n",
                gantt->group != PR_DATA_NONE ? "</td>" : "",
                isnan(span->start) ? "not known" : pr_data_figure(start, span->start).text,
                isnan(span->finish) ? "not known" : pr_data_figure(finish, span->finish).text,
                isnan(span->start) || isnan(span->finish)
                    ? "not known"
                    : pr_data_distance(start, span->finish - span->start).text);
    }
    pr_buf_text(out, "</tbody></table></div>");
    if (gantt->count > LISTED_BARS)
        pr_html(out, "<p class='caption'>The first %d of %s.</p>", LISTED_BARS,
                pr_units_counted(gantt->count, "bars").text);
    pr_buf_text(out, "</details>\n");
}

void pr_frame_gantt(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    const struct pr_data_column *start = gantt->start != PR_DATA_NONE ? &frame->columns[gantt->start] : NULL;
    struct pr_buf words = {0};
    begin(out, frame, "Gantt chart");
    if (gantt->count)
        pr_html(out, "%s to %s, %s", pr_data_figure(start, gantt->from).text, pr_data_figure(start, gantt->to).text,
                pr_data_distance(start, gantt->to - gantt->from).text);
    pr_buf_text(out, "</span></div>\n");
    legend(out, frame);
    const struct pr_gantt chart = {.scale = {start, gantt->from, gantt->to},
                                   .count = gantt->count,
                                   .context = frame,
                                   .bar = bar_of,
                                   .words = bar_words};
    const struct pr_gantt_drawn drawn = pr_gantt_draw(&chart, out);
    if (drawn.bars < gantt->count)
        pr_html(out, "<p class='caption'>The first %" PRIu32 " lanes of %" PRIu32 ".</p>", drawn.lanes,
                gantt->lane_count);
    if (pr_data_gantt_words(&words, frame))
        pr_html(out, "<p class='caption'>%.*s</p>", (int)words.length, words.length ? words.bytes : "");
    out->failed |= words.failed;
    pr_buf_clear(&words);
    if (gantt->count)
        bar_table(out, frame);
    pr_buf_text(out, "</section>\n");
}
