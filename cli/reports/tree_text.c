/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures in columns on the left, the tree on the right. It moves to the right only where it branches: a long way from
 * main to the place that matters stays as narrow as a short one.
 */
#include "cli/reports/tree_text.h"

#include "capture/model/nameless.h"
#include "profrender/owner.h"
#include "cli/reports/document_parts.h"
#include "cli/io/terminal_names.h"
#include "render/words/units.h"

#include <stdlib.h>
#include <string.h>

enum column { TOTAL, SHARE, SELF, COUNT, COLUMNS, SELF_COUNT = COLUMNS };

enum { GAP = 2, GUIDE = 3, MIN_NAMES = 44, MAX_LEVELS = 100, MIN_FUNCTION = 12, ENOUGH_PLACE = 16, LINE_NUMBER = 4 };

struct writer {
    struct pr_report *report;
    const struct pr_tree_text *tree;
    const struct pr_tree_view *view;
    size_t width[COLUMNS];        /* 0: not shown */
    uint32_t *level;              /* [lines] how far to the right */
    uint32_t *below;              /* [lines] how many are still to come right below it, the folded ones as one */
    bool more[MAX_LEVELS];        /* at this level, another one comes below */
    struct pr_buf line;
};

static bool is_frame(const struct pr_tree_line *line)
{
    return line->frame != PR_NO_FRAME;
}

static int64_t number(const struct pr_tree_line *line, enum column column)
{
    switch (column) {
    case SELF: return line->self;
    case SELF_COUNT: return line->self_count;
    case COUNT: return line->total_count;
    default: return line->total;
    }
}

/*
 * What the column says of LINE. A count of calls is the function's own, where the tree goes from callers down.
 */
static int64_t shown_number(const struct writer *w, const struct pr_tree_line *line, enum column column)
{
    const bool own_calls = pr_metric_counts_calls(w->view->metric) && !w->tree->invert && is_frame(line);
    return number(line, column == COUNT && own_calls ? SELF_COUNT : column);
}

static struct pr_figure figure(const struct writer *w, enum column column, int64_t value)
{
    const struct pr_metric *metric = w->view->metric;
    const bool exact_bytes = w->tree->exact && !metric->decimals;
    switch (column) {
    case SHARE: return pr_units_percent(value, metric->total_value);
    case COUNT: return pr_units_count(value);
    default: return exact_bytes ? pr_units_count(value) : pr_report_figure(metric, w->tree->exact, value);
    }
}

static const char *title_of(enum column column)
{
    static const char *const titles[] = {[TOTAL] = "Total", [SHARE] = "%", [SELF] = "Self", [COUNT] = "Count"};
    return titles[column];
}

static size_t taken(const struct writer *w)
{
    size_t sum = GAP;
    for (enum column column = 0; column < COLUMNS; column++)
        sum += w->width[column] ? w->width[column] + GAP : 0;
    return sum;
}

static void set_widths(struct writer *w)
{
    static const enum column dispensable[] = {COUNT, SELF, SHARE};
    for (enum column column = 0; column < COLUMNS; column++) {
        w->width[column] = strlen(title_of(column));
        for (uint32_t i = 0; i < w->view->count; i++) {
            const struct pr_figure shown = figure(w, column, shown_number(w, &w->view->line[i], column));
            const size_t cell = pr_figure_columns(&shown);
            w->width[column] = cell > w->width[column] ? cell : w->width[column];
        }
    }
    if (!w->view->metric->count)
        w->width[COUNT] = 0;
    if (w->tree->invert)
        w->width[SELF] = 0;
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable; i++)
        if (taken(w) + MIN_NAMES > w->report->term.columns)
            w->width[dispensable[i]] = 0;
}

/* ---- what goes where -------------------------------------------------------------------------------------------- */

/* What was folded below a line is one of the lines below it, if it is as large as one; else it is shown on the line. */
static bool has_folded_line(const struct writer *w, const struct pr_tree_line *line)
{
    return line->folded && line->lines_below && (double)line->folded_total >= w->view->least;
}

static uint32_t count_below(const struct writer *w, const struct pr_tree_line *line)
{
    return line->lines_below + has_folded_line(w, line);
}

static void set_levels(struct writer *w)
{
    const struct pr_tree_line *lines = w->view->line;
    for (uint32_t i = 0; i < w->view->count; i++) {
        w->below[i] = count_below(w, &lines[i]);
        if (lines[i].parent == PR_NO_ROW)
            continue;
        const struct pr_tree_line *parent = &lines[lines[i].parent];
        bool branches = parent->parent != PR_NO_ROW && (count_below(w, parent) > 1 || !is_frame(parent));
        w->level[i] = w->level[lines[i].parent] + branches;
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void add_cell(struct writer *w, enum column column, const char *text, int width, bool aside)
{
    if (w->width[column])
        pr_buf_printf(&w->line, "%*s%s%*s%s", GAP, "", aside ? w->report->style.dim : "", width, text,
                      aside ? w->report->style.off : "");
}

static void add_figure(struct writer *w, enum column column, struct pr_figure figure, bool aside)
{
    add_cell(w, column, figure.text, pr_figure_width(&figure, w->width[column]), aside);
}

static void add_figures(struct writer *w, const struct pr_tree_line *line)
{
    for (enum column column = 0; column < COLUMNS; column++) {
        int64_t value = shown_number(w, line, column);
        add_figure(w, column, figure(w, column, value), column == SHARE || column == COUNT || !value);
    }
    pr_buf_printf(&w->line, "%*s", GAP, "");
}

static size_t names_room(const struct writer *w)
{
    return w->report->term.columns > taken(w) + MIN_FUNCTION ? w->report->term.columns - taken(w) : MIN_FUNCTION;
}

/* The branches left of a line at LEVEL; returns the columns that remain. Of too many the outer ones are not drawn. */
static size_t add_guides(struct writer *w, uint32_t level, bool branches)
{
    size_t room = names_room(w), most = room / 2 / GUIDE;
    uint32_t first = level > most ? level - (uint32_t)most + 1 : 1;
    if (!level)
        return room;
    pr_buf_text(&w->line, w->report->style.dim);
    if (first > 1) {
        pr_buf_text(&w->line, "⋯  ");
        room -= GUIDE;
    }
    for (uint32_t i = first; i <= level; i++) {
        bool more = w->more[i % MAX_LEVELS];
        if (i == level && branches)
            pr_buf_text(&w->line, more ? "├─ " : "└─ ");
        else
            pr_buf_text(&w->line, more ? "│  " : "   ");
        room -= GUIDE;
    }
    pr_buf_text(&w->line, w->report->style.off);
    return room;
}

/* Whether the lines right below LINE are threads. */
static bool is_of_threads(const struct writer *w, const struct pr_tree_line *line)
{
    return line->parent == PR_NO_ROW && w->view->count > 1 && !is_frame(&w->view->line[1]);
}

static void add_folded(const struct writer *w, struct pr_buf *buf, const struct pr_tree_line *line)
{
    pr_buf_printf(buf, "… %s smaller%s", pr_units_count((int64_t)line->folded).text,
                  !is_of_threads(w, line) ? "" : line->folded == 1 ? " thread" : " threads");
}

static size_t columns_of(struct pr_text name)
{
    struct pr_buf visible = {0};
    pr_text_add(&visible, name);
    const size_t columns = visible.length ? pr_text_columns(visible.bytes, visible.length) : 0;
    pr_buf_clear(&visible);
    return columns;
}

/* Columns of ROOM that a line needs to say what it is and where that is, if there is room for where. */
static size_t wanted_by_name(const struct writer *w, const struct pr_tree_line *line, size_t room)
{
    const struct pr_profile *profile = w->view->profile;
    if (!is_frame(line))
        return MIN_FUNCTION;
    const struct pr_frame *frame = &profile->frames[line->frame];
    const size_t function = columns_of(pr_shown_function(profile, line->frame));
    const size_t place = columns_of(pr_profile_text(profile, frame->file)) + LINE_NUMBER;
    const size_t cut = function < room * 3 / 5 ? function : room * 3 / 5;
    if (!frame->file || cut + GAP + MIN_FUNCTION > room)
        return cut;
    return cut + GAP + (place < ENOUGH_PLACE ? place : ENOUGH_PLACE);
}

/*
 * "  … 3 smaller, 288 B": what was folded below a line and has no line of its own; as short as it must be in ROOM,
 * since the name and place of the line come first.
 */
static void add_aside(const struct writer *w, struct pr_buf *buf, const struct pr_tree_line *line, size_t room)
{
    if (!line->folded || has_folded_line(w, line))
        return;
    const size_t name = wanted_by_name(w, line, room);
    pr_buf_printf(buf, "%*s", GAP, "");
    add_folded(w, buf, line);
    const size_t without_value = buf->length;
    pr_buf_printf(buf, ", %s", pr_report_figure(w->view->metric, w->tree->exact, line->folded_total).text);
    if (buf->failed || name + pr_text_columns(buf->bytes, buf->length) <= room)
        return;
    buf->length = without_value;
    if (name + pr_text_columns(buf->bytes, buf->length) <= room)
        return;
    buf->length = 0;
    pr_buf_printf(buf, "%*s…", GAP, "");
}

static void add_thread(struct writer *w, const struct pr_tree_line *line, size_t room)
{
    struct pr_buf label = {0};
    pr_buf_text(&w->line, w->report->style.bold);
    pr_buf_text(&label, line->thread == PR_ALL_THREADS ? "all" : "thread ");
    if (line->thread != PR_ALL_THREADS)
        pr_thread_label(&label, w->view->profile, line->thread);
    if (label.bytes)
        pr_text_cut_end(&w->line, (struct pr_text){label.bytes, (uint32_t)label.length}, room);
    pr_buf_text(&w->line, w->report->style.off);
    w->line.failed |= label.failed;
    pr_buf_clear(&label);
}

/* A function and its place. */
static void add_frame(struct writer *w, const struct pr_tree_line *line, size_t room)
{
    const struct pr_profile *profile = w->view->profile;
    const struct pr_frame *frame = &profile->frames[line->frame];
    const bool mine = pr_owner_of(profile, line->frame) == PR_OWNER_MINE;
    struct pr_text file = pr_profile_text(profile, frame->file);
    struct pr_buf name = {0};
    pr_text_cut_function(&name, pr_shown_function(profile, line->frame),
                         file.length && room > 30 ? room * 3 / 5 : room);
    size_t columns = name.length ? pr_text_columns(name.bytes, name.length) : 0;
    pr_buf_text(&w->line, mine ? w->report->style.mine : "");
    pr_buf_add(&w->line, name.bytes ? name.bytes : "", name.length);
    pr_buf_text(&w->line, mine ? w->report->style.off : "");
    room = room > columns + GAP ? room - columns - GAP : 0;
    if (file.length && room >= MIN_FUNCTION) {
        pr_buf_printf(&w->line, "  %s", w->report->style.dim);
        pr_text_cut_place(&w->line, file, frame->line, room);
        pr_buf_text(&w->line, w->report->style.off);
    }
    w->line.failed |= name.failed;
    pr_buf_clear(&name);
}

static void end_line(struct writer *w)
{
    pr_buf_byte(&w->line, '\n');
    pr_report_flush(w->report, &w->line);
}

/* The frames that have no line of their own, together in one, the last below PARENT. */
static void write_folded(struct writer *w, uint32_t parent)
{
    const struct pr_tree_line *line = &w->view->line[parent];
    const struct pr_tree_line sum = {.total = line->folded_total, .total_count = line->folded_count};
    const uint32_t level = line->parent == PR_NO_ROW ? 0 : w->level[parent] + (count_below(w, line) > 1);
    for (enum column column = 0; column < COLUMNS; column++) {
        struct pr_figure text = figure(w, column, number(&sum, column));
        const bool has_none = column == SELF || (column == COUNT && pr_metric_counts_calls(w->view->metric));
        add_figure(w, column, has_none ? (struct pr_figure){""} : text, true);
    }
    pr_buf_printf(&w->line, "%*s", GAP, "");
    w->more[level % MAX_LEVELS] = false;
    add_guides(w, level, level > 0);
    pr_buf_text(&w->line, w->report->style.dim);
    add_folded(w, &w->line, line);
    pr_buf_text(&w->line, w->report->style.off);
    end_line(w);
}

static void write_line(struct writer *w, uint32_t at)
{
    const struct pr_tree_line *line = &w->view->line[at];
    const uint32_t level = w->level[at];
    bool branches = false;
    if (line->parent != PR_NO_ROW) {
        branches = level > w->level[line->parent];
        w->below[line->parent]--;
        if (branches)
            w->more[level % MAX_LEVELS] = w->below[line->parent] > 0;
    }
    add_figures(w, line);
    struct pr_buf aside = {0};
    size_t room = add_guides(w, level, branches);
    add_aside(w, &aside, line, room);
    const size_t columns = aside.length ? pr_text_columns(aside.bytes, aside.length) : 0;
    room = room > columns + MIN_FUNCTION ? room - columns : MIN_FUNCTION;
    (is_frame(line) ? add_frame : add_thread)(w, line, room);
    if (aside.length)
        pr_buf_printf(&w->line, "%s%s%s", w->report->style.dim, aside.bytes, w->report->style.off);
    w->line.failed |= aside.failed;
    pr_buf_clear(&aside);
    end_line(w);
}

/* After line AT: the folded frames of all lines whose last line below is AT. */
static void write_folded_after(struct writer *w, uint32_t at)
{
    while (at != PR_NO_ROW && w->below[at] == has_folded_line(w, &w->view->line[at])) {
        if (w->below[at])
            write_folded(w, at);
        w->below[at] = 0;
        at = w->view->line[at].parent;
    }
}

static const char *last_title(const struct writer *w)
{
    if (pr_metric_is_of_objects(w->view->metric))
        return w->tree->invert ? "Retained by" : "Retains";
    return w->tree->invert ? "Called by" : "Calls";
}

static void write_titles(struct writer *w)
{
    for (enum column column = 0; column < COLUMNS; column++)
        add_cell(w, column, title_of(column), (int)w->width[column], true);
    pr_buf_printf(&w->line, "%*s%s%s%s", GAP, "", w->report->style.dim, last_title(w),
                  w->report->style.off);
    end_line(w);
}

void pr_tree_text_write(struct pr_report *report, const struct pr_tree_text *tree)
{
    struct writer w = {.report = report, .tree = tree, .view = tree->view};
    pr_report_measured(report, w.view->profile, w.view->metric, tree->exact, &(struct pr_part_shown){0});
    w.level = calloc((size_t)w.view->count + 1, sizeof *w.level);
    w.below = calloc((size_t)w.view->count + 1, sizeof *w.below);
    if (w.level && w.below) {
        set_widths(&w);
        set_levels(&w);
        write_titles(&w);
        for (uint32_t i = 0; i < w.view->count; i++) {
            write_line(&w, i);
            write_folded_after(&w, i);
        }
    } else {
        w.line.failed = true;
        pr_report_flush(report, &w.line);
    }
    if (w.view->profile->tree_estimated)
        pr_output_printf(report->out, "\n  %sthe input has calls, not stacks: who called what is estimated%s\n",
                         report->style.dim, report->style.off);
    free(w.level);
    free(w.below);
}
