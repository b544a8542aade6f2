/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/usual_report.h"

#include "capture/base/text.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"

#include <string.h>

static const char title[] = "Usual range of earlier runs";

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* "in 8 runs, without arenas of pymalloc" */
static void add_runs(struct pr_buf *line, const struct pr_usual *usual)
{
    pr_buf_printf(line, "in %s%s", pr_units_counted((int64_t)usual->range.runs, "runs").text,
                  usual->is_apart ? ", without arenas of pymalloc" : "");
}

static size_t width_of(const struct pr_usuals *usuals, bool exact, size_t *range_width)
{
    size_t width = 0;
    *range_width = 0;
    for (size_t i = 0; i < usuals->count; i++) {
        const struct pr_usual *usual = &usuals->figure[i];
        const struct pr_figure range = pr_usual_range_text(&usual->metric, &usual->range, exact);
        const size_t columns = pr_figure_columns(&range), length = strlen(usual->metric.title);
        width = length > width ? length : width;
        *range_width = columns > *range_width ? columns : *range_width;
    }
    return width;
}

void pr_usual_text(struct pr_report *report, const struct pr_usuals *usuals, bool exact)
{
    size_t range_width;
    struct pr_buf line = {0};
    if (!usuals)
        return;
    const size_t width = width_of(usuals, exact, &range_width);
    pr_report_heading(report, title);
    for (size_t i = 0; i < usuals->count; i++) {
        const struct pr_usual *usual = &usuals->figure[i];
        const struct pr_figure range = pr_usual_range_text(&usual->metric, &usual->range, exact);
        pr_buf_printf(&line, "  %s%-*s%s  %*s  ", report->style.dim, (int)width, usual->metric.title,
                      report->style.off, pr_figure_width(&range, range_width), range.text);
        add_runs(&line, usual);
        pr_buf_printf(&line, "; %s", usual->answer == PR_BROKEN ? report->style.warn : "");
        pr_usual_where(&line, usual, exact);
        pr_buf_printf(&line, "%s\n", usual->answer == PR_BROKEN ? report->style.off : "");
    }
    for (size_t i = 0; i < usuals->sentence_count; i++) {
        pr_buf_printf(&line, "  %sregression:%s ", report->style.warn, report->style.off);
        pr_text_add(&line, pr_text_of(usuals->sentence[i]));
        pr_buf_byte(&line, '\n');
    }
    for (size_t i = 0; i < usuals->note_count; i++) {
        pr_buf_printf(&line, "  %snote: ", report->style.dim);
        pr_text_add(&line, pr_text_of(usuals->note[i]));
        pr_buf_printf(&line, "%s\n", report->style.off);
    }
    pr_report_flush(report, &line);
}

static struct pr_usual_range range_of_row(const struct pr_usuals *usuals, const struct pr_diff_view *view,
                                          const struct pr_change *change)
{
    const struct pr_profile *profile = view->diff->profile;
    return pr_usual_function_range(usuals, view->metric->name, pr_profile_text(profile, change->row->function),
                                   pr_profile_text(profile, change->row->file), change->after);
}

struct pr_figure pr_usual_row(const struct pr_usuals *usuals, const struct pr_diff_view *view,
                              const struct pr_change *change, bool exact)
{
    const struct pr_usual_range range = range_of_row(usuals, view, change);
    return pr_usual_range_text(view->metric, &range, exact);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

void pr_usual_markdown(struct pr_output *out, const struct pr_usuals *usuals, bool exact)
{
    struct pr_buf line = {0};
    if (!usuals)
        return;
    pr_buf_text(&line, "\n");
    for (size_t i = 0; i < usuals->count; i++) {
        const struct pr_usual *usual = &usuals->figure[i];
        pr_buf_text(&line, usual->answer == PR_BROKEN ? "- **" : "- ");
        pr_markdown_text(&line, pr_text_of(usual->metric.title));
        pr_buf_text(&line, ": ");
        pr_usual_sentence(&line, usual, exact);
        pr_buf_text(&line, usual->answer == PR_BROKEN ? "**\n" : "\n");
    }
    for (size_t i = 0; i < usuals->sentence_count; i++) {
        pr_buf_text(&line, "- **Regression:** ");
        pr_markdown_text(&line, pr_text_of(usuals->sentence[i]));
        pr_buf_byte(&line, '\n');
    }
    for (size_t i = 0; i < usuals->note_count; i++) {
        pr_buf_text(&line, "- Note: ");
        pr_markdown_text(&line, pr_text_of(usuals->note[i]));
        pr_buf_byte(&line, '\n');
    }
    pr_output_buf(out, &line);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void put_range(struct pr_json_writer *json, const struct pr_metric *metric, const struct pr_usual_range *range,
                      int64_t before, int64_t after)
{
    pr_json_put_key(json, "runs");
    pr_json_put_uint(json, range->runs);
    pr_json_put_key(json, "lowest");
    pr_document_value(json, metric, range->lowest);
    pr_json_put_key(json, "highest");
    pr_document_value(json, metric, range->highest);
    pr_json_put_key(json, "before");
    pr_json_put_text(json, pr_usual_place(range, before));
    pr_json_put_key(json, "after");
    pr_json_put_text(json, pr_usual_place(range, after));
}

void pr_usual_json(struct pr_json_writer *json, const struct pr_usuals *usuals, const char *metric)
{
    const struct pr_usual *usual = pr_usual_named(usuals, metric);
    if (!usuals)
        return;
    pr_json_put_key(json, "usual");
    if (!usual) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    put_range(json, &usual->metric, &usual->range, usual->before, usual->after);
    pr_json_put_key(json, "answer");
    pr_json_put_text(json, pr_answer_word(usual->answer));
    pr_json_put_key(json, "limit");
    pr_document_value(json, &usual->metric, usual->limit);
    pr_json_put_key(json, "without_arenas");
    pr_json_put_bool(json, usual->is_apart);
    pr_json_put_close(json, '}');
}

void pr_usual_row_json(struct pr_json_writer *json, const struct pr_usuals *usuals, const struct pr_diff_view *view,
                       const struct pr_change *change)
{
    if (!usuals)
        return;
    const struct pr_usual_range range = range_of_row(usuals, view, change);
    pr_json_put_key(json, "usual");
    if (!range.runs) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    put_range(json, view->metric, &range, change->before, change->after);
    pr_json_put_close(json, '}');
}

static void put_texts(struct pr_json_writer *json, const char *key, const char *const *text, size_t count)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    for (size_t i = 0; i < count; i++)
        pr_json_put_text(json, text[i]);
    pr_json_put_close(json, ']');
}

void pr_usual_notes_json(struct pr_json_writer *json, const struct pr_usuals *usuals)
{
    if (!usuals)
        return;
    pr_json_put_key(json, "history");
    pr_json_put_open(json, '{');
    put_texts(json, "regressions", (const char *const *)usuals->sentence, usuals->sentence_count);
    put_texts(json, "notes", usuals->note, usuals->note_count);
    pr_json_put_close(json, '}');
}
