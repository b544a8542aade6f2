/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in an estimated tree the functions of a graph of calls stand. The tree is grown from the roots, heaviest calls
 * first, and never found by walking paths, of which a graph has exponentially many.
 *
 * Below a caller, a callee is worth the part of its calls that the caller's place has of the caller's total. A branch
 * ends below a thousandth of the whole and at 256 frames. Where functions call each other in a cycle, recorded totals
 * count recursion once, so that the calls of a function may hold far more than itself: in Python each module imports
 * others by the same few functions. There the heaviest call takes what it was recorded with, the others what is left,
 * and a function comes again below itself if it was recorded to recur and there is something left to find: so what a
 * module imported stands below it. Recursion that leads to nothing new ends where it comes again.
 *
 * In the end each function that has no place yet gets one below its heaviest caller: none is missing.
 */
#ifndef PR_CAPTURE_BUILDER_CALL_GRAPH_PLACES_H
#define PR_CAPTURE_BUILDER_CALL_GRAPH_PLACES_H

#include "capture/builder/call_graph.h"

#define PR_GRAPH_NONE SIZE_MAX

struct pr_call_graph_place {
    uint32_t function;
    uint32_t parent; /* an earlier place; PR_NO_ID: none, a root */
    size_t call;     /* that leads here; PR_GRAPH_NONE for a root */
    double weight;   /* about what the function took here, with all below */
    unsigned depth;  /* frames above */
};

struct pr_call_graph_tree {
    struct pr_call_graph_place *places; /* parents first */
    uint32_t count;
    size_t capacity;
};

/*
 * Fills TREE, which is empty before. GRAPH has its calls by caller, then heaviest first, with no total below 0.
 *
 * Owner:  TREE is the caller's: pr_call_graph_tree_clear, after a failure too.
 * Errors: false: out of memory.
 */
bool pr_call_graph_tree_grow(const struct pr_call_graph *graph, struct pr_call_graph_tree *tree);

void pr_call_graph_tree_clear(struct pr_call_graph_tree *tree);

#endif
