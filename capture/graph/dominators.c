/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semi-NCA: semidominators by path compression, then the nearest common ancestor of parent and semidominator.
 *
 * Source: L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", Princeton 2005, section 2.3;
 * T. Lengauer and R. E. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1979.
 */
#include "capture/base/checked.h"
#include "capture/graph/graph.h"

/* All by place. */
struct work {
    const struct pr_graph *graph;
    struct pr_dominators *d;
    uint32_t *next;     /* [graph.count] the reference of a node that the walk takes next; later a stack */
    uint32_t *ancestor; /* the parent in the walk's tree, then what path compression makes of it */
    uint32_t *semi, *label;
    uint32_t *first_from, *from; /* those that refer to a place: from[first_from[i]] ... */
};

static void *numbers(size_t count)
{
    return calloc(count ? count : 1, sizeof(uint32_t));
}

static void visit(struct work *w, uint32_t node, uint32_t parent)
{
    struct pr_dominators *d = w->d;
    w->next[node] = w->graph->first[node];
    w->ancestor[d->count] = parent;
    d->node[d->count] = node;
    d->place[node] = d->count++;
}

/* A walk from the root in depth, its own tree as the stack. */
static void walk(struct work *w)
{
    const struct pr_graph *graph = w->graph;
    uint32_t at = 0;
    visit(w, 0, 0);
    for (;;) {
        const uint32_t node = w->d->node[at];
        if (w->next[node] < graph->first[node + 1]) {
            const uint32_t to = graph->to[w->next[node]++];
            if (w->d->place[to] == PR_NO_ID) {
                visit(w, to, at);
                at = w->d->place[to];
            }
        } else if (at == 0) {
            return;
        } else {
            at = w->ancestor[at];
        }
    }
}

/* Who refers to each place. False: no memory. */
static bool turn_round(struct work *w)
{
    const struct pr_graph *graph = w->graph;
    const struct pr_dominators *d = w->d;
    w->first_from = numbers(d->count + (size_t)2);
    if (!w->first_from)
        return false;
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t e = graph->first[d->node[i]]; e < graph->first[d->node[i] + 1]; e++)
            w->first_from[d->place[graph->to[e]] + 2]++;
    for (uint32_t i = 0; i < d->count; i++)
        w->first_from[i + 2] += w->first_from[i + 1];
    w->from = numbers(w->first_from[d->count + 1]);
    for (uint32_t i = 0; w->from && i < d->count; i++)
        for (uint32_t e = graph->first[d->node[i]]; e < graph->first[d->node[i] + 1]; e++)
            w->from[w->first_from[d->place[graph->to[e]] + 1]++] = i;
    return w->from != NULL;
}

/* The place with the lowest semidominator on the way up from PLACE among those from LINKED on. */
static uint32_t lowest_above(struct work *w, uint32_t place, uint32_t linked)
{
    uint32_t depth = 0, upper = place;
    if (w->ancestor[place] < linked)
        return w->label[place];
    do {
        w->next[depth++] = upper;
        upper = w->ancestor[upper];
    } while (w->ancestor[upper] >= linked);
    while (depth) {
        const uint32_t lower = w->next[--depth];
        w->ancestor[lower] = w->ancestor[upper];
        if (w->semi[w->label[upper]] < w->semi[w->label[lower]])
            w->label[lower] = w->label[upper];
        upper = lower;
    }
    return w->label[place];
}

static void find_dominators(struct work *w)
{
    const struct pr_dominators *d = w->d;
    for (uint32_t i = 0; i < d->count; i++) {
        w->label[i] = w->semi[i] = i;
        d->above[i] = w->ancestor[i];
    }
    for (uint32_t i = d->count; i-- > 1;) {
        uint32_t semi = w->ancestor[i];
        for (uint32_t k = w->first_from[i]; k < w->first_from[i + 1]; k++) {
            const uint32_t other = w->semi[lowest_above(w, w->from[k], i + 1)];
            semi = other < semi ? other : semi;
        }
        w->semi[i] = semi;
    }
    for (uint32_t i = 1; i < d->count; i++)
        while (d->above[i] > w->semi[i])
            d->above[i] = d->above[d->above[i]];
}

static void sum_up(const struct pr_graph *graph, struct pr_dominators *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        d->retained[i] = graph->size[d->node[i]];
    for (uint32_t i = d->count; i-- > 1;) {
        uint64_t *sum = &d->retained[d->above[i]];
        *sum = d->retained[i] > INT64_MAX - *sum ? INT64_MAX : *sum + d->retained[i];
    }
}

static void find_references(const struct pr_graph *graph, struct pr_dominators *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        d->through[i] = PR_NO_ID;
    for (uint32_t i = 0; i < d->count; i++) {
        for (uint32_t e = graph->first[d->node[i]]; e < graph->first[d->node[i] + 1]; e++) {
            const uint32_t to = d->place[graph->to[e]];
            if (to != i && d->above[to] == i && d->through[to] == PR_NO_ID)
                d->through[to] = e;
        }
    }
}

/* The walk, and what needs its result. */
static bool make(struct work *w)
{
    struct pr_dominators *d = w->d;
    const size_t all = w->graph->count;
    d->node = numbers(all);
    d->place = numbers(all);
    w->next = numbers(all);
    w->ancestor = numbers(all);
    if (!d->node || !d->place || !w->next || !w->ancestor)
        return false;
    memset(d->place, 0xff, all * sizeof *d->place);
    walk(w);
    d->above = numbers(d->count);
    w->semi = numbers(d->count);
    w->label = numbers(d->count);
    if (!d->above || !w->semi || !w->label || !turn_round(w))
        return false;
    find_dominators(w);
    return true;
}

bool pr_dominators_make(const struct pr_graph *graph, struct pr_dominators *dominators)
{
    struct work w = {.graph = graph, .d = dominators};
    *dominators = (struct pr_dominators){0};
    bool done = graph->count && make(&w);
    free(w.next);
    free(w.ancestor);
    free(w.semi);
    free(w.label);
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
