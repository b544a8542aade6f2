/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the tree: facts onto their nodes, then one backward loop, since parents precede their children. */
#include "profrender/tree_sums.h"

#include "capture/base/checked.h"

static bool chosen(const struct pr_profile *profile, const struct pr_choice *choice, size_t fact)
{
    if (choice->thread != PR_ALL_THREADS && profile->fact_thread[fact] != choice->thread)
        return false;
    if (choice->allocator < 0)
        return true;
    return (profile->fact_allocator ? profile->fact_allocator[fact] : PR_ALLOC_NONE) == choice->allocator;
}

static bool sums_init(struct pr_sums *sums, uint32_t count)
{
    *sums = (struct pr_sums){
        .count = count,
        .self = calloc(count, sizeof *sums->self),
        .total = calloc(count, sizeof *sums->total),
        .self_count = calloc(count, sizeof *sums->self_count),
        .total_count = calloc(count, sizeof *sums->total_count),
    };
    return sums->self && sums->total && sums->self_count && sums->total_count;
}

static void add_facts(const struct pr_profile *profile, const struct pr_choice *choice, struct pr_sums *sums)
{
    const struct pr_metric *metric = &profile->metrics[choice->metric];
    const pr_node_id *leaf = choice->hybrid ? pr_profile_shown_leaf(profile) : profile->fact_leaf;
    for (size_t i = 0; i < profile->fact_count; i++) {
        if (!chosen(profile, choice, i))
            continue;
        pr_add_to(&sums->self[leaf[i]], metric->value[i]);
        if (metric->count)
            pr_add_to(&sums->self_count[leaf[i]], metric->count[i]);
    }
}

static void add_up(const struct pr_tree *tree, struct pr_sums *sums)
{
    for (uint32_t node = tree->count; node-- > 0;) {
        pr_add_to(&sums->total[node], sums->self[node]);
        pr_add_to(&sums->total_count[node], sums->self_count[node]);
        if (node == PR_ROOT)
            break;
        pr_add_to(&sums->total[tree->parent[node]], sums->total[node]);
        pr_add_to(&sums->total_count[tree->parent[node]], sums->total_count[node]);
    }
}

enum pr_status pr_tree_sum(const struct pr_profile *profile, const struct pr_choice *choice, struct pr_sums *sums,
                           struct pr_error *err)
{
    *sums = (struct pr_sums){0};
    if (choice->metric >= profile->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "sum up the call tree", "there is no metric %u",
                       choice->metric);
    if (!sums_init(sums, profile->tree.count)) {
        pr_sums_clear(sums);
        return pr_fail_memory(err);
    }
    add_facts(profile, choice, sums);
    add_up(&profile->tree, sums);
    return PR_OK;
}

void pr_sums_clear(struct pr_sums *sums)
{
    free(sums->self);
    free(sums->total);
    free(sums->self_count);
    free(sums->total_count);
    *sums = (struct pr_sums){0};
}

enum pr_status pr_tree_children(const struct pr_tree *tree, struct pr_children *children, struct pr_error *err)
{
    children->first = calloc((size_t)tree->count + 1, sizeof *children->first);
    children->child = calloc(tree->count, sizeof *children->child);
    if (!children->first || !children->child) {
        pr_children_clear(children);
        return pr_fail_memory(err);
    }
    /* A counting sort by parent: how many, where each range ends, and filled from the end. */
    for (pr_node_id node = 1; node < tree->count; node++)
        children->first[tree->parent[node]]++;
    for (uint32_t node = 1; node <= tree->count; node++)
        children->first[node] += children->first[node - 1];
    for (pr_node_id node = tree->count; node-- > 1;)
        children->child[--children->first[tree->parent[node]]] = node;
    return PR_OK;
}

void pr_children_clear(struct pr_children *children)
{
    free(children->first);
    free(children->child);
    *children = (struct pr_children){0};
}

uint32_t pr_tree_depth(const struct pr_tree *tree, pr_node_id node)
{
    uint32_t depth = 0;
    for (; node != PR_ROOT; node = tree->parent[node])
        depth++;
    return depth;
}
