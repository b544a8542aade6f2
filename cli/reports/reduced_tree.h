/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call tree as people want to read it: without the import system, a function once whatever its line, a function
 * that calls itself as one frame. What a frame that is left out held itself counts for the frame above it, so every
 * total stays.
 *
 *     struct pr_reduced_tree reduced;
 *     if (pr_reduced_tree_make(profile, &how, &reduced, &err) == PR_FAILED) ...
 *     // reduced.profile is like PROFILE, with another tree
 *     pr_reduced_tree_clear(&reduced);
 */
#ifndef PR_CLI_REPORTS_REDUCED_TREE_H
#define PR_CLI_REPORTS_REDUCED_TREE_H

#include "profrender/profile.h"

/* From leaving out least to leaving out most; each leaves out what those before it do. */
enum pr_hide {
    PR_HIDE_NONE,     /* the tree as it was recorded */
    PR_HIDE_IMPORTS,  /* the import system; recursion is folded */
    PR_HIDE_RUNNER,   /* what starts the user's code: runpy, the profiler's own command, its processes and threads */
    PR_HIDE_LIBRARIES /* all that is not the user's own code */
};

struct pr_reduction {
    enum pr_hide hide;
    bool by_function; /* frames of a function are one frame, whichever line ran */
    bool hybrid;      /* the tree with native frames, where the profile has it */
};

struct pr_reduced_tree {
    struct pr_profile profile; /* borrows from the one it was made of, which must outlive it */
    struct pr_frame *frames;
    pr_node_id *parent, *leaf;
    pr_frame_id *frame;
};

/* Owner: pr_reduced_tree_clear, also after an error. Errors: PR_FAILED: out of memory. */
enum pr_status pr_reduced_tree_make(const struct pr_profile *profile, const struct pr_reduction *how,
                                    struct pr_reduced_tree *reduced, struct pr_error *err);
void pr_reduced_tree_clear(struct pr_reduced_tree *reduced);

#endif
