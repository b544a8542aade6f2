/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap snapshots of V8 (.heapsnapshot): of Chrome's DevTools, v8.writeHeapSnapshot and --heapsnapshot-signal of node.
 *
 * Source: doc/formats/heap-graphs.md.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/builder/reader.h"
#include "capture/graph/v8_snapshot.h"
#include "capture/parse/json_peek.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_STRING_BYTES = 240 }; /* of a name; longer ones are cut */

/* ---- snapshot.meta ----------------------------------------------------------------------------------------------- */

/* The names of fields, in the order in which their values are written. */
static void read_fields(struct pr_v8_snapshot *r, struct pr_v8_layout *layout)
{
    const uint32_t none = PR_SNAP_MOST_FIELDS;
    *layout = (struct pr_v8_layout){0, none, none, none, none, none, none, none};
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_json_item(&r->json)) {
        const uint32_t at = layout->fields++;
        uint32_t *field = pr_json_is(&r->json, "type")            ? &layout->type
                          : pr_json_is(&r->json, "name")          ? &layout->name
                          : pr_json_is(&r->json, "name_or_index") ? &layout->name
                          : pr_json_is(&r->json, "id")            ? &layout->id
                          : pr_json_is(&r->json, "self_size")     ? &layout->size
                          : pr_json_is(&r->json, "edge_count")    ? &layout->edges
                          : pr_json_is(&r->json, "detachedness")  ? &layout->detached
                          : pr_json_is(&r->json, "to_node")       ? &layout->to
                                                                  : NULL;
        if (r->json.token == PR_JSON_STRING && field && *field == none)
            *field = at;
        pr_json_skip(&r->json);
    }
}

/* The first item of a list of types is the list of what `type` can be. */
static uint32_t read_types(struct pr_v8_snapshot *r, const char *const *known, uint8_t known_count, uint8_t *types,
                           pr_str *others)
{
    uint32_t count = 0;
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return 0;
    if (pr_json_item(&r->json) && r->json.token == PR_JSON_ARRAY) {
        while (pr_json_item(&r->json)) {
            const struct pr_text name = r->json.text;
            uint8_t type = 0;
            if (r->json.token == PR_JSON_STRING && count < PR_SNAP_MOST_TYPES) {
                while (type < known_count &&
                       (strlen(known[type]) != name.length || memcmp(known[type], name.bytes, name.length) != 0))
                    type++;
                char text[80];
                const int length = snprintf(text, sizeof text, "(%.*s)", (int)(name.length < 70 ? name.length : 70),
                                            name.bytes);
                if (others)
                    others[count] = pr_build_string(&r->c, text, (size_t)length);
                types[count++] = type;
            }
            pr_json_skip(&r->json);
        }
    } else if (r->json.token > PR_JSON_CLOSE) {
        pr_json_skip(&r->json);
    }
    while (r->json.token != PR_JSON_BAD && pr_json_item(&r->json))
        pr_json_skip(&r->json);
    return count;
}

static void read_meta(struct pr_v8_snapshot *r)
{
    static const char *const nodes[] = {"hidden", "array",  "string", "object", "code",
                                        "closure", "regexp", "number", "native", "synthetic"};
    static const char *const edges[] = {"context", "element", "property", "internal", "hidden", "shortcut", "weak"};
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "node_fields"))
            read_fields(r, &r->node);
        else if (pr_json_is(&r->json, "edge_fields"))
            read_fields(r, &r->edge);
        else if (pr_json_is(&r->json, "node_types"))
            r->node_types = read_types(r, nodes, PR_SNAP_NODE_TYPES, r->node_type, r->other_type);
        else if (pr_json_is(&r->json, "edge_types"))
            r->edge_types = read_types(r, edges, PR_SNAP_EDGE_TYPES, r->edge_type, NULL);
        else
            pr_json_skip(&r->json);
    }
    const struct pr_v8_layout *node = &r->node, *edge = &r->edge; /* without a list: no fields */
    r->has_meta = node->fields <= PR_SNAP_MOST_FIELDS && edge->fields <= PR_SNAP_MOST_FIELDS &&
                  node->type < node->fields && node->name < node->fields && node->size < node->fields &&
                  node->edges < node->fields && edge->type < edge->fields && edge->name < edge->fields &&
                  edge->to < edge->fields && r->node_types && r->edge_types;
}

static void read_snapshot(struct pr_v8_snapshot *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "meta"))
            read_meta(r);
        else
            pr_json_skip(&r->json);
    }
}

/* ---- nodes and edges --------------------------------------------------------------------------------------------- */

void pr_v8_need(struct pr_v8_snapshot *r, uint64_t index)
{
    const size_t word = (size_t)(index / 64), known = r->needed_words;
    if (index > PR_SNAP_NAME_MASK)
        return;
    if (word >= known) {
        size_t capacity = known;
        if (!pr_grow(&r->needed, &capacity, word + 1, sizeof *r->needed)) {
            pr_build_no_memory(&r->c);
            return;
        }
        memset(r->needed + known, 0, (capacity - known) * sizeof *r->needed);
        r->needed_words = capacity;
    }
    r->needed[word] |= (uint64_t)1 << index % 64;
}

/* The next FIELDS numbers. False: the array is closed, or the input is over. */
static bool read_numbers(struct pr_v8_snapshot *r, uint64_t *numbers, uint32_t fields)
{
    for (uint32_t i = 0; i < fields; i++) {
        if (!pr_json_item(&r->json)) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, i > 0 && r->json.token == PR_JSON_CLOSE);
            return false;
        }
        if (!pr_json_index(&r->json, &numbers[i]))
            pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, 1);
        pr_json_skip(&r->json);
    }
    return true;
}

/* The class of a node: of objects their constructor, of others their type. */
static uint32_t kind_of(struct pr_v8_snapshot *r, const uint64_t *node)
{
    const uint64_t number = node[r->node.type];
    const uint64_t file_type = number < r->node_types ? number : 0;
    const uint8_t type = r->node_type[file_type];
    const bool has_name = type == PR_SNAP_OBJECT || type == PR_SNAP_NATIVE || type == PR_SNAP_SYNTHETIC;
    const bool is_detached = r->node.detached < r->node.fields && node[r->node.detached] == 2;
    const uint64_t name = has_name && node[r->node.name] <= PR_SNAP_NAME_MASK ? node[r->node.name] : 0;
    const uint64_t key = file_type << 32 | (uint64_t)is_detached << 63 | name;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, number != file_type);
    if (has_name)
        pr_v8_need(r, name);
    const uint32_t kind = pr_idset_add(&r->kinds, &key, 1);
    if (kind == PR_NO_ID)
        pr_build_no_memory(&r->c);
    return kind;
}

static void read_nodes(struct pr_v8_snapshot *r)
{
    uint64_t node[PR_SNAP_MOST_FIELDS];
    if (!r->has_meta || r->graph.count || !pr_json_enter(&r->json, PR_JSON_ARRAY)) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    while (pr_build_going(&r->c) && read_numbers(r, node, r->node.fields)) {
        const uint32_t index = r->graph.count;
        const bool is_large = node[r->node.size] > INT64_MAX;
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, is_large);
        if (!pr_graph_node(&r->graph, kind_of(r, node), is_large ? INT64_MAX : node[r->node.size]) ||
            !pr_grow(&r->id, &r->id_capacity, index + (size_t)1, sizeof *r->id)) {
            pr_build_no_memory(&r->c);
            return;
        }
        r->id[index] = r->node.id < r->node.fields ? (uint32_t)node[r->node.id] : 0;
        r->graph.first[index] = r->edges_due < UINT32_MAX ? (uint32_t)r->edges_due : UINT32_MAX - 1;
        r->edges_due = node[r->node.edges] > UINT32_MAX ? UINT32_MAX : r->edges_due + node[r->node.edges];
    }
}

static void read_edges(struct pr_v8_snapshot *r)
{
    uint64_t edge[PR_SNAP_MOST_FIELDS];
    if (!r->has_meta || r->graph.edge_count || !pr_json_enter(&r->json, PR_JSON_ARRAY)) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    while (pr_build_going(&r->c) && read_numbers(r, edge, r->edge.fields)) {
        const uint64_t number = edge[r->edge.type], to = edge[r->edge.to], name = edge[r->edge.name];
        const uint8_t type = number < r->edge_types ? r->edge_type[number] : PR_SNAP_EDGE_TYPES;
        const bool is_named = type == PR_SNAP_CONTEXT || type == PR_SNAP_PROPERTY || type == PR_SNAP_SHORTCUT;
        const bool is_good = to % r->node.fields == 0 && to / r->node.fields < r->graph.count;
        if (!pr_graph_edge(&r->graph, is_good ? (uint32_t)(to / r->node.fields) : PR_NO_ID) ||
            !pr_grow(&r->edge_name, &r->edge_name_capacity, r->graph.edge_count, sizeof *r->edge_name)) {
            pr_build_no_memory(&r->c);
            return;
        }
        r->edge_name[r->graph.edge_count - 1] =
            (uint32_t)type << PR_SNAP_NAME_BITS | (uint32_t)(name <= PR_SNAP_NAME_MASK ? name : 0);
        if (is_named)
            pr_v8_need(r, name);
    }
    r->has_edges = r->json.token == PR_JSON_CLOSE;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* "2 / part of key (K @5) -> value (V @7) pair in WeakMap (table @9)": the number of the table; 0: it is not that. */
static uint32_t table_of(struct pr_text text)
{
    static const char part[] = " / part of key (", table[] = " pair in WeakMap (table @";
    uint64_t number = 0;
    if (!text.length || text.bytes[0] < '0' || text.bytes[0] > '9' ||
        !memmem(text.bytes, text.length, part, sizeof part - 1))
        return 0;
    const char *at = memmem(text.bytes, text.length, table, sizeof table - 1), *end = text.bytes + text.length;
    for (at = at ? at + sizeof table - 1 : end; at < end && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return (uint32_t)number;
}

static void read_string(struct pr_v8_snapshot *r, size_t index)
{
    const struct pr_text text = r->json.text;
    const uint32_t table = table_of(text);
    if (!pr_grow(&r->strings, &r->string_capacity, index + 1, sizeof *r->strings)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->strings[index] = 0;
    if (index / 64 < r->needed_words && r->needed[index / 64] >> index % 64 & 1)
        r->strings[index] =
            pr_build_string(&r->c, text.bytes, text.length < MOST_STRING_BYTES ? text.length : MOST_STRING_BYTES);
    if (!table || index > PR_SNAP_NAME_MASK)
        return;
    if (!pr_grow(&r->pairs, &r->pair_capacity, r->pair_count + 1, sizeof *r->pairs)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->pairs[r->pair_count].string = (uint32_t)index;
    r->pairs[r->pair_count++].table = table;
}

static void read_strings(struct pr_v8_snapshot *r)
{
    if (r->has_strings || !r->graph.count || !pr_json_enter(&r->json, PR_JSON_ARRAY)) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    while (pr_build_going(&r->c) && pr_json_item(&r->json)) {
        if (r->json.token == PR_JSON_STRING)
            read_string(r, r->string_count++);
        else
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(&r->json);
    }
    r->has_strings = r->json.token == PR_JSON_CLOSE;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static enum pr_status read_document(struct pr_v8_snapshot *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return pr_json_unexpected(json, "an object");
    while (r->c.status == PR_OK && pr_json_key(json)) {
        if (pr_json_is(json, "snapshot"))
            read_snapshot(r);
        else if (pr_json_is(json, "nodes"))
            read_nodes(r);
        else if (pr_json_is(json, "edges"))
            read_edges(r);
        else if (pr_json_is(json, "strings"))
            read_strings(r);
        else
            pr_json_skip(json);
    }
    return pr_json_finish(json);
}

/* Counts of edges that the file does not have are cut to those it has. */
static void close_graph(struct pr_v8_snapshot *r)
{
    struct pr_graph *graph = &r->graph;
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->has_edges && r->edges_due != graph->edge_count);
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->first[i] > graph->edge_count)
            graph->first[i] = graph->edge_count;
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, pr_graph_close(graph));
}

static int by_id(const void *a, const void *b, const void *context)
{
    const struct pr_object *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->id, y->id);
}

/* Those that DevTools counts: what has a size, and what is native. */
static bool is_object(const struct pr_v8_snapshot *r, uint32_t node)
{
    const uint8_t type = r->node_type[r->kinds.keys[r->graph.kind[node]] >> 32 & INT32_MAX];
    return type != PR_SNAP_SYNTHETIC && (r->graph.size[node] || type == PR_SNAP_NATIVE);
}

static void add_objects(struct pr_v8_snapshot *r, const struct pr_graph_names *names)
{
    struct pr_profile *profile = r->c.profile;
    struct pr_object *objects = pr_arena_array(&profile->arena, r->graph.count, sizeof *objects);
    pr_str *name_of = calloc(r->kinds.count, sizeof *name_of);
    size_t count = 0;
    for (uint32_t node = 0; objects && name_of && node < r->graph.count; node++) {
        const uint32_t kind = r->graph.kind[node];
        if (!is_object(r, node))
            continue;
        if (!name_of[kind])
            name_of[kind] = names->kind(names->context, kind);
        objects[count++] = (struct pr_object){r->id[node], name_of[kind], r->graph.size[node]};
    }
    free(name_of);
    if (!objects || !name_of || !pr_sort(objects, count, sizeof *objects, by_id, NULL)) {
        pr_build_no_memory(&r->c);
        return;
    }
    profile->objects_by_id = objects;
    profile->object_count = count;
}

static void add_metrics(struct pr_v8_snapshot *r)
{
    const struct pr_graph_names names = pr_v8_names(r);
    close_graph(r);
    if (r->has_edges && r->has_strings) {
        pr_v8_drop_edges(r);
        pr_graph_to_profile(&r->c, &r->graph, &names);
        if (r->wants_objects && r->node.id < r->node.fields)
            add_objects(r, &names);
        pr_build_note(&r->c, "it shows one moment of a heap: below each frame is what would be unreachable without "
                             "it; weak references retain nothing");
    } else {
        pr_graph_to_classes(&r->c, &r->graph, &names);
        pr_build_note(&r->c, "it ends before its references%s were read, so what retains what is unknown",
                      r->has_edges ? " and names" : "");
    }
}

static void clear(struct pr_v8_snapshot *r)
{
    pr_graph_clear(&r->graph);
    pr_idset_clear(&r->kinds);
    free(r->id);
    free(r->edge_name);
    free(r->strings);
    free(r->needed);
    free(r->pairs);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_v8_snapshot r = {.kinds = {.words = 1}, .wants_objects = options->objects};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    if (status == PR_CUT && !r.graph.count)
        status = PR_FAILED;
    if (status != PR_FAILED && r.c.status != PR_FAILED && r.graph.count)
        add_metrics(&r);
    clear(&r);
    pr_json_end(&r.json);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    const unsigned nodes = pr_json_evidence(&peek, "snapshot.meta.node_fields", '['),
                   edges = pr_json_evidence(&peek, "snapshot.meta.edge_fields", '[');
    return nodes && edges ? nodes + edges : 0;
}

const struct pr_reader pr_heapsnapshot_reader = {"heapsnapshot", "V8 heap snapshot", probe, read};
