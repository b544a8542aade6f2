/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the call tree of a profile: which facts count, and what they add up to on each node.
 *
 *     struct pr_sums sums;
 *     struct pr_choice choice = pr_choice_all(metric);
 *     if (pr_tree_sum(profile, &choice, &sums, &err) == PR_FAILED) ...
 *     // sums.total[node] is the metric of everything at and below the node
 *     pr_sums_clear(&sums);
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_TREE_SUMS_H
#define PR_API_TREE_SUMS_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

#define PR_ALL_THREADS UINT32_MAX

/* Which facts count. */
struct pr_choice {
    unsigned metric; /* index into profile->metrics */
    uint32_t thread; /* index into profile->threads, or PR_ALL_THREADS */
    int allocator;   /* enum pr_allocator, or -1 for all */
    bool hybrid;     /* walk the hybrid stacks, where the profile has them */
};

static inline struct pr_choice pr_choice_all(unsigned metric)
{
    struct pr_choice choice = {metric, PR_ALL_THREADS, -1, false};
    return choice;
}

struct pr_sums {
    uint32_t count;      /* nodes, as in the tree */
    int64_t *self;       /* [count] metric of the facts right on the node */
    int64_t *total;      /* [count] of the node and all below it */
    int64_t *self_count; /* [count] the same for the metric's count; zeros without one */
    int64_t *total_count;
};

/*
 * Sums the chosen facts.
 *
 * Owner:  SUMS is cleared with pr_sums_clear, even after an error.
 * Errors: PR_FAILED: out of memory, or no such metric.
 */
PR_API enum pr_status pr_tree_sum(const struct pr_profile *profile, const struct pr_choice *choice,
                                  struct pr_sums *sums, struct pr_error *err);
PR_API void pr_sums_clear(struct pr_sums *sums);

/*
 * Children of each node as ranges: the children of node n are child[first[n]] .. child[first[n + 1] - 1], in the order
 * of their numbers. Owned: pr_children_clear.
 */
struct pr_children {
    uint32_t *first;   /* [count + 1] */
    pr_node_id *child; /* [count - 1] */
};
PR_API enum pr_status pr_tree_children(const struct pr_tree *tree, struct pr_children *children, struct pr_error *err);
PR_API void pr_children_clear(struct pr_children *children);

/* Number of frames from the root to NODE; 0 for the root. */
PR_API uint32_t pr_tree_depth(const struct pr_tree *tree, pr_node_id node);

PR_DECLS_END

#endif
