/* SPDX-License-Identifier: Apache-2.0 */
/* One loop over the facts adds both sides up by frame. */
#include "render/sections/growth.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/own_code.h"
#include "profrender/owner.h"
#include "render/html/hover.h"

#include <stdio.h>
#include <stdlib.h>

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

static int compare(const void *a, const void *b, const void *context)
{
    const int64_t x = pr_growth_change(a), y = pr_growth_change(b);
    (void)context;
    if ((x > 0) != (y > 0))
        return PR_ORDER(y > 0, x > 0);
    return PR_ORDER(pr_growth_size(y), pr_growth_size(x));
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

enum pr_status pr_growth_sides_make(const struct pr_page *page, unsigned metric, const pr_node_id *own,
                                    struct pr_growth_sides *sides, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_metric *after = &profile->metrics[metric], *before = &profile->metrics[after->base - 1];
    const uint32_t nowhere = profile->frame_count; /* the last row: what has no stack */
    *sides = (struct pr_growth_sides){.before = before,
                                      .after = after,
                                      .all = {PR_NO_NODE, before->total_value, after->total_value},
                                      .growth = calloc(nowhere + (size_t)1, sizeof *sides->growth)};
    if (!sides->growth)
        return pr_fail_memory(err);
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = node_of(page, own, i);
        struct pr_growth *growth = &sides->growth[node == PR_ROOT ? nowhere : profile->tree.frame[node]];
        growth->before = pr_add_saturated(growth->before, before->value[i]);
        growth->after = pr_add_saturated(growth->after, after->value[i]);
    }
    for (uint32_t i = 0; i <= nowhere; i++) {
        const struct pr_growth growth = {i == nowhere ? PR_NO_NODE : i, sides->growth[i].before,
                                         sides->growth[i].after};
        if (growth.before != growth.after)
            keep(sides, growth);
    }
    return pr_sort(sides->growth, sides->count, sizeof *sides->growth, compare, NULL) ? PR_OK : pr_fail_memory(err);
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
        if (node != PR_ROOT && profile->tree.frame[node] == frame && sides->after->value[i] > most) {
            most = sides->after->value[i];
            best = node;
        }
    }
    return best;
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
