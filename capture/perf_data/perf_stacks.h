/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of places, and what each event counted on them. Names come with the end of the file, so the call tree is made
 * of places first, and then again of frames: a place may become several functions, where calls were inlined.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_STACKS_H
#define PR_CAPTURE_PERF_DATA_PERF_STACKS_H

#include "capture/perf_data/perf_places.h"

struct pr_perf_stacks {
    struct pr_idset nodes; /* (parent, place); node 0 is the root */
    struct pr_idset facts; /* (node, thread), event */
    int64_t *value, *count; /* [facts.count] */
    size_t value_capacity, count_capacity;
    struct pr_slice *slices;
    size_t slice_count, slice_capacity;
    int64_t resolution_ns;
    struct pr_time_moments moments; /* of the first event whose periods are not times; they have facts of `facts` */
    uint32_t moment_event;          /* its number; UINT32_MAX: none so far */
};

/* The limits are those of C. False: no memory, which C then knows. */
bool pr_perf_stacks_init(struct pr_perf_stacks *stacks, struct pr_profile_builder *c);

/* The child of NODE; C knows of a failure. */
pr_node_id pr_perf_stacks_child(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, pr_node_id node,
                                uint32_t place);

/* A sample that ends in NODE: VALUE of event number EVENT. Its fact, for pr_perf_stacks_slice; PR_NO_ID: it failed. */
uint32_t pr_perf_stacks_add(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, pr_node_id node,
                            uint32_t thread, uint32_t event, int64_t value);

void pr_perf_stacks_slice(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, uint32_t fact, int64_t start_ns,
                          int64_t duration_ns);

/* What EVENT, whose periods are no times, counted up to AT_NS. */
void pr_perf_stacks_moment(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, uint32_t fact, uint32_t event,
                           int64_t at_ns, int64_t value);

/* Gives all of it to C: METRIC_OF[event] is the metric of an event, FRAMES those of the places. */
void pr_perf_stacks_finish(struct pr_perf_stacks *stacks, struct pr_profile_builder *c,
                           const struct pr_perf_frames *frames, const unsigned *metric_of);

void pr_perf_stacks_clear(struct pr_perf_stacks *stacks);

#endif
