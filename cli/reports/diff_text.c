/* SPDX-License-Identifier: Apache-2.0 */
/* First what changed as a whole, metric by metric; then who did it, the largest growth first. */
#include "cli/reports/diff_text.h"

#include "capture/base/text.h"
#include "capture/base/checked.h"
#include "capture/model/nameless.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/object_changes.h"
#include "cli/reports/phases_report.h"
#include "cli/reports/usual_report.h"
#include "render/words/program_name.h"
#include "render/words/touch_words.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 2, MIN_NAMES = 40, MAX_NAME = 60, CALLERS = 4, CALLER_COLUMNS = 30, CODE_COLUMNS = 80 };
enum column { CHANGE, SHARE, BEFORE, AFTER, USUAL, COLUMNS };
static const char *const titles[COLUMNS] = {"Change", "%", "Before", "After", "Usual"};

const char *const pr_diff_by_words[] = {"self", "own", "total", "path", NULL}; /* enum pr_diff_by */

/* Rows that are shown. */
static size_t rows_shown(const struct pr_diff_text *text)
{
    const size_t changed = text->view->changed;
    return text->limit && text->limit < changed ? text->limit : changed;
}

/* Calls on the way to a row of PR_DIFF_PATH, its own first: NODE moves up; false past the last one. */
static bool move_up(const struct pr_profile *profile, pr_node_id *node, pr_frame_id *frame)
{
    if (*node == PR_ROOT || *node == PR_NO_NODE)
        return false;
    *frame = profile->tree.frame[*node];
    *node = profile->tree.parent[*node];
    return true;
}

/* The function of a row, or what is shown for one without. */
static struct pr_text function_of(const struct pr_diff_view *view, const struct pr_diff_row *row)
{
    if (!row->function && !row->file)
        return pr_text_of(view->metric->unit == PR_UNIT_BYTES ? "(no Python stack)" : "(no stack)");
    return pr_profile_text(view->diff->profile, row->shown);
}

/* ---- totals ----------------------------------------------------------------------------------------------------- */

/* What is compared as a whole: metrics, then the figures of the runs. */
struct totals {
    const struct pr_diff *diff;
    struct pr_diff_figure figure[PR_DIFF_FIGURES];
    size_t count;
};

static struct totals totals_of(const struct pr_diff *diff)
{
    struct totals totals = {.diff = diff};
    totals.count = diff->metric_count +
                   pr_diff_figures(diff->profile, &diff->runs[diff->count - 1], &diff->runs[0], totals.figure);
    return totals;
}

static struct pr_diff_figure total_at(const struct totals *totals, size_t row)
{
    const struct pr_diff *diff = totals->diff;
    if (row >= diff->metric_count)
        return totals->figure[row - diff->metric_count];
    const struct pr_metric *metrics = &diff->profile->metrics[row * diff->count];
    return (struct pr_diff_figure){metrics[0], metrics[1].total_value, metrics[0].total_value};
}

static void add_figure(struct pr_buf *line, const char *style, struct pr_figure figure)
{
    pr_buf_printf(line, "  %s%*s", style, pr_figure_width(&figure, 12), figure.text);
}

/* "  Peak    327 MiB   341 MiB   +14.2 MiB   +4.3 %" */
static void write_totals(struct pr_report *report, const struct pr_diff_text *text)
{
    const struct totals totals = totals_of(text->view->diff);
    const struct pr_style *style = &report->style;
    size_t width = 0;
    for (size_t i = 0; i < totals.count; i++) {
        const size_t length = strlen(total_at(&totals, i).metric.title);
        width = length > width ? length : width;
    }
    pr_output_printf(report->out, "%s  %-*s  %12s  %12s  %12s%s\n", style->dim, (int)width, "", "Before", "After",
                     "Change", style->off);
    for (size_t i = 0; i < totals.count; i++) {
        const struct pr_diff_figure row = total_at(&totals, i);
        const int64_t change = pr_change_of(row.before, row.after);
        struct pr_buf line = {0};
        pr_buf_printf(&line, "  %s%-*s%s", style->dim, (int)width, row.metric.title, style->off);
        add_figure(&line, "", pr_report_figure(&row.metric, text->exact, row.before));
        add_figure(&line, "", pr_report_figure(&row.metric, text->exact, row.after));
        add_figure(&line, style->bold, pr_units_metric_change(&row.metric, text->exact, change));
        pr_buf_text(&line, style->off);
        if (change)
            pr_buf_printf(&line, "  %s%s%s", style->dim, pr_units_growth(row.before, row.after).text, style->off);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
    }
}

static void add_part(struct pr_buf *line, const char *part)
{
    if (*part)
        pr_buf_printf(line, " (%s)", part);
}

/* A name and its part, in at most ROOM columns if that is enough for the part. */
static void add_side(struct pr_buf *line, const char *name, const char *part, size_t room)
{
    const size_t columns = *part ? strlen(part) + strlen(" ()") : 0, least = 8;
    pr_text_cut_path(line, pr_text_of(name), room > columns + least ? room - columns : least);
    add_part(line, part);
}

/* "The runs are of different programs, etl.py and train.py." between BEFORE and AFTER, or nothing. */
static void add_programs(struct pr_buf *line, const struct pr_diff *diff, const char *before, const char *after,
                         void (*add_name)(struct pr_buf *out, struct pr_text name))
{
    struct pr_text names[2];
    if (!pr_programs_differ(diff->profile, diff->runs[diff->count - 1].command_line, diff->runs[0].command_line, names))
        return;
    pr_buf_printf(line, "%sThe runs are of different programs, ", before);
    add_name(line, names[0]);
    pr_buf_text(line, " and ");
    add_name(line, names[1]);
    pr_buf_printf(line, ".%s", after);
}

static void write_heading(struct pr_report *report, const struct pr_diff_text *text)
{
    struct pr_buf line = {0};
    size_t room = report->term.columns / 2 > 12 ? report->term.columns / 2 - 4 : 8;
    pr_buf_text(&line, report->style.bold);
    add_side(&line, text->before, text->part_before, room);
    pr_buf_text(&line, " to ");
    add_side(&line, text->after, text->part_after, room);
    pr_buf_printf(&line, "%s\n\n", report->style.off);
    add_programs(&line, text->view->diff, "", "\n\n", pr_text_add);
    pr_report_flush(report, &line);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static struct pr_figure figure(const struct pr_diff_text *text, const struct pr_change *change, enum column column)
{
    const struct pr_metric *metric = text->view->metric;
    switch (column) {
    case CHANGE: return pr_units_metric_change(metric, text->exact, change->change);
    case SHARE: return pr_units_growth(change->before, change->after);
    case BEFORE: return pr_report_figure(metric, text->exact, change->before);
    case USUAL: return pr_usual_row(text->usuals, text->view, change, text->exact);
    default: return pr_report_figure(metric, text->exact, change->after);
    }
}

struct layout {
    size_t width[COLUMNS]; /* 0: not shown */
    size_t function, place;
};

static size_t taken(const struct layout *layout)
{
    size_t sum = GAP;
    for (enum column column = 0; column < COLUMNS; column++)
        sum += layout->width[column] ? layout->width[column] + GAP : 0;
    return sum;
}

static size_t columns_of(const struct pr_report *report, struct pr_text name)
{
    struct pr_buf visible = {0};
    pr_text_add(&visible, name);
    size_t columns = visible.length ? pr_text_columns(visible.bytes, visible.length) : 0;
    pr_output_needs(report->out, &visible);
    pr_buf_clear(&visible);
    return columns;
}

/* The range of earlier runs is the last column. */
static enum column columns_shown(const struct pr_diff_text *text)
{
    return text->usuals && text->usuals->count && text->view->by != PR_DIFF_PATH ? COLUMNS : USUAL;
}

static struct layout make_layout(const struct pr_report *report, const struct pr_diff_text *text)
{
    static const enum column dispensable[] = {BEFORE, SHARE, USUAL, AFTER};
    struct layout layout = {.function = strlen("Function")};
    for (enum column column = 0; column < columns_shown(text); column++) {
        layout.width[column] = strlen(titles[column]);
        for (size_t i = 0; i < rows_shown(text); i++) {
            const struct pr_figure cell = figure(text, &text->view->change[i], column);
            const size_t width = pr_figure_columns(&cell);
            layout.width[column] = width > layout.width[column] ? width : layout.width[column];
        }
    }
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable; i++)
        if (taken(&layout) + MIN_NAMES > report->term.columns)
            layout.width[dispensable[i]] = 0;
    for (size_t i = 0; i < rows_shown(text); i++) {
        size_t columns = columns_of(report, function_of(text->view, text->view->change[i].row));
        layout.function = columns > layout.function ? columns : layout.function;
    }
    size_t room = report->term.columns > taken(&layout) + 12 ? report->term.columns - taken(&layout) : 12;
    size_t most = room * 2 / 5 < MAX_NAME ? room * 2 / 5 : MAX_NAME;
    layout.function = layout.function < most ? layout.function : most;
    layout.place = room > layout.function + GAP ? room - layout.function - GAP : 0;
    return layout;
}

static void write_titles(struct pr_report *report, const struct layout *layout)
{
    struct pr_buf line = {0};
    pr_buf_text(&line, report->style.dim);
    for (enum column column = 0; column < COLUMNS; column++)
        if (layout->width[column])
            pr_buf_printf(&line, "%*s%*s", GAP, "", (int)layout->width[column], titles[column]);
    pr_buf_printf(&line, "%*s%-*s%*s%s%s\n", GAP, "", (int)layout->function, "Function", GAP, "", "File and line",
                  report->style.off);
    pr_report_flush(report, &line);
}

/* "called by load < main", below a row of a path. */
static void write_callers(struct pr_report *report, const struct pr_diff_text *text, const struct pr_diff_row *row,
                          size_t left)
{
    const struct pr_profile *profile = text->view->diff->profile;
    pr_frame_id frame;
    pr_node_id node = row->node;
    struct pr_buf line = {0};
    if (!move_up(profile, &node, &frame) || node == PR_ROOT)
        return;
    pr_buf_printf(&line, "%*s%sby ", (int)left, "", report->style.dim);
    for (unsigned i = 0; move_up(profile, &node, &frame); i++) {
        pr_buf_text(&line, i ? " < " : "");
        if (i == CALLERS) {
            pr_buf_text(&line, "…");
            break;
        }
        pr_text_cut_function(&line, pr_shown_function(profile, frame), CALLER_COLUMNS);
    }
    pr_buf_printf(&line, "%s\n", report->style.off);
    pr_report_flush(report, &line);
}

/* What shrank did so on lines of the base, which are not those of the row: then the file is all that is certain. */
static int32_t line_of(const struct pr_change *change)
{
    return change->change < 0 ? 0 : change->row->line;
}

/* Marks a change that arenas are a part of. */
static const char *mark_of(const struct pr_change *change, enum column column)
{
    return column == CHANGE && change->arenas ? "*" : "";
}

/* "* includes arenas of pymalloc, +1.00 MiB in all: who filled them is not recorded" */
static void add_arenas(struct pr_buf *line, const struct pr_diff_text *text)
{
    const struct pr_change *total = &text->view->total;
    pr_buf_text(line, "includes arenas of pymalloc");
    if (total->arenas)
        pr_buf_printf(line, ", %s in all", pr_units_metric_change(text->view->metric, text->exact, total->arenas).text);
    pr_buf_text(line, ": who filled them is not recorded");
}

static void write_row(struct pr_report *report, const struct pr_diff_text *text, const struct layout *layout,
                      const struct pr_change *change)
{
    const struct pr_profile *profile = text->view->diff->profile;
    const struct pr_style *style = &report->style;
    struct pr_text file = pr_profile_text(profile, change->row->file);
    struct pr_buf line = {0}, name = {0};
    size_t gap = GAP;
    for (enum column column = 0; column < COLUMNS; column++) {
        const char *dress = column == CHANGE ? (change->change > 0 ? style->warn : "") : style->dim;
        if (!layout->width[column])
            continue;
        const struct pr_figure cell = figure(text, change, column);
        pr_buf_printf(&line, "%*s%s%*s%s%s", (int)gap, "", dress, pr_figure_width(&cell, layout->width[column]),
                      cell.text, *dress ? style->off : "", mark_of(change, column));
        gap = GAP - strlen(mark_of(change, column));
    }
    pr_text_cut_function(&name, function_of(text->view, change->row), layout->function);
    size_t columns = name.length ? pr_text_columns(name.bytes, name.length) : 0;
    pr_buf_printf(&line, "%*s%s", (int)gap, "", name.bytes ? name.bytes : "");
    if (file.length && layout->place > GAP) {
        pr_buf_printf(&line, "%*s%s", (int)(layout->function > columns ? layout->function - columns : 0) + GAP, "",
                      style->dim);
        const char *words = pr_touch_words(change->touch);
        const size_t room = layout->place > strlen(words) + GAP ? layout->place - strlen(words) : GAP;
        pr_text_cut_place(&line, file, line_of(change), room);
        pr_buf_printf(&line, "%s%s", words, style->off);
    }
    pr_buf_byte(&line, '\n');
    line.failed |= name.failed;
    pr_buf_clear(&name);
    pr_report_flush(report, &line);
    if (text->view->by == PR_DIFF_PATH)
        write_callers(report, text, change->row, taken(layout));
}

/* What the rows that are not shown changed together; together with those that are, this is the whole change. */
static int64_t change_of_rest(const struct pr_diff_text *text)
{
    int64_t sum = 0;
    for (size_t i = rows_shown(text); i < text->view->changed; i++)
        sum = pr_add_saturated(sum, text->view->change[i].change);
    return sum;
}

enum { MOST_MOVED = 3 };

/* The next of what moved that is worth a sentence, from number *AT on, which goes on after it; NULL: none. */
static const struct pr_moved *next_moved(const struct pr_diff_view *view, size_t *at)
{
    while (*at < view->moved_count && !view->moved[*at].is_told)
        (*at)++;
    return *at < view->moved_count ? &view->moved[(*at)++] : NULL;
}

/* "⇄ 20.0 MiB moved from load to load_rows": as on the card of a difference. NAME appends a function. */
static void add_moved(struct pr_buf *line, const struct pr_diff_text *text, const struct pr_moved *moved,
                      void (*name)(struct pr_buf *line, struct pr_text function))
{
    const struct pr_diff_row *from = moved->change < 0 ? moved->row : moved->other;
    const struct pr_diff_row *to = moved->change < 0 ? moved->other : moved->row;
    const int64_t size = moved->change < 0 ? pr_subtract_saturated(0, moved->change) : moved->change;
    pr_buf_printf(line, "\xE2\x87\x84 %s moved", pr_report_figure(text->view->metric, text->exact, size).text);
    if (from) {
        pr_buf_text(line, " from ");
        name(line, function_of(text->view, from));
    }
    if (to) {
        pr_buf_text(line, " to ");
        name(line, function_of(text->view, to));
    }
}

static void add_plain_name(struct pr_buf *line, struct pr_text function)
{
    pr_text_cut_function(line, function, CODE_COLUMNS);
}

static void add_code_name(struct pr_buf *line, struct pr_text function)
{
    pr_markdown_code(line, function, CODE_COLUMNS);
}

/* A line for each that is worth one, after an empty line; LEAD is what they begin with. */
static void add_moved_lines(struct pr_buf *line, const struct pr_diff_text *text, const char *lead,
                            void (*name)(struct pr_buf *line, struct pr_text function))
{
    const struct pr_moved *moved;
    size_t at = 0;
    for (int i = 0; i < MOST_MOVED && (moved = next_moved(text->view, &at)); i++) {
        pr_buf_printf(line, "%s%s", i ? "" : "\n", lead);
        add_moved(line, text, moved, name);
        pr_buf_printf(line, ": it did not %s\n", moved->change < 0 ? "shrink" : "grow");
    }
}

void pr_diff_text_write(struct pr_report *report, const struct pr_diff_text *text)
{
    const struct pr_diff_view *view = text->view;
    const size_t shown = rows_shown(text);
    write_heading(report, text);
    write_totals(report, text);
    pr_usual_text(report, text->usuals, text->exact);
    pr_diff_phases_report(report, view->diff);
    if (!view->metric) {
        pr_output_printf(report->out, "\n  %s%s%s\n", report->style.dim, text->no_functions, report->style.off);
        return;
    }
    pr_report_heading(report, view->metric->title);
    if (!shown) {
        pr_output_printf(report->out, "  nothing changed\n");
        return;
    }
    const struct layout layout = make_layout(report, text);
    write_titles(report, &layout);
    for (size_t i = 0; i < shown; i++)
        write_row(report, text, &layout, &view->change[i]);
    if (shown < view->changed && view->by == PR_DIFF_TOTAL)
        pr_output_printf(report->out, "\n  %s%s more rows changed; --limit 0 shows all%s\n", report->style.dim,
                         pr_units_count((int64_t)(view->changed - shown)).text, report->style.off);
    else if (shown < view->changed)
        pr_output_printf(report->out, "\n  %s%s more rows changed by %s; --limit 0 shows all%s\n", report->style.dim,
                         pr_units_count((int64_t)(view->changed - shown)).text,
                         pr_units_metric_change(view->metric, text->exact, change_of_rest(text)).text,
                         report->style.off);
    struct pr_buf line = {0};
    add_moved_lines(&line, text, "  ", add_plain_name);
    if (view->has_arenas) {
        pr_buf_printf(&line, "\n  %s* ", report->style.dim);
        add_arenas(&line, text);
        pr_buf_printf(&line, "%s\n", report->style.off);
    }
    pr_report_flush(report, &line);
    pr_growth_points_report(report, &view->points, text->exact);
    pr_object_changes_report(report, view->diff->profile, text->exact);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

static void markdown_totals(struct pr_output *out, const struct pr_diff_text *text)
{
    const struct totals totals = totals_of(text->view->diff);
    struct pr_buf line = {0};
    pr_buf_text(&line, "From ");
    pr_markdown_code(&line, pr_text_of(text->before), CODE_COLUMNS);
    add_part(&line, text->part_before);
    pr_buf_text(&line, " to ");
    pr_markdown_code(&line, pr_text_of(text->after), CODE_COLUMNS);
    add_part(&line, text->part_after);
    pr_buf_text(&line, "\n\n|  | before | after | change |  |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < totals.count; i++) {
        const struct pr_diff_figure row = total_at(&totals, i);
        pr_buf_text(&line, "| ");
        pr_markdown_text(&line, pr_text_of(row.metric.title));
        pr_buf_printf(&line, " | %s | %s | %s | %s |\n", pr_report_figure(&row.metric, text->exact, row.before).text,
                      pr_report_figure(&row.metric, text->exact, row.after).text,
                      pr_units_metric_change(&row.metric, text->exact, pr_change_of(row.before, row.after)).text,
                      pr_units_growth(row.before, row.after).text);
    }
    pr_output_buf(out, &line);
}

void pr_diff_markdown_write(struct pr_output *out, const struct pr_diff_text *text)
{
    const struct pr_diff_view *view = text->view;
    struct pr_buf line = {0};
    markdown_totals(out, text);
    add_programs(&line, view->diff, "\n", "\n", pr_markdown_text);
    pr_output_buf(out, &line);
    pr_usual_markdown(out, text->usuals, text->exact);
    pr_diff_phases_markdown(out, view->diff);
    if (!view->metric) {
        pr_output_printf(out, "\n%s\n", text->no_functions);
        return;
    }
    pr_buf_text(&line, "\n**");
    pr_markdown_text(&line, pr_text_of(view->metric->title));
    pr_buf_text(&line, "**\n\n");
    if (!rows_shown(text))
        pr_buf_text(&line, "Nothing changed.\n");
    else
        pr_buf_text(&line, columns_shown(text) == COLUMNS
                               ? "| change |  | before | after | usual | function | place |\n"
                                 "| ---: | ---: | ---: | ---: | ---: | --- | --- |\n"
                               : "| change |  | before | after | function | place |\n"
                                 "| ---: | ---: | ---: | ---: | --- | --- |\n");
    pr_output_buf(out, &line);
    for (size_t i = 0; i < rows_shown(text); i++) {
        const struct pr_change *change = &view->change[i];
        for (enum column column = 0; column < columns_shown(text); column++)
            pr_buf_printf(&line, "| %s%s ", figure(text, change, column).text, *mark_of(change, column) ? "\\*" : "");
        pr_buf_text(&line, "| ");
        pr_markdown_code(&line, function_of(view, change->row), CODE_COLUMNS);
        pr_buf_text(&line, " | ");
        pr_markdown_place(&line, pr_profile_text(view->diff->profile, change->row->file), line_of(change),
                          CODE_COLUMNS);
        pr_buf_printf(&line, "%s |\n", pr_touch_words(change->touch));
        pr_output_buf(out, &line);
    }
    if (rows_shown(text) < view->changed)
        pr_output_printf(out, "\n%s more rows changed.\n",
                         pr_units_count((int64_t)(view->changed - rows_shown(text))).text);
    add_moved_lines(&line, text, "- ", add_code_name);
    if (view->has_arenas) {
        pr_buf_text(&line, "\n\\* ");
        add_arenas(&line, text);
        pr_buf_byte(&line, '\n');
    }
    pr_output_buf(out, &line);
    pr_growth_points_markdown(out, &view->points, text->exact);
    pr_object_changes_markdown(out, view->diff->profile, text->exact);
}
