/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of a call graph can reach each other: recursion puts them into one cycle. */
#ifndef PR_CAPTURE_BUILDER_CALL_GRAPH_CYCLES_H
#define PR_CAPTURE_BUILDER_CALL_GRAPH_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CYCLE[i] becomes the number of the cycle of function i, from 0 on; a function outside any cycle gets a number of its
 * own. Callees have lower numbers than their callers, except within a cycle. The calls of function i lead to
 * CALLEE(context, k) for k from FIRST_CALL[i] up to FIRST_CALL[i + 1]; all are below COUNT. Takes time and memory in
 * proportion to functions and calls, without recursion (Tarjan's algorithm).
 *
 * Owner:  CYCLE, COUNT elements, is the caller's.
 * Errors: false: out of memory.
 */
bool pr_cycles_find(uint32_t count, const size_t *first_call, uint32_t (*callee)(const void *context, size_t call),
                    const void *context, uint32_t *cycle, uint32_t *cycle_count);

#endif
