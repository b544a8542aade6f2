/* SPDX-License-Identifier: Apache-2.0 */
/* What changed, then a line for each column that has a distance. */
#include "cli/frame/frame_diff_reports.h"

#include "capture/base/text.h"
#include "cli/frame/frame_lines.h"
#include "cli/io/terminal_names.h"
#include "render/words/data_diff_words.h"

#include <math.h>

enum { MOST_CHANGES = 40, MOST_COLUMNS = 100, NAME_COLUMNS = 22, TYPE_COLUMNS = 13, SHARE_COLUMNS = 8 };

static void put_estimate(struct pr_report *report, const char *label, struct pr_data_count before,
                         struct pr_data_count after)
{
    struct pr_buf note = {0};
    pr_data_before_words(&note, before, after);
    pr_report_field(report, label, pr_data_about(after).text, note.failed ? NULL : note.bytes);
    pr_buf_clear(&note);
}

static void put_field(struct pr_report *report, const char *label, uint64_t before, uint64_t after)
{
    put_estimate(report, label, pr_data_exactly(before), pr_data_exactly(after));
}

static void put_changes(struct pr_report *report, const struct pr_data_diff *diff)
{
    struct pr_buf line = {0};
    pr_report_heading(report, "What changed");
    pr_data_diff_note(&line, diff);
    if (line.length)
        pr_frame_line(report, 2, &line);
    for (uint32_t i = 0; i < diff->change_count && i < MOST_CHANGES; i++) {
        const struct pr_text name = pr_data_diff_column(diff, diff->changes[i].column)->name;
        pr_text_cut_end(&line, name, 40);
        pr_buf_byte(&line, ' ');
        pr_data_change_words(&line, diff, &diff->changes[i]);
        pr_frame_line(report, 2, &line);
    }
    if (diff->change_count > MOST_CHANGES) {
        pr_buf_printf(&line, "and %s more, on the page and with --json",
                      pr_data_count_text(diff->change_count - MOST_CHANGES).text);
        pr_frame_line(report, 2, &line);
    }
}

static void add_share(struct pr_buf *line, const struct pr_data_column *column, uint64_t rows)
{
    const struct pr_figure share = pr_data_share(column ? column->missing : 0, rows);
    pr_frame_cell(line, pr_text_of(column && column->missing ? share.text : ""), SHARE_COLUMNS, true);
}

static void put_column(struct pr_report *report, const struct pr_data_diff *diff, const struct pr_data_column_diff *one)
{
    const struct pr_data_column *a = one->before != PR_DATA_NONE ? &diff->before->columns[one->before] : NULL;
    const struct pr_data_column *b = one->after != PR_DATA_NONE ? &diff->after->columns[one->after] : NULL;
    struct pr_buf line = {0};
    pr_buf_text(&line, "  ");
    pr_frame_cell(&line, (b ? b : a)->name, NAME_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of(a ? pr_data_type_words(a->type) : ""), TYPE_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of(b ? pr_data_type_words(b->type) : ""), TYPE_COLUMNS, false);
    add_share(&line, a, diff->before->rows);
    add_share(&line, b, diff->after->rows);
    if (one->measure != PR_MEASURE_NONE)
        pr_buf_printf(&line, "%s%s", pr_data_distance_text(one).text, one->has_moved ? "  moved" : "");
    pr_frame_end_line(report, &line);
}

static void put_columns(struct pr_report *report, const struct pr_data_diff *diff)
{
    struct pr_buf line = {0};
    pr_report_heading(report, "Columns");
    pr_buf_printf(&line, "  %s", report->style.dim);
    pr_frame_cell(&line, pr_text_of("name"), NAME_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of("type before"), TYPE_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of("type now"), TYPE_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of("missing"), SHARE_COLUMNS, true);
    pr_frame_cell(&line, pr_text_of("now"), SHARE_COLUMNS, true);
    pr_buf_text(&line, "distance");
    pr_frame_end_line(report, &line);
    for (uint32_t c = 0; c < diff->column_count && c < MOST_COLUMNS; c++)
        put_column(report, diff, &diff->columns[c]);
    if (diff->column_count > MOST_COLUMNS) {
        pr_buf_printf(&line, "and %s more, with --json", pr_data_count_text(diff->column_count - MOST_COLUMNS).text);
        pr_frame_line(report, 2, &line);
    }
    pr_buf_text(&line, "distances from 0 to 1: Kolmogorov-Smirnov for numbers, Jensen-Shannon for categories");
    pr_frame_line(report, 2, &line);
}

void pr_frame_diff_text(struct pr_output *out, const struct pr_common *common, const struct pr_data_diff *diff,
                        const char *title, uint64_t width)
{
    struct pr_report report = pr_report_start(out, common);
    struct pr_buf line = {0};
    pr_report_set_width(&report, width);
    pr_buf_text(&line, report.style.bold);
    pr_text_cut_end(&line, pr_text_of(title), report.term.columns);
    pr_buf_printf(&line, "%s\n\n", report.style.off);
    pr_report_flush(&report, &line);
    put_field(&report, "Rows", diff->before->rows, diff->after->rows);
    put_field(&report, "Columns", diff->before->column_count, diff->after->column_count);
    put_field(&report, "Missing cells", diff->before->missing, diff->after->missing);
    put_estimate(&report, "Repeated rows", diff->before->duplicates, diff->after->duplicates);
    put_changes(&report, diff);
    put_columns(&report, diff);
}
