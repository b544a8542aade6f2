/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted by start; each span knows the one around it, so that a search is a bisection and a few steps outward. */
#include "capture/base/spans.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

/* Steps outward: real tables nest a few deep, and no made-up one may make a search slow. */
enum { MAX_STEPS = 64 };

bool pr_spans_add(struct pr_spans *spans, uint64_t start, uint64_t end, uint32_t number)
{
    if (end <= start)
        return true;
    if (spans->count >= UINT32_MAX - 1 ||
        !pr_grow(&spans->span, &spans->capacity, spans->count + 1, sizeof *spans->span))
        return false;
    spans->span[spans->count++] = (struct pr_span){start, end, number, 0};
    return true;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_span *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(x->start, y->start);
    order = order ? order : PR_ORDER(y->end, x->end);
    return order ? order : PR_ORDER(x->number, y->number);
}

bool pr_spans_sort(struct pr_spans *spans)
{
    struct pr_span *span = spans->span;
    if (!spans->count)
        return true;
    if (!pr_sort(span, spans->count, sizeof *span, compare, NULL))
        return false;
    for (size_t i = 1; i < spans->count; i++) {
        uint32_t around = (uint32_t)i;
        while (around && span[around - 1].end <= span[i].start)
            around = span[around - 1].around;
        span[i].around = around;
    }
    return true;
}

const struct pr_span *pr_spans_find(const struct pr_spans *spans, uint64_t address)
{
    size_t low = 0, high = spans->count; /* the answer is before HIGH */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->span[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (int step = 0; high && step < MAX_STEPS; step++) {
        const struct pr_span *span = &spans->span[high - 1];
        if (address < span->end)
            return span;
        high = span->around;
    }
    return NULL;
}

void pr_spans_clear(struct pr_spans *spans)
{
    free(spans->span);
    *spans = (struct pr_spans){0};
}
