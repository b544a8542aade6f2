/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph of objects as a profile whose call tree is the dominator tree: what is below a frame is what would be
 * unreachable without it.
 *
 * - Metric "retained": self is the shallow size, the sum below a frame its retained size, the count that of objects.
 * - Metric "unreachable", not retained: what no root reaches but perhaps through weak references, by class; not part of
 *   the other.
 * - Metric "held_by": the largest accumulation points, each with its retained size, at the shortest path of references
 *   from a root.
 *
 * Millions of objects become thousands of frames: objects of one class below one frame are one frame, a field in
 * between where the dominator itself refers to them by name ("Cache.entries"). A list or tree of objects that refer
 * to others of their class, or that repeat classes and fields, is one frame for each. What is very deep, and with very
 * many frames what is small, is not split further: below it classes are next to each other, and a note counts these
 * objects.
 */
#ifndef PR_CAPTURE_GRAPH_GRAPH_PROFILE_H
#define PR_CAPTURE_GRAPH_GRAPH_PROFILE_H

#include "capture/builder/profile_builder.h"
#include "capture/graph/graph.h"

/* What a reader knows of its graph. */
struct pr_graph_names {
    void *context;
    uint32_t kind_count;
    /* The class of the nodes of a kind. */
    pr_str (*kind)(void *context, uint32_t kind);
    /* Nodes that are none of the program's objects, such as a kind of roots: they are frames, and not counted. */
    bool (*is_label)(void *context, uint32_t kind);
    /* Objects of the class are of many sorts, such as JavaScript's Object: one in another is not one of a chain. */
    bool (*is_generic)(void *context, uint32_t kind);
    /* All that a program has hangs on this node, as on JavaScript's global object: that it retains it says nothing. */
    bool (*is_global)(void *context, uint32_t node);
    /* A number of the name of a reference, the same for the same field; PR_NO_ID: it has none, an element. */
    uint32_t (*field)(void *context, uint32_t node, uint32_t edge);
    /* "Cache.entries": the field of objects of KIND. */
    pr_str (*field_name)(void *context, uint32_t kind, uint32_t field);
    /* What the object itself is called, such as a thread: a frame above that of its class; 0: nothing. NULL: none. */
    pr_str (*own_name)(void *context, uint32_t node);
    /* The place in code of a label, which has the name of its kind already. NULL: none has one. */
    void (*place)(void *context, uint32_t kind, struct pr_place *place);
};

/* "OWNER.NAME", for field_name. */
pr_str pr_graph_join(struct pr_profile_builder *c, pr_str owner, pr_str name);

/* Adds metrics and facts; what goes wrong is kept in C. GRAPH is as pr_dominators_make leaves it. */
void pr_graph_to_profile(struct pr_profile_builder *c, struct pr_graph *graph, const struct pr_graph_names *names);

/*
 * The same for what was read of a dump that is cut: without all references nothing is known of what retains what, so
 * it has the metric "shallow" alone, by class.
 */
void pr_graph_to_classes(struct pr_profile_builder *c, const struct pr_graph *graph,
                         const struct pr_graph_names *names);

/* The frames of both: of a kind's class, of a reference of a node, "Class.field", and of a node's own name; PR_NO_ID:
   it has no name. */
struct pr_graph_frames {
    struct pr_profile_builder *c;
    const struct pr_graph *graph;
    const struct pr_graph_names *names;
    pr_frame_id *of_kind;     /* [kind_count] PR_NO_ID: not made yet */
    struct pr_idset fields;   /* (kind, field) */
    pr_frame_id *of_field;    /* [fields.count] */
    size_t field_capacity;
};

bool pr_graph_frames_init(struct pr_graph_frames *frames, struct pr_profile_builder *c, const struct pr_graph *graph,
                          const struct pr_graph_names *names);
void pr_graph_frames_clear(struct pr_graph_frames *frames);
pr_frame_id pr_graph_frame(struct pr_graph_frames *frames, uint32_t kind);
pr_frame_id pr_graph_field_frame(struct pr_graph_frames *frames, uint32_t node, uint32_t edge);
pr_frame_id pr_graph_own_frame(struct pr_graph_frames *frames, uint32_t node);

/* The metric "held_by". */
void pr_graph_add_holders(struct pr_graph_frames *frames, const struct pr_dominators *dominators);

#endif
