/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and who refers to whom, as a heap dump has it; 24 bytes an object and 4 to 8 a reference.
 *
 *     struct pr_graph graph = {0};
 *     pr_graph_node(&graph, 0, 0);                      // node 0: the root, from which all that is reachable is
 *     for (each object) {
 *         pr_graph_node(&graph, kind, shallow_bytes);
 *         pr_graph_edge(&graph, to);                    // of the node that was added last
 *     }
 *     pr_graph_close(&graph);
 *
 * A reference that does not retain is made one of the object to itself: those count for nothing.
 */
#ifndef PR_CAPTURE_GRAPH_GRAPH_H
#define PR_CAPTURE_GRAPH_GRAPH_H

#include "capture/base/idset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_graph {
    uint32_t count;   /* of nodes */
    uint32_t *kind;   /* [count] the class of each, by the reader's own numbers */
    uint64_t *size;   /* [count] shallow size in bytes */
    uint32_t *first;  /* [count + 1] the references of node i are to[first[i]] to to[first[i + 1] - 1] */
    uint32_t *to;     /* [edge_count] */
    uint32_t edge_count;
    size_t kind_capacity, size_capacity, first_capacity, edge_capacity;
};

/* False: no memory, or more than 2^32 - 2 of them. */
bool pr_graph_node(struct pr_graph *graph, uint32_t kind, uint64_t size);
bool pr_graph_edge(struct pr_graph *graph, uint32_t to);

/* Ends the references of the last node. References to nodes that do not exist become such to the node itself; how
   many. */
uint64_t pr_graph_close(struct pr_graph *graph);

void pr_graph_clear(struct pr_graph *graph);

/*
 * The dominator tree of what is reachable: an object retains all that would be unreachable without it. Places are
 * numbers in the order of a walk from the root, which is place 0; a dominator's place is below that of what it
 * dominates.
 */
struct pr_dominators {
    uint32_t count;     /* of places, the reachable nodes */
    uint32_t *node;     /* [count] the node of a place */
    uint32_t *place;    /* [graph.count] the place of a node; PR_NO_ID: it is not reachable */
    uint32_t *above;    /* [count] the place of the immediate dominator; 0 for the root itself */
    uint64_t *retained; /* [count] bytes */
    uint32_t *through;  /* [count] the reference of the dominator to this node; PR_NO_ID: it has none of its own */
};

/*
 * Semi-NCA, without recursion. Afterwards graph->to has places instead of nodes, PR_NO_ID for nodes that are not
 * reachable. Owner: pr_dominators_clear, also after an error. False: no memory.
 */
bool pr_dominators_make(struct pr_graph *graph, struct pr_dominators *dominators);
void pr_dominators_clear(struct pr_dominators *dominators);

#endif
