/* SPDX-License-Identifier: Apache-2.0 */
/* Rows unchanged, and a tree whose places share the figures of the rows. */
#include "capture/builder/call_graph.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/builder/call_graph_places.h"

#include <stdlib.h>

static int64_t at_least_0(int64_t value)
{
    return value > 0 ? value : 0;
}

/* By caller, heaviest first. */
static int compare_calls(const void *a, const void *b, const void *context)
{
    const struct pr_call_graph_call *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(x->caller, y->caller);
    order = order ? order : PR_ORDER(y->total, x->total);
    return order ? order : PR_ORDER(x->callee, y->callee);
}

/* FACTOR times VALUE, rounded down, at most MOST. */
static int64_t part(double factor, int64_t value, int64_t most)
{
    double product = factor * (double)value;
    if (!(product > 0))
        return 0;
    return product < (double)most ? (int64_t)product : most;
}

/* Gives calls without a total a share of the callee's total, in proportion to their share of all calls to it. */
static bool estimate_totals(const struct pr_call_graph *graph)
{
    int64_t *counts = calloc(graph->function_count + (size_t)1, sizeof *counts);
    if (!counts)
        return false;
    for (size_t i = 0; i < graph->call_count; i++)
        counts[graph->calls[i].callee] = pr_add_saturated(counts[graph->calls[i].callee], graph->calls[i].count);
    for (size_t i = 0; i < graph->call_count; i++) {
        struct pr_call_graph_call *call = &graph->calls[i];
        const int64_t total = at_least_0(graph->functions[call->callee].row.total), count = counts[call->callee];
        if (call->total < 0)
            call->total = count > 0 ? part((double)call->count / (double)count, total, total) : 0;
    }
    free(counts);
    return true;
}

/* ---- a figure of each function, shared among its places ---------------------------------------------------------- */

struct figure {
    int64_t (*of_function)(const struct pr_call_graph_function *function);
    int64_t (*of_call)(const struct pr_call_graph_call *call); /* below 0 = not recorded */
};

static int64_t self_of_function(const struct pr_call_graph_function *function)
{
    return function->row.self;
}

static int64_t self_of_call(const struct pr_call_graph_call *call)
{
    return call->self;
}

static int64_t count_of_function(const struct pr_call_graph_function *function)
{
    return function->row.self_count;
}

static int64_t count_of_call(const struct pr_call_graph_call *call)
{
    return call->count;
}

struct sharer {
    const struct pr_call_graph *graph;
    const struct pr_call_graph_tree *tree;
    const struct figure *figure;
    double *part;                        /* [places] */
    double *weight_of_call;              /* [calls] of the places that a call leads to */
    struct {
        double weight_of_roots;          /* of the places that no call leads to */
        double unexplained;              /* what no call explains */
        double weight;                   /* of all places */
        double recorded;                 /* parts of all places, by what is recorded */
        double all, so_far;              /* parts of all places, and of those already served */
        int64_t figure, given;           /* what the places share, and what was given out */
    } *function;                         /* [functions] */
};

/*
 * A figure below 0 is clock noise. It gets no place, and the others shrink to make up for it: no place is below 0, and
 * together they still add up to the table. *WHOLE: the sum of the table. False: it does not fit in 64 bits.
 */
static bool set_figures(struct sharer *s, int64_t *whole)
{
    const struct pr_call_graph *graph = s->graph;
    bool fits = true;
    double sum = 0, noise = 0;
    *whole = 0;
    for (uint32_t i = 0; i < graph->function_count; i++) {
        const int64_t figure = s->figure->of_function(&graph->functions[i]);
        fits = !__builtin_add_overflow(*whole, figure, whole) && fits;
        sum += (double)at_least_0(figure);
        noise += figure < 0 ? -(double)figure : 0;
    }
    const double factor = noise > 0 ? (sum > noise ? (sum - noise) / sum : 0) : 1;
    for (uint32_t i = 0; i < graph->function_count; i++) {
        const int64_t figure = at_least_0(s->figure->of_function(&graph->functions[i]));
        s->function[i].figure = factor < 1 ? part(factor, figure, figure) : figure;
        s->function[i].unexplained = (double)figure;
    }
    return fits;
}

static void sum_weights(struct sharer *s)
{
    for (size_t i = 0; i < s->graph->call_count; i++)
        s->function[s->graph->calls[i].callee].unexplained -=
            (double)at_least_0(s->figure->of_call(&s->graph->calls[i]));
    for (uint32_t i = 0; i < s->tree->count; i++) {
        const struct pr_call_graph_place *place = &s->tree->places[i];
        s->function[place->function].weight += place->weight;
        if (place->call == PR_GRAPH_NONE)
            s->function[place->function].weight_of_roots += place->weight;
        else
            s->weight_of_call[place->call] += place->weight;
    }
}

/* The part of a place, by what was recorded for the call that leads to it; by its weight alone without a record. */
static double part_of(const struct sharer *s, const struct pr_call_graph_place *place)
{
    double figure = s->function[place->function].unexplained;
    double weight = s->function[place->function].weight_of_roots;
    if (place->call != PR_GRAPH_NONE) {
        const int64_t recorded = s->figure->of_call(&s->graph->calls[place->call]);
        if (recorded < 0)
            return place->weight;
        figure = (double)recorded;
        weight = s->weight_of_call[place->call];
    }
    return figure > 0 && weight > 0 ? figure * (place->weight / weight) : 0;
}

/* Where no place of a function has a part, they get parts by weight, or equal ones. */
static void set_parts(struct sharer *s)
{
    for (uint32_t i = 0; i < s->tree->count; i++) {
        s->part[i] = part_of(s, &s->tree->places[i]);
        s->function[s->tree->places[i].function].recorded += s->part[i];
    }
    for (uint32_t i = 0; i < s->tree->count; i++) {
        const struct pr_call_graph_place *place = &s->tree->places[i];
        if (!(s->function[place->function].recorded > 0))
            s->part[i] = s->function[place->function].weight > 0 ? place->weight : 1;
        s->function[place->function].all += s->part[i];
    }
}

/* GIVEN[place]: rounded so that the places of a function add up to its figure. */
static void give(struct sharer *s, int64_t *given)
{
    for (uint32_t i = 0; i < s->tree->count; i++) {
        const uint32_t function = s->tree->places[i].function;
        const int64_t figure = s->function[function].figure;
        s->function[function].so_far += s->part[i];
        /* The same sum in the same order: the last place gets the rest. */
        const bool is_last = s->function[function].so_far >= s->function[function].all;
        const int64_t upto =
            is_last ? figure : part(s->function[function].so_far / s->function[function].all, figure, figure);
        given[i] = at_least_0(upto - s->function[function].given);
        s->function[function].given += given[i];
    }
}

/* Fills GIVEN, a figure for each place. *LEFT: the part of the table's sum that no place has. False: out of memory. */
static bool share(const struct pr_call_graph *graph, const struct pr_call_graph_tree *tree, const struct figure *figure,
                  int64_t *given, int64_t *left)
{
    struct sharer s = {.graph = graph, .tree = tree, .figure = figure};
    s.part = calloc(tree->count + (size_t)1, sizeof *s.part);
    s.weight_of_call = calloc(graph->call_count + 1, sizeof *s.weight_of_call);
    s.function = calloc(graph->function_count + (size_t)1, sizeof *s.function);
    const bool good = s.part && s.weight_of_call && s.function;
    if (good) {
        const bool fits = set_figures(&s, left);
        sum_weights(&s);
        set_parts(&s);
        give(&s, given);
        for (uint32_t i = 0; i < graph->function_count; i++)
            *left = fits ? pr_subtract_saturated(*left, s.function[i].given) : 0;
    }
    free(s.part);
    free(s.weight_of_call);
    free(s.function);
    return good;
}

/* ---- the tree of the profile ------------------------------------------------------------------------------------ */

/* Adds the places that have a figure, or have one below them, to the call tree. */
static bool add_places(struct pr_profile_builder *c, uint32_t thread, unsigned metric,
                       const struct pr_call_graph *graph, const struct pr_call_graph_tree *tree, const int64_t *self,
                       const int64_t *count)
{
    pr_node_id *node = calloc(tree->count + (size_t)1, sizeof *node);
    bool *is_needed = calloc(tree->count + (size_t)1, sizeof *is_needed);
    const bool good = node && is_needed;
    for (uint32_t i = tree->count; good && i-- > 0;) {
        is_needed[i] |= self[i] || count[i];
        if (is_needed[i] && tree->places[i].parent != PR_NO_ID)
            is_needed[tree->places[i].parent] = true;
    }
    for (uint32_t i = 0; good && i < tree->count && pr_build_going(c); i++) {
        const struct pr_call_graph_place *place = &tree->places[i];
        if (!is_needed[i])
            continue;
        node[i] = pr_build_child(c, place->parent == PR_NO_ID ? PR_ROOT : node[place->parent],
                                 graph->functions[place->function].frame);
        if (self[i] || count[i])
            pr_build_add(c, pr_build_fact(c, node[i], thread), metric, self[i], count[i]);
    }
    free(node);
    free(is_needed);
    return good;
}

static bool add_tree(struct pr_profile_builder *c, uint32_t thread, unsigned metric, const struct pr_call_graph *graph)
{
    static const struct figure self_figure = {self_of_function, self_of_call};
    static const struct figure count_figure = {count_of_function, count_of_call};
    struct pr_call_graph_tree tree = {0};
    int64_t *self = NULL, *count = NULL, self_left = 0, count_left = 0;
    bool good = pr_call_graph_tree_grow(graph, &tree);
    if (good) {
        self = calloc(tree.count + (size_t)1, sizeof *self);
        count = calloc(tree.count + (size_t)1, sizeof *count);
        good = self && count && share(graph, &tree, &self_figure, self, &self_left) &&
               share(graph, &tree, &count_figure, count, &count_left) &&
               add_places(c, thread, metric, graph, &tree, self, count);
    }
    if (good && (self_left || count_left))
        pr_build_add(c, pr_build_fact(c, PR_ROOT, thread), metric, self_left, count_left);
    free(self);
    free(count);
    pr_call_graph_tree_clear(&tree);
    return good;
}

void pr_call_graph_collect(struct pr_profile_builder *c, uint32_t thread, unsigned metric, struct pr_call_graph *graph)
{
    for (uint32_t i = 0; i < graph->function_count; i++)
        pr_build_exact(c, graph->functions[i].frame, thread, metric, graph->functions[i].row);
    if (!estimate_totals(graph) ||
        !pr_sort(graph->calls, graph->call_count, sizeof *graph->calls, compare_calls, NULL) ||
        !add_tree(c, thread, metric, graph))
        pr_build_no_memory(c);
}
