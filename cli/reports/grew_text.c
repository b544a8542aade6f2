/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/grew_text.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/diff_text.h"
#include "cli/reports/document_parts.h"
#include "cli/reports/object_changes.h"

enum { FIGURE_COLUMNS = 10, NAME_COLUMNS = 100, MIN_NAMES = 24 };

static size_t rows_of(const struct pr_grew_text *text)
{
    return text->limit && text->limit < text->view->count ? text->limit : text->view->count;
}

static struct pr_text function_of(const struct pr_grew_view *view, const struct pr_diff_row *row)
{
    const struct pr_text none = pr_text_of("(no stack)");
    return row->function || row->file ? pr_profile_text(view->diff->profile, row->shown) : none;
}

static struct pr_figure change_of(const struct pr_grew_view *view, int64_t change)
{
    return pr_units_metric_change(view->metric, false, change);
}

static void add_steps(struct pr_buf *line, const char *words, uint32_t steps)
{
    pr_buf_text(line, words);
    if (steps > 1)
        pr_buf_printf(line, "in each of %s", pr_units_counted(steps, "steps").text);
    else
        pr_buf_text(line, "from the first to the second");
}

/* "Peak: what grew in each of 3 steps", and a line for each run with the whole of it. */
static void add_heading(struct pr_buf *line, const struct pr_grew_text *text)
{
    const struct pr_metric *metric = text->view->metric;
    const uint32_t runs = text->view->diff->count;
    pr_text_add(line, pr_text_of(metric->title));
    add_steps(line, ": what grew ", runs - 1);
    pr_buf_text(line, "\n\n");
    for (uint32_t i = 0; i < runs; i++) {
        const struct pr_figure whole = pr_report_value(metric, metric[runs - 1 - i].total_value);
        pr_buf_printf(line, "  %*s  ", pr_figure_width(&whole, FIGURE_COLUMNS), whole.text);
        pr_text_cut_path(line, pr_text_of(text->names[i]), NAME_COLUMNS);
        pr_buf_byte(line, '\n');
    }
}

/* ---- terminal --------------------------------------------------------------------------------------------------- */

static void add_figure(struct pr_buf *line, struct pr_figure figure)
{
    pr_buf_printf(line, "  %*s", pr_figure_width(&figure, FIGURE_COLUMNS), figure.text);
}

static void write_row(struct pr_report *report, const struct pr_grew_text *text, const struct pr_grown *grown)
{
    const struct pr_grew_view *view = text->view;
    const size_t taken = 4 * (FIGURE_COLUMNS + 2) + 2;
    const size_t room = report->term.columns > taken + MIN_NAMES ? report->term.columns - taken : MIN_NAMES;
    const struct pr_text file = pr_profile_text(view->diff->profile, grown->row->file);
    struct pr_buf line = {0}, name = {0};
    add_figure(&line, change_of(view, grown->least));
    add_figure(&line, change_of(view, pr_subtract_saturated(grown->last, grown->first)));
    add_figure(&line, pr_report_value(view->metric, grown->first));
    add_figure(&line, pr_report_value(view->metric, grown->last));
    pr_text_cut_function(&name, function_of(view, grown->row), file.length ? room / 2 : room);
    pr_buf_printf(&line, "  %s", name.length ? name.bytes : "");
    if (file.length) {
        pr_buf_printf(&line, "  %s", report->style.dim);
        pr_text_cut_place(&line, file, grown->row->line, room - room / 2);
        pr_buf_text(&line, report->style.off);
    }
    pr_buf_byte(&line, '\n');
    line.failed |= name.failed;
    pr_buf_clear(&name);
    pr_report_flush(report, &line);
}

void pr_grew_text_write(struct pr_report *report, const struct pr_grew_text *text)
{
    struct pr_buf line = {0};
    add_heading(&line, text);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
    if (!text->view->count) {
        pr_output_text(report->out, "  nothing grew in each of them\n");
        pr_growth_points_report(report, &text->view->points, false);
        pr_object_changes_report(report, text->view->diff->profile, false);
        return;
    }
    pr_output_printf(report->out, "%s  %*s  %*s  %*s  %*s  Function%s\n", report->style.dim, FIGURE_COLUMNS, "Least",
                     FIGURE_COLUMNS, "In all", FIGURE_COLUMNS, "First", FIGURE_COLUMNS, "Last", report->style.off);
    for (size_t i = 0; i < rows_of(text); i++)
        write_row(report, text, &text->view->grown[i]);
    if (rows_of(text) < text->view->count)
        pr_output_printf(report->out, "\n  %s%s more; --limit 0 shows all%s\n", report->style.dim,
                         pr_units_count((int64_t)(text->view->count - rows_of(text))).text, report->style.off);
    pr_growth_points_report(report, &text->view->points, false);
    pr_object_changes_report(report, text->view->diff->profile, false);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

/* The whole, run by run. */
static void add_markdown_runs(struct pr_buf *line, const struct pr_grew_text *text)
{
    const struct pr_metric *metric = text->view->metric;
    const uint32_t runs = text->view->diff->count;
    pr_buf_text(line, "| run | ");
    pr_markdown_text(line, pr_text_of(metric->title));
    pr_buf_text(line, " |\n| --- | ---: |\n");
    for (uint32_t i = 0; i < runs; i++) {
        pr_buf_text(line, "| ");
        pr_markdown_code(line, pr_text_of(text->names[i]), NAME_COLUMNS);
        pr_buf_printf(line, " | %s |\n", pr_report_value(metric, metric[runs - 1 - i].total_value).text);
    }
}

void pr_grew_markdown_write(struct pr_output *out, const struct pr_grew_text *text)
{
    const struct pr_grew_view *view = text->view;
    struct pr_buf line = {0};
    add_markdown_runs(&line, text);
    add_steps(&line, "\nWhat grew ", view->diff->count - 1);
    pr_buf_text(&line, view->count ? ":\n\n| least | in all | first | last | function | place |\n"
                                     "| ---: | ---: | ---: | ---: | --- | --- |\n"
                                   : ": nothing.\n");
    for (size_t i = 0; i < rows_of(text); i++) {
        const struct pr_grown *grown = &view->grown[i];
        pr_buf_printf(&line, "| %s ", change_of(view, grown->least).text);
        pr_buf_printf(&line, "| %s ", change_of(view, pr_subtract_saturated(grown->last, grown->first)).text);
        pr_buf_printf(&line, "| %s ", pr_report_value(view->metric, grown->first).text);
        pr_buf_printf(&line, "| %s | ", pr_report_value(view->metric, grown->last).text);
        pr_markdown_code(&line, function_of(view, grown->row), NAME_COLUMNS);
        pr_buf_text(&line, " | ");
        pr_markdown_place(&line, pr_profile_text(view->diff->profile, grown->row->file), grown->row->line,
                          NAME_COLUMNS);
        pr_buf_text(&line, " |\n");
    }
    if (rows_of(text) < view->count)
        pr_buf_printf(&line, "\n%s more.\n", pr_units_count((int64_t)(view->count - rows_of(text))).text);
    pr_output_buf(out, &line);
    pr_growth_points_markdown(out, &view->points, false);
    pr_object_changes_markdown(out, view->diff->profile, false);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void put_value(struct pr_json_writer *json, const struct pr_grew_view *view, const char *key, int64_t value)
{
    pr_json_put_key(json, key);
    pr_document_value(json, view->metric, value);
}

static void put_row(struct pr_json_writer *json, const struct pr_grew_view *view, const struct pr_grown *grown)
{
    const struct pr_profile *profile = view->diff->profile;
    pr_json_put_open(json, '{');
    pr_document_place(json, profile, grown->row->function, grown->row->file, grown->row->line);
    put_value(json, view, "least", grown->least);
    put_value(json, view, "change", pr_subtract_saturated(grown->last, grown->first));
    pr_json_put_key(json, "values");
    pr_json_put_open(json, '[');
    for (uint32_t run = view->diff->count; run-- > 0;)
        pr_document_value(json, view->metric, grown->row->value[run]);
    pr_json_put_close(json, ']');
    if (view->by == PR_DIFF_PATH)
        pr_document_stack(json, profile, "stack", grown->row->node);
    pr_json_put_close(json, '}');
}

void pr_grew_document_write(struct pr_output *out, const struct pr_grew_text *text)
{
    const struct pr_grew_view *view = text->view;
    struct pr_json_writer json = pr_json_writer_start(out, text->raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/grew/1");
    pr_document_metric(&json, view->metric);
    pr_json_put_key(&json, "by");
    pr_json_put_text(&json, pr_diff_by_words[view->by]);
    pr_document_state(&json, view->diff->profile);
    pr_json_put_key(&json, "runs");
    pr_json_put_lines(&json, '[');
    for (uint32_t run = view->diff->count; run-- > 0;) {
        pr_json_put_open(&json, '{');
        pr_json_put_key(&json, "name");
        pr_json_put_name(&json, pr_text_of(text->names[view->diff->count - 1 - run]));
        put_value(&json, view, "total", view->metric[run].total_value);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < view->count; i++)
        put_row(&json, view, &view->grown[i]);
    pr_json_put_close(&json, ']');
    pr_growth_points_json(&json, &view->points);
    pr_object_changes_json(&json, view->diff->profile);
    pr_json_put_close(&json, '}');
}
