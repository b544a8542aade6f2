/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/graph/graph.h"

#include "capture/base/checked.h"

bool pr_graph_node(struct pr_graph *graph, uint32_t kind, uint64_t size)
{
    const size_t need = graph->count + (size_t)1;
    if (graph->count >= UINT32_MAX - 1 || !pr_grow(&graph->kind, &graph->kind_capacity, need, sizeof *graph->kind) ||
        !pr_grow(&graph->size, &graph->size_capacity, need, sizeof *graph->size) ||
        !pr_grow(&graph->first, &graph->first_capacity, need + 1, sizeof *graph->first))
        return false;
    graph->kind[graph->count] = kind;
    graph->size[graph->count] = size;
    graph->first[graph->count++] = graph->edge_count;
    return true;
}

bool pr_graph_edge(struct pr_graph *graph, uint32_t to)
{
    if (graph->edge_count == UINT32_MAX - 1 ||
        !pr_grow(&graph->to, &graph->edge_capacity, graph->edge_count + (size_t)1, sizeof *graph->to))
        return false;
    graph->to[graph->edge_count++] = to;
    return true;
}

uint64_t pr_graph_close(struct pr_graph *graph)
{
    uint64_t undefined = 0;
    if (graph->count)
        graph->first[graph->count] = graph->edge_count;
    for (uint32_t node = 0; node < graph->count; node++) {
        for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
            if (graph->to[edge] < graph->count)
                continue;
            graph->to[edge] = node;
            undefined++;
        }
    }
    return undefined;
}

void pr_graph_clear(struct pr_graph *graph)
{
    free(graph->kind);
    free(graph->size);
    free(graph->first);
    free(graph->to);
    *graph = (struct pr_graph){0};
}
