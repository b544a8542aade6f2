/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of random graphs, compared with what is unreachable without a node; and deep ones. */
#include "tests/support/unit.h"

#include "capture/graph/graph.h"

#include <stdlib.h>
#include <string.h>

static uint32_t state_of_random = 1;

static uint32_t below(uint32_t limit)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % limit;
}

/* What is reachable from node 0, without going through WITHOUT. */
static void reach(const struct pr_graph *graph, uint32_t without, bool *reached)
{
    uint32_t *stack = calloc(graph->count, sizeof *stack), depth = 0;
    memset(reached, 0, graph->count * sizeof *reached);
    if (without != 0) {
        stack[depth++] = 0;
        reached[0] = true;
    }
    while (depth) {
        const uint32_t node = stack[--depth];
        for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
            const uint32_t to = graph->to[e];
            if (to == without || reached[to])
                continue;
            reached[to] = true;
            stack[depth++] = to;
        }
    }
    free(stack);
}

/* An object retains what is reachable with it and not without it. */
static void assert_retained(const struct pr_graph *graph, const struct pr_dominators *d)
{
    bool *all = calloc(graph->count, sizeof *all), *some = calloc(graph->count, sizeof *some);
    reach(graph, PR_NO_ID, all);
    for (uint32_t node = 0; node < graph->count; node++) {
        uint64_t retained = 0;
        assert_int_equal(d->place[node] != PR_NO_ID, all[node]);
        if (!all[node])
            continue;
        reach(graph, node, some);
        for (uint32_t i = 0; i < graph->count; i++)
            retained += all[i] && !some[i] ? graph->size[i] : 0;
        assert_int_equal(d->retained[d->place[node]], retained);
    }
    free(all);
    free(some);
}

static void every_object_retains_what_is_unreachable_without_it(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct pr_graph graph = {0};
        struct pr_dominators dominators;
        const uint32_t nodes = 1 + below(40), most = 1 + below(4);
        for (uint32_t i = 0; i < nodes; i++) {
            assert_true(pr_graph_node(&graph, 0, 1 + below(100)));
            for (uint32_t k = below(most + 1); k; k--)
                assert_true(pr_graph_edge(&graph, below(nodes)));
        }
        assert_int_equal(pr_graph_close(&graph), 0);
        struct pr_graph before = graph; /* its references lead to nodes */
        before.to = malloc((graph.edge_count + (size_t)1) * sizeof *before.to);
        for (uint32_t e = 0; e < graph.edge_count; e++)
            before.to[e] = graph.to[e];
        assert_true(pr_dominators_make(&graph, &dominators));
        for (uint32_t e = 0; e < graph.edge_count; e++)
            assert_int_equal(graph.to[e], dominators.place[before.to[e]]);
        assert_retained(&before, &dominators);
        free(before.to);
        pr_dominators_clear(&dominators);
        pr_graph_clear(&graph);
    }
}

/* A list that is as long as memory allows costs no stack; each of its objects also refers to the first. */
static void a_deep_graph_needs_no_stack(void **state)
{
    enum { DEEP = 1000000 };
    struct pr_graph graph = {0};
    struct pr_dominators dominators;
    (void)state;
    for (uint32_t i = 0; i < DEEP; i++) {
        assert_true(pr_graph_node(&graph, 0, 1));
        assert_true(pr_graph_edge(&graph, i + 1));
        assert_true(pr_graph_edge(&graph, 0));
    }
    assert_int_equal(pr_graph_close(&graph), 1); /* the last one refers to none */
    assert_true(pr_dominators_make(&graph, &dominators));
    assert_int_equal(dominators.count, DEEP);
    for (uint32_t i = 0; i < DEEP; i += DEEP / 10)
        assert_int_equal(dominators.retained[i], DEEP - i);
    pr_dominators_clear(&dominators);
    pr_graph_clear(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_retains_what_is_unreachable_without_it),
        cmocka_unit_test(a_deep_graph_needs_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
