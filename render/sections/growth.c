/* SPDX-License-Identifier: Apache-2.0 */
/* One loop over the facts adds both sides up by frame. */
#include "render/sections/growth.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/nameless.h"
#include "capture/model/own_code.h"
#include "profrender/diff.h"
#include "profrender/owner.h"
#include "render/html/hover.h"
#include "render/page/insight_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pr_node_id *pr_growth_find_own(const struct pr_page *page)
{
    const struct pr_profile *profile = page->profile;
    pr_node_id *own = calloc(profile->tree.count ? profile->tree.count : 1, sizeof *own);
    bool *is_own = calloc(profile->frame_count + (size_t)1, sizeof *is_own);
    if (!own || !is_own) {
        free(own);
        free(is_own);
        return NULL;
    }
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        is_own[i] = pr_traits_is_own(&page->traits, i) && !pr_is_comprehension(profile, i);
    pr_own_nearest(&profile->tree, is_own, own);
    free(is_own);
    return own;
}

int64_t pr_growth_change(const struct pr_growth *growth)
{
    return pr_subtract_saturated(growth->after, growth->before);
}

int64_t pr_growth_size(int64_t change)
{
    return change < 0 ? pr_subtract_saturated(0, change) : change;
}

static int by_size(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(pr_growth_size(pr_growth_change(b)), pr_growth_size(pr_growth_change(a)));
}

static int by_change(const void *a, const void *b, const void *context)
{
    const int64_t x = pr_growth_change(a), y = pr_growth_change(b);
    return (x > 0) != (y > 0) ? PR_ORDER(y > 0, x > 0) : by_size(a, b, context);
}

/* The node that fact number I is attributed to; PR_ROOT: outside all stacks. */
static pr_node_id node_of(const struct pr_page *page, const pr_node_id *own, size_t i)
{
    const pr_node_id leaf = page->profile->fact_leaf[i];
    return own[leaf] == PR_ROOT ? leaf : own[leaf];
}

static void keep(struct pr_growth_sides *sides, struct pr_growth growth)
{
    const int64_t change = pr_growth_change(&growth), size = pr_growth_size(change);
    sides->growth[sides->count++] = growth;
    sides->grown_count += change > 0;
    sides->largest = size > sides->largest ? size : sides->largest;
    if (change > 0)
        sides->grown = pr_add_saturated(sides->grown, size);
    else
        sides->shrunk = pr_add_saturated(sides->shrunk, size);
}

/* Sums of both sides by frame; the last row is memory without a stack. */
static void add_up(const struct pr_page *page, const pr_node_id *leaves, struct pr_growth_sides *sides)
{
    const struct pr_profile *profile = page->profile;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = leaves[i];
        struct pr_growth *growth =
            &sides->growth[node == PR_ROOT ? profile->frame_count : profile->tree.frame[node]];
        growth->before = pr_add_saturated(growth->before, sides->before->value[i]);
        growth->after = pr_add_saturated(growth->after, sides->after->value[i]);
    }
}

/* What changed comes first in SIDES; MOVED, as many, is scratch for what moved, which follows. */
static void divide(uint32_t frames, const struct pr_diff_move *moves, struct pr_growth *moved,
                   struct pr_growth_sides *sides)
{
    for (uint32_t i = 0; i <= frames; i++) {
        const struct pr_growth growth = {i == frames ? PR_NO_NODE : i, sides->growth[i].before,
                                         sides->growth[i].after};
        if (i < frames && pr_diff_only_moved(pr_growth_change(&growth), &moves[i]))
            moved[sides->moved_count++] = growth;
        else if (growth.before != growth.after)
            keep(sides, growth);
    }
    memcpy(&sides->growth[sides->count], moved, sides->moved_count * sizeof *moved);
}

static bool sort_sides(struct pr_growth_sides *sides)
{
    const size_t size = sizeof *sides->growth;
    return pr_sort(sides->growth, sides->count, size, by_change, NULL) &&
           pr_sort(&sides->growth[sides->count], sides->moved_count, size, by_size, NULL);
}

enum pr_status pr_growth_sides_make(const struct pr_page *page, unsigned metric, const pr_node_id *own,
                                    struct pr_growth_sides *sides, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_metric *after = &profile->metrics[metric], *before = &profile->metrics[after->base - 1];
    const size_t rows = profile->frame_count + (size_t)1;
    *sides = (struct pr_growth_sides){.before = before,
                                      .after = after,
                                      .all = {PR_NO_NODE, before->total_value, after->total_value},
                                      .growth = calloc(rows, sizeof *sides->growth)};
    pr_node_id *leaves = calloc(profile->fact_count + 1, sizeof *leaves);
    struct pr_diff_move *moves = calloc(rows, sizeof *moves);
    struct pr_growth *moved = calloc(rows, sizeof *moved);
    enum pr_status status = sides->growth && leaves && moves && moved ? PR_OK : pr_fail_memory(err);
    for (size_t i = 0; status == PR_OK && i < profile->fact_count; i++)
        leaves[i] = node_of(page, own, i);
    if (status == PR_OK)
        status = pr_diff_moved_frames(profile, leaves, after->value, before->value, moves, err);
    if (status == PR_OK) {
        add_up(page, leaves, sides);
        divide(profile->frame_count, moves, moved, sides);
        status = sort_sides(sides) ? PR_OK : pr_fail_memory(err);
    }
    free(leaves);
    free(moves);
    free(moved);
    return status;
}

void pr_growth_sides_clear(struct pr_growth_sides *sides)
{
    free(sides->growth);
    *sides = (struct pr_growth_sides){0};
}

pr_node_id pr_growth_sides_node(const struct pr_page *page, const struct pr_growth_sides *sides, const pr_node_id *own,
                                pr_frame_id frame)
{
    const struct pr_profile *profile = page->profile;
    pr_node_id best = PR_NO_NODE;
    int64_t most = 0;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = node_of(page, own, i);
        const int64_t before = sides->before->value[i], after = sides->after->value[i];
        const int64_t size = before > after ? before : after;
        if (node != PR_ROOT && profile->tree.frame[node] == frame && size > most) {
            most = size;
            best = node;
        }
    }
    return best;
}

const struct pr_growth *pr_growth_counterpart(const struct pr_growth_sides *sides, const struct pr_growth *moved)
{
    const struct pr_growth *found = NULL;
    const int64_t change = pr_growth_change(moved);
    for (size_t i = 0; i < sides->moved_count; i++) {
        const struct pr_growth *other = &pr_growth_moved(sides)[i];
        if (!pr_diff_are_sides(change, pr_growth_change(other)))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

const struct pr_growth *pr_growth_next(const struct pr_growth_sides *sides, size_t *grown, size_t *shrunk)
{
    const struct pr_growth *more = *grown < sides->grown_count ? &sides->growth[*grown] : NULL;
    const struct pr_growth *less = *shrunk < sides->count ? &sides->growth[*shrunk] : NULL;
    if (!more && !less)
        return NULL;
    const bool is_more =
        more && (!less || pr_growth_size(pr_growth_change(more)) >= pr_growth_size(pr_growth_change(less)));
    (*(is_more ? grown : shrunk))++;
    return is_more ? more : less;
}

struct pr_figure pr_growth_figure(const struct pr_metric *metric, int64_t change)
{
    return pr_units_metric_change(metric, false, change);
}

struct pr_figure pr_growth_percent(const struct pr_growth *growth)
{
    return pr_units_growth(growth->before, growth->after);
}

void pr_growth_hover(struct pr_buf *out, const struct pr_metric *metric, int64_t change)
{
    pr_hover(out, pr_growth_figure(metric, change), pr_units_metric_exact(metric, change));
}

void pr_growth_hover_percent(struct pr_buf *out, const struct pr_metric *metric, const struct pr_growth *growth)
{
    pr_hover_part(out, pr_growth_percent(growth), pr_units_metric_exact(metric, pr_growth_change(growth)),
                  pr_units_metric_exact(metric, growth->before));
}

size_t pr_growth_figures(const struct pr_page *page, struct pr_diff_figure figures[PR_DIFF_FIGURES])
{
    static const struct pr_diff_run unknown = {.complete = true};
    const bool is_known = page->options.runs && page->options.source_count == 2;
    const struct pr_diff_run *before = is_known ? &page->options.runs[0] : &unknown,
                             *after = is_known ? &page->options.runs[1] : &unknown;
    return pr_diff_figures(page->profile, before, after, figures);
}

void pr_growth_name(const struct pr_page *page, pr_frame_id id, struct pr_buf *out)
{
    if (id == PR_NO_NODE) {
        pr_buf_text(out, "the part without a stack");
        return;
    }
    pr_code_name_html(pr_shown_function(page->profile, id), out);
}
