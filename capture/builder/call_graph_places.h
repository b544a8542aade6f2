/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the functions of a call graph go in an estimated tree. The tree is grown from the roots, heaviest calls first,
 * and never found by walking paths, of which a graph has exponentially many.
 *
 * Below a caller, a callee is worth the share of its calls that the caller's place has of the caller's total. A branch
 * ends below a thousandth of the whole and at 256 frames. Where functions call each other in a cycle, recorded totals
 * count recursion once, so the calls of a function may take far more than the function itself: in Python each module
 * imports others through the same few functions. There the heaviest call takes what it was recorded with, the others
 * what is left, and a function recurs below itself if it was recorded to and there is something left to find: so what a
 * module imported is below it. Recursion that leads to nothing new ends where it recurs.
 *
 * In the end each function without a place gets one below its heaviest caller: none is missing.
 */
#ifndef PR_CAPTURE_BUILDER_CALL_GRAPH_PLACES_H
#define PR_CAPTURE_BUILDER_CALL_GRAPH_PLACES_H

#include "capture/builder/call_graph.h"

#define PR_GRAPH_NONE SIZE_MAX

struct pr_call_graph_place {
    uint32_t function;
    uint32_t parent; /* an earlier place; PR_NO_ID for a root */
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
 * Fills TREE, which must be empty. The calls of GRAPH are sorted by caller, then heaviest first; no total is below 0.
 *
 * Owner:  TREE is the caller's: pr_call_graph_tree_clear, after a failure too.
 * Errors: false: out of memory.
 */
bool pr_call_graph_tree_grow(const struct pr_call_graph *graph, struct pr_call_graph_tree *tree);

void pr_call_graph_tree_clear(struct pr_call_graph_tree *tree);

#endif
