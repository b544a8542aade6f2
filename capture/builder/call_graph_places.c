/* SPDX-License-Identifier: Apache-2.0 */
/* Branches from the roots until shares are too small to see, then what has no place yet below its heaviest caller. */
#include "capture/builder/call_graph_places.h"

#include "capture/base/checked.h"
#include "capture/builder/call_graph_cycles.h"

#include <stdlib.h>

enum {
    MAX_DEPTH = 256,
    /* Beyond this depth no function recurs below itself, nor after this many times that led to nothing new. */
    MAX_RECURRING_DEPTH = 64,
    MAX_IDLE_RECURRENCES = 4,
    PARTS_OF_WHOLE = 1000,
    /* A made-up file can ask for more than any real one: then branches end, and all functions still get a place. */
    MAX_PLACES = 200000,
    MAX_LOOKS = 20000000
};

struct cycle {
    double called;       /* what calls from outside took */
    double total;        /* the largest of its functions */
    uint32_t entry;      /* its function that calls from outside explain least, of those that begin stacks if some do */
    double unexplained;  /* of the entry */
    bool begins;         /* the entry begins stacks: some calls of it have no caller */
    bool is_called;      /* from outside */
    uint32_t size;
    uint32_t to_find;    /* its calls of functions that are worth a branch and have no place yet */
};

struct grower {
    const struct pr_call_graph *graph;
    struct pr_call_graph_tree *tree;
    size_t *first_call;      /* [functions + 1] calls of each caller */
    size_t *first_of_callee; /* [functions + 1] the same of each callee, */
    size_t *by_callee;       /* [calls] in this array */
    uint32_t *cycle_of;      /* [functions] */
    struct cycle *cycles;    /* [functions] at most */
    uint32_t cycle_count;
    uint32_t *heaviest;      /* [functions] place of the largest weight; PR_NO_ID = none yet */
    uint32_t *times_above;   /* [functions] how often it is on the path */
    uint32_t *known_then;    /* [functions] how many functions had a place when it got the last of its own */
    uint32_t known;          /* functions that have a place */
    uint32_t *call_above;    /* [calls] how often it is on the path */
    double *left_of_call;    /* [calls] what no branch took, of calls that are taken as a whole */
    bool *is_queued;         /* [functions] its calls are, or were, in the queue */
    size_t *queue;           /* [calls] a heap of calls that lead to functions without a place, the heaviest first */
    size_t queued;
    double smallest;         /* a lighter branch is not grown */
    size_t looks;            /* at calls, so far */
    bool failed;
    struct branch {
        uint32_t place, function;
        size_t next_call;
        double share;          /* of all that the function took */
        double left_whole, left_shared; /* for calls that are taken as a whole, and for those that are shared out */
        uint32_t known_before; /* functions that had a place then */
        bool recurs;           /* its function is above */
        bool is_second_look;   /* at calls that are above already: they get what the others leave */
    } path[MAX_DEPTH];
    unsigned depth;
};

static double at_least_0(int64_t value)
{
    return value > 0 ? (double)value : 0;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double total_of(const struct grower *g, uint32_t function)
{
    return at_least_0(g->graph->functions[function].row.total);
}

static struct cycle *cycle_of(const struct grower *g, uint32_t function)
{
    return &g->cycles[g->cycle_of[function]];
}

static bool is_inside(const struct grower *g, const struct pr_call_graph_call *call)
{
    return g->cycle_of[call->caller] == g->cycle_of[call->callee];
}

/* ---- cycles and roots ------------------------------------------------------------------------------------------- */

static uint32_t callee_of(const void *context, size_t call)
{
    return ((const struct pr_call_graph *)context)->calls[call].callee;
}

/* The calls recorded for a function. */
struct called {
    double outside; /* took, from outside its cycle */
    double count;   /* from anywhere */
};

static void sum_calls(struct grower *g, struct called *called)
{
    for (size_t i = 0; i < g->graph->call_count; i++) {
        const struct pr_call_graph_call *call = &g->graph->calls[i];
        called[call->callee].count += at_least_0(call->count);
        if (is_inside(g, call))
            continue;
        called[call->callee].outside += at_least_0(call->total);
        cycle_of(g, call->callee)->is_called = true;
    }
}

static void describe_cycles(struct grower *g, const struct called *called)
{
    for (uint32_t i = 0; i < g->graph->function_count; i++) {
        struct cycle *cycle = cycle_of(g, i);
        const double total = total_of(g, i), unexplained = total > called[i].outside ? total - called[i].outside : 0;
        const bool begins = at_least_0(g->graph->functions[i].row.self_count) > called[i].count;
        if (!cycle->size++ || begins > cycle->begins ||
            (begins == cycle->begins && unexplained > cycle->unexplained)) {
            cycle->entry = i;
            cycle->begins = begins;
            cycle->unexplained = unexplained;
        }
        cycle->called += called[i].outside;
        cycle->total = total > cycle->total ? total : cycle->total;
    }
}

/* The part of a cycle not called from outside; totals of a cycle whose calls all have callers do not show it. */
static double root_weight(const struct cycle *cycle)
{
    return (cycle->begins || !cycle->is_called) && cycle->total > cycle->called ? cycle->total - cycle->called : 0;
}

/* Sets the minimum weight of a branch. */
static void set_smallest(struct grower *g)
{
    const struct pr_call_graph *graph = g->graph;
    double own = 0, roots = 0;
    for (uint32_t i = 0; i < graph->function_count; i++)
        own += at_least_0(graph->functions[i].row.self);
    for (uint32_t i = 0; i < g->cycle_count; i++)
        roots += root_weight(&g->cycles[i]);
    g->smallest = (own > roots ? own : roots) / PARTS_OF_WHOLE;
    if (g->smallest < 1)
        g->smallest = 1;
}

static void change_to_find(struct grower *g, uint32_t function, uint32_t change)
{
    if (total_of(g, function) < g->smallest)
        return;
    for (size_t i = g->first_of_callee[function]; i < g->first_of_callee[function + 1]; i++)
        cycle_of(g, g->graph->calls[g->by_callee[i]].caller)->to_find += change;
}

/* Fills by_callee by a counting sort: the count after an element is first where it ends, then where it begins. */
static void sort_by_callee(struct grower *g)
{
    const struct pr_call_graph *graph = g->graph;
    for (size_t i = 0; i < graph->call_count; i++)
        g->first_of_callee[graph->calls[i].callee]++;
    for (uint32_t i = 0; i < graph->function_count; i++)
        g->first_of_callee[i + 1] += g->first_of_callee[i];
    for (size_t i = graph->call_count; i-- > 0;)
        g->by_callee[--g->first_of_callee[graph->calls[i].callee]] = i;
}

static bool prepare(struct grower *g)
{
    const struct pr_call_graph *graph = g->graph;
    const size_t functions = graph->function_count + (size_t)1, calls = graph->call_count + 1;
    struct called *called = calloc(functions, sizeof *called);
    g->first_call = calloc(functions + 1, sizeof *g->first_call);
    g->first_of_callee = calloc(functions + 1, sizeof *g->first_of_callee);
    g->by_callee = calloc(calls, sizeof *g->by_callee);
    g->cycle_of = calloc(functions, sizeof *g->cycle_of);
    g->cycles = calloc(functions, sizeof *g->cycles);
    g->heaviest = calloc(functions, sizeof *g->heaviest);
    g->times_above = calloc(functions, sizeof *g->times_above);
    g->known_then = calloc(functions, sizeof *g->known_then);
    g->call_above = calloc(calls, sizeof *g->call_above);
    g->left_of_call = calloc(calls, sizeof *g->left_of_call);
    g->is_queued = calloc(functions, sizeof *g->is_queued);
    g->queue = calloc(calls, sizeof *g->queue);
    bool good = called && g->first_call && g->first_of_callee && g->by_callee && g->cycle_of && g->cycles &&
                g->heaviest && g->times_above && g->known_then && g->call_above && g->left_of_call && g->is_queued &&
                g->queue;
    for (size_t i = 0; good && i < graph->call_count; i++) {
        g->first_call[graph->calls[i].caller + 1] = i + 1;
        g->left_of_call[i] = at_least_0(graph->calls[i].total);
    }
    for (size_t i = 1; good && i < functions; i++) {
        g->heaviest[i - 1] = PR_NO_ID;
        if (!g->first_call[i])
            g->first_call[i] = g->first_call[i - 1]; /* no calls: where those of the previous one end */
    }
    good = good &&
           pr_cycles_find(graph->function_count, g->first_call, callee_of, graph, g->cycle_of, &g->cycle_count);
    if (good) {
        sum_calls(g, called);
        describe_cycles(g, called);
        set_smallest(g);
        sort_by_callee(g);
        for (uint32_t i = 0; i < graph->function_count; i++)
            change_to_find(g, i, 1);
    }
    free(called);
    return good;
}

static void clear(struct grower *g)
{
    free(g->first_call);
    free(g->first_of_callee);
    free(g->by_callee);
    free(g->cycle_of);
    free(g->cycles);
    free(g->heaviest);
    free(g->times_above);
    free(g->known_then);
    free(g->call_above);
    free(g->left_of_call);
    free(g->is_queued);
    free(g->queue);
}

/* ---- branches --------------------------------------------------------------------------------------------------- */

/* A new place for FUNCTION; PR_NO_ID: out of memory. */
static uint32_t place(struct grower *g, uint32_t function, uint32_t parent, size_t call, double weight)
{
    struct pr_call_graph_tree *tree = g->tree;
    if (!pr_grow(&tree->places, &tree->capacity, tree->count + (size_t)1, sizeof *tree->places)) {
        g->failed = true;
        return PR_NO_ID;
    }
    const unsigned depth = parent == PR_NO_ID ? 0 : tree->places[parent].depth + 1;
    tree->places[tree->count] = (struct pr_call_graph_place){function, parent, call, weight, depth};
    uint32_t *heaviest = &g->heaviest[function];
    if (*heaviest == PR_NO_ID) {
        change_to_find(g, function, UINT32_MAX); /* one less */
        g->known++;
    }
    g->known_then[function] = g->known;
    if (*heaviest == PR_NO_ID || weight > tree->places[*heaviest].weight)
        *heaviest = tree->count;
    return tree->count++;
}

/* Marks what leads to a place as above what comes now, or takes the mark away. */
static void mark_above(struct grower *g, const struct pr_call_graph_place *place, bool is_above)
{
    const uint32_t change = is_above ? 1 : UINT32_MAX; /* one more, or one less */
    g->times_above[place->function] += change;
    if (place->call != PR_GRAPH_NONE)
        g->call_above[place->call] += change;
}

/* Opens the branch of a place at the end of the path. */
static void push(struct grower *g, uint32_t at)
{
    const struct pr_call_graph_place *place = &g->tree->places[at];
    const double total = total_of(g, place->function);
    g->path[g->depth++] = (struct branch){.place = at,
                                          .function = place->function,
                                          .next_call = g->first_call[place->function],
                                          .share = place->weight < total ? place->weight / total : 1,
                                          .left_whole = place->weight,
                                          .left_shared = place->weight,
                                          .known_before = g->known,
                                          .recurs = g->times_above[place->function] > 0};
    mark_above(g, place, true);
}

static void pop(struct grower *g)
{
    const struct branch *branch = &g->path[--g->depth];
    mark_above(g, &g->tree->places[branch->place], false);
    /* Recursion that found nothing takes nothing from the other calls of its caller. */
    if (g->depth && branch->recurs && branch->known_before == g->known)
        g->path[g->depth - 1].left_whole += g->tree->places[branch->place].weight;
}

/* True if FUNCTION was recorded below itself. */
static bool recurred(const struct grower *g, uint32_t function)
{
    const struct pr_exact *row = &g->graph->functions[function].row;
    return row->self_count != row->total_count;
}

/* True if FUNCTION, which is above, may recur: it was recorded to, and there is something left to find. */
static bool may_recur(const struct grower *g, uint32_t function)
{
    const bool found_some = g->known > g->known_then[function];
    return recurred(g, function) && cycle_of(g, function)->to_find && g->depth < MAX_RECURRING_DEPTH &&
           (found_some || g->times_above[function] < MAX_IDLE_RECURRENCES);
}

/*
 * True if all that CALL took is likely to be in one place: recursion, whose total includes what the same call takes
 * further down, and what a function of a cycle calls once. Others are shared among the places of their callers.
 */
static bool is_whole(const struct grower *g, const struct pr_call_graph_call *call)
{
    return cycle_of(g, call->caller)->size > 1 &&
           (call->count == 1 || (is_inside(g, call) && recurred(g, call->callee)));
}

/* Takes from BRANCH what CALL is worth there. 0: too light to be seen, or to be one whole call. */
static double take(struct grower *g, struct branch *branch, size_t number)
{
    const struct pr_call_graph_call *call = &g->graph->calls[number];
    const bool whole = is_whole(g, call), is_first = whole && !g->call_above[number];
    double *left = whole ? &branch->left_whole : &branch->left_shared;
    const double worth = is_first ? g->left_of_call[number] : branch->share * at_least_0(call->total);
    const double taken = smaller(worth, *left);
    if (taken < g->smallest || (is_first && taken * (double)call->count < at_least_0(call->total) / 2))
        return 0;
    *left -= taken;
    if (is_first)
        g->left_of_call[number] -= taken;
    return taken;
}

/* The next call of BRANCH worth looking at; PR_GRAPH_NONE: no more. They are sorted: a light one ends the branch. */
static size_t next_call(struct grower *g, struct branch *branch)
{
    const size_t end = g->first_call[branch->function + 1];
    while (g->looks < MAX_LOOKS && (branch->left_whole >= g->smallest || branch->left_shared >= g->smallest)) {
        const size_t number = branch->next_call++;
        g->looks++;
        if (number < end && at_least_0(g->graph->calls[number].total) >= g->smallest) {
            if ((g->call_above[number] > 0) == branch->is_second_look)
                return number;
        } else if (branch->is_second_look) {
            break;
        } else {
            branch->is_second_look = true;
            branch->next_call = g->first_call[branch->function];
        }
    }
    return PR_GRAPH_NONE;
}

/* Grows the next branch from the end of the path; false: no branch is left. */
static bool grow_next(struct grower *g)
{
    struct branch *branch = &g->path[g->depth - 1];
    size_t number;
    if (g->depth == MAX_DEPTH || g->tree->count >= MAX_PLACES)
        return false;
    while ((number = next_call(g, branch)) != PR_GRAPH_NONE) {
        const struct pr_call_graph_call *call = &g->graph->calls[number];
        if (call->callee == call->caller || (g->times_above[call->callee] && !may_recur(g, call->callee)))
            continue;
        const double taken = take(g, branch, number);
        if (!(taken > 0))
            continue;
        const uint32_t at = place(g, call->callee, branch->place, number, taken);
        if (at != PR_NO_ID)
            push(g, at);
        return at != PR_NO_ID;
    }
    return false;
}

/* Grows the tree below a place that has nothing below it yet. */
static void grow(struct grower *g, uint32_t at)
{
    const struct pr_call_graph_place *places = g->tree->places;
    if (places[at].weight < g->smallest || places[at].depth >= MAX_DEPTH)
        return;
    for (uint32_t above = places[at].parent; above != PR_NO_ID; above = places[above].parent)
        mark_above(g, &places[above], true);
    push(g, at);
    while (g->depth)
        if (g->failed || !grow_next(g))
            pop(g);
    places = g->tree->places;
    for (uint32_t above = places[at].parent; above != PR_NO_ID; above = places[above].parent)
        mark_above(g, &places[above], false);
}

static void grow_roots(struct grower *g)
{
    for (uint32_t i = 0; i < g->cycle_count && !g->failed; i++) {
        const double weight = root_weight(&g->cycles[i]);
        if (weight < g->smallest)
            continue;
        const uint32_t at = place(g, g->cycles[i].entry, PR_NO_ID, PR_GRAPH_NONE, weight);
        if (at != PR_NO_ID)
            grow(g, at);
    }
}

/* ---- what has no place ------------------------------------------------------------------------------------------ */

static bool is_heavier(const struct grower *g, size_t a, size_t b)
{
    const int64_t x = g->graph->calls[a].total, y = g->graph->calls[b].total;
    return x != y ? x > y : a < b;
}

static void queue_add(struct grower *g, size_t call)
{
    size_t at = g->queued++;
    for (; at && is_heavier(g, call, g->queue[(at - 1) / 2]); at = (at - 1) / 2)
        g->queue[at] = g->queue[(at - 1) / 2];
    g->queue[at] = call;
}

static size_t queue_take(struct grower *g)
{
    const size_t taken = g->queue[0], last = g->queue[--g->queued];
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < g->queued; at = below) {
        below += below + 1 < g->queued && is_heavier(g, g->queue[below + 1], g->queue[below]);
        if (!is_heavier(g, g->queue[below], last))
            break;
        g->queue[at] = g->queue[below];
    }
    g->queue[at] = last;
    return taken;
}

/* Queues the calls of functions placed since there were PLACES places. Each call is queued at most once. */
static void queue_calls_since(struct grower *g, uint32_t places)
{
    for (uint32_t at = places; at < g->tree->count; at++) {
        const uint32_t function = g->tree->places[at].function;
        if (g->is_queued[function])
            continue;
        g->is_queued[function] = true;
        for (size_t i = g->first_call[function]; i < g->first_call[function + 1]; i++)
            if (g->heaviest[g->graph->calls[i].callee] == PR_NO_ID)
                queue_add(g, i);
    }
}

/* Gives FUNCTION its first place, and what is below it. */
static void place_first(struct grower *g, uint32_t function, uint32_t parent, size_t call, double weight)
{
    const uint32_t before = g->tree->count, at = place(g, function, parent, call, weight);
    if (at == PR_NO_ID)
        return;
    grow(g, at);
    queue_calls_since(g, before);
}

static void place_queued(struct grower *g)
{
    while (g->queued && !g->failed) {
        const size_t number = queue_take(g);
        const struct pr_call_graph_call *call = &g->graph->calls[number];
        const uint32_t parent = g->heaviest[call->caller];
        if (g->heaviest[call->callee] != PR_NO_ID)
            continue;
        if (g->tree->places[parent].depth + 1 < 2 * MAX_DEPTH)
            place_first(g, call->callee, parent, number, at_least_0(call->total));
        else
            place_first(g, call->callee, PR_NO_ID, PR_GRAPH_NONE, at_least_0(call->total));
    }
}

static void place_rest(struct grower *g)
{
    queue_calls_since(g, 0);
    place_queued(g);
    for (uint32_t i = 0; i < g->cycle_count && !g->failed; i++) {
        /* Callees have lower numbers, so all callers of this one came earlier: without a place, it has no caller. */
        const struct cycle *cycle = &g->cycles[g->cycle_count - 1 - i];
        if (g->heaviest[cycle->entry] != PR_NO_ID)
            continue;
        place_first(g, cycle->entry, PR_NO_ID, PR_GRAPH_NONE, root_weight(cycle));
        place_queued(g);
    }
}

bool pr_call_graph_tree_grow(const struct pr_call_graph *graph, struct pr_call_graph_tree *tree)
{
    struct grower g = {.graph = graph, .tree = tree};
    bool good = prepare(&g);
    if (good) {
        grow_roots(&g);
        if (!g.failed)
            place_rest(&g);
    }
    clear(&g);
    return good && !g.failed;
}

void pr_call_graph_tree_clear(struct pr_call_graph_tree *tree)
{
    free(tree->places);
    *tree = (struct pr_call_graph_tree){0};
}
