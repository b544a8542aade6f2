/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes of the call tree a page holds. A page of a huge capture must stay small, and nothing may vanish silently:
 * the heaviest nodes stay, and the smaller children of a node become one child "smaller frames". Its facts are theirs,
 * so every total stays exact.
 *
 * Where stacks have native frames, the page shows those; nodes that belong only to their Python parts are left out.
 */
#ifndef PR_RENDER_MODEL_FOLD_H
#define PR_RENDER_MODEL_FOLD_H

#include "profrender/tree_sums.h"

/* The nodes of the page, in depth-first order; node 0 is the root. */
struct pr_fold {
    uint32_t count;
    uint32_t *parent;       /* [count] number in the page */
    pr_node_id *source;     /* [count] node of the profile; PR_NO_NODE = smaller frames of the parent */
    uint32_t *smaller;      /* [count] how many frames that one represents; 0 for all others */
    uint32_t *number;       /* [tree.count] the page's node for a node of the profile, or for its nearest parent */
    uint32_t folded_frames; /* sum of smaller */
    uint32_t boxes;         /* nodes that represent smaller frames */
};

/*
 * Keeps at most MAX_NODES nodes (at least the root and what is folded below it).
 *
 * Owner:  pr_fold_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_fold_make(const struct pr_profile *profile, const struct pr_children *children, uint32_t max_nodes,
                            struct pr_fold *fold, struct pr_error *err);
void pr_fold_clear(struct pr_fold *fold);

/* Frames that the page shows or sums up. */
static inline uint32_t pr_fold_frames(const struct pr_fold *fold)
{
    return fold->count - 1 - fold->boxes + fold->folded_frames;
}

#endif
