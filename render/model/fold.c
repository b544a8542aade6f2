/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are weighed by their largest share of any metric, so that what is big in one view only stays too. A parent
 * weighs at least what its children do: taking nodes by weight, parents first among equals, never orphans one.
 */
#include "render/model/fold.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A node and its weight side by side: a sort of numbers alone would look each weight up in a table of millions. */
struct weighed {
    double weight;
    pr_node_id node;
};

/* Heaviest first; the sort is stable, so among equals the lower number, which the parent has. */
static int compare_weight(const void *a, const void *b, const void *context)
{
    const struct weighed *x = a, *y = b;
    (void)context;
    return PR_ORDER(y->weight, x->weight);
}

enum { LEVELS = 1 << 11 }; /* the bits of an exponent; no weight has a sign */

/* Heavier ones have greater levels: the first bits of a nonnegative number sort as it does. */
static unsigned level_of(double weight)
{
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return (unsigned)(bits >> 52);
}

/*
 * The SHOWN nodes that may be among the MOST heaviest, in their order, and their COUNT. Levels are powers of two, so
 * little of a large tree, most of whose nodes are light, takes memory here and is sorted. Owned; NULL: out of memory.
 */
static struct weighed *find_heavy(const double *weight, const uint8_t *shown, uint32_t node_count, uint32_t most,
                                  uint32_t *count)
{
    uint32_t at_level[LEVELS] = {0}, heavier = 0;
    unsigned lowest = LEVELS;
    for (uint32_t i = 0; i < node_count; i++)
        at_level[level_of(weight[i])] += shown[i];
    while (lowest && heavier < most)
        heavier += at_level[--lowest];
    struct weighed *order = malloc((heavier + (size_t)1) * sizeof *order); /* malloc(0) may be NULL */
    *count = 0;
    for (uint32_t i = 0; order && i < node_count; i++) {
        if (shown[i] && level_of(weight[i]) >= lowest)
            order[(*count)++] = (struct weighed){weight[i], i};
    }
    return order;
}

/* TOTAL[tree.count] becomes METRIC of each node and all below it: what pr_tree_sum counts besides is not needed. */
static void add_totals(const struct pr_profile *profile, const struct pr_metric *metric, int64_t *total)
{
    const struct pr_tree *tree = &profile->tree;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    memset(total, 0, tree->count * sizeof *total);
    for (size_t i = 0; i < profile->fact_count; i++)
        pr_add_to(&total[leaf[i]], metric->value[i]);
    for (pr_node_id node = tree->count; node-- > 1;)
        pr_add_to(&total[tree->parent[node]], total[node]);
}

static void raise_weights(double *weight, const int64_t *total, uint32_t count)
{
    double whole = total[PR_ROOT] > 0 ? (double)total[PR_ROOT] : 1;
    for (uint32_t i = 0; i < count; i++) {
        double share = (double)total[i] / whole;
        if (share > weight[i])
            weight[i] = share;
    }
}

/* WEIGHT[tree.count] is zeroed. False: out of memory. */
static bool weigh(const struct pr_profile *profile, double *weight)
{
    const struct pr_tree *tree = &profile->tree;
    int64_t *total = malloc(tree->count * sizeof *total);
    if (!total)
        return false;
    for (unsigned i = 0; i < profile->metric_count; i++) {
        add_totals(profile, &profile->metrics[i], total);
        raise_weights(weight, total, tree->count);
    }
    free(total);
    for (uint32_t i = tree->count; i-- > 1;) { /* values below 0 must not lift a child over its parent */
        if (weight[tree->parent[i]] < weight[i])
            weight[tree->parent[i]] = weight[i];
    }
    return true;
}

/* Marks the nodes that are in the page; returns how many. */
static uint32_t mark_shown(const struct pr_profile *profile, uint8_t *shown)
{
    const struct pr_tree *tree = &profile->tree;
    uint32_t count = 1;
    if (!profile->fact_hybrid) {
        memset(shown, 1, tree->count);
        return tree->count;
    }
    shown[PR_ROOT] = 1;
    for (size_t i = 0; i < profile->fact_count; i++)
        shown[profile->fact_hybrid[i]] = 1;
    for (uint32_t i = tree->count; i-- > 1;) {
        shown[tree->parent[i]] |= shown[i];
        count += shown[i];
    }
    return count;
}

/* Marks in KEPT the longest beginning of ORDER (by weight) that fits, with the "smaller frames" it causes. */
static void choose(const struct pr_tree *tree, const uint8_t *shown, const struct weighed *order, uint32_t order_count,
                   uint32_t max_nodes, uint8_t *kept, uint32_t *missing)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < tree->count; i++) /* children that none of the nodes taken so far has */
        missing[tree->parent[i]] += shown[i];
    for (uint32_t i = 0; i < order_count; i++) {
        pr_node_id node = order[i].node;
        count += 1;
        if (node != PR_ROOT && missing[tree->parent[node]] == 1)
            count -= 1; /* the last child that its parent missed */
        if (missing[node])
            count += 1;
        if (i && count > max_nodes)
            return;
        kept[node] = 1;
        if (node != PR_ROOT)
            missing[tree->parent[node]]--;
    }
}

/* FOLDED becomes, for each kept node, the number of frames folded below it. */
static void count_folded(const struct pr_tree *tree, const uint8_t *shown, const uint8_t *kept, uint32_t *folded)
{
    for (uint32_t i = 0; i < tree->count; i++)
        folded[i] = shown[i] && !kept[i];
    for (uint32_t i = tree->count; i-- > 1;) {
        if (!kept[i])
            folded[tree->parent[i]] += folded[i];
    }
}

static uint32_t add_node(struct pr_fold *fold, uint32_t parent, pr_node_id source, uint32_t smaller)
{
    uint32_t number = fold->count++;
    fold->parent[number] = parent;
    fold->source[number] = source;
    fold->smaller[number] = smaller;
    fold->folded_frames += smaller;
    fold->boxes += smaller > 0;
    return number;
}

/* Numbers the kept nodes depth first, a node's "smaller frames" after its last child. NEXT: a cursor for each node. */
static void number_nodes(const struct pr_tree *tree, const struct pr_children *children, const uint8_t *shown,
                         const uint8_t *kept, const uint32_t *folded, uint32_t *next, struct pr_fold *fold)
{
    memcpy(next, children->first, tree->count * sizeof *next);
    fold->number[PR_ROOT] = add_node(fold, 0, PR_ROOT, 0);
    for (pr_node_id node = PR_ROOT;;) {
        while (next[node] < children->first[node + 1] && !kept[children->child[next[node]]])
            next[node]++;
        if (next[node] < children->first[node + 1]) {
            pr_node_id child = children->child[next[node]++];
            fold->number[child] = add_node(fold, fold->number[node], child, 0);
            node = child;
            continue;
        }
        if (folded[node]) /* NEXT is free now: it keeps the number of the node that the small ones are in */
            next[node] = add_node(fold, fold->number[node], PR_NO_NODE, folded[node]);
        if (node == PR_ROOT)
            break;
        node = tree->parent[node];
    }
    for (uint32_t i = 1; i < tree->count; i++) {
        pr_node_id parent = tree->parent[i];
        if (!kept[i])
            fold->number[i] = shown[i] && kept[parent] ? next[parent] : fold->number[parent];
    }
}

static enum pr_status choose_heaviest(const struct pr_profile *profile, const uint8_t *shown, uint32_t max_nodes,
                                      uint8_t *kept, uint32_t *missing, struct pr_error *err)
{
    const uint32_t count = profile->tree.count;
    double *weight = calloc(count, sizeof *weight);
    struct weighed *order = NULL;
    uint32_t order_count = 0;
    if (weight && weigh(profile, weight)) /* each chosen node takes a place, at least the root */
        order = find_heavy(weight, shown, count, max_nodes < count ? max_nodes + 1 : count, &order_count);
    free(weight);
    const bool sorted = order && pr_sort(order, order_count, sizeof *order, compare_weight, NULL);
    if (sorted)
        choose(&profile->tree, shown, order, order_count, max_nodes, kept, missing);
    free(order);
    return sorted ? PR_OK : pr_fail_memory(err);
}

/* All are [tree.count] and zeroed. */
struct marks {
    uint8_t *shown, *kept;
    uint32_t *folded, *next;
};

static enum pr_status fold_tree(const struct pr_profile *profile, const struct pr_children *children,
                                uint32_t max_nodes, const struct marks *marks, struct pr_fold *fold,
                                struct pr_error *err)
{
    const struct pr_tree *tree = &profile->tree;
    if (mark_shown(profile, marks->shown) <= max_nodes)
        memcpy(marks->kept, marks->shown, tree->count);
    else if (choose_heaviest(profile, marks->shown, max_nodes, marks->kept, marks->folded, err) == PR_FAILED)
        return PR_FAILED;
    count_folded(tree, marks->shown, marks->kept, marks->folded);
    number_nodes(tree, children, marks->shown, marks->kept, marks->folded, marks->next, fold);
    return PR_OK;
}

enum pr_status pr_fold_make(const struct pr_profile *profile, const struct pr_children *children, uint32_t max_nodes,
                            struct pr_fold *fold, struct pr_error *err)
{
    size_t count = profile->tree.count;
    *fold = (struct pr_fold){.parent = calloc(count, sizeof *fold->parent),
                             .source = calloc(count, sizeof *fold->source),
                             .smaller = calloc(count, sizeof *fold->smaller),
                             .number = calloc(count, sizeof *fold->number)};
    struct marks marks = {calloc(count, 1), calloc(count, 1), calloc(count, sizeof *marks.folded),
                          calloc(count, sizeof *marks.next)};
    enum pr_status status;
    if (fold->parent && fold->source && fold->smaller && fold->number && marks.shown && marks.kept && marks.folded &&
        marks.next)
        status = fold_tree(profile, children, max_nodes, &marks, fold, err);
    else
        status = pr_fail_memory(err);
    free(marks.shown);
    free(marks.kept);
    free(marks.folded);
    free(marks.next);
    if (status == PR_FAILED)
        pr_fold_clear(fold);
    return status;
}

void pr_fold_clear(struct pr_fold *fold)
{
    free(fold->parent);
    free(fold->source);
    free(fold->smaller);
    free(fold->number);
    *fold = (struct pr_fold){0};
}
