/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a stack is when a library is at its end: the nearest function of your own code that led there. */
#ifndef PR_CAPTURE_MODEL_OWN_CODE_H
#define PR_CAPTURE_MODEL_OWN_CODE_H

#include "profrender/profile.h"

#include <stdbool.h>

/*
 * Fills NEAREST[tree->count]: for each node itself or the nearest one above it whose frame is marked in IS_OWN[frames];
 * PR_ROOT where there isn't one.
 */
static inline void pr_own_nearest(const struct pr_tree *tree, const bool *is_own, pr_node_id *nearest)
{
    if (tree->count)
        nearest[PR_ROOT] = PR_ROOT;
    for (pr_node_id i = 1; i < tree->count; i++) /* a parent comes before its children */
        nearest[i] = is_own[tree->frame[i]] ? i : nearest[tree->parent[i]];
}

#endif
