/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed in a difference (profrender/diff.h): the totals of both sides, and for each metric the functions that
 * grew and shrank. A library counts towards the user's own function that called it. Amounts can be switched to shares
 * of their own side, to compare runs of different lengths; the switch is a pair of radio buttons and needs no script.
 */
#include "capture/base/text.h"
#include "capture/model/nameless.h"
#include "render/sections/difference_mark.h"
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/page/source_links.h"
#include "render/words/usual_words.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20, SMALL = 100, BAR_COLUMNS = 100 }; /* smaller: less than a hundredth of all that changed */

static bool wants_difference(const struct pr_profile *profile)
{
    return profile->is_difference && profile->metric_count;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static double share_of(int64_t value, const struct pr_metric *metric)
{
    return metric->total_value > 0 ? (double)value / (double)metric->total_value : 0;
}

/* An amount, and its share of that side; the switch shows one of them. */
static void emit_value(const struct pr_metric *metric, int64_t value, struct pr_buf *out)
{
    pr_buf_text(out, "<td class='r hide-s'><span class='amount'>");
    pr_hover_metric(out, metric, value);
    pr_buf_text(out, "</span><span class='share'>");
    pr_hover_metric_share(out, metric, value, metric->total_value);
    pr_buf_text(out, "</span></td>");
}

/* The change: an amount, or percentage points of the shares. */
static void emit_change(const struct pr_growth_sides *sides, const struct pr_growth *change, struct pr_buf *out)
{
    const int64_t amount = pr_growth_change(change);
    const double points = (share_of(change->after, sides->after) - share_of(change->before, sides->before)) * 100;
    pr_buf_text(out, "<td class='r'><span class='amount'>");
    pr_difference_mark(out, sides->after, amount);
    pr_html(out, "</span><span class='share' title='from %s of %s to %s of %s'>",
            pr_units_metric_exact(sides->before, change->before).text,
            pr_units_metric_exact(sides->before, sides->before->total_value).text,
            pr_units_metric_exact(sides->after, change->after).text,
            pr_units_metric_exact(sides->after, sides->after->total_value).text);
    pr_html(out, "%s</span></td>", pr_units_points(points).text);
}

/* A bar to the right for what grew, to the left for what shrank, from the middle; WIDTH is 0 to 1. */
static void emit_bar(const char *kind, double change, struct pr_buf *out)
{
    const double width = (change < 0 ? -change : change) * BAR_COLUMNS;
    const double shown = width > BAR_COLUMNS ? BAR_COLUMNS : width < 1 ? 1 : width;
    pr_buf_printf(out,
                  "<svg class='%s' viewBox='0 0 %d 10' preserveAspectRatio='none' aria-hidden='true'>"
                  "<rect x='%.1f' y='1' width='%.1f' height='8' class='%s' fill='%s'/>"
                  "<path d='M%d 0v10' stroke='#8a8e97' stroke-width='1' vector-effect='non-scaling-stroke'/></svg>",
                  kind, 2 * BAR_COLUMNS, change < 0 ? BAR_COLUMNS - shown : (double)BAR_COLUMNS, shown,
                  change < 0 ? "down" : "up", change < 0 ? "#0a818b" : "#c91b86", BAR_COLUMNS);
}

static void emit_bars(const struct pr_growth_sides *sides, const struct pr_growth *change, struct pr_buf *out)
{
    const double amount = sides->largest ? (double)pr_growth_change(change) / (double)sides->largest : 0;
    const double share = share_of(change->after, sides->after) - share_of(change->before, sides->before);
    pr_buf_text(out, "<td class='barc hide-s'>");
    emit_bar("amount", amount, out);
    emit_bar("share", share, out);
    pr_buf_text(out, "</td>");
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* "⇄ 20.0 MiB": it changed places, not its size. */
static void emit_moved(const struct pr_growth_sides *sides, const struct pr_growth *moved, struct pr_buf *out)
{
    const int64_t change = pr_growth_change(moved);
    pr_html(out, "<td class='r'><span title='%s'>\xE2\x87\x84 %s</span></td>",
            pr_units_metric_exact(sides->after, change).text,
            pr_units_metric(sides->after, pr_growth_size(change)).text);
}

/* "moved from load", "moved to load_rows"; from or to several, without a name. */
static void emit_way(const struct pr_page *page, const struct pr_growth_sides *sides, const struct pr_growth *moved,
                     struct pr_buf *out)
{
    const struct pr_growth *other = pr_growth_counterpart(sides, moved);
    pr_html(out, "<td class='hide-s'>moved %s ", pr_growth_change(moved) > 0 ? "from" : "to");
    if (other)
        pr_html_name(out, pr_shown_function(page->profile, other->frame));
    else
        pr_buf_text(out, "others");
    pr_buf_text(out, "</td>");
}

static void emit_function(const struct pr_page *page, pr_frame_id id, struct pr_buf *out)
{
    if (id == PR_NO_NODE) {
        pr_buf_text(out, "<th scope='row'><span class='muted'>without a stack</span></th><td></td>");
        return;
    }
    const struct pr_frame *frame = &page->profile->frames[id];
    struct pr_text file = pr_profile_text(page->profile, frame->file);
    pr_buf_text(out, "<th scope='row'>");
    pr_html_name(out, pr_shown_function(page->profile, id));
    pr_buf_text(out, "</th><td class='mono'>");
    const bool linked = pr_code_frame_link(page, id, frame->line, out);
    pr_html_name(out, file);
    if (file.length && frame->line > 0)
        pr_html(out, ":%d", (int)frame->line);
    pr_buf_text(out, linked ? "</a></td>" : "</td>");
}

/* Whether the tables have the usual range of each function. */
static bool has_usual(const struct pr_page *page, const struct pr_growth_sides *sides)
{
    return pr_usual_named(page->options.usuals, sides->after->name) != NULL;
}

/* The range of a function in earlier runs, where the tables have a column for it. */
static void emit_usual_cell(const struct pr_page *page, const struct pr_growth_sides *sides,
                            const struct pr_growth *growth, struct pr_buf *out)
{
    struct pr_usual_range range = {.runs = 0};
    if (!has_usual(page, sides))
        return;
    if (growth && growth->frame != PR_NO_NODE) {
        const struct pr_frame *frame = &page->profile->frames[growth->frame];
        range = pr_usual_function_range(page->options.usuals, sides->after->name,
                                        pr_profile_text(page->profile, frame->function),
                                        pr_profile_text(page->profile, frame->file), growth->after);
    }
    pr_html(out, "<td class='r hide-s' title='%s'>%s</td>",
            pr_usual_range_text(sides->after, &range, true).text,
            pr_usual_range_text(sides->after, &range, false).text);
}

static void emit_row(const struct pr_page *page, const struct pr_growth_sides *sides, const struct pr_growth *change,
                     struct pr_buf *out)
{
    pr_buf_text(out, "<tr>");
    emit_function(page, change->frame, out);
    emit_usual_cell(page, sides, change, out);
    emit_value(sides->before, change->before, out);
    emit_value(sides->after, change->after, out);
    emit_change(sides, change, out);
    emit_bars(sides, change, out);
    pr_buf_text(out, "</tr>\n");
}

static void emit_moved_row(const struct pr_page *page, const struct pr_growth_sides *sides,
                           const struct pr_growth *moved, struct pr_buf *out)
{
    pr_buf_text(out, "<tr class='moved'>");
    emit_function(page, moved->frame, out);
    emit_usual_cell(page, sides, moved, out);
    emit_value(sides->before, moved->before, out);
    emit_value(sides->after, moved->after, out);
    emit_moved(sides, moved, out);
    emit_way(page, sides, moved, out);
    pr_buf_text(out, "</tr>\n");
}

/* Whether it is worth a row: not under a hundredth of all that changed. */
static bool is_worth(const struct pr_growth_sides *sides, const struct pr_growth *growth)
{
    const int64_t all = pr_add_saturated(sides->grown, sides->shrunk);
    return pr_growth_size(pr_growth_change(growth)) >= all / SMALL;
}

/* What is not listed, so that the changes add up to the whole. */
static void emit_rest(const struct pr_page *page, const struct pr_growth_sides *sides, const struct pr_growth *rest,
                      size_t count, struct pr_buf *out)
{
    if (!count)
        return;
    pr_html(out, "<tr class='rest'><th scope='row'><span class='muted'>%s</span></th><td></td>",
            pr_units_counted((int64_t)count, "smaller changes").text);
    emit_usual_cell(page, sides, NULL, out);
    emit_value(sides->before, rest->before, out);
    emit_value(sides->after, rest->after, out);
    emit_change(sides, rest, out);
    pr_buf_text(out, "<td class='hide-s'></td></tr>\n");
}

static void add_to_rest(struct pr_growth *rest, size_t *left, const struct pr_growth *growth)
{
    rest->before = pr_add_saturated(rest->before, growth->before);
    rest->after = pr_add_saturated(rest->after, growth->after);
    ++*left;
}

/* The largest changes, what moved, and all others in one line. */
static void emit_rows(const struct pr_page *page, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    struct pr_growth rest = {PR_NO_NODE, 0, 0};
    size_t grown = 0, shrunk = sides->grown_count, shown = 0, left = 0;
    for (const struct pr_growth *next; (next = pr_growth_next(sides, &grown, &shrunk));) {
        if (shown < MOST_ROWS && is_worth(sides, next)) {
            emit_row(page, sides, next, out);
            shown++;
        } else {
            add_to_rest(&rest, &left, next);
        }
    }
    for (size_t i = 0; i < sides->moved_count; i++) {
        const struct pr_growth *moved = &pr_growth_moved(sides)[i];
        if (i < MOST_ROWS && is_worth(sides, moved))
            emit_moved_row(page, sides, moved, out);
        else
            add_to_rest(&rest, &left, moved);
    }
    emit_rest(page, sides, &rest, left, out);
}

static void emit_table(const struct pr_page *page, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    if (!sides->count && !sides->moved_count) {
        pr_buf_text(out, "<p class='legend'>Nothing changed.</p>\n");
        return;
    }
    pr_buf_text(out, "<div class='tblwrap'><table class='tbl wraps'>\n<caption>The largest change first. Library code "
                     "counts for the function of yours that called it.</caption>\n<thead><tr>"
                     "<th scope='col'>Function</th><th scope='col'>File and line</th>");
    if (has_usual(page, sides))
        pr_buf_text(out, "<th scope='col' class='r hide-s'>Usual</th>");
    pr_buf_text(out, "<th scope='col' class='r hide-s'>Before</th><th scope='col' class='r hide-s'>After</th>"
                     "<th scope='col' class='r'>Change</th><th scope='col' class='hide-s'>Shrank, grew</th>"
                     "</tr></thead>\n<tbody>\n");
    emit_rows(page, sides, out);
    pr_buf_text(out, "</tbody></table></div>\n");
}

static void emit_usual(const struct pr_page *page, const char *metric, struct pr_buf *out)
{
    const struct pr_usual *usual = pr_usual_named(page->options.usuals, metric);
    struct pr_buf text = {0};
    if (!usual)
        return;
    pr_usual_sentence(&text, usual, false);
    pr_buf_byte(&text, '\0');
    out->failed |= text.failed;
    if (!text.failed)
        pr_html(out, "<p class='legend'>Earlier runs: %s.</p>\n", text.bytes);
    pr_buf_clear(&text);
}

/* A metric: its totals in one line that unfolds to the functions; the first one is open. */
static enum pr_status emit_metric(const struct pr_page *page, const struct pr_view *view, const pr_node_id *own,
                                  struct pr_buf *out, struct pr_error *err)
{
    const struct pr_metric *after = &page->profile->metrics[view->metric];
    struct pr_growth_sides sides;
    if (pr_growth_sides_make(page, view->metric, own, &sides, err) == PR_FAILED) {
        pr_growth_sides_clear(&sides);
        return PR_FAILED;
    }
    const struct pr_growth all = sides.all;
    pr_html(out, "<details%s><summary><b>", view == page->views.view ? " open" : "");
    pr_html_name(out, pr_text_of(view->heading));
    pr_buf_text(out, "</b> ");
    pr_hover_metric(out, sides.before, all.before);
    pr_buf_text(out, " before, ");
    pr_hover_metric(out, after, all.after);
    pr_html(out, " after: <b class='%s'>", all.after > all.before ? "up" : all.after < all.before ? "down" : "same");
    pr_difference_mark(out, after, pr_growth_change(&all));
    pr_buf_text(out, "</b> ");
    pr_growth_hover_percent(out, after, &all);
    pr_buf_text(out, "</summary>\n");
    emit_usual(page, after->name, out);
    emit_table(page, &sides, out);
    pr_buf_text(out, "</details>\n");
    pr_growth_sides_clear(&sides);
    return PR_OK;
}

static enum pr_status emit_difference(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    pr_node_id *own = pr_growth_find_own(page);
    enum pr_status status = own ? PR_OK : pr_fail_memory(err);
    pr_buf_text(out, "<section class='panel difference' id='difference' aria-labelledby='h-diff'>\n"
                     "<div class='head'><h2 id='h-diff'>What changed</h2></div>\n");
    pr_buf_text(out, "<input type='radio' name='pr-diff' id='diff-amount' checked><label for='diff-amount'>Amounts"
                     "</label>\n"
                     "<input type='radio' name='pr-diff' id='diff-share'><label for='diff-share'>Shares of each side"
                     "</label>\n<p class='legend' data-live hidden>In the graph: <i class='c0'></i><i class='c1'></i>"
                     "<i class='c2'></i> <span class='amount'>shrank</span>"
                     "<span class='share'>a smaller share</span>, <i class='c3'></i> unchanged, "
                     "<i class='c4'></i><i class='c5'></i><i class='c6'></i> <span class='amount'>grew</span>"
                     "<span class='share'>a larger share</span>; steps at 2, 10 and 33 % of the "
                     "change; dashed: gone</p>\n");
    for (uint32_t i = 0; i < page->views.count && status != PR_FAILED; i++) {
        if (page->profile->metrics[page->views.view[i].metric].base)
            status = emit_metric(page, &page->views.view[i], own, out, err);
    }
    pr_buf_text(out, "</section>\n");
    free(own);
    return status;
}

const struct pr_section pr_section_difference = {"difference", "main", wants_difference, emit_difference};
