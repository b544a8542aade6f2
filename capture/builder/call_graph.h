/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call graph as a profile: exact rows for tables, and a tree by shares for pictures.
 *
 * Formats such as pstats and callgrind record what each function took and what it took when called from each other one,
 * but no stacks. The tree is an estimate: capture/builder/call_graph_places.h explains how functions get their places
 * in it. Exact figures stay exact: the self figure and the calls of each function are shared among its places, so that
 * their sums are those of the table, and calls from one function to another get the figures that the file has for them.
 * Totals are sums of what is below, so no child is ever more than its parent.
 */
#ifndef PR_CAPTURE_BUILDER_CALL_GRAPH_H
#define PR_CAPTURE_BUILDER_CALL_GRAPH_H

#include "capture/builder/profile_builder.h"

struct pr_call_graph_function {
    pr_frame_id frame;
    struct pr_exact row;
};

/* Calls from one function to another, or to itself. */
struct pr_call_graph_call {
    uint32_t caller, callee; /* indexes of functions */
    int64_t total;           /* what the callee took in these calls, with all below; below 0 = not recorded: estimated
                                by the number of calls */
    int64_t self;            /* what the callee itself took in these calls; below 0 = not recorded */
    int64_t count;           /* calls */
};

struct pr_call_graph {
    const struct pr_call_graph_function *functions;
    uint32_t function_count;
    struct pr_call_graph_call *calls; /* sorted and filled in here */
    size_t call_count;
};

/* Adds GRAPH to METRIC on THREAD: rows and tree. Errors are stored in C. */
void pr_call_graph_collect(struct pr_profile_builder *c, uint32_t thread, unsigned metric, struct pr_call_graph *graph);

#endif
