/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function of the user's own code accounts for the largest part of a metric, and which of its lines does. Each
 * fact is attributed to the innermost own frame of its stack: what a library allocates belongs to the line that called
 * it. Without own code, to the innermost frame; native frames of Python stacks are their Python frame's.
 */
#ifndef PR_RENDER_SECTIONS_BIGGEST_HOLDER_H
#define PR_RENDER_SECTIONS_BIGGEST_HOLDER_H

#include "profrender/profile.h"
#include "render/model/frame_traits.h"

struct pr_holder {
    bool known;          /* false: the metric is 0 everywhere, or only outside all stacks */
    bool is_own;         /* the user's own code */
    bool has_others;     /* libraries that it calls add to the value */
    pr_frame_id frame;   /* function, file, and its largest line */
    int64_t line_value;  /* of that line */
    uint32_t line_count; /* lines that add to the function's value */
    pr_node_id node;     /* the largest node of the function: where to show it */
    int64_t value, count; /* of the function */
};

/* Errors: PR_FAILED: out of memory. */
enum pr_status pr_holder_find(const struct pr_profile *profile, const struct pr_traits *traits, unsigned metric,
                              struct pr_holder *holder, struct pr_error *err);

#endif
