/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures have the width they need, function and place share the rest; where the terminal is too narrow, columns go:
 * the least important first.
 */
#include "cli/reports/table_text.h"

#include "capture/base/text.h"
#include "capture/base/checked.h"
#include "capture/model/nameless.h"
#include "profrender/owner.h"
#include "profrender/pymalloc.h"
#include "cli/reports/document_parts.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "render/words/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From left to right. The main figure is what the rows are sorted by: self, or with --sort total, total. */
enum column { MAIN, SHARE, COUNT, OTHER, OTHER_SHARE, FUNCTION, PLACE, THREAD, ALLOCATOR, COLUMNS };

_Static_assert((int)COLUMNS == PR_TABLE_TEXT_COLUMNS, "a width for each column");

enum { GAP = 2, MIN_NAMES = 44, MAX_THREAD = 18, MAX_THREAD_OF_PROCESS = 26, LINES_AROUND = 10, MIN_ROWS = 10 };

struct layout {
    size_t width[COLUMNS]; /* 0: not shown */
};

struct writer {
    struct pr_report *report;
    const struct pr_table_text *table;
    const struct pr_profile *profile;
    struct layout layout;
    struct pr_buf line, cell; /* `cell` is empty between two of them, and keeps its room */
};

size_t pr_table_text_limit(size_t rows)
{
    return rows > LINES_AROUND + MIN_ROWS ? rows - LINES_AROUND : MIN_ROWS;
}

static bool is_figure(enum column column)
{
    return column <= OTHER_SHARE;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static struct pr_figure value_text(const struct writer *w, int64_t value)
{
    const struct pr_metric *metric = w->table->view->metric;
    if (!w->table->exact)
        return pr_report_value(metric, value);
    return metric->decimals ? pr_units_metric_exact(metric, value) : pr_units_count(value);
}

static bool by_total(const struct writer *w)
{
    return w->table->sort == PR_SORT_TOTAL;
}

/* For calls, the count is always that of the function's own; for the rest, it belongs to the main figure. */
static bool counts_all_below(const struct writer *w)
{
    return by_total(w) && !pr_metric_counts_calls(w->table->view->metric);
}

static int64_t number(const struct writer *w, const struct pr_row *row, enum column column)
{
    switch (column) {
    case COUNT: return counts_all_below(w) ? row->total_count : row->self_count;
    case OTHER:
    case OTHER_SHARE: return by_total(w) ? row->self : row->total;
    default: return by_total(w) ? row->total : row->self;
    }
}

static struct pr_figure figure(const struct writer *w, const struct pr_row *row, enum column column)
{
    int64_t value = number(w, row, column);
    switch (column) {
    case SHARE:
    case OTHER_SHARE: return pr_units_percent(value, w->table->view->table.total_value);
    case COUNT: return pr_units_count(value);
    default: return value_text(w, value);
    }
}

/* What has no stack: allocations made outside Python, time that no sample explains. */
static const char *no_stack(const struct writer *w)
{
    return pr_metric_has_allocations(w->profile, w->table->view->metric) ? "(no Python stack)" : "(no stack)";
}

/* Threads of several processes have names in common: the process comes first. */
static void add_thread(struct pr_buf *buf, const struct pr_profile *profile, uint32_t thread, size_t columns)
{
    struct pr_buf label = {0};
    pr_thread_label(&label, profile, thread);
    if (label.length)
        pr_text_cut_end(buf, (struct pr_text){label.bytes, (uint32_t)label.length}, columns);
    buf->failed |= label.failed;
    pr_buf_clear(&label);
}

/* A name or path, cut to COLUMNS. */
static void add_name(const struct writer *w, struct pr_buf *buf, const struct pr_row *row, enum column column,
                     size_t columns)
{
    const struct pr_profile *profile = w->profile;
    switch (column) {
    case FUNCTION:
        pr_text_cut_function(buf,
                             row->no_stack ? pr_text_of(no_stack(w))
                                           : pr_shown_function_of(profile, row->node, row->function),
                             columns);
        break;
    case PLACE:
        if (w->table->group == PR_BY_FILE && !pr_profile_text(profile, row->file).length)
            pr_text_cut_path(buf, pr_text_of(row->no_stack ? no_stack(w) : "(unknown)"), columns);
        else
            pr_text_cut_place(buf, pr_profile_text(profile, row->file), row->line, columns);
        break;
    case THREAD:
        add_thread(buf, profile, row->thread, columns);
        break;
    case ALLOCATOR:
        pr_text_cut_end(buf, pr_text_of(pr_allocator_name(row->allocator)), columns);
        break;
    default:
        break;
    }
}

static const char *title_of(const struct writer *w, enum column column)
{
    switch (column) {
    case MAIN: return by_total(w) ? "Total" : "Self";
    case SHARE:
    case OTHER_SHARE: return "%";
    case COUNT: return "Count";
    case OTHER: return by_total(w) ? "Self" : "Total";
    case FUNCTION: return "Function";
    case PLACE: return w->table->files ? w->table->files
                       : w->table->group == PR_BY_FILE || w->table->group == PR_BY_CODE ? "File"
                                                                                        : "File and line";
    case THREAD: return "Thread";
    case ALLOCATOR: return "Allocator";
    case COLUMNS: break;
    }
    return "";
}

/* ---- widths ----------------------------------------------------------------------------------------------------- */

static bool has_column(const struct writer *w, enum column column)
{
    const struct pr_table_view *view = w->table->view;
    bool any = false;
    switch (column) {
    case COUNT: return view->metric->count != NULL;
    case OTHER_SHARE: return w->table->group == PR_BY_CODE;
    case FUNCTION: return w->table->group != PR_BY_FILE;
    case THREAD:
        for (size_t i = 0; i < view->count; i++)
            any |= view->row[i]->thread != UINT32_MAX;
        return any;
    case ALLOCATOR:
        for (size_t i = 0; i < view->count; i++)
            any |= view->row[i]->allocator != PR_ALLOC_NONE;
        return any;
    default: return true;
    }
}

static size_t cell_width(struct writer *w, const struct pr_row *row, enum column column)
{
    if (is_figure(column)) {
        const struct pr_figure cell = figure(w, row, column);
        return pr_figure_columns(&cell);
    }
    w->line.length = 0;
    add_name(w, &w->line, row, column, SIZE_MAX);
    return w->line.length ? pr_text_columns(w->line.bytes, w->line.length) : 0;
}

/* Not a row, but the sum over all of them, shown or not. */
static struct pr_row sum_of_all(const struct writer *w)
{
    const struct pr_table *table = &w->table->view->table;
    return (struct pr_row){.self = table->total_value, .total = table->total_value, .self_count = table->total_count,
                           .total_count = table->total_count};
}

static void natural_widths(struct writer *w)
{
    const struct pr_table_view *view = w->table->view;
    const struct pr_row all = sum_of_all(w);
    for (enum column column = 0; column < COLUMNS; column++) {
        size_t *width = &w->layout.width[column];
        *width = 0;
        if (!has_column(w, column))
            continue;
        *width = strlen(title_of(w, column));
        for (size_t i = 0; i < view->count; i++) {
            size_t cell = cell_width(w, view->row[i], column);
            *width = cell > *width ? cell : *width;
        }
        size_t sum = is_figure(column) ? cell_width(w, &all, column) : 0;
        *width = sum > *width ? sum : *width;
    }
    const size_t most = w->profile->process_count > 1 ? MAX_THREAD_OF_PROCESS : MAX_THREAD;
    if (w->layout.width[THREAD] > most)
        w->layout.width[THREAD] = most;
}

/* Every cell is written for this, so it is done once; again where memory ran out, which w->line says. */
static void measure(struct writer *w, struct pr_table_text *table)
{
    if (!table->is_measured) {
        natural_widths(w);
        memcpy(table->wanted, w->layout.width, sizeof table->wanted);
        table->is_measured = !w->line.failed;
    }
    memcpy(w->layout.width, table->wanted, sizeof table->wanted);
}

/* Columns taken by all but the two names. */
static size_t taken(const struct layout *layout)
{
    size_t sum = GAP;
    for (enum column column = 0; column < COLUMNS; column++)
        if (layout->width[column])
            sum += GAP + (column == FUNCTION || column == PLACE ? 0 : layout->width[column]);
    return sum - GAP;
}

/*
 * Leaves out the least important until the rest has room. The allocator, the first to go, also makes rows: see below.
 */
static void drop_columns(struct layout *layout, size_t columns)
{
    static const enum column dispensable[] = {ALLOCATOR, OTHER_SHARE, OTHER, COUNT, SHARE, THREAD};
    size_t names = layout->width[FUNCTION] + layout->width[PLACE];
    size_t wanted = names < MIN_NAMES ? names : MIN_NAMES;
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable && taken(layout) + wanted > columns; i++)
        layout->width[dispensable[i]] = 0;
}

static void fit(struct layout *layout, size_t columns)
{
    drop_columns(layout, columns);
    size_t names = layout->width[FUNCTION] + layout->width[PLACE];
    size_t room = columns > taken(layout) + 8 ? columns - taken(layout) : 8;
    if (names <= room)
        return;
    /* Each name gets what the other one does not need of its part. */
    size_t *function = &layout->width[FUNCTION], *place = &layout->width[PLACE], part = room * 2 / 5;
    if (*function > part)
        *function = *place < room - part ? room - *place : part;
    *place = room - *function;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool is_last(const struct layout *layout, enum column column)
{
    while (++column < COLUMNS)
        if (layout->width[column])
            return false;
    return true;
}

static void add_spaces(struct pr_buf *line, size_t count)
{
    static const char some[] = "                                ";
    for (; count >= sizeof some; count -= sizeof some - 1)
        pr_buf_add(line, some, sizeof some - 1);
    pr_buf_add(line, some, count);
}

/* Adds the cell to the line: STYLE around it, spaces before or after; empties it. */
static void pad(struct writer *w, enum column column, const char *style)
{
    struct pr_buf *cell = &w->cell;
    size_t width = w->layout.width[column];
    size_t columns = cell->length ? pr_text_columns(cell->bytes, cell->length) : 0;
    const size_t spaces = width > columns ? width - columns : 0;
    add_spaces(&w->line, GAP + (is_figure(column) ? spaces : 0));
    if (cell->length) {
        pr_buf_text(&w->line, style);
        pr_buf_add(&w->line, cell->bytes, cell->length);
        pr_buf_text(&w->line, *style ? w->report->style.off : "");
    }
    if (!is_figure(column) && !is_last(&w->layout, column))
        add_spaces(&w->line, spaces);
    w->line.failed |= cell->failed;
    cell->length = 0;
}

static const char *style_of(const struct writer *w, const struct pr_row *row, enum column column)
{
    const struct pr_style *style = &w->report->style;
    bool zero = is_figure(column) && !number(w, row, column);
    if (column == FUNCTION && !row->no_stack && row->node != PR_ROOT && row->node < w->profile->tree.count &&
        pr_owner_of(w->profile, w->profile->tree.frame[row->node]) == PR_OWNER_MINE)
        return style->mine;
    bool aside = column == SHARE || column == OTHER || column == OTHER_SHARE || column == PLACE || column == ALLOCATOR;
    return aside || zero || row->no_stack ? style->dim : "";
}

/* A function without a file has the columns of both. */
static bool covers_place(const struct writer *w, const struct pr_row *row)
{
    return w->layout.width[FUNCTION] && w->layout.width[PLACE] && !pr_profile_text(w->profile, row->file).length;
}

static void write_row(struct writer *w, const struct pr_row *row)
{
    const struct layout layout = w->layout;
    w->line.length = 0;
    if (covers_place(w, row)) {
        w->layout.width[FUNCTION] += GAP + layout.width[PLACE];
        w->layout.width[PLACE] = 0;
    }
    for (enum column column = 0; column < COLUMNS; column++) {
        if (!w->layout.width[column])
            continue;
        if (is_figure(column))
            pr_buf_text(&w->cell, figure(w, row, column).text);
        else
            add_name(w, &w->cell, row, column, w->layout.width[column]);
        pad(w, column, style_of(w, row, column));
    }
    w->layout = layout;
    pr_buf_byte(&w->line, '\n');
    pr_report_flush(w->report, &w->line);
}

static void write_titles(struct writer *w)
{
    static const enum column sorted[] = {
        [PR_SORT_SELF] = MAIN, [PR_SORT_TOTAL] = MAIN, [PR_SORT_COUNT] = COUNT, [PR_SORT_FUNCTION] = FUNCTION,
        [PR_SORT_FILE] = PLACE};
    for (enum column column = 0; column < COLUMNS; column++) {
        if (!w->layout.width[column])
            continue;
        pr_text_cut_end(&w->cell, pr_text_of(title_of(w, column)), w->layout.width[column]);
        pad(w, column, column == sorted[w->table->sort] ? w->report->style.bold : w->report->style.dim);
    }
    pr_buf_byte(&w->line, '\n');
    pr_report_flush(w->report, &w->line);
}

static void write_total(struct writer *w)
{
    const struct pr_row all = sum_of_all(w);
    for (enum column column = 0; column < COLUMNS; column++) {
        if (!w->layout.width[column])
            continue;
        if (is_figure(column))
            pr_buf_text(&w->cell, figure(w, &all, column).text);
        else if (column == (w->layout.width[FUNCTION] ? FUNCTION : PLACE))
            pr_text_cut_end(&w->cell, pr_text_of("all"), w->layout.width[column]);
        pad(w, column, w->report->style.bold);
    }
    while (w->line.length && w->line.bytes[w->line.length - 1] == ' ')
        w->line.length--;
    pr_buf_byte(&w->line, '\n');
    pr_report_flush(w->report, &w->line);
}

/* What the rows from FIRST to END hold themselves. */
static int64_t self_from(const struct pr_table_view *view, size_t first, size_t end)
{
    int64_t sum = 0;
    for (size_t i = first; i < end; i++)
        sum = pr_add_saturated(sum, view->row[i]->self);
    return sum;
}

/* "5.00 MiB are 5 arenas of pymalloc (MMAP): who filled them is not recorded" */
static void write_arenas(struct writer *w)
{
    const struct pr_table_view *view = w->table->view;
    const struct pr_profile *profile = view->metric == &view->part_metric ? &view->part : view->profile;
    const struct pr_pymalloc arenas = pr_pymalloc_of(profile, (uint32_t)(view->metric - profile->metrics));
    if (!arenas.count)
        return;
    const bool one = arenas.count == 1;
    pr_buf_printf(&w->line, "\n  %s%s %s %s arena%s of pymalloc (MMAP): who filled %s is not recorded%s\n",
                  w->report->style.dim, pr_report_figure(view->metric, w->table->exact, arenas.bytes).text,
                  one ? "is" : "are", pr_units_count(arenas.count).text, one ? "" : "s", one ? "it" : "them",
                  w->report->style.off);
    pr_report_flush(w->report, &w->line);
}

/* What the filter found, and what the limit hides. */
static void write_footer(struct writer *w)
{
    const struct pr_table_view *view = w->table->view;
    struct pr_buf text = {0};
    if (view->table.count == 0)
        pr_buf_text(&text, "nothing");
    else if (view->found == 0)
        pr_buf_printf(&text, "none of %s matches", pr_units_counted((int64_t)view->table.count, "rows").text);
    else if (view->found < view->table.count)
        pr_buf_printf(&text, "%s of %s %s: %s self", pr_units_count((int64_t)view->found).text,
                      pr_units_counted((int64_t)view->table.count, "rows").text, view->found == 1 ? "matches" : "match",
                      pr_report_figure(w->table->view->metric, w->table->exact, self_from(view, 0, view->found)).text);
    if (view->count < view->found)
        pr_buf_printf(&text, "%s%s %s %s self; --limit 0 shows all", text.length ? "; " : "",
                      pr_units_counted((int64_t)(view->found - view->count), "more rows").text,
                      view->found - view->count == 1 ? "holds" : "hold",
                      pr_report_figure(view->metric, w->table->exact,
                                       self_from(view, view->count, view->found)).text);
    if (text.length) {
        pr_buf_printf(&w->line, "\n  %s", w->report->style.dim);
        pr_buf_add(&w->line, text.bytes, text.length);
        pr_buf_printf(&w->line, "%s\n", w->report->style.off);
    }
    w->line.failed |= text.failed;
    pr_buf_clear(&text);
    pr_report_flush(w->report, &w->line);
}

/* Rows that differ in the allocator only would look the same without its column. */
bool pr_table_text_has_room(const struct pr_report *report, struct pr_table_text *table)
{
    struct pr_report measured = *report;
    struct writer w = {.report = &measured, .table = table, .profile = table->view->profile};
    measure(&w, table);
    const bool has_allocators = w.layout.width[ALLOCATOR] > 0;
    drop_columns(&w.layout, report->term.columns);
    pr_buf_clear(&w.line);
    return !has_allocators || w.layout.width[ALLOCATOR] > 0;
}

void pr_table_text_write(struct pr_report *report, struct pr_table_text *table)
{
    struct writer w = {.report = report, .table = table, .profile = table->view->profile};
    pr_report_measured(report, w.profile, table->view->metric, table->exact, &table->part);
    measure(&w, table);
    pr_output_needs(report->out, &w.line);
    pr_buf_clear(&w.line);
    fit(&w.layout, report->term.columns);
    write_titles(&w);
    for (size_t i = 0; i < table->view->count; i++)
        write_row(&w, table->view->row[i]);
    if (table->view->table.count)
        write_total(&w);
    write_footer(&w);
    write_arenas(&w);
    pr_buf_clear(&w.cell);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------- */

enum { CODE_COLUMNS = 100 };

static void markdown_titles(struct writer *w)
{
    for (enum column column = 0; column < COLUMNS; column++)
        if (has_column(w, column))
            pr_buf_printf(&w->line, "| %s ", title_of(w, column));
    pr_buf_text(&w->line, "|\n");
    for (enum column column = 0; column < COLUMNS; column++)
        if (has_column(w, column))
            pr_buf_text(&w->line, is_figure(column) ? "| ---: " : "| --- ");
    pr_buf_text(&w->line, "|\n");
}

/* A name is code, and harmless in a cell; what has no stack is words of ours. */
static void markdown_name(struct writer *w, const struct pr_row *row, enum column column)
{
    const struct pr_text file = pr_profile_text(w->profile, row->file);
    struct pr_buf name = {0};
    if (column == PLACE && file.length) {
        pr_markdown_place(&w->line, file, row->line, CODE_COLUMNS);
        return;
    }
    if (column == FUNCTION && !row->no_stack) {
        pr_markdown_code(&w->line, pr_shown_function_of(w->profile, row->node, row->function), CODE_COLUMNS);
        return;
    }
    add_name(w, &name, row, column, CODE_COLUMNS);
    pr_markdown_code(&w->line, (struct pr_text){name.length ? name.bytes : "", (uint32_t)name.length}, CODE_COLUMNS);
    w->line.failed |= name.failed;
    pr_buf_clear(&name);
}

static void markdown_row(struct writer *w, const struct pr_row *row)
{
    for (enum column column = 0; column < COLUMNS; column++) {
        if (!has_column(w, column))
            continue;
        pr_buf_text(&w->line, "| ");
        if (is_figure(column))
            pr_buf_text(&w->line, figure(w, row, column).text);
        else
            markdown_name(w, row, column);
        pr_buf_byte(&w->line, ' ');
    }
    pr_buf_text(&w->line, "|\n");
}

void pr_table_markdown_write(struct pr_report *report, struct pr_table_text *table)
{
    struct writer w = {.report = report, .table = table, .profile = table->view->profile};
    pr_report_measured(report, w.profile, table->view->metric, table->exact, &table->part);
    markdown_titles(&w);
    for (size_t i = 0; i < table->view->count; i++)
        markdown_row(&w, table->view->row[i]);
    pr_output_buf(report->out, &w.line);
    write_footer(&w);
    write_arenas(&w);
}
