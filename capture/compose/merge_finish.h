/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a merge, in two steps: an order of strings, frames and nodes that does not depend on the order in which
 * they came, then the profile.
 */
#ifndef PR_CAPTURE_COMPOSE_MERGE_FINISH_H
#define PR_CAPTURE_COMPOSE_MERGE_FINISH_H

#include "capture/compose/merge_internal.h"

/* Numbers of the merger become numbers of the profile; PR_NO_ID: left out. All owned. */
struct pr_merge_finish {
    struct pr_merger *m;
    struct pr_profile *profile;
    struct pr_merged_metric **metrics; /* [metric_count] that stay, in their order */
    uint32_t metric_count;
    struct pr_metric *made; /* [metric_count] those of the profile, not owned */
    pr_str *string;         /* [strings] */
    pr_frame_id *frame;     /* [frames] */
    pr_node_id *node;       /* [nodes] */
    uint32_t *thread;       /* [threads] */
    uint32_t *order;        /* scratch: numbers of the merger in the order of the profile */
    pr_str *root_name;      /* [processes] the name of the frame above a process */
};

struct pr_merge_fact {
    pr_node_id leaf, hybrid;
    uint32_t thread;
    uint8_t allocator;
};

static inline struct pr_merge_fact pr_merge_fact_at(const struct pr_merge_finish *f, uint32_t fact)
{
    const uint64_t *key = &f->m->facts.keys[(size_t)fact * 2];
    return (struct pr_merge_fact){pr_high(key[0]), pr_high(key[1]), pr_low(key[0]), (uint8_t)key[1]};
}

/* A value other than 0 in a metric that stays. */
static inline bool pr_merge_has_value(const struct pr_merge_finish *f, uint32_t fact)
{
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->value[fact] || (f->metrics[i]->count_name && f->metrics[i]->count[fact]))
            return true;
    }
    return false;
}

/* A metric that stays has exact figures of functions. */
static inline bool pr_merge_has_exact(const struct pr_merge_finish *f)
{
    for (uint32_t i = 0; i < f->metric_count; i++) {
        if (f->metrics[i]->has_exact)
            return true;
    }
    return false;
}

/*
 * Strings, frames and nodes of the profile: `string`, `frame` and `node` of F, which are zeros. The metrics that stay
 * are chosen. False: out of memory.
 */
bool pr_merge_order(struct pr_merge_finish *f);

#endif
