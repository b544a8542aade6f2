/* SPDX-License-Identifier: Apache-2.0 */
/* A heap snapshot of V8 while it is read: parts of one reader. */
#ifndef PR_CAPTURE_GRAPH_V8_SNAPSHOT_H
#define PR_CAPTURE_GRAPH_V8_SNAPSHOT_H

#include "capture/graph/graph_profile.h"
#include "capture/parse/json_stream.h"

/* Types of nodes and edges by our own numbers; files list theirs in snapshot.meta. Others are named as they are. */
enum pr_snap_node {
    PR_SNAP_HIDDEN,
    PR_SNAP_ARRAY,
    PR_SNAP_STRING,
    PR_SNAP_OBJECT,
    PR_SNAP_CODE,
    PR_SNAP_CLOSURE,
    PR_SNAP_REGEXP,
    PR_SNAP_NUMBER,
    PR_SNAP_NATIVE,
    PR_SNAP_SYNTHETIC,
    PR_SNAP_NODE_TYPES
};

enum pr_snap_edge {
    PR_SNAP_CONTEXT,
    PR_SNAP_ELEMENT,
    PR_SNAP_PROPERTY,
    PR_SNAP_INTERNAL,
    PR_SNAP_HIDDEN_EDGE,
    PR_SNAP_SHORTCUT,
    PR_SNAP_WEAK,
    PR_SNAP_EDGE_TYPES
};

enum {
    PR_SNAP_MOST_FIELDS = 16,
    PR_SNAP_MOST_TYPES = 64,
    PR_SNAP_NAME_BITS = 29, /* of an edge's name; its type is in the bits above */
    PR_SNAP_NAME_MASK = (1 << PR_SNAP_NAME_BITS) - 1
};

/* Where each member is among those of a node or an edge; PR_SNAP_MOST_FIELDS: it has none. */
struct pr_v8_layout {
    uint32_t fields;
    uint32_t type, name, id, size, edges, detached, to;
};

enum { PR_V8_MOST_GLOBALS = 256 }; /* references of the root that are looked at: real ones have a few */

struct pr_v8_snapshot {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct pr_graph graph;
    struct pr_v8_layout node, edge;
    uint32_t node_types, edge_types;
    uint8_t node_type[PR_SNAP_MOST_TYPES], edge_type[PR_SNAP_MOST_TYPES]; /* of the file's numbers: ours */
    pr_str other_type[PR_SNAP_MOST_TYPES]; /* the name of a type that we have no number for, in brackets */
    struct pr_idset kinds;               /* (our type or file's type + 64, detached), name; 0 for the root of all */
    uint32_t *id;         /* [graph.count] ids of nodes, their low bits */
    uint32_t *edge_name;  /* [graph.edge_count] type and name */
    uint64_t edges_due;   /* what the nodes say */
    pr_str *strings;      /* [string_count] those that are needed, others are 0 */
    uint64_t *needed;     /* a bit for each string */
    struct {
        uint32_t string, table;
    } *pairs;             /* names of references of WeakMaps, and the id of the table */
    size_t id_capacity, edge_name_capacity, string_count, string_capacity, needed_words, pair_count, pair_capacity;
    uint32_t globals[PR_V8_MOST_GLOBALS], global_count; /* nodes that the root refers to */
    bool has_meta, has_edges, has_strings, wants_objects;
};

/* Marks string INDEX as needed. */
void pr_v8_need(struct pr_v8_snapshot *r, uint64_t index);

static inline unsigned pr_v8_edge_type(const struct pr_v8_snapshot *r, uint32_t edge)
{
    return r->edge_name[edge] >> PR_SNAP_NAME_BITS;
}

/* Takes references out of the graph that do not retain, by the rules of Chrome's DevTools, and finds global objects. */
void pr_v8_drop_edges(struct pr_v8_snapshot *r);

/* Names for a graph that is read. */
struct pr_graph_names pr_v8_names(struct pr_v8_snapshot *r);

#endif
