/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph of calls as a profile: exact rows for tables, and a tree by shares for pictures.
 *
 * Formats such as pstats and callgrind know what each function took and what it took when called from each other one,
 * but no stacks. The tree is an estimate: below a caller, a callee has the part of its edge that the caller's place in
 * the tree has of the caller's total. These totals are own figures added up along the calls, as recorded ones may hold
 * what nothing was recorded of. The tree is never found by walking paths, of which a graph has exponentially many: a
 * branch ends below a thousandth of the whole, at 64 frames, and at a function that is above itself. What is cut off
 * stays with the caller, so no child is ever more than its parent, and the sum is that of the recorded self figures.
 */
#ifndef PR_CALLGRAPH_H
#define PR_CALLGRAPH_H

#include "capture/collect.h"

struct pr_graph_function {
    pr_frame_id frame;
    struct pr_exact row;
};

/* Calls from one function to another, or to itself. */
struct pr_graph_call {
    uint32_t caller, callee; /* indexes of functions */
    int64_t total;           /* what the callee took in these calls, with all below; below 0 = not recorded: an estimate
                                by the number of calls takes its place */
    int64_t count;           /* calls */
};

struct pr_graph {
    const struct pr_graph_function *functions;
    uint32_t function_count;
    struct pr_graph_call *calls; /* sorted and filled in here */
    size_t call_count;
};

/* Adds GRAPH to METRIC on THREAD: rows and tree. What goes wrong is remembered by C. */
void pr_graph_collect(struct pr_collect *c, uint32_t thread, unsigned metric, struct pr_graph *graph);

#endif
