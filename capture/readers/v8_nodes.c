/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as an array; a stack of brackets for nested ones. */
#include "capture/readers/v8_nodes.h"

#include "capture/parse/frame_text.h"

#include "capture/base/checked.h"

#include <stdlib.h>

/* ---- one node --------------------------------------------------------------------------------------------------- */

/* What is not code has no file and a name in brackets. */
static enum pr_v8_mark mark_of(struct pr_text name, struct pr_text file)
{
    static const char *const names[] = {[PR_V8_ROOT] = "(root)",
                                        [PR_V8_PROGRAM] = "(program)",
                                        [PR_V8_IDLE] = "(idle)",
                                        [PR_V8_GC] = "(garbage collector)"};
    for (unsigned i = PR_V8_ROOT; i < sizeof names / sizeof *names; i++)
        if (!file.length && pr_text_is(name, names[i]))
            return (enum pr_v8_mark)i;
    return PR_V8_CODE;
}

/* What is known about the place of a node, key by key; old files have them in the node itself. */
struct call_frame {
    pr_str name, file;
    int64_t line;
    bool is_script; /* it has the number of a script, which may have no url; what V8 itself has is in script 0 */
};

/* True: the key was one of a callFrame. */
static bool take_place(struct pr_v8_nodes *nodes, struct call_frame *frame)
{
    struct pr_json_stream *json = nodes->json;
    if (pr_json_is(json, "scriptId")) {
        pr_json_next(json);
        frame->is_script = (json->token == PR_JSON_STRING || json->token == PR_JSON_NUMBER) && json->text.length &&
                           !pr_text_is(json->text, "0");
        pr_json_skip(json);
        return true;
    }
    pr_str *string = pr_json_is(json, "functionName") ? &frame->name : pr_json_is(json, "url") ? &frame->file : NULL;
    if (!string && !pr_json_is(json, "lineNumber"))
        return false;
    pr_json_next(json);
    if (string && json->token == PR_JSON_STRING)
        *string = pr_build_string(nodes->c, json->text.bytes, json->text.length);
    else if (!string)
        frame->line = pr_json_scaled(json, 0, -1);
    pr_json_skip(json);
    return true;
}

static void read_call_frame(struct pr_v8_nodes *nodes, struct call_frame *frame)
{
    if (!pr_json_enter(nodes->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(nodes->json))
        if (!take_place(nodes, frame))
            pr_json_skip(nodes->json);
}

static enum pr_frame_kind kind_of(enum pr_v8_mark mark, bool is_script, struct pr_text name, struct pr_text file)
{
    if (mark != PR_V8_CODE)
        return PR_FRAME_OTHER;
    return is_script && !file.length ? PR_FRAME_PYTHON : pr_frame_kind_of(name, file);
}

static void settle_frame(struct pr_v8_nodes *nodes, struct pr_v8_node *node, const struct call_frame *frame)
{
    struct pr_text name = pr_profile_text(nodes->c->profile, frame->name);
    struct pr_text file = pr_profile_text(nodes->c->profile, frame->file);
    node->mark = mark_of(name, file);
    struct pr_place place = {.function = frame->name,
                             .file = frame->file,
                             .definition_line = frame->line < INT32_MAX ? frame->line + 1 : 0,
                             .kind = kind_of(node->mark, frame->is_script, name, file)};
    if (!name.length)
        place.function = pr_build_text(nodes->c, "(anonymous)");
    node->frame = pr_build_frame(nodes->c, &place);
}

/* A new node below PARENT; its index. */
static uint32_t add_node(struct pr_v8_nodes *nodes, uint32_t parent)
{
    if (nodes->count >= PR_NO_ID - 1 ||
        !pr_grow(&nodes->node, &nodes->capacity, nodes->count + 1, sizeof *nodes->node)) {
        pr_build_no_memory(nodes->c);
        return PR_NO_ID;
    }
    nodes->node[nodes->count] = (struct pr_v8_node){.parent = parent};
    return (uint32_t)nodes->count++;
}

static void add_edge(struct pr_v8_nodes *nodes, uint32_t parent, uint64_t child)
{
    if (!pr_grow(&nodes->edges, &nodes->edge_capacity, nodes->edge_count + 1, sizeof *nodes->edges))
        pr_build_no_memory(nodes->c);
    else
        nodes->edges[nodes->edge_count++] = (struct pr_v8_edge){parent, child};
}

/* Neither hits nor bytes are below 0. */
static void take_self(struct pr_v8_nodes *nodes, struct pr_v8_node *node)
{
    const int64_t self = pr_json_value(nodes->json, 0).value;
    pr_build_damage(nodes->c, PR_DAMAGE_RECORDS, self < 0);
    node->self = self > 0 ? self : 0;
}

/* A key of a node that is neither a place nor a child. */
static void take_number(struct pr_v8_nodes *nodes, struct pr_v8_node *node)
{
    struct pr_json_stream *json = nodes->json;
    if (pr_json_is(json, "id"))
        node->id = (uint64_t)pr_json_value(json, 0).value;
    else if (pr_json_is(json, "parent"))
        node->parent_id = (uint64_t)pr_json_value(json, 0).value;
    else if (pr_json_is(json, "hitCount") || pr_json_is(json, "selfSize"))
        take_self(nodes, node);
    else
        pr_json_skip(json);
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

static void read_children(struct pr_v8_nodes *nodes, uint32_t parent)
{
    if (!pr_json_enter(nodes->json, PR_JSON_ARRAY))
        return;
    while (nodes->c->status == PR_OK && pr_json_item(nodes->json)) {
        if (nodes->json->token == PR_JSON_NUMBER)
            add_edge(nodes, parent, (uint64_t)pr_json_scaled(nodes->json, 0, 0));
        else
            pr_json_skip(nodes->json);
    }
}

static void read_listed(struct pr_v8_nodes *nodes, uint32_t index)
{
    struct call_frame frame = {.line = -1};
    while (pr_json_key(nodes->json)) {
        if (pr_json_is(nodes->json, "callFrame"))
            read_call_frame(nodes, &frame);
        else if (pr_json_is(nodes->json, "children"))
            read_children(nodes, index);
        else if (!take_place(nodes, &frame))
            take_number(nodes, &nodes->node[index]);
    }
    settle_frame(nodes, &nodes->node[index], &frame);
}

void pr_v8_nodes_read_list(struct pr_v8_nodes *nodes)
{
    if (!pr_json_enter(nodes->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(nodes->c) && pr_json_object(nodes->json)) {
        uint32_t index = add_node(nodes, PR_NO_ID);
        if (index == PR_NO_ID)
            pr_json_skip(nodes->json);
        else
            read_listed(nodes, index);
    }
}

/* ---- nesting ---------------------------------------------------------------------------------------------------- */

/* The nodes that are open, one inside the other. */
struct open_node {
    uint32_t index;
    uint32_t depth; /* of its bracket in the document */
    struct call_frame frame;
};

struct open_nodes {
    struct open_node *node;
    size_t count, capacity;
};

static bool open_node(struct pr_v8_nodes *nodes, struct open_nodes *open)
{
    uint32_t index = add_node(nodes, open->count ? open->node[open->count - 1].index : PR_NO_ID);
    if (index == PR_NO_ID || !pr_grow(&open->node, &open->capacity, open->count + 1, sizeof *open->node)) {
        pr_build_no_memory(nodes->c);
        return false;
    }
    open->node[open->count++] = (struct open_node){index, nodes->json->depth, {.line = -1}};
    return true;
}

/* A key of the innermost open node. The array of its children is entered: their items come as tokens. */
static void take_key(struct pr_v8_nodes *nodes, struct open_node *open)
{
    if (pr_json_is(nodes->json, "callFrame"))
        read_call_frame(nodes, &open->frame);
    else if (pr_json_is(nodes->json, "children"))
        pr_json_enter(nodes->json, PR_JSON_ARRAY);
    else if (!take_place(nodes, &open->frame))
        take_number(nodes, &nodes->node[open->index]);
}

static void close_node(struct pr_v8_nodes *nodes, struct open_nodes *open)
{
    struct open_node *closed = &open->node[--open->count];
    settle_frame(nodes, &nodes->node[closed->index], &closed->frame);
}

void pr_v8_nodes_read_nested(struct pr_v8_nodes *nodes)
{
    struct open_nodes open = {.count = 0};
    if (!pr_json_enter(nodes->json, PR_JSON_OBJECT))
        return;
    bool going = open_node(nodes, &open);
    while (going && open.count && pr_build_going(nodes->c)) {
        struct open_node *inner = &open.node[open.count - 1];
        switch (pr_json_next(nodes->json)) {
        case PR_JSON_KEY:
            take_key(nodes, inner);
            break;
        case PR_JSON_OBJECT:
            going = open_node(nodes, &open);
            break;
        case PR_JSON_CLOSE:
            if (nodes->json->depth < inner->depth) /* of the node, not of its children */
                close_node(nodes, &open);
            break;
        case PR_JSON_BAD:
            going = false;
            break;
        default:
            pr_json_skip(nodes->json);
            break;
        }
    }
    while (open.count) /* of a document that ends early */
        close_node(nodes, &open);
    free(open.node);
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static void number_nodes(struct pr_v8_nodes *nodes)
{
    nodes->ids.words = 1;
    for (size_t i = 0; i < nodes->count && nodes->c->status == PR_OK; i++) {
        uint32_t at = pr_idset_add(&nodes->ids, &nodes->node[i].id, 1);
        if (at == PR_NO_ID || !pr_grow(&nodes->by_id, &nodes->by_id_capacity, at + (size_t)1, sizeof *nodes->by_id))
            pr_build_no_memory(nodes->c);
        else
            nodes->by_id[at] = (uint32_t)i; /* if several have one id, the last */
    }
}

uint32_t pr_v8_nodes_find(const struct pr_v8_nodes *nodes, uint64_t id)
{
    uint32_t at = pr_idset_find(&nodes->ids, &id, 1);
    return at == PR_NO_ID ? PR_NO_ID : nodes->by_id[at];
}

static void link_node(struct pr_v8_nodes *nodes, struct pr_v8_node *node)
{
    pr_node_id parent = node->parent == PR_NO_ID ? PR_ROOT : nodes->node[node->parent].node;
    node->node =
        node->mark == PR_V8_ROOT && !nodes->keep_root ? PR_ROOT : pr_build_child(nodes->c, parent, node->frame);
}

/* Links the node and all above it that are not yet linked, from the top; PATH has room for all nodes. */
static void link_path(struct pr_v8_nodes *nodes, uint32_t index, uint32_t *path)
{
    size_t length = 0;
    for (; index != PR_NO_ID && !nodes->node[index].linked; index = nodes->node[index].parent) {
        nodes->node[index].linked = true; /* on its way: a circle ends at it */
        path[length++] = index;
    }
    while (length--)
        link_node(nodes, &nodes->node[path[length]]);
}

void pr_v8_nodes_link(struct pr_v8_nodes *nodes)
{
    number_nodes(nodes);
    for (size_t i = 0; i < nodes->edge_count && nodes->c->status == PR_OK; i++) {
        uint32_t child = pr_v8_nodes_find(nodes, nodes->edges[i].child);
        if (child != PR_NO_ID)
            nodes->node[child].parent = nodes->edges[i].parent;
        pr_build_damage(nodes->c, PR_DAMAGE_FRAMES, child == PR_NO_ID);
    }
    uint32_t *path = malloc((nodes->count + 1) * sizeof *path);
    if (!path)
        pr_build_no_memory(nodes->c);
    for (size_t i = 0; i < nodes->count && nodes->c->status == PR_OK; i++)
        link_path(nodes, (uint32_t)i, path);
    free(path);
}

void pr_v8_nodes_clear(struct pr_v8_nodes *nodes)
{
    free(nodes->node);
    free(nodes->edges);
    free(nodes->by_id);
    pr_idset_clear(&nodes->ids);
}
