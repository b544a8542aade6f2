/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which span holds an address: code of an image, of a symbol, of a function.
 *
 *     struct pr_spans spans = {0};
 *     pr_spans_add(&spans, start, end, image);
 *     pr_spans_sort(&spans);
 *     const struct pr_span *span = pr_spans_find(&spans, address);
 *
 * Of nested spans the innermost counts; of spans with the same bounds, the one with the highest number.
 */
#ifndef PR_CAPTURE_BASE_SPANS_H
#define PR_CAPTURE_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_span {
    uint64_t start, end; /* END is not in it */
    uint32_t number;     /* the caller's */
    uint32_t around;     /* after sorting: 1 + index of the nearest earlier span that reaches beyond START; 0 = none */
};

struct pr_spans {
    struct pr_span *span; /* [count] by start */
    size_t count, capacity;
};

/* Adds START to END; an empty or inverted one is left out. False: no memory. */
bool pr_spans_add(struct pr_spans *spans, uint64_t start, uint64_t end, uint32_t number);

/* Once, between the last addition and the first search. False: no memory. */
bool pr_spans_sort(struct pr_spans *spans);

/* The span that holds ADDRESS, or NULL. */
const struct pr_span *pr_spans_find(const struct pr_spans *spans, uint64_t address);

void pr_spans_clear(struct pr_spans *spans);

#endif
