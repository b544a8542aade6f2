/* SPDX-License-Identifier: Apache-2.0 */
/* What changed from one profile to the next, as sentences. */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/parse/changes.h"
#include "profrender/diff.h"
#include "profrender/tree_sums.h"
#include "render/sections/difference_mark.h"
#include "render/html/hover.h"
#include "render/page/source_links.h"
#include "render/sections/total_cell.h"
#include "render/words/touch_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether what grew is in code that was changed between the runs. */
static enum pr_touch touch_of(const struct pr_page *page, const struct pr_growth *growth)
{
    if (!page->options.changes || growth->frame == PR_NO_NODE || pr_growth_change(growth) <= 0)
        return PR_UNTOUCHED;
    const struct pr_frame *frame = &page->profile->frames[growth->frame];
    return pr_changes_touch(page->options.changes, pr_profile_text(page->profile, frame->file), frame->line);
}

/* " at etl.py:41" */
static void emit_place(const struct pr_page *page, pr_frame_id id, struct pr_buf *out)
{
    const struct pr_frame *frame = id == PR_NO_NODE ? NULL : &page->profile->frames[id];
    const struct pr_text file = frame ? pr_profile_text(page->profile, frame->file) : (struct pr_text){"", 0};
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

static void emit_link(const struct pr_page *page, const struct pr_view *view, pr_node_id node, struct pr_buf *out)
{
    if (node != PR_NO_NODE)
        pr_html(out,
                "\n<p class='links'><a href='#%s%s' data-view='%s' data-node='%" PRIu32 "'>Show in the graph</a></p>",
                pr_view_prefix(view), view->id, view->id, page->payload.fold.number[node]);
}

/* A metric of a difference, and what changed in it. */
struct change {
    const struct pr_page *page;
    const struct pr_view *view;
    const struct pr_growth_sides *sides;
    const pr_node_id *own;
    struct pr_sums under_before, under_after; /* of each node and what it calls */
};

/* What the verdict is about needs no name; the others have theirs. */
static void begin_finding(const struct change *change, struct pr_buf *out)
{
    pr_buf_text(out, "<li><p><strong>");
    if (change->view == change->page->views.view)
        return;
    pr_html_name(out, pr_text_of(change->view->heading));
    pr_buf_text(out, ": ");
}

static void end_finding(const struct change *change, pr_node_id node, struct pr_buf *out)
{
    pr_buf_text(out, "</p>");
    emit_link(change->page, change->view, node, out);
    pr_buf_text(out, "</li>\n");
}

/* The node of a function that its finding links to. */
static pr_node_id node_of(const struct change *change, pr_frame_id frame)
{
    return pr_growth_sides_node(change->page, change->sides, change->own, frame);
}

/* ": 1.00 MiB before, 1.75 MiB after, 29.2 % and 92.1 % of the whole"; of what is new or gone, nothing. */
static void emit_sides(const struct pr_growth_sides *sides, const struct pr_growth *growth, struct pr_buf *out)
{
    if (!growth->before || !growth->after)
        return;
    pr_buf_text(out, ": ");
    pr_hover_metric(out, sides->before, growth->before);
    pr_buf_text(out, " before, ");
    pr_hover_metric(out, sides->after, growth->after);
    pr_buf_text(out, " after");
    if (growth->before == sides->all.before && growth->after == sides->all.after)
        return;
    pr_buf_text(out, ", ");
    pr_hover_metric_share(out, sides->before, growth->before, sides->all.before);
    pr_buf_text(out, " and ");
    pr_hover_metric_share(out, sides->after, growth->after, sides->all.after);
    pr_buf_text(out, " of the whole");
}

/*
 * " In the graph, with all it calls there: 84.4 MiB before, 20.0 MiB after." A finding is about one function wherever
 * it is called, the frame that it leads to about one place and everything below.
 */
static void emit_frame(const struct change *change, pr_node_id node, const struct pr_growth *growth,
                       struct pr_buf *out)
{
    if (node == PR_NO_NODE)
        return;
    const int64_t before = change->under_before.total[node], after = change->under_after.total[node];
    if (before == growth->before && after == growth->after)
        return;
    pr_buf_text(out, " In the graph, with all it calls there: ");
    if (before)
        pr_hover_metric(out, change->sides->before, before);
    pr_buf_text(out, !before ? "" : after ? " before, " : " before.");
    if (after)
        pr_hover_metric(out, change->sides->after, after);
    pr_buf_text(out, !after ? "" : before ? " after." : ".");
}

/* "load ▲ 768 KiB at etl.py:41: 1.00 MiB before, 1.75 MiB after, 29.2 % and 92.1 % of the whole." */
static void emit_finding(const struct change *change, const struct pr_growth *growth, struct pr_buf *out)
{
    const struct pr_growth_sides *sides = change->sides;
    const pr_node_id node = node_of(change, growth->frame);
    begin_finding(change, out);
    pr_growth_name(change->page, growth->frame, out);
    pr_buf_text(out, !growth->before ? " is new: " : !growth->after ? " is gone: " : " ");
    pr_difference_mark(out, sides->after, pr_growth_change(growth));
    pr_buf_text(out, "</strong>");
    emit_place(change->page, growth->frame, out);
    pr_buf_text(out, pr_touch_words(touch_of(change->page, growth)));
    emit_sides(sides, growth, out);
    pr_buf_byte(out, '.');
    emit_frame(change, node, growth, out);
    end_finding(change, node, out);
}

/* "⇄ 20.0 MiB moved from load to load_rows at etl.py:41: it did not grow." */
static void emit_moved(const struct change *change, const struct pr_growth *moved, struct pr_buf *out)
{
    const struct pr_growth_sides *sides = change->sides;
    const struct pr_growth *other = pr_growth_counterpart(sides, moved);
    const int64_t amount = pr_growth_change(moved);
    begin_finding(change, out);
    pr_buf_text(out, "\xE2\x87\x84 ");
    pr_hover_metric(out, sides->after, pr_growth_size(amount));
    pr_buf_text(out, " moved</strong>");
    if (other || amount < 0) {
        pr_buf_text(out, " from ");
        pr_growth_name(change->page, amount < 0 ? moved->frame : other->frame, out);
    }
    if (other || amount > 0) {
        pr_buf_text(out, " to ");
        pr_growth_name(change->page, amount < 0 ? other->frame : moved->frame, out);
    }
    emit_place(change->page, moved->frame, out);
    pr_html(out, ": it did not %s.", amount < 0 ? "shrink" : "grow");
    end_finding(change, node_of(change, moved->frame), out);
}

/* Worth a sentence: a tenth of all that changed, and a hundredth of the whole. */
static bool is_worth(const struct pr_growth_sides *sides, const struct pr_growth *growth)
{
    enum { OF_CHANGE = 10, OF_WHOLE = 100 };
    const int64_t size = pr_growth_size(pr_growth_change(growth)), all = pr_add_saturated(sides->grown, sides->shrunk);
    const int64_t whole = sides->all.before > sides->all.after ? sides->all.before : sides->all.after;
    return size >= all / OF_CHANGE && size >= whole / OF_WHOLE;
}

/* At most MOST of those with that TOUCH, the largest first. Returns how many. */
static int emit_touched(const struct change *change, enum pr_touch touch, int most, struct pr_buf *out)
{
    const struct pr_growth_sides *sides = change->sides;
    const struct pr_growth *next;
    size_t grown = 0, shrunk = sides->grown_count;
    int done = 0;
    while (done < most && (next = pr_growth_next(sides, &grown, &shrunk)) && is_worth(sides, next)) {
        if (touch_of(change->page, next) != touch)
            continue;
        emit_finding(change, next, out);
        done++;
    }
    return done;
}

/* The largest changes, those in changed code first: three of what the verdict is about, one of what else is news. */
static void emit_findings(const struct change *change, struct pr_buf *out)
{
    enum { MOST = 3 };
    const struct pr_growth_sides *sides = change->sides;
    const bool is_first = change->view == change->page->views.view;
    const int most = is_first ? MOST : 1;
    int done = 0;
    for (int touch = PR_TOUCHED_LINE; touch >= PR_UNTOUCHED; touch--)
        done += emit_touched(change, (enum pr_touch)touch, most - done, out);
    if (is_first && sides->moved_count && is_worth(sides, pr_growth_moved(sides)))
        emit_moved(change, pr_growth_moved(sides), out);
}

/* "Held by Desk.open, Desk, global.desk." */
static void emit_holders(const struct pr_page *page, pr_node_id node, struct pr_buf *out)
{
    enum { MOST = 5 };
    const struct pr_tree *tree = &page->profile->tree;
    pr_node_id at = tree->parent[node];
    if (at == PR_ROOT)
        return;
    for (int i = 0; at != PR_ROOT && i < MOST; at = tree->parent[at], i++) {
        pr_buf_text(out, i ? ", " : " Held by ");
        pr_growth_name(page, tree->frame[at], out);
    }
    pr_buf_text(out, at == PR_ROOT ? "." : ", ...");
}

/* "By their ids, 1,000 of all its objects are new, 50 are gone and 450 are the same." */
static void emit_turnover(const struct pr_page *page, pr_node_id grown, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const pr_str name = profile->frames[profile->tree.frame[grown]].function;
    for (size_t i = 0; i < profile->object_change_count; i++) {
        const struct pr_object_change *objects = &profile->object_changes[i];
        if (objects->name != name || !objects->gone_count)
            continue;
        pr_html(out, " By their ids, %s of all its objects are new", pr_units_count((int64_t)objects->new_count).text);
        pr_html(out, ", %s are gone", pr_units_count((int64_t)objects->gone_count).text);
        pr_html(out, " and %s are the same.", pr_units_count((int64_t)objects->kept_count).text);
    }
}

/* "Array ▲ 127 KiB: 128 KiB before, 254 KiB after; 500 more objects of Order, 1,000 in all. Held by Desk.open." */
static void emit_point(const struct change *change, const struct pr_growth_point *point, struct pr_buf *out)
{
    const struct pr_page *page = change->page;
    const struct pr_tree *tree = &page->profile->tree;
    const pr_node_id node = point->node == PR_ROOT ? point->grown : point->node;
    const struct pr_growth growth = {tree->frame[node], point->before, point->after};
    const int64_t more = pr_subtract_saturated(point->objects_after, point->objects_before);
    begin_finding(change, out);
    pr_growth_name(page, growth.frame, out);
    pr_buf_text(out, !growth.before ? " is new: " : " ");
    pr_difference_mark(out, change->sides->after, pr_growth_change(&growth));
    pr_buf_text(out, "</strong>");
    emit_sides(change->sides, &growth, out);
    if (point->grown != PR_NO_NODE) {
        pr_html(out, "; %s more object%s", pr_units_count(more).text, more == 1 ? "" : "s");
        if (point->node != PR_ROOT) {
            pr_buf_text(out, " of ");
            pr_growth_name(page, tree->frame[point->grown], out);
        }
        pr_html(out, ", %s in all", pr_units_count(point->objects_after).text);
    }
    pr_buf_byte(out, '.');
    if (point->grown != PR_NO_NODE)
        emit_turnover(page, point->grown, out);
    if (point->node == PR_ROOT)
        pr_buf_text(out, " No one object holds them.");
    else
        emit_holders(page, node, out);
    pr_buf_text(out, "</p>");
    emit_link(page, change->view, node, out);
    pr_buf_text(out, "</li>\n");
}

/* Where what a heap retains grew: two of these places are read before what has it. */
static enum pr_status emit_points(const struct change *change, struct pr_buf *out, struct pr_error *err)
{
    enum { MOST = 2 };
    struct pr_growth_point points[PR_GROWTH_POINTS];
    size_t count;
    const unsigned after = change->view->metric, before = change->page->profile->metrics[after].base - 1;
    const enum pr_status status =
        pr_diff_growth_points(change->page->profile, after, before, points, &count, err);
    for (size_t i = 0; status == PR_OK && i < count && i < MOST; i++)
        emit_point(change, &points[i], out);
    return status;
}

static enum pr_status emit_view(struct change *change, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_profile *profile = change->page->profile;
    const unsigned after = change->view->metric, before = profile->metrics[after].base - 1;
    const struct pr_choice choices[] = {pr_choice_all(before), pr_choice_all(after)};
    enum pr_status status = pr_tree_sum(profile, &choices[0], &change->under_before, err);
    if (status == PR_OK)
        status = pr_tree_sum(profile, &choices[1], &change->under_after, err);
    if (status == PR_OK)
        status = emit_points(change, out, err);
    if (status == PR_OK)
        emit_findings(change, out);
    pr_sums_clear(&change->under_before);
    pr_sums_clear(&change->under_after);
    return status;
}

/* The verdict says what changed as a whole; here is where. */
enum pr_status pr_growth_findings_emit(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    pr_node_id *own = pr_growth_find_own(page);
    enum pr_status status = own ? PR_OK : pr_fail_memory(err);
    for (uint32_t i = 0; i < page->views.count && status != PR_FAILED; i++) {
        const struct pr_view *view = &page->views.view[i];
        const struct pr_metric *after = &page->profile->metrics[view->metric];
        struct pr_growth_sides sides;
        if (!after->base || !pr_view_is_static(&page->views, view) || (i && !pr_view_is_news(page->profile, after)))
            continue;
        status = pr_growth_sides_make(page, view->metric, own, &sides, err);
        struct change change = {.page = page, .view = view, .sides = &sides, .own = own};
        if (status != PR_FAILED)
            status = emit_view(&change, out, err);
        pr_growth_sides_clear(&sides);
    }
    free(own);
    return status;
}
