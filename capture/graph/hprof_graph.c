/* SPDX-License-Identifier: Apache-2.0 */
/* Ids become nodes, by a table over the range of addresses, and roots become references. */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/graph/hprof.h"

struct addresses {
    struct pr_hprof_address *list; /* [count] by id */
    uint32_t count;
    uint32_t *first;      /* [1 << bits, + 1] of the addresses of each equal part of the range */
    uint64_t lowest;
    unsigned bits, shift;
};

static int by_id(const void *a, const void *b, const void *context)
{
    const struct pr_hprof_address *x = a, *y = b;
    (void)context;
    return x->id != y->id ? PR_ORDER(x->id, y->id) : PR_ORDER(x->node, y->node);
}

/* Of objects with one id the first one counts. */
static bool sort_ids(struct pr_hprof *r, struct addresses *known)
{
    bool is_sorted = true;
    known->list = malloc(r->graph.count * sizeof *known->list);
    if (!known->list)
        return false;
    for (uint32_t i = 0; i < r->graph.count; i++) {
        if (!r->ids[i])
            continue;
        is_sorted &= !known->count || known->list[known->count - 1].id < r->ids[i];
        known->list[known->count++] = (struct pr_hprof_address){r->ids[i], i};
    }
    free(r->ids);
    r->ids = NULL;
    if (!is_sorted && !pr_sort(known->list, known->count, sizeof *known->list, by_id, NULL))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < known->count; i++)
        if (!kept || known->list[kept - 1].id != known->list[i].id)
            known->list[kept++] = known->list[i];
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, known->count - kept);
    known->count = kept;
    return true;
}

/* As many parts as there are addresses, about one in each where they are spread evenly. */
static bool make_parts(struct addresses *known)
{
    const uint64_t span = known->count ? known->list[known->count - 1].id - known->list[0].id : 0;
    known->lowest = known->count ? known->list[0].id : 0;
    while (known->bits < 31 && (uint32_t)1 << known->bits < known->count)
        known->bits++;
    while (known->shift < 63 && span >> known->shift >> known->bits)
        known->shift++;
    const size_t parts = (size_t)1 << known->bits;
    known->first = calloc(parts + 1, sizeof *known->first);
    if (!known->first)
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        known->first[((known->list[i].id - known->lowest) >> known->shift) + 1]++;
    for (size_t i = 0; i < parts; i++)
        known->first[i + 1] += known->first[i];
    return true;
}

static uint64_t part_of(const struct addresses *known, uint64_t id)
{
    const uint64_t part = (id - known->lowest) >> known->shift;
    return id < known->lowest || part >= (uint64_t)1 << known->bits ? UINT64_MAX : part;
}

static uint32_t node_of(const struct addresses *known, uint64_t id)
{
    const uint64_t part = part_of(known, id);
    if (part == UINT64_MAX)
        return PR_NO_ID;
    uint32_t low = known->first[part], high = known->first[part + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (known->list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < known->count && known->list[low].id == id ? known->list[low].node : PR_NO_ID;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static uint64_t id_at(const unsigned char *memory, size_t edge)
{
    uint64_t id;
    memcpy(&id, memory + edge * sizeof id, sizeof id);
    return id;
}

/* Addresses are spread over all memory: where those of the references after E are is fetched meanwhile. */
static void fetch_ahead(const struct pr_hprof *r, const struct addresses *known, size_t e)
{
    enum { PARTS = 32, LISTS = 16 };
    const unsigned char *const memory = (const unsigned char *)r->targets;
    if (e + PARTS >= r->graph.edge_count)
        return;
    const uint64_t part = part_of(known, id_at(memory, e + PARTS)), list = part_of(known, id_at(memory, e + LISTS));
    if (part != UINT64_MAX)
        __builtin_prefetch(&known->first[part]);
    if (list != UINT64_MAX)
        __builtin_prefetch(&known->list[known->first[list]]);
}

/* The numbers of nodes take the first half of the memory of the ids; the rest is given back. */
static void resolve(struct pr_hprof *r, const struct addresses *known)
{
    struct pr_graph *graph = &r->graph;
    unsigned char *const memory = (unsigned char *)r->targets;
    uint64_t undefined = 0;
    graph->first[graph->count] = graph->edge_count;
    for (uint32_t node = 0; node < graph->count; node++) {
        for (size_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
            fetch_ahead(r, known, e);
            const uint64_t id = id_at(memory, e);
            uint32_t to = id ? node_of(known, id) : node;
            undefined += to == PR_NO_ID;
            to = to == PR_NO_ID ? node : to;
            memcpy(memory + e * sizeof to, &to, sizeof to);
        }
    }
    r->undefined = undefined;
    graph->to = (uint32_t *)(void *)memory;
    graph->edge_capacity = graph->edge_count;
    r->targets = NULL;
    uint32_t *const smaller = realloc(graph->to, (graph->edge_capacity + (size_t)1) * sizeof *smaller);
    if (smaller)
        graph->to = smaller;
    else
        pr_build_no_memory(&r->c);
}

struct root {
    uint32_t kind, node;
};

static int by_kind(const void *a, const void *b, const void *context)
{
    const struct root *x = a, *y = b;
    (void)context;
    return x->kind != y->kind ? PR_ORDER(x->kind, y->kind) : PR_ORDER(x->node, y->node);
}

/* Objects that are roots, by kind, each once. */
static uint32_t find_roots(struct pr_hprof *r, struct root *roots)
{
    uint32_t count = 0, kept = 0;
    for (size_t i = 0; i < r->root_count; i++)
        if (r->roots[i].node != PR_NO_ID)
            roots[count++] = (struct root){r->roots[i].kind, r->roots[i].node};
    if (!pr_sort(roots, count, sizeof *roots, by_kind, NULL))
        pr_build_no_memory(&r->c);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || roots[kept - 1].kind != roots[i].kind || roots[kept - 1].node != roots[i].node)
            roots[kept++] = roots[i];
    return kept;
}

/* The root of all refers to each kind of roots, and these to their objects: before all other references. */
static bool add_roots(struct pr_hprof *r)
{
    struct pr_graph *graph = &r->graph;
    struct root *roots = malloc((r->root_count + 1) * sizeof *roots);
    if (!roots || r->root_count > UINT32_MAX / 2) {
        free(roots);
        return false;
    }
    const uint32_t count = find_roots(r, roots), more = count + PR_HPROF_ROOTS;
    const bool done = graph->edge_count < UINT32_MAX - 1 - more &&
                      pr_grow(&graph->to, &graph->edge_capacity, graph->edge_count + (size_t)more, sizeof *graph->to);
    if (done) {
        memmove(graph->to + more, graph->to, graph->edge_count * sizeof *graph->to);
        graph->edge_count += more;
        for (uint32_t i = 0; i <= graph->count; i++)
            graph->first[i] += more;
        graph->first[0] = 0;
        for (uint32_t kind = 0, at = 0; kind < PR_HPROF_ROOTS; kind++) {
            graph->to[kind] = 1 + kind;
            graph->first[1 + kind] = PR_HPROF_ROOTS + at;
            for (; at < count && roots[at].kind == kind; at++)
                graph->to[PR_HPROF_ROOTS + at] = roots[at].node;
        }
    }
    free(roots);
    return done;
}

void pr_hprof_link(struct pr_hprof *r)
{
    struct addresses known = {0};
    if (r->c.status == PR_FAILED)
        return;
    if (sort_ids(r, &known) && make_parts(&known)) {
        resolve(r, &known);
        pr_hprof_set_sizes(r, known.list, known.count);
        for (size_t i = 0; i < r->root_count; i++)
            r->roots[i].node = node_of(&known, r->roots[i].id);
        if (!pr_hprof_link_threads(r) || !add_roots(r))
            pr_build_no_memory(&r->c);
    } else {
        pr_build_no_memory(&r->c);
    }
    free(known.list);
    free(known.first);
}
