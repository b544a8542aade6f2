/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings, frames, stacks and threads of several profiles under common numbers: what is the same in two of them gets
 * the same number.
 *
 *     struct pr_numbers all;
 *     bool good = pr_numbers_init(&all, &strings);
 *     for (each profile) {
 *         struct pr_renumber in;
 *         good = good && pr_renumber_init(&in, &all, profile) && pr_renumber_tree(&in, PR_ROOT);
 *         ...                                              // in.node[leaf] is the stack's common number
 *         pr_renumber_clear(&in);
 *     }
 *     pr_numbers_clear(&all);
 *
 * All that fails, fails for lack of memory.
 */
#ifndef PR_CAPTURE_COMPOSE_RENUMBER_H
#define PR_CAPTURE_COMPOSE_RENUMBER_H

#include "capture/model/frame_table.h"

/* What the profiles have together. */
struct pr_numbers {
    struct pr_strings *strings; /* borrowed */
    struct pr_frame_table frames;
    struct pr_idset nodes;   /* (parent, frame); node 0 is the root */
    struct pr_idset threads; /* (process, name), tid */
};

bool pr_numbers_init(struct pr_numbers *numbers, struct pr_strings *strings);
void pr_numbers_clear(struct pr_numbers *numbers);

/* The child of PARENT with FRAME, added if it is new. PR_NO_ID: no memory, or FRAME is PR_NO_ID. */
pr_node_id pr_numbers_node(struct pr_numbers *numbers, pr_node_id parent, pr_frame_id frame);

static inline pr_node_id pr_numbers_parent(const struct pr_numbers *numbers, pr_node_id node)
{
    return pr_high(numbers->nodes.keys[node]);
}

static inline pr_frame_id pr_numbers_frame(const struct pr_numbers *numbers, pr_node_id node)
{
    return pr_low(numbers->nodes.keys[node]);
}

static inline struct pr_thread pr_numbers_thread(const struct pr_numbers *numbers, uint32_t thread)
{
    const uint64_t *key = &numbers->threads.keys[(size_t)thread * 2];
    return (struct pr_thread){.tid = key[1], .name = pr_low(key[0]), .process = pr_high(key[0])};
}

/* One profile on its way in: the common number of each of its own. PR_NO_ID: not asked for yet. */
struct pr_renumber {
    struct pr_numbers *numbers; /* borrowed, as is the profile */
    const struct pr_profile *profile;
    pr_str *string;     /* [strings], owned, as are the others */
    pr_frame_id *frame; /* [frames] */
    pr_node_id *node;   /* [nodes] */
    uint32_t *thread;   /* [threads] */
};

bool pr_renumber_init(struct pr_renumber *in, struct pr_numbers *numbers, const struct pr_profile *profile);
void pr_renumber_clear(struct pr_renumber *in); /* also after a failed init */

/* COUNT numbers, each PR_NO_ID; owned. */
uint32_t *pr_renumber_array(size_t count);

pr_str pr_renumber_string(struct pr_renumber *in, pr_str string);      /* PR_NO_STR: no memory */
pr_frame_id pr_renumber_frame(struct pr_renumber *in, pr_frame_id id); /* PR_NO_ID: no memory */

/* All nodes, and their frames. ROOT is what the profile's root becomes. */
bool pr_renumber_tree(struct pr_renumber *in, pr_node_id root);

/* Thread I, as one of PROCESS, which is a common number too. */
bool pr_renumber_thread(struct pr_renumber *in, uint32_t i, uint32_t process);

#endif
