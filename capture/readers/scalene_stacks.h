/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that Scalene sampled, each with its share of all samples, found by the line that ran:
 *
 * - "stacks": [[["/a.py main:5;", "/a.py f:2;"], {"cpu_samples": 0.5, ...}]]; in Scalene 1.5 a frame is a list,
 *   ["/a.py", "f", 2], and so is the second value, whose last number is the share
 * - "memory_stacks": [[[{"display_name": "f", "filename_or_module": "/a.py", "line": 2, "kind": "py"}], 1.5]], in
 *   megabytes
 *
 * Outermost frames come first.
 *
 * Source: Scalene 2.4.0 scalene_json.py and scalene_utility.py; Scalene 1.5.41 for lists.
 */
#ifndef PR_CAPTURE_READERS_SCALENE_STACKS_H
#define PR_CAPTURE_READERS_SCALENE_STACKS_H

#include "capture/base/idset.h"
#include "capture/builder/profile_builder.h"
#include "capture/parse/json_stream.h"

struct pr_scalene_frame {
    pr_str file, function;
    int64_t line;
};

struct pr_scalene_stack {
    size_t first;      /* its outermost frame, in `frames` */
    uint32_t count;    /* of frames; at least 1 */
    uint32_t next;     /* one with the same innermost line; PR_NO_ID = none */
    double share;      /* at least 0 */
    pr_node_id caller; /* the node of all but the innermost frame; PR_NO_ID: not made yet */
};

struct pr_scalene_stacks {
    struct pr_scalene_frame *frames;
    size_t frame_count, frame_capacity;
    struct pr_scalene_stack *stacks;
    size_t stack_count, stack_capacity;
    struct pr_idset lines; /* file, line; words = 2 */
    uint32_t *newest;      /* [lines.count] the first of the stacks with that innermost line */
    size_t newest_capacity;
};

/* After the key of a list of stacks: takes it. Stacks that are deeper than the limit are counted and left out. */
void pr_scalene_read_stacks(struct pr_profile_builder *c, struct pr_json_stream *json,
                            struct pr_scalene_stacks *stacks);

/* The first of the stacks whose innermost line that is; PR_NO_ID = none. Further ones follow by `next`. */
uint32_t pr_scalene_find_stack(const struct pr_scalene_stacks *stacks, pr_str file, int64_t line);

void pr_scalene_stacks_clear(struct pr_scalene_stacks *stacks);

#endif
