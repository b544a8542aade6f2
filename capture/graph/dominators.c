/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semi-NCA: semidominators by path compression, then the nearest common ancestor of parent and semidominator.
 *
 * Source: L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton 2005, section 2.3;
 * T. Lengauer and R. E. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1979.
 */
#include "capture/base/checked.h"
#include "capture/graph/graph.h"

enum {
    AHEAD = 16,       /* references from the one at hand: what they lead to is fetched meanwhile */
    FETCHED_OF_NODE = 8
};

/* How far the walk has come in the references of a place. */
struct step {
    uint32_t above; /* the place from which it was reached */
    uint32_t next, end;
};

/* A place in the forest of path compression. */
struct link {
    uint32_t ancestor;
    uint32_t lowest; /* semidominator from here up to the ancestor, without that */
};

/* All by place. */
struct work {
    struct pr_graph *graph;
    struct pr_dominators *d;
    struct step *steps;
    struct link *links;
    uint32_t *semi, *path;
    uint32_t *first_from, *from; /* those that refer to a place: from[first_from[i]] ... */
};

static void *numbers(size_t count)
{
    return calloc(count ? count : 1, sizeof(uint32_t));
}

static void visit(struct work *w, uint32_t node, uint32_t above)
{
    const struct pr_graph *graph = w->graph;
    struct pr_dominators *d = w->d;
    const uint32_t begin = graph->first[node], end = graph->first[node + 1];
    for (uint32_t e = begin; e < end && e - begin < FETCHED_OF_NODE; e++) {
        __builtin_prefetch(&d->place[graph->to[e]]);
        __builtin_prefetch(&graph->first[graph->to[e]]);
    }
    w->steps[d->count] = (struct step){above, begin, end};
    d->node[d->count] = node;
    d->place[node] = d->count++;
}

/* A walk from the root in depth, its own tree as the stack. */
static void walk(struct work *w)
{
    uint32_t at = 0;
    visit(w, 0, 0);
    for (;;) {
        struct step *step = &w->steps[at];
        if (step->next < step->end) {
            const uint32_t to = w->graph->to[step->next++];
            if (w->d->place[to] == PR_NO_ID) {
                visit(w, to, at);
                at = w->d->count - 1;
            }
        } else if (at == 0) {
            return;
        } else {
            at = step->above;
        }
    }
}

/* References lead to places from here on; those of nodes that are not reachable to any, or to PR_NO_ID. */
static void refer_to_places(struct pr_graph *graph, const uint32_t *place)
{
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        if (e + (uint64_t)AHEAD < graph->edge_count)
            __builtin_prefetch(&place[graph->to[e + AHEAD]]);
        graph->to[e] = place[graph->to[e]];
    }
}

static void fetch_ahead(const struct pr_graph *graph, uint32_t edge, const uint32_t *by_place)
{
    if (edge + (uint64_t)AHEAD < graph->edge_count && graph->to[edge + AHEAD] != PR_NO_ID)
        __builtin_prefetch(&by_place[graph->to[edge + AHEAD]], 1);
}

/* Who refers to each place, without references to itself, in the order of nodes. False: no memory. */
static bool turn_round(struct work *w)
{
    const struct pr_graph *graph = w->graph;
    const struct pr_dominators *d = w->d;
    w->first_from = numbers(d->count + (size_t)2);
    if (!w->first_from)
        return false;
    for (uint32_t node = 0; node < graph->count; node++) {
        for (uint32_t e = graph->first[node]; d->place[node] != PR_NO_ID && e < graph->first[node + 1]; e++) {
            fetch_ahead(graph, e, w->first_from + 2);
            w->first_from[graph->to[e] + 2] += graph->to[e] != d->place[node];
        }
    }
    for (uint32_t i = 0; i < d->count; i++)
        w->first_from[i + 2] += w->first_from[i + 1];
    w->from = numbers(w->first_from[d->count + 1]);
    for (uint32_t node = 0; w->from && node < graph->count; node++) {
        for (uint32_t e = graph->first[node]; d->place[node] != PR_NO_ID && e < graph->first[node + 1]; e++) {
            fetch_ahead(graph, e, w->first_from + 1);
            if (graph->to[e] != d->place[node])
                w->from[w->first_from[graph->to[e] + 1]++] = d->place[node];
        }
    }
    return w->from != NULL;
}

/* The lowest semidominator on the way up from PLACE among those from LINKED on. */
static uint32_t lowest_above(struct work *w, uint32_t place, uint32_t linked)
{
    struct link *const links = w->links;
    uint32_t depth = 0, upper = place;
    if (links[place].ancestor < linked)
        return links[place].lowest;
    do {
        w->path[depth++] = upper;
        upper = links[upper].ancestor;
    } while (links[upper].ancestor >= linked);
    while (depth) {
        const uint32_t lower = w->path[--depth];
        links[lower].ancestor = links[upper].ancestor;
        if (links[upper].lowest < links[lower].lowest)
            links[lower].lowest = links[upper].lowest;
        upper = lower;
    }
    return links[place].lowest;
}

static void find_dominators(struct work *w)
{
    const struct pr_dominators *d = w->d;
    for (uint32_t i = 0; i < d->count; i++)
        w->links[i] = (struct link){d->above[i], i};
    for (uint32_t i = d->count; i-- > 1;) {
        uint32_t semi = d->above[i];
        for (uint32_t k = w->first_from[i]; k < w->first_from[i + 1]; k++) {
            if (k >= AHEAD)
                __builtin_prefetch(&w->links[w->from[k - AHEAD]], 1);
            const uint32_t other = lowest_above(w, w->from[k], i + 1);
            semi = other < semi ? other : semi;
        }
        w->semi[i] = w->links[i].lowest = semi;
    }
    for (uint32_t i = 1; i < d->count; i++)
        while (d->above[i] > w->semi[i])
            d->above[i] = d->above[d->above[i]];
}

static void sum_up(const struct pr_graph *graph, struct pr_dominators *d)
{
    for (uint32_t node = 0; node < graph->count; node++)
        if (d->place[node] != PR_NO_ID)
            d->retained[d->place[node]] = graph->size[node];
    for (uint32_t i = d->count; i-- > 1;) {
        uint64_t *sum = &d->retained[d->above[i]];
        *sum = d->retained[i] > INT64_MAX - *sum ? INT64_MAX : *sum + d->retained[i];
    }
}

static void find_references(const struct pr_graph *graph, struct pr_dominators *d)
{
    memset(d->through, 0xff, d->count * sizeof *d->through);
    for (uint32_t node = 0; node < graph->count; node++) {
        const uint32_t place = d->place[node];
        for (uint32_t e = graph->first[node]; place != PR_NO_ID && e < graph->first[node + 1]; e++) {
            const uint32_t to = graph->to[e];
            fetch_ahead(graph, e, d->above);
            if (to != place && d->above[to] == place && d->through[to] == PR_NO_ID)
                d->through[to] = e;
        }
    }
}

/* Places, and from which one each was reached. */
static bool make_places(struct work *w)
{
    struct pr_dominators *d = w->d;
    const size_t all = w->graph->count;
    d->node = numbers(all);
    d->place = numbers(all);
    w->steps = calloc(all, sizeof *w->steps);
    if (!d->node || !d->place || !w->steps)
        return false;
    memset(d->place, 0xff, all * sizeof *d->place);
    walk(w);
    refer_to_places(w->graph, d->place);
    d->above = numbers(d->count);
    for (uint32_t i = 0; d->above && i < d->count; i++)
        d->above[i] = w->steps[i].above;
    free(w->steps);
    w->steps = NULL;
    return d->above != NULL;
}

static bool make(struct work *w)
{
    if (!make_places(w) || !turn_round(w))
        return false;
    w->links = calloc(w->d->count, sizeof *w->links);
    w->semi = numbers(w->d->count);
    w->path = numbers(w->d->count);
    if (!w->links || !w->semi || !w->path)
        return false;
    find_dominators(w);
    return true;
}

bool pr_dominators_make(struct pr_graph *graph, struct pr_dominators *dominators)
{
    struct work w = {.graph = graph, .d = dominators};
    *dominators = (struct pr_dominators){0};
    bool done = graph->count && make(&w);
    free(w.steps);
    free(w.links);
    free(w.semi);
    free(w.path);
    free(w.first_from);
    free(w.from);
    if (done) {
        dominators->retained = calloc(dominators->count, sizeof *dominators->retained);
        dominators->through = numbers(dominators->count);
        done = dominators->retained && dominators->through;
    }
    if (done) {
        sum_up(graph, dominators);
        find_references(graph, dominators);
    }
    return done;
}

void pr_dominators_clear(struct pr_dominators *dominators)
{
    free(dominators->node);
    free(dominators->place);
    free(dominators->above);
    free(dominators->retained);
    free(dominators->through);
    *dominators = (struct pr_dominators){0};
}
