/* SPDX-License-Identifier: Apache-2.0 */
/* Tarjan's strongly connected components, with a stack of its own. */
#include "capture/builder/call_graph_cycles.h"

#include <stdlib.h>

struct finder {
    const size_t *first_call;
    uint32_t (*callee)(const void *context, size_t call);
    const void *context;
    uint32_t *cycle;
    uint32_t cycle_count;
    uint32_t *order;    /* [count] when a function was first seen, from 1 on; 0 = not yet */
    uint32_t *lowest;   /* [count] the earliest one that it leads back to */
    size_t *next_call;  /* [count] */
    uint32_t *above;    /* [count] the function that led to it */
    uint32_t *open;     /* functions without a cycle so far, in the order they were seen */
    bool *is_open;      /* [count] */
    uint32_t open_count, seen;
};

static void enter(struct finder *f, uint32_t function, uint32_t above)
{
    f->order[function] = f->lowest[function] = ++f->seen;
    f->next_call[function] = f->first_call[function];
    f->above[function] = above;
    f->open[f->open_count++] = function;
    f->is_open[function] = true;
}

static void lower(struct finder *f, uint32_t function, uint32_t order)
{
    if (order < f->lowest[function])
        f->lowest[function] = order;
}

/* Everything open from FUNCTION on is one cycle. */
static void close_cycle(struct finder *f, uint32_t function)
{
    uint32_t member;
    do {
        member = f->open[--f->open_count];
        f->is_open[member] = false;
        f->cycle[member] = f->cycle_count;
    } while (member != function);
    f->cycle_count++;
}

static void visit(struct finder *f, uint32_t start)
{
    enter(f, start, start);
    for (uint32_t at = start;;) {
        if (f->next_call[at] < f->first_call[at + 1]) {
            const uint32_t callee = f->callee(f->context, f->next_call[at]++);
            if (!f->order[callee]) {
                enter(f, callee, at);
                at = callee;
            } else if (f->is_open[callee]) {
                lower(f, at, f->order[callee]);
            }
            continue;
        }
        if (f->lowest[at] == f->order[at])
            close_cycle(f, at);
        if (at == start)
            return;
        lower(f, f->above[at], f->lowest[at]);
        at = f->above[at];
    }
}

bool pr_cycles_find(uint32_t count, const size_t *first_call, uint32_t (*callee)(const void *context, size_t call),
                    const void *context, uint32_t *cycle, uint32_t *cycle_count)
{
    const size_t room = count + (size_t)1;
    struct finder f = {.first_call = first_call,
                       .callee = callee,
                       .context = context,
                       .cycle = cycle,
                       .order = calloc(room, sizeof *f.order),
                       .lowest = calloc(room, sizeof *f.lowest),
                       .next_call = calloc(room, sizeof *f.next_call),
                       .above = calloc(room, sizeof *f.above),
                       .open = calloc(room, sizeof *f.open),
                       .is_open = calloc(room, sizeof *f.is_open)};
    const bool good = f.order && f.lowest && f.next_call && f.above && f.open && f.is_open;
    for (uint32_t i = 0; good && i < count; i++)
        if (!f.order[i])
            visit(&f, i);
    *cycle_count = f.cycle_count;
    free(f.order);
    free(f.lowest);
    free(f.next_call);
    free(f.above);
    free(f.open);
    free(f.is_open);
    return good;
}
