/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where what a heap retains grew: from the root of the dominator tree down, as long as one child has most of the
 * growth, to the object that has more objects of a class than before.
 */
#include "profrender/diff.h"

#include "capture/base/checked.h"
#include "profrender/tree_sums.h"

enum { MOST_PERCENT = 70, LEAST_PERCENT = 10, LEAST_OF_HEAP = 1000 };

struct search {
    struct pr_sums after, before;
    struct pr_children children;
    int64_t least; /* growth that is looked at */
    struct pr_growth_point *points;
    size_t count;
};

static int64_t growth_of(const struct search *s, pr_node_id node)
{
    return pr_subtract_saturated(s->after.total[node], s->before.total[node]);
}

static int64_t more_of(const struct search *s, pr_node_id node)
{
    return pr_subtract_saturated(s->after.self_count[node], s->before.self_count[node]);
}

/* Objects, not a field or a kind of roots. */
static bool is_class(const struct search *s, pr_node_id node)
{
    return s->after.self_count[node] || s->before.self_count[node];
}

static pr_node_id largest_below(const struct search *s, pr_node_id node)
{
    pr_node_id largest = PR_NO_NODE;
    for (uint32_t i = s->children.first[node]; i < s->children.first[node + 1]; i++) {
        const pr_node_id child = s->children.child[i];
        if (largest == PR_NO_NODE || growth_of(s, child) > growth_of(s, largest))
            largest = child;
    }
    return largest;
}

static bool is_most(const struct search *s, pr_node_id child, pr_node_id node)
{
    return child != PR_NO_NODE && growth_of(s, child) > 0 &&
           (double)growth_of(s, child) * 100 >= (double)growth_of(s, node) * MOST_PERCENT;
}

static int64_t growth_at(const struct pr_growth_point *point)
{
    return pr_subtract_saturated(point->after, point->before);
}

/* By growth, the largest first. */
static void add_point(struct search *s, struct pr_growth_point point)
{
    size_t at = s->count;
    if (at < PR_GROWTH_POINTS)
        s->count++;
    else if (growth_at(&s->points[--at]) > growth_at(&point))
        return;
    for (; at && growth_at(&s->points[at - 1]) < growth_at(&point); at--)
        s->points[at] = s->points[at - 1];
    s->points[at] = point;
}

static void add(struct search *s, pr_node_id holder, pr_node_id grown)
{
    struct pr_growth_point point = {.node = holder, .grown = grown};
    if (holder == PR_ROOT && grown == PR_NO_NODE)
        return;
    const pr_node_id whole = holder == PR_ROOT ? grown : holder;
    point.before = s->before.total[whole];
    point.after = s->after.total[whole];
    if (grown != PR_NO_NODE) {
        point.objects_before = s->before.self_count[grown];
        point.objects_after = s->after.self_count[grown];
    }
    add_point(s, point);
}

/* From NODE down; HOLDER is the class at or above it. */
static void follow(struct search *s, pr_node_id node, pr_node_id holder)
{
    for (;;) {
        const pr_node_id child = largest_below(s, node);
        if (node != PR_ROOT && is_class(s, node))
            holder = node;
        if (node == PR_ROOT || !is_most(s, child, node)) {
            add(s, holder, node == PR_ROOT || child == PR_NO_NODE || more_of(s, child) <= 0 ? PR_NO_NODE : child);
            return;
        }
        if (more_of(s, child) > 0) {
            add(s, holder, child);
            return;
        }
        node = child;
    }
}

/* Below the root, and below kinds of roots, each child by itself. */
static void follow_all(struct search *s, pr_node_id node)
{
    for (uint32_t i = s->children.first[node]; i < s->children.first[node + 1]; i++) {
        const pr_node_id child = s->children.child[i];
        if (growth_of(s, child) < s->least)
            continue;
        if (!is_class(s, child) && !is_most(s, largest_below(s, child), child))
            follow_all(s, child);
        else if (more_of(s, child) > 0)
            add(s, PR_ROOT, child);
        else
            follow(s, child, PR_ROOT);
    }
}

static void find(struct search *s)
{
    int64_t whole = 0;
    for (uint32_t i = s->children.first[PR_ROOT]; i < s->children.first[PR_ROOT + 1]; i++) {
        const int64_t growth = growth_of(s, s->children.child[i]);
        whole = pr_add_saturated(whole, growth > 0 ? growth : 0);
    }
    const int64_t small = s->after.total[PR_ROOT] / LEAST_OF_HEAP, part = whole / 100 * LEAST_PERCENT;
    s->least = (small > part ? small : part) + 1;
    follow_all(s, PR_ROOT);
}

enum pr_status pr_diff_growth_points(const struct pr_profile *difference, unsigned after, unsigned before,
                                     struct pr_growth_point points[PR_GROWTH_POINTS], size_t *count,
                                     struct pr_error *err)
{
    struct search s = {.points = points};
    const struct pr_choice of_after = pr_choice_all(after), of_before = pr_choice_all(before);
    *count = 0;
    if (strcmp(difference->metrics[after].name, "retained") != 0 ||
        !pr_metric_is_of_objects(&difference->metrics[after]))
        return PR_OK;
    const enum pr_status status = pr_tree_sum(difference, &of_after, &s.after, err) != PR_FAILED &&
                                          pr_tree_sum(difference, &of_before, &s.before, err) != PR_FAILED &&
                                          pr_tree_children(&difference->tree, &s.children, err) != PR_FAILED
                                      ? PR_OK
                                      : PR_FAILED;
    if (status == PR_OK)
        find(&s);
    *count = s.count;
    pr_sums_clear(&s.after);
    pr_sums_clear(&s.before);
    pr_children_clear(&s.children);
    return status;
}
