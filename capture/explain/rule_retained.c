/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What retains most of a heap: the accumulation points that a heap dump has as the metric "held_by". Nothing says that
 * any of it is a leak: one moment cannot show that.
 */
#include "capture/explain/inquiry.h"
#include "profrender/tree_sums.h"

enum { LEAST_OF_HEAP = 10, MOST_INSIGHTS = 3, MOST_STEPS = 12, FIRST_STEPS = 3, LAST_STEPS = 7 };

struct retained {
    struct pr_inquiry *inquiry;
    const struct pr_profile *profile;
    const struct pr_metric *metric; /* "retained" */
    struct pr_sums sums, points;    /* of "retained" and of "held_by" */
    struct pr_children children;
};

/* The group in the dominator tree that is the object of POINT alone, else the largest of its class. */
static pr_node_id group_of(const struct retained *r, pr_node_id point)
{
    const struct pr_tree *tree = &r->profile->tree;
    pr_node_id largest = PR_NO_NODE;
    for (pr_node_id i = 1; i < tree->count; i++) {
        if (tree->frame[i] != tree->frame[point] || !r->sums.total[i])
            continue;
        if (r->sums.total[i] == r->points.total[point])
            return i;
        if (largest == PR_NO_NODE || r->sums.total[i] > r->sums.total[largest])
            largest = i;
    }
    return largest;
}

/* The class with most below NODE, whichever field it is held by. */
static pr_node_id largest_class(const struct retained *r, pr_node_id node)
{
    pr_node_id largest = PR_NO_NODE;
    for (uint32_t i = r->children.first[node]; i < r->children.first[node + 1]; i++) {
        pr_node_id below = r->children.child[i];
        if (!r->sums.self_count[below]) { /* a field */
            const uint32_t k = r->children.first[below];
            if (r->children.first[below + 1] - k != 1)
                continue;
            below = r->children.child[k];
        }
        if (r->sums.total[below] && (largest == PR_NO_NODE || r->sums.total[below] > r->sums.total[largest]))
            largest = below;
    }
    return largest;
}

/* "It is held by GC root: thread, shop.Main.cache, java.util.HashMap.table." */
static void say_path(const struct retained *r, struct pr_sentence *sentence, pr_node_id point)
{
    const struct pr_tree *tree = &r->profile->tree;
    const uint32_t depth = pr_tree_depth(tree, point) - 1;
    for (uint32_t step = 0; step < depth; step++) {
        if (depth > MOST_STEPS && step == FIRST_STEPS) {
            PR_SAY(r->inquiry, sentence, ", ... ({} more)",
                   pr_phrase_value(PR_UNIT_COUNT, depth - FIRST_STEPS - LAST_STEPS, ""));
            step = depth - LAST_STEPS;
        }
        pr_node_id node = point;
        for (uint32_t up = depth - step; up; up--)
            node = tree->parent[node];
        const struct pr_frame *frame = &r->profile->frames[tree->frame[node]];
        PR_SAY(r->inquiry, sentence, step ? ", {}" : " It is held by {}", pr_phrase_function(tree->frame[node]));
        if (frame->file) /* a method, by its local variables */
            PR_SAY(r->inquiry, sentence, " ({})", pr_phrase_place(tree->frame[node], frame->line));
    }
    if (depth)
        PR_SAY_TEXT(r->inquiry, sentence, ".");
}

/* "java.util.HashMap$Node[] retains 2.14 MiB: 54.3 % of all retained memory, in 45,003 objects." */
static void say(const struct retained *r, pr_node_id point)
{
    struct pr_inquiry *inquiry = r->inquiry;
    const int64_t total = r->points.total[point];
    const pr_node_id node = group_of(r, point),
                     most = node == PR_NO_NODE ? PR_NO_NODE : largest_class(r, node);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    insight->metric = (uint32_t)(r->metric - r->profile->metrics);
    insight->frame = r->profile->tree.frame[point];
    insight->node = node;
    insight->proof = "tree INPUT --metric held_by";
    pr_insight_saves(insight, r->metric->unit, total, r->metric->total_value);
    PR_SAY(inquiry, &insight->headline, "{} retains {}", pr_phrase_function(insight->frame),
           pr_phrase_amount(r->metric, total));
    PR_SAY(inquiry, &insight->rest, ": {} of all retained memory",
           pr_phrase_share(r->metric, total, r->metric->total_value));
    if (node != PR_NO_NODE && r->sums.total[node] == total)
        PR_SAY(inquiry, &insight->rest, ", in {}", pr_phrase_count(r->sums.total_count[node], "objects"));
    PR_SAY_TEXT(inquiry, &insight->rest, ".");
    if (most != PR_NO_NODE && r->sums.self_count[most] > 1 && pr_is_share(r->sums.total[most], total, 50))
        PR_SAY(inquiry, &insight->rest, " {} of it is below {} of {}.",
               pr_phrase_amount(r->metric, r->sums.total[most]),
               pr_phrase_count(r->sums.self_count[most], "objects"),
               pr_phrase_function(r->profile->tree.frame[most]));
    say_path(r, &insight->rest, point);
}

/* Points that retain enough without those below them, the largest first. */
static void say_points(const struct retained *r)
{
    pr_node_id said[MOST_INSIGHTS];
    for (uint32_t count = 0; count < MOST_INSIGHTS; count++) {
        pr_node_id largest = PR_NO_NODE;
        for (pr_node_id i = 1; i < r->points.count; i++) {
            bool is_said = !r->points.self_count[i] ||
                           !pr_is_share(r->points.self[i], r->metric->total_value, LEAST_OF_HEAP);
            for (uint32_t k = 0; k < count && !is_said; k++)
                is_said = said[k] == i;
            if (!is_said && (largest == PR_NO_NODE || r->points.self[i] > r->points.self[largest]))
                largest = i;
        }
        if (largest == PR_NO_NODE)
            return;
        said[count] = largest;
        say(r, largest);
    }
}

void pr_rule_retained(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *points = pr_inquiry_metric(inquiry, "held_by");
    struct retained r = {.inquiry = inquiry, .profile = profile, .metric = pr_inquiry_metric(inquiry, "retained")};
    if (!r.metric || !pr_metric_is_of_objects(r.metric)) {
        inquiry->why = "which objects retain others was not recorded; heap dumps record it";
        return;
    }
    if (!points)
        return;
    const struct pr_choice of_heap = pr_choice_all((unsigned)(r.metric - profile->metrics)),
                           of_points = pr_choice_all((unsigned)(points - profile->metrics));
    struct pr_error err = {0};
    if (pr_tree_sum(profile, &of_heap, &r.sums, &err) == PR_FAILED ||
        pr_tree_sum(profile, &of_points, &r.points, &err) == PR_FAILED ||
        pr_tree_children(&profile->tree, &r.children, &err) == PR_FAILED)
        inquiry->failed = true;
    else
        say_points(&r);
    pr_sums_clear(&r.sums);
    pr_sums_clear(&r.points);
    pr_children_clear(&r.children);
}
