/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of `profrender tree`: the biggest frames of the call tree, the rest of each counted, so that the lines
 * below one add up to it: its total is its own, what its lines have, and what was folded.
 */
#ifndef PR_CLI_REPORTS_TREE_VIEW_H
#define PR_CLI_REPORTS_TREE_VIEW_H

#include "profrender/tree_sums.h"

struct pr_tree_question {
    const char *metric; /* NULL: the main one of the profile */
    bool split_threads; /* a tree for each thread */
    bool invert;        /* from what was measured up to its callers */
    bool hybrid;        /* with native frames, where the profile has them */
    uint64_t limit;     /* maximum number of frames, for each thread; 0: all */
    uint64_t depth;     /* maximum number of frames in a stack; 0: all */
    double min_share;   /* of the whole: smaller frames are folded */
};

#define PR_NO_ROW UINT32_MAX

struct pr_tree_line {
    uint32_t parent;      /* index of the line above it in the tree; PR_NO_ROW: this is the whole */
    uint32_t lines_below; /* right below it, without `folded` */
    pr_frame_id frame;    /* of a frame; else PR_NO_FRAME */
    uint32_t thread;      /* index into profile->threads, or PR_ALL_THREADS */
    uint64_t folded;      /* right below it: frames that have no line; what they have together: */
    int64_t folded_total, folded_count;
    int64_t self, self_count; /* measured right here; inverted: what nobody called */
    int64_t total, total_count;
};

struct pr_tree_view {
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    struct pr_tree_line *line; /* [count] each after its parent, siblings by size, the largest first */
    uint32_t count;
    size_t capacity;
    double least; /* minimum total of a line */
};

/*
 * Answers a question. Owner: pr_tree_view_clear, also after an error.
 * Errors: PR_FAILED, with PR_ERR_ABSENT when the profile lacks the metric.
 */
enum pr_status pr_tree_view_make(const struct pr_profile *profile, const struct pr_tree_question *question,
                                 struct pr_tree_view *view, struct pr_error *err);
void pr_tree_view_clear(struct pr_tree_view *view);

#endif
