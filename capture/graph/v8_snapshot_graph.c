/* SPDX-License-Identifier: Apache-2.0 */
/* What retains, by the rules of Chrome's DevTools, and what classes and fields are called. */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "capture/graph/v8_snapshot.h"

enum { MOST_PROPERTIES = 256 }; /* an object with more is a table: its keys are data, not fields */

#define DETACHED ((uint64_t)1 << 63)

static uint8_t type_of_kind(const struct pr_v8_snapshot *r, uint32_t kind)
{
    return r->node_type[(r->kinds.keys[kind] & ~DETACHED) >> 32];
}

static pr_str string_at(const struct pr_v8_snapshot *r, uint32_t index)
{
    return index < r->string_count ? r->strings[index] : 0;
}

/* ---- what retains ------------------------------------------------------------------------------------------------ */

static int by_string(const void *a, const void *b, const void *context)
{
    const uint32_t *x = a, *y = b;
    (void)context;
    return PR_ORDER(*x, *y);
}

/* The id of the table whose pair an internal reference is of; 0: none. */
static uint32_t table_of(const struct pr_v8_snapshot *r, uint32_t name)
{
    size_t low = 0, high = r->pair_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->pairs[middle].string < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->pair_count && r->pairs[low].string == name ? r->pairs[low].table : 0;
}

/* The value of a WeakMap is held by its key and its table: it counts as the key's. */
static bool retains(const struct pr_v8_snapshot *r, uint32_t node, uint32_t edge)
{
    const unsigned type = pr_v8_edge_type(r, edge);
    if (type == PR_SNAP_WEAK || (type == PR_SNAP_SHORTCUT && node))
        return false;
    if (type != PR_SNAP_INTERNAL || !r->pair_count)
        return true;
    const uint32_t table = table_of(r, r->edge_name[edge] & PR_SNAP_NAME_MASK);
    return !table || table != r->id[node];
}

static bool is_synthetic(const struct pr_v8_snapshot *r, uint32_t node, const char *name)
{
    const uint32_t kind = r->graph.kind[node];
    if (type_of_kind(r, kind) != PR_SNAP_SYNTHETIC)
        return false;
    const struct pr_text text = pr_profile_text(r->c.profile, string_at(r, (uint32_t)r->kinds.keys[kind]));
    return pr_text_is(text, name);
}

/*
 * What the page itself can reach: from its global objects and trees of the DOM, by all but weak references. Others,
 * such as the debugger and V8's own handles, do not count as holders of these.
 */
static bool mark_page(const struct pr_v8_snapshot *r, uint8_t *is_page)
{
    const struct pr_graph *graph = &r->graph;
    uint32_t *stack = malloc((size_t)graph->count * sizeof *stack), depth = 0;
    for (uint32_t e = graph->first[0]; stack && e < graph->first[1]; e++) {
        const uint32_t to = graph->to[e];
        const unsigned type = pr_v8_edge_type(r, e);
        const bool is_entry = type == PR_SNAP_SHORTCUT ||
                              (type == PR_SNAP_ELEMENT && is_synthetic(r, to, "(Document DOM trees)"));
        if (is_entry && !is_page[to]) {
            is_page[to] = 1;
            stack[depth++] = to;
        }
    }
    while (depth) {
        const uint32_t node = stack[--depth];
        for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
            const uint32_t to = graph->to[e];
            if (is_page[to] || pr_v8_edge_type(r, e) == PR_SNAP_WEAK)
                continue;
            is_page[to] = 1;
            stack[depth++] = to;
        }
    }
    free(stack);
    return stack != NULL;
}

void pr_v8_drop_edges(struct pr_v8_snapshot *r)
{
    struct pr_graph *graph = &r->graph;
    uint8_t *is_page = calloc(graph->count, sizeof *is_page);
    if (!is_page || !mark_page(r, is_page) ||
        !pr_sort(r->pairs, r->pair_count, sizeof *r->pairs, by_string, NULL)) {
        pr_build_no_memory(&r->c);
        free(is_page);
        return;
    }
    for (uint32_t node = 0; node < graph->count; node++)
        for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++)
            if (!retains(r, node, e) || (node && is_page[graph->to[e]] && !is_page[node]))
                graph->to[e] = node;
    for (uint32_t e = graph->first[0]; e < graph->first[1] && r->global_count < PR_V8_MOST_GLOBALS; e++)
        r->globals[r->global_count++] = graph->to[e];
    free(is_page);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* DevTools' words: what V8 has for itself is in brackets. */
static pr_str name_of_kind(void *context, uint32_t kind)
{
    struct pr_v8_snapshot *r = context;
    const uint64_t key = r->kinds.keys[kind];
    const uint32_t file_type = (uint32_t)((key & ~DETACHED) >> 32);
    const pr_str name = string_at(r, (uint32_t)key);
    static const char detached[] = "Detached ";
    switch (r->node_type[file_type]) {
    case PR_SNAP_HIDDEN:
        return pr_build_text(&r->c, "(system)");
    case PR_SNAP_CODE:
        return pr_build_text(&r->c, "(compiled code)");
    case PR_SNAP_CLOSURE:
        return pr_build_text(&r->c, "Function");
    case PR_SNAP_REGEXP:
        return pr_build_text(&r->c, "RegExp");
    case PR_SNAP_OBJECT:
    case PR_SNAP_NATIVE:
    case PR_SNAP_SYNTHETIC: {
        const struct pr_text text = pr_profile_text(r->c.profile, name);
        struct pr_buf words = {0};
        if (!text.length)
            return r->other_type[file_type];
        if (!(key & DETACHED) || !strncmp(text.bytes, detached, sizeof detached - 1))
            return name;
        pr_buf_text(&words, detached);
        pr_buf_add(&words, text.bytes, text.length);
        return pr_build_buf(&r->c, &words);
    }
    default:
        return r->other_type[file_type];
    }
}

static bool is_label(void *context, uint32_t kind)
{
    return type_of_kind(context, kind) == PR_SNAP_SYNTHETIC;
}

/* Of a constructor of the program, or not. */
static bool is_generic(void *context, uint32_t kind)
{
    const struct pr_v8_snapshot *r = context;
    const struct pr_text name = pr_profile_text(r->c.profile, string_at(r, (uint32_t)r->kinds.keys[kind]));
    return type_of_kind(r, kind) != PR_SNAP_OBJECT || pr_text_is(name, "Object") || pr_text_is(name, "Array");
}

/* The root refers to global objects itself: kept aside, as references lead to places once there are dominators. */
static bool is_global(void *context, uint32_t node)
{
    const struct pr_v8_snapshot *r = context;
    for (uint32_t i = 0; i < r->global_count; i++)
        if (r->globals[i] == node)
            return true;
    return false;
}

/* Whether the node has so many properties that they are the keys of a table. Global objects have many of their own. */
static bool is_table(void *context, uint32_t node)
{
    const struct pr_v8_snapshot *r = context;
    const struct pr_graph *graph = &r->graph;
    uint32_t properties = 0;
    if (graph->first[node + 1] - graph->first[node] <= MOST_PROPERTIES)
        return false;
    if (is_global(context, node))
        return false;
    for (uint32_t e = graph->first[node]; e < graph->first[node + 1] && properties <= MOST_PROPERTIES; e++)
        properties += pr_v8_edge_type(r, e) == PR_SNAP_PROPERTY;
    return properties > MOST_PROPERTIES;
}

static uint32_t field_of(void *context, uint32_t node, uint32_t edge)
{
    const struct pr_v8_snapshot *r = context;
    const unsigned type = pr_v8_edge_type(r, edge);
    const uint32_t name = r->edge_name[edge] & PR_SNAP_NAME_MASK;
    if ((type != PR_SNAP_PROPERTY && type != PR_SNAP_CONTEXT) || !string_at(r, name) || is_table(context, node))
        return PR_NO_ID;
    return name;
}

static pr_str name_of_field(void *context, uint32_t kind, uint32_t field)
{
    struct pr_v8_snapshot *r = context;
    return pr_graph_join(&r->c, name_of_kind(r, kind), string_at(r, field));
}

struct pr_graph_names pr_v8_names(struct pr_v8_snapshot *r)
{
    return (struct pr_graph_names){.context = r,
                                   .kind_count = r->kinds.count,
                                   .kind = name_of_kind,
                                   .is_label = is_label,
                                   .is_generic = is_generic,
                                   .is_global = is_global,
                                   .field = field_of,
                                   .field_name = name_of_field};
}
