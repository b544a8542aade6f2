/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as they are, and a tree that is grown from the roots, heaviest calls first, until shares are too small to see.
 */
#include "capture/callgraph.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, PARTS_OF_WHOLE = 1000 };

struct grower {
    struct pr_collect *c;
    const struct pr_graph *graph;
    uint32_t thread;
    unsigned metric;
    size_t *first_call;  /* [functions + 1] calls of each caller */
    int64_t *total;      /* [functions] what a function is worth with all below, in all places */
    int64_t *called;     /* [functions] sum of all calls of a function by others */
    int64_t *calls_out;  /* [functions] sum of all calls by a function to others */
    bool *on_path;       /* [functions] */
    int64_t smallest;    /* a branch of less is not grown */
    int64_t count_left;  /* calls that have no place in the tree yet */
    struct branch {
        uint32_t function;
        pr_node_id node;
        int64_t weight, left; /* of the branch; what of it no branch above took */
        double share;         /* weight by what all of the function is worth */
        size_t next_call;
    } path[MAX_DEPTH];
    unsigned depth;
};

static int64_t at_least_0(int64_t value)
{
    return value > 0 ? value : 0;
}

/* By caller, heaviest first. */
static int compare_calls(const void *a, const void *b, const void *context)
{
    const struct pr_graph_call *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(x->caller, y->caller);
    order = order ? order : PR_ORDER(y->total, x->total);
    return order ? order : PR_ORDER(x->callee, y->callee);
}

/* FACTOR of VALUE, rounded down and not over MOST. */
static int64_t part(double factor, int64_t value, int64_t most)
{
    double product = factor * (double)value;
    if (!(product > 0))
        return 0;
    return product < (double)most ? (int64_t)product : most;
}

/* Gives calls without a total the part of the callee's total that their count has of all calls to it. */
static bool estimate_totals(struct grower *g)
{
    const struct pr_graph *graph = g->graph;
    int64_t *counts = calloc(graph->function_count + (size_t)1, sizeof *counts);
    if (!counts)
        return false;
    for (size_t i = 0; i < graph->call_count; i++)
        counts[graph->calls[i].callee] = pr_add_saturated(counts[graph->calls[i].callee], graph->calls[i].count);
    for (size_t i = 0; i < graph->call_count; i++) {
        struct pr_graph_call *call = &graph->calls[i];
        const int64_t total = at_least_0(graph->functions[call->callee].row.total), count = counts[call->callee];
        if (call->total < 0)
            call->total = count > 0 ? part((double)call->count / (double)count, total, total) : 0;
    }
    free(counts);
    return true;
}

static void sum_calls(struct grower *g)
{
    memset(g->called, 0, g->graph->function_count * sizeof *g->called);
    memset(g->calls_out, 0, g->graph->function_count * sizeof *g->calls_out);
    for (size_t i = 0; i < g->graph->call_count; i++) {
        const struct pr_graph_call *call = &g->graph->calls[i];
        if (call->caller == call->callee)
            continue;
        g->called[call->callee] = pr_add_saturated(g->called[call->callee], call->total);
        g->calls_out[call->caller] = pr_add_saturated(g->calls_out[call->caller], call->total);
    }
}

/* What of a function was not called by others. */
static int64_t root_weight(const struct grower *g, uint32_t function)
{
    const int64_t total = g->total[function], called = g->called[function];
    return called < total ? total - called : 0;
}

/* The part of its callee that CALL has. */
static double share_of(const struct grower *g, const struct pr_graph_call *call)
{
    const int64_t total = g->total[call->callee], called = g->called[call->callee];
    const int64_t all = total > called ? total : called;
    return call->caller != call->callee && all > 0 ? (double)call->total / (double)all : 0;
}

/* WORTH[function]: its own figure, and its share of those of all that it calls; NEXT is room for as many. */
static void add_up_worth(const struct grower *g, double *worth, double *next)
{
    const struct pr_graph *graph = g->graph;
    for (uint32_t i = 0; i < graph->function_count; i++)
        worth[i] = (double)at_least_0(graph->functions[i].row.self);
    bool changed = true;
    for (int round = 0; round < MAX_DEPTH && changed; round++) {
        changed = false;
        for (uint32_t i = 0; i < graph->function_count; i++)
            next[i] = (double)at_least_0(graph->functions[i].row.self);
        for (size_t i = 0; i < graph->call_count; i++)
            next[graph->calls[i].caller] += share_of(g, &graph->calls[i]) * worth[graph->calls[i].callee];
        for (uint32_t i = 0; i < graph->function_count; i++) {
            changed |= next[i] - worth[i] >= 1;
            worth[i] = next[i];
        }
    }
}

/*
 * Recorded totals may hold far more than all own figures together: what the profiler did not look into (yappi leaves
 * out builtins, so the time of a lock belongs to nobody), and what recursion counts again. Shares of such totals would
 * shrink what did run, so totals are added up anew from the own figures, by the recorded shares. False: out of memory.
 */
static bool settle(struct grower *g)
{
    const struct pr_graph *graph = g->graph;
    double *worth = calloc(graph->function_count + (size_t)1, 2 * sizeof *worth);
    if (!worth)
        return false;
    add_up_worth(g, worth, worth + graph->function_count);
    for (size_t i = 0; i < graph->call_count; i++)
        graph->calls[i].total = part(share_of(g, &graph->calls[i]) * worth[graph->calls[i].callee], 1, INT64_MAX);
    for (uint32_t i = 0; i < graph->function_count; i++)
        g->total[i] = part(worth[i], 1, INT64_MAX);
    free(worth);
    sum_calls(g);
    return true;
}

static bool prepare(struct grower *g)
{
    const struct pr_graph *graph = g->graph;
    const size_t count = graph->function_count + (size_t)1;
    g->first_call = calloc(count + 1, sizeof *g->first_call);
    g->total = calloc(count, sizeof *g->total);
    g->called = calloc(count, sizeof *g->called);
    g->calls_out = calloc(count, sizeof *g->calls_out);
    g->on_path = calloc(count, sizeof *g->on_path);
    if (!g->first_call || !g->total || !g->called || !g->calls_out || !g->on_path || !estimate_totals(g))
        return false;
    for (uint32_t i = 0; i < graph->function_count; i++)
        g->total[i] = at_least_0(graph->functions[i].row.total);
    sum_calls(g);
    if (!settle(g) || !pr_sort(graph->calls, graph->call_count, sizeof *graph->calls, compare_calls, NULL))
        return false;
    for (size_t i = 0; i < graph->call_count; i++)
        g->first_call[graph->calls[i].caller + 1] = i + 1;
    for (size_t i = 1; i < count; i++)
        if (!g->first_call[i])
            g->first_call[i] = g->first_call[i - 1]; /* no calls: where those of the one before end */
    return true;
}

static void add_to(struct grower *g, pr_node_id node, int64_t value, int64_t count)
{
    if (count > g->count_left)
        count = g->count_left;
    g->count_left -= count;
    if (value || count)
        pr_collect_add(g->c, pr_collect_fact(g->c, node, g->thread), g->metric, value, count);
}

/* Opens a branch of WEIGHT at the end of the path. COUNT calls led to it. */
static void push(struct grower *g, uint32_t function, int64_t weight, int64_t count)
{
    pr_node_id above = g->depth ? g->path[g->depth - 1].node : PR_ROOT;
    pr_node_id node = pr_collect_child(g->c, above, g->graph->functions[function].frame);
    /* Calls may add up to more than the total, by clock noise or recursion: then they share what there is. */
    int64_t all = g->total[function] > g->calls_out[function] ? g->total[function] : g->calls_out[function];
    g->path[g->depth++] = (struct branch){.function = function,
                                          .node = node,
                                          .weight = weight,
                                          .left = weight,
                                          .share = all > 0 ? (double)weight / (double)all : 0,
                                          .next_call = g->first_call[function]};
    g->on_path[function] = true;
    add_to(g, node, 0, count);
}

static void pop(struct grower *g)
{
    const struct branch *branch = &g->path[--g->depth];
    g->on_path[branch->function] = false;
    add_to(g, branch->node, branch->left, 0);
}

/*
 * The next call of the branch that is worth a branch of its own, or NULL. Calls are sorted: the first too light ends
 * it.
 */
static const struct pr_graph_call *next_call(struct grower *g, struct branch *branch)
{
    const struct pr_graph *graph = g->graph;
    while (branch->next_call < g->first_call[branch->function + 1] && g->depth < MAX_DEPTH) {
        const struct pr_graph_call *call = &graph->calls[branch->next_call++];
        if (part(branch->share, call->total, branch->left) < g->smallest)
            return NULL;
        if (!g->on_path[call->callee])
            return call;
    }
    return NULL;
}

static void grow(struct grower *g, uint32_t root, int64_t weight)
{
    const int64_t calls = g->graph->functions[root].row.self_count;
    const double share = g->total[root] > 0 ? (double)weight / (double)g->total[root] : 0;
    push(g, root, weight, part(share, calls, calls));
    while (g->depth && pr_collect_going(g->c)) {
        struct branch *branch = &g->path[g->depth - 1];
        const struct pr_graph_call *call = next_call(g, branch);
        if (!call) {
            pop(g);
            continue;
        }
        int64_t taken = part(branch->share, call->total, branch->left);
        branch->left -= taken;
        push(g, call->callee, taken, part(branch->share, call->count, call->count));
    }
}

static void grow_all(struct grower *g)
{
    const struct pr_graph *graph = g->graph;
    int64_t whole = 0, roots = 0;
    for (uint32_t i = 0; i < graph->function_count; i++) {
        whole = pr_add_saturated(whole, graph->functions[i].row.self);
        g->count_left = pr_add_saturated(g->count_left, at_least_0(graph->functions[i].row.self_count));
        roots = pr_add_saturated(roots, root_weight(g, i));
    }
    int64_t left = whole;
    g->smallest = whole / PARTS_OF_WHOLE > 1 ? whole / PARTS_OF_WHOLE : 1;
    for (uint32_t i = 0; i < graph->function_count && roots > 0 && pr_collect_going(g->c); i++) {
        int64_t weight = root_weight(g, i);
        if (roots > whole)
            weight = part((double)whole / (double)roots, weight, left);
        if (weight > left)
            weight = at_least_0(left);
        if (weight < g->smallest)
            continue;
        left -= weight;
        grow(g, i, weight);
    }
    add_to(g, PR_ROOT, left, g->count_left);
}

void pr_graph_collect(struct pr_collect *c, uint32_t thread, unsigned metric, struct pr_graph *graph)
{
    struct grower g = {.c = c, .graph = graph, .thread = thread, .metric = metric};
    for (uint32_t i = 0; i < graph->function_count; i++)
        pr_collect_exact(c, graph->functions[i].frame, thread, metric, graph->functions[i].row);
    if (prepare(&g))
        grow_all(&g);
    else
        pr_collect_no_memory(c);
    free(g.first_call);
    free(g.total);
    free(g.called);
    free(g.calls_out);
    free(g.on_path);
}
