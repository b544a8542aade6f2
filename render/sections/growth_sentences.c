/* SPDX-License-Identifier: Apache-2.0 */
/* What changed from one profile to the next, as cells and as sentences. */
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "render/sections/growth.h"
#include "render/html/hover.h"
#include "render/page/source_links.h"
#include "render/sections/total_cell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* "879 KiB → 1.09 MiB" */
static struct pr_figure from_to(struct pr_figure before, struct pr_figure after)
{
    struct pr_figure figure;
    snprintf(figure.text, sizeof figure.text, "%.20s \xE2\x86\x92 %.20s", before.text, after.text);
    return figure;
}

static void note_exact(struct pr_total_cell *cell, struct pr_figure change, struct pr_figure before)
{
    PR_CELL_NOTE_EXACT(cell, "%s of %s", change.text, before.text);
}

static void add_duration(const struct pr_page *page, struct pr_totals *totals)
{
    const struct pr_maybe before = pr_maybe_times(page->profile->meta.before_span_ms, PR_NS_PER_MS),
                          after = pr_maybe_times(pr_times_span_ms(page->profile), PR_NS_PER_MS);
    struct pr_total_cell cell = {.name = "Duration"};
    if (!before.known || !after.known)
        return;
    const struct pr_growth growth = {PR_NO_NODE, before.value, after.value};
    cell.value = from_to(pr_units_duration(before.value), pr_units_duration(after.value));
    cell.exact =
        from_to(pr_units_exact(PR_UNIT_NANOSECONDS, before.value), pr_units_exact(PR_UNIT_NANOSECONDS, after.value));
    PR_CELL_NOTE(&cell, "%s", pr_growth_percent(&growth).text);
    note_exact(&cell, pr_units_exact(PR_UNIT_NANOSECONDS, pr_growth_change(&growth)),
               pr_units_exact(PR_UNIT_NANOSECONDS, growth.before));
    pr_total_cell_add(page, &cell, totals);
}

static void add_total(const struct pr_page *page, const struct pr_view *view, struct pr_totals *totals)
{
    const struct pr_metric *after = &page->profile->metrics[view->metric];
    const struct pr_metric *before = &page->profile->metrics[after->base - 1];
    const struct pr_growth all = {PR_NO_NODE, before->total_value, after->total_value};
    struct pr_total_cell cell = {.name = view->heading, .rank = PR_RANK_FIRST};
    cell.value = from_to(pr_units_metric(before, all.before), pr_units_metric(after, all.after));
    cell.exact = from_to(pr_units_metric_exact(before, all.before), pr_units_metric_exact(after, all.after));
    if (all.before == all.after)
        PR_CELL_NOTE(&cell, "no change");
    else
        PR_CELL_NOTE(&cell, "%s, %s", pr_growth_figure(after, pr_growth_change(&all)).text,
                     pr_growth_percent(&all).text);
    note_exact(&cell, pr_units_metric_exact(after, pr_growth_change(&all)), pr_units_metric_exact(before, all.before));
    pr_total_cell_add(page, &cell, totals);
}

void pr_growth_stats_add(const struct pr_page *page, struct pr_totals *totals)
{
    add_duration(page, totals);
    for (uint32_t i = 0; i < page->views.count && pr_view_is_static(&page->views, &page->views.view[i]); i++) {
        if (page->profile->metrics[page->views.view[i].metric].base)
            add_total(page, &page->views.view[i], totals);
    }
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

/* "load at etl.py:41" */
static void emit_function(const struct pr_page *page, pr_frame_id id, struct pr_buf *out)
{
    if (id == PR_NO_NODE) {
        pr_buf_text(out, "what has no stack");
        return;
    }
    const struct pr_frame *frame = &page->profile->frames[id];
    const struct pr_text file = pr_profile_text(page->profile, frame->file);
    pr_buf_text(out, "<code>");
    pr_html_name(out, pr_profile_text(page->profile, frame->function));
    pr_buf_text(out, "</code>");
    if (!file.length)
        return;
    pr_buf_text(out, " at ");
    const bool linked = pr_code_frame_link(page, id, frame->line, out);
    pr_buf_text(out, "<code>");
    pr_html_name(out, pr_text_file_name_anywhere(file));
    if (frame->line > 0)
        pr_html(out, ":%" PRId32, frame->line);
    pr_buf_text(out, linked ? "</code></a>" : "</code>");
}

/* "load at etl.py:41 grew most: +768 KiB, 98.1 % of all growth, from 29.2 % to 92.1 % of the whole." */
static void emit_first_grown(const struct pr_page *page, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    const struct pr_growth *most = &sides->growth[0];
    const int64_t change = pr_growth_change(most);
    pr_buf_byte(out, ' ');
    emit_function(page, most->frame, out);
    pr_buf_text(out, most->before ? " grew most: " : " is new: ");
    pr_growth_hover(out, sides->after, change);
    if (change < sides->grown) {
        pr_buf_text(out, ", ");
        pr_hover_metric_share(out, sides->after, change, sides->grown);
        pr_buf_text(out, " of all growth");
    }
    if (most->before) {
        pr_buf_text(out, ", from ");
        pr_hover_metric_share(out, sides->before, most->before, sides->all.before);
        pr_buf_text(out, " to ");
        pr_hover_metric_share(out, sides->after, most->after, sides->all.after);
        pr_buf_text(out, " of the whole");
    }
    pr_buf_byte(out, '.');
}

/* "parse at csv.py:3 shrank most: -289 KiB." */
static void emit_first_shrunk(const struct pr_page *page, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    const struct pr_growth *most = &sides->growth[sides->grown_count];
    const int64_t change = pr_growth_change(most);
    pr_buf_byte(out, ' ');
    emit_function(page, most->frame, out);
    pr_buf_text(out, most->after ? " shrank most: " : " is gone: ");
    pr_growth_hover(out, sides->after, change);
    if (pr_growth_size(change) < sides->shrunk) {
        pr_buf_text(out, ", ");
        pr_hover_metric_share(out, sides->after, pr_growth_size(change), sides->shrunk);
        pr_buf_text(out, " of all that shrank");
    }
    pr_buf_byte(out, '.');
}

/* "Heap at its peak: +234 KiB (+26.6 %)." */
static void emit_whole(const struct pr_view *view, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    const int64_t change = pr_growth_change(&sides->all);
    pr_buf_text(out, "<strong>");
    pr_html_name(out, pr_text_of(view->heading));
    if (!change) {
        pr_buf_text(out, ": no change</strong> as a whole, ");
        pr_hover_metric(out, sides->after, sides->all.after);
        pr_buf_byte(out, '.');
        return;
    }
    pr_buf_text(out, ": ");
    pr_growth_hover(out, sides->after, change);
    pr_buf_text(out, "</strong> (");
    pr_growth_hover_percent(out, sides->after, &sides->all);
    pr_buf_text(out, ").");
}

/* A function that is gone is not in the graph, which shows the state after. */
static void emit_link(const struct pr_page *page, const struct pr_view *view, pr_node_id node, struct pr_buf *out)
{
    if (node != PR_NO_NODE)
        pr_html(out,
                "\n<p class='links'><a href='#%s%s' data-view='%s' data-node='%" PRIu32 "'>Show in the graph</a></p>",
                pr_view_prefix(view), view->id, view->id, page->payload.fold.number[node]);
}

/* Where to show what was said: what shrank, if that came first and is still there, else what grew. */
static pr_node_id find_node(const struct pr_page *page, const struct pr_growth_sides *sides, const pr_node_id *own,
                            bool shrunk_first, bool has_grown)
{
    const pr_frame_id shrunk = shrunk_first ? sides->growth[sides->grown_count].frame : PR_NO_NODE,
                      grown = has_grown ? sides->growth[0].frame : PR_NO_NODE;
    const pr_node_id node = shrunk == PR_NO_NODE ? PR_NO_NODE : pr_growth_sides_node(page, sides, own, shrunk);
    return node == PR_NO_NODE && grown != PR_NO_NODE ? pr_growth_sides_node(page, sides, own, grown) : node;
}

/* What changed as a whole; then the function that changed most in that direction, and the one that changed most in the
   other if it did at least a tenth of that. */
static void emit_finding(const struct pr_page *page, const struct pr_view *view, const struct pr_growth_sides *sides,
                         const pr_node_id *own, struct pr_buf *out)
{
    enum { WORTH = 10 };
    const bool grew = sides->grown >= sides->shrunk;
    const bool has_grown = sides->grown_count && (grew || sides->grown >= sides->shrunk / WORTH);
    const bool has_shrunk = sides->grown_count < sides->count && (!grew || sides->shrunk >= sides->grown / WORTH);
    pr_buf_text(out, "<li><p>");
    emit_whole(view, sides, out);
    if (has_grown && grew)
        emit_first_grown(page, sides, out);
    if (has_shrunk)
        emit_first_shrunk(page, sides, out);
    if (has_grown && !grew)
        emit_first_grown(page, sides, out);
    pr_buf_text(out, "</p>");
    emit_link(page, view, find_node(page, sides, own, has_shrunk && !grew, has_grown), out);
    pr_buf_text(out, "</li>\n");
}

enum pr_status pr_growth_findings_emit(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    pr_node_id *own = pr_growth_find_own(page);
    enum pr_status status = own ? PR_OK : pr_fail_memory(err);
    for (uint32_t i = 0; i < page->views.count && status != PR_FAILED; i++) {
        const struct pr_view *view = &page->views.view[i];
        struct pr_growth_sides sides;
        if (!page->profile->metrics[view->metric].base || !pr_view_is_static(&page->views, view))
            continue;
        status = pr_growth_sides_make(page, view->metric, own, &sides, err);
        if (status != PR_FAILED && sides.count)
            emit_finding(page, view, &sides, own, out);
        pr_growth_sides_clear(&sides);
    }
    free(own);
    return status;
}
