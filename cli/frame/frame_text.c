/* SPDX-License-Identifier: Apache-2.0 */
/* A line for each column, with the shape of its numbers or its most frequent values; findings first. */
#include "cli/frame/frame_reports.h"

#include "capture/base/text.h"
#include "cli/frame/frame_lines.h"
#include "cli/io/terminal_names.h"
#include "render/words/data_words.h"

#include <math.h>
#include <stdio.h>

enum {
    MOST_FINDINGS = 20,
    MOST_COLUMNS = 200,
    MOST_GROUPS = 5,
    MOST_GROUP_BYTES = 400,
    CELL_BYTES = 40,
    NAME_COLUMNS = 22,
    TYPE_COLUMNS = 13,
    MISSING_COLUMNS = 7,
    DIFFERENT_COLUMNS = 11,
    SUMMARY_AT = 2 + NAME_COLUMNS + TYPE_COLUMNS + MISSING_COLUMNS + DIFFERENT_COLUMNS + 8,
    BARS = 12
};

struct writer {
    struct pr_report *report;
    const struct pr_data_frame *frame;
};

static void put_head(const struct writer *w, const char *name)
{
    const struct pr_data_frame *frame = w->frame;
    struct pr_buf line = {0}, facts = {0};
    pr_buf_text(&line, w->report->style.bold);
    pr_text_cut_end(&line, pr_text_of(name), w->report->term.columns);
    pr_buf_printf(&line, "%s\n", w->report->style.off);
    pr_report_flush(w->report, &line);
    pr_data_format_words(&facts, frame);
    pr_buf_printf(&facts, ", %s%s", pr_units_bytes(pr_units_signed(frame->bytes)).text,
                  frame->is_redacted ? ", values are left out" : "");
    pr_frame_line(w->report, 0, &facts);
    pr_buf_byte(&line, '\n');
    pr_report_flush(w->report, &line);
    pr_report_field(w->report, "Rows", pr_data_count_text(frame->rows).text, NULL);
    pr_report_field(w->report, "Columns", pr_data_count_text(frame->column_count).text, NULL);
    pr_report_field(w->report, "Missing cells", pr_data_count_text(frame->missing).text,
                    frame->missing ? pr_data_share(frame->missing, frame->cells).text : NULL);
    pr_report_field(w->report, "Repeated rows", pr_data_estimate(frame->duplicates).text, NULL);
}

static void put_damage(const struct writer *w)
{
    const struct pr_data_frame *frame = w->frame;
    bool any = frame->problem.code != PR_ERR_NONE;
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++)
        any |= frame->damage[damage].count > 0;
    if (!any)
        return;
    pr_report_heading(w->report, "Problems in the data");
    struct pr_buf words = {0};
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++)
        if (pr_data_damage_words(&words, frame, damage))
            pr_frame_line(w->report, 2, &words);
    if (frame->problem.code != PR_ERR_NONE) {
        pr_buf_printf(&words, "the input ends early: %s", frame->problem.text);
        pr_frame_line(w->report, 2, &words);
    }
}

static void put_findings(const struct writer *w)
{
    const struct pr_data_frame *frame = w->frame;
    if (!frame->finding_count)
        return;
    pr_report_heading(w->report, "Findings");
    for (uint32_t i = 0; i < frame->finding_count && i < MOST_FINDINGS; i++) {
        const struct pr_data_finding *finding = &frame->findings[i];
        struct pr_buf words = {0};
        if (finding->column != PR_DATA_NONE) {
            const struct pr_text name = frame->columns[finding->column].name;
            pr_buf_add(&words, name.bytes, name.length < 60 ? name.length : 60);
            pr_buf_byte(&words, ' ');
        }
        pr_data_finding_words(&words, frame, finding);
        pr_frame_line(w->report, 2, &words);
    }
    if (frame->finding_count > MOST_FINDINGS) {
        struct pr_buf words = {0};
        pr_buf_printf(&words, "and %s more, in the card and with --json",
                      pr_data_count_text(frame->finding_count - MOST_FINDINGS).text);
        pr_frame_line(w->report, 2, &words);
    }
}

/* "    3 times  DE, 4.50, paid" */
static void put_groups(const struct writer *w)
{
    const struct pr_data_frame *frame = w->frame;
    if (!frame->group_count)
        return;
    pr_report_heading(w->report, "Repeated rows");
    for (uint32_t i = 0; i < frame->group_count && i < MOST_GROUPS; i++) {
        struct pr_buf words = {0};
        pr_buf_printf(&words, "%s times%s", pr_data_count_text(frame->group_rows[i]).text,
                      frame->is_redacted ? "" : ": ");
        for (uint32_t c = 0; !frame->is_redacted && c < frame->column_count && c < PR_DATA_SHOWN &&
             words.length < MOST_GROUP_BYTES; c++) {
            struct pr_buf text = {0};
            if (frame->groups[i].cells[c].kind == PR_KIND_MISSING)
                pr_buf_text(&text, "missing");
            else
                pr_data_value_text(&text, &frame->columns[c], &frame->groups[i].cells[c], CELL_BYTES);
            pr_buf_text(&words, c ? ", " : "");
            pr_buf_add(&words, text.bytes, text.length);
            words.failed |= text.failed;
            pr_buf_clear(&text);
        }
        pr_frame_line(w->report, 2, &words);
    }
    if (frame->groups_are_sampled) {
        struct pr_buf words = {0};
        pr_buf_text(&words, "not every row could be counted: others may be there as often");
        pr_frame_line(w->report, 2, &words);
    }
}

static void add_name(struct pr_buf *line, const struct pr_data_column *column)
{
    pr_text_cut_end(line, column->name, NAME_COLUMNS);
}

/* "total against price: Pearson 0.753, phi-k 0.949, 120 rows" */
static void put_pairs(const struct writer *w)
{
    const struct pr_data_frame *frame = w->frame;
    if (!frame->pair_count)
        return;
    pr_report_heading(w->report, frame->pairs[0].is_asked ? "Pairs of columns" : "Most dependent columns");
    for (uint32_t i = 0; i < frame->pair_count; i++) {
        const struct pr_data_pair *pair = &frame->pairs[i];
        uint32_t first, second;
        const char *between = pr_data_pair_words(pair, &first, &second);
        struct pr_buf line = {0};
        add_name(&line, &frame->columns[first]);
        pr_buf_text(&line, between);
        add_name(&line, &frame->columns[second]);
        pr_buf_text(&line, ": ");
        if (!isnan(pair->pearson))
            pr_buf_printf(&line, "Pearson %s, ", pr_data_measure(pair->pearson).text);
        if (!isnan(pair->phi_k))
            pr_buf_printf(&line, "phi-k %s, ", pr_data_measure(pair->phi_k).text);
        pr_buf_printf(&line, "%s%s", pr_units_counted(pr_units_signed(pair->rows), "rows").text,
                      frame->paired_rows < frame->rows ? " of a sample" : "");
        pr_frame_line(w->report, 2, &line);
    }
}

/* The histogram in BARS columns of eight heights. A bin that two of them share is divided. */
static void add_shape(struct pr_buf *line, const struct pr_data_column *column)
{
    static const char *const heights[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                          "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
    double bars[BARS] = {0}, most = 0;
    const uint32_t shown = column->bin_count < BARS ? column->bin_count : BARS;
    for (uint32_t i = 0; i < column->bin_count; i++) {
        const double from = (double)i * shown / column->bin_count, to = (double)(i + 1) * shown / column->bin_count;
        const uint32_t first = (uint32_t)from, last = to > first + 1 && first + 1 < shown ? first + 1 : first;
        const double in_first = last > first ? (first + 1 - from) / (to - from) : 1;
        bars[first] += in_first * (double)column->bins[i];
        bars[last] += (1 - in_first) * (double)column->bins[i];
    }
    for (unsigned i = 0; i < shown; i++)
        most = bars[i] > most ? bars[i] : most;
    for (unsigned i = 0; i < BARS; i++)
        pr_buf_text(line, i < shown && bars[i] > 0 ? heights[(unsigned)(bars[i] / most * 7 + 0.5)] : " ");
}

static void add_figure(struct pr_buf *line, const char *label, struct pr_figure figure)
{
    pr_buf_printf(line, "  %s %s", label, figure.text);
}

static void add_numbers(struct pr_buf *line, const struct pr_data_column *column)
{
    const bool is_number = column->type <= PR_TYPE_DECIMAL;
    add_shape(line, column);
    if (is_number && !isnan(column->mean)) {
        add_figure(line, "mean", pr_data_number(column->mean));
        add_figure(line, "sd", pr_data_number(pr_data_spread_of(column).deviation));
    }
    if (!isnan(column->minimum)) {
        add_figure(line, is_number ? "min" : "from", pr_data_figure(column, column->minimum));
        if (is_number)
            add_figure(line, "median", pr_data_figure(column, column->quantiles[4]));
        add_figure(line, is_number ? "max" : "to", pr_data_figure(column, column->maximum));
    }
}

static void add_frequent(struct pr_buf *line, const struct writer *w, const struct pr_data_column *column)
{
    enum { MOST_VALUES = 4, MOST_BYTES = 30 };
    if (column->frequent_count && column->frequent[0].count < 2)
        return;
    for (uint32_t i = 0; i < column->frequent_count && i < MOST_VALUES; i++) {
        pr_buf_text(line, i ? ", " : "");
        if (!w->frame->is_redacted) {
            pr_data_value_text(line, column, &column->frequent[i], MOST_BYTES);
            pr_buf_byte(line, ' ');
        }
        pr_buf_printf(line, "%s%s", column->frequent[i].most != column->frequent[i].count ? "at least " : "",
                      pr_data_count_text(column->frequent[i].count).text);
    }
    if (w->frame->is_redacted && column->frequent_count)
        pr_buf_text(line, " times");
}

static void add_different(struct pr_buf *line, const struct pr_data_count *count)
{
    const struct pr_figure figure = pr_data_about(*count);
    pr_frame_cell(line, pr_text_of(figure.text), DIFFERENT_COLUMNS, true);
}

static void put_column(const struct writer *w, const struct pr_data_column *column)
{
    struct pr_buf line = {0}, rest = {0};
    const struct pr_figure missing = pr_data_share(column->missing, w->frame->rows);
    pr_buf_text(&line, "  ");
    pr_frame_cell(&line, column->name, NAME_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of(pr_data_type_words(column->type)), TYPE_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of(column->missing ? missing.text : ""), MISSING_COLUMNS, true);
    add_different(&line, &column->distinct);
    if (column->has_numbers)
        add_numbers(&rest, column);
    else
        add_frequent(&rest, w, column);
    const size_t columns = w->report->term.columns;
    pr_text_cut_end(&line, pr_frame_text_of(&rest), columns > SUMMARY_AT + 10 ? columns - SUMMARY_AT : 10);
    line.failed |= rest.failed;
    pr_buf_clear(&rest);
    pr_frame_end_line(w->report, &line);
}

static void put_columns(const struct writer *w)
{
    const struct pr_data_frame *frame = w->frame;
    struct pr_buf line = {0};
    pr_report_heading(w->report, "Columns");
    pr_buf_printf(&line, "  %s", w->report->style.dim);
    pr_frame_cell(&line, pr_text_of("name"), NAME_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of("type"), TYPE_COLUMNS, false);
    pr_frame_cell(&line, pr_text_of("missing"), MISSING_COLUMNS, true);
    pr_frame_cell(&line, pr_text_of("different"), DIFFERENT_COLUMNS, true);
    pr_buf_printf(&line, "values%s\n", w->report->style.off);
    pr_report_flush(w->report, &line);
    for (uint32_t c = 0; c < frame->column_count && c < MOST_COLUMNS; c++)
        put_column(w, &frame->columns[c]);
    if (frame->column_count > MOST_COLUMNS) {
        pr_buf_printf(&line, "and %s more, with --json", pr_data_count_text(frame->column_count - MOST_COLUMNS).text);
        pr_frame_line(w->report, 2, &line);
    }
    if (!frame->is_exact) {
        pr_buf_text(&line, "~: an estimate; the card and --json have the bounds of each");
        pr_frame_line(w->report, 2, &line);
    }
}

void pr_frame_text(struct pr_output *out, const struct pr_common *common, const struct pr_data_frame *frame,
                   const char *name, uint64_t width)
{
    struct pr_report report = pr_report_start(out, common);
    const struct writer w = {&report, frame};
    pr_report_set_width(&report, width);
    put_head(&w, name);
    put_damage(&w);
    if (frame->view != PR_VIEW_PROFILE) {
        pr_frame_view_text(&report, frame);
        return;
    }
    put_findings(&w);
    put_columns(&w);
    put_pairs(&w);
    put_groups(&w);
}
