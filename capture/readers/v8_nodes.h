/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call trees of V8's profiles (.cpuprofile, .heapprofile), from their JSON.
 *
 * Nodes come as a list in which each names its children, or nested in one another; the nesting may be as deep as the
 * JSON allows, and costs no stack. `functionName`, `url` and the lines of a callFrame are numbered from 0 in the
 * file, -1 is unknown; the line is that of the definition. A function without a name is "(anonymous)".
 */
#ifndef PR_CAPTURE_READERS_V8_NODES_H
#define PR_CAPTURE_READERS_V8_NODES_H

#include "capture/builder/profile_builder.h"
#include "capture/parse/json_stream.h"

enum pr_v8_mark { PR_V8_CODE, PR_V8_ROOT, PR_V8_PROGRAM, PR_V8_IDLE, PR_V8_GC };

struct pr_v8_node {
    uint64_t id;
    uint64_t parent_id;  /* `parent`, of nodes in a trace; 0: it has none */
    int64_t self;        /* hitCount, or selfSize */
    uint32_t parent;     /* index, PR_NO_ID = none */
    pr_frame_id frame;
    enum pr_v8_mark mark;
    pr_node_id node;     /* in the tree, after pr_v8_nodes_link; PR_ROOT for the root */
    bool linked;
};

struct pr_v8_nodes {
    struct pr_profile_builder *c;
    struct pr_json_stream *json;
    bool keep_root;          /* set before reading: (root) is a frame like any other; else its children are outermost */
    struct pr_v8_node *node; /* [count] */
    size_t count, capacity;
    struct pr_v8_edge {
        uint32_t parent; /* index */
        uint64_t child;  /* id */
    } *edges;
    size_t edge_count, edge_capacity;
    struct pr_idset ids; /* the number of an id is the index in `by_id` */
    uint32_t *by_id;
    size_t by_id_capacity;
};

/* After the key of a list of nodes: reads it. */
void pr_v8_nodes_read_list(struct pr_v8_nodes *nodes);

/* After the key of a node: reads it and all that is nested in it. */
void pr_v8_nodes_read_nested(struct pr_v8_nodes *nodes);

/* Once, when all are read: who is whose child, and the nodes of the tree. A circle is cut where it was entered. */
void pr_v8_nodes_link(struct pr_v8_nodes *nodes);

/* The index of the node with ID, after linking; PR_NO_ID = none. */
uint32_t pr_v8_nodes_find(const struct pr_v8_nodes *nodes, uint64_t id);

void pr_v8_nodes_clear(struct pr_v8_nodes *nodes);

#endif
