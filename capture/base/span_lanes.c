/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/span_lanes.h"

#include "capture/base/checked.h"

#include <stdlib.h>

/* A name, and when the last bar in each of its lanes ends. */
struct lanes {
    double *ends;
    size_t count, capacity;
    uint32_t first; /* the number of its first lane */
};

/* The first lane of its name that is free when SPAN starts. */
static bool place(struct lanes *lanes, struct pr_lane_span *span)
{
    size_t at = 0;
    while (at < lanes->count && lanes->ends[at] > span->start)
        at++;
    if (at == lanes->count && !pr_grow(&lanes->ends, &lanes->capacity, ++lanes->count, sizeof *lanes->ends))
        return false;
    lanes->ends[at] = span->finish;
    span->lane = (uint32_t)at;
    return true;
}

static bool place_all(struct pr_lane_span *spans, size_t count, struct lanes *lanes)
{
    for (size_t i = 0; i < count; i++)
        if (!place(&lanes[spans[i].name], &spans[i]))
            return false;
    return true;
}

bool pr_span_lanes(struct pr_lane_span *spans, size_t count, size_t names, uint32_t *lane_count)
{
    struct lanes *lanes = calloc(names + 1, sizeof *lanes);
    const bool done = lanes && place_all(spans, count, lanes);
    *lane_count = 0;
    for (size_t i = 0; done && i < count; i++) {
        struct lanes *of = &lanes[spans[i].name];
        if (of->count) { /* the first bar of its name; its lanes are counted once */
            of->first = *lane_count;
            *lane_count += (uint32_t)of->count;
            of->count = 0;
        }
        spans[i].lane += of->first;
    }
    for (size_t i = 0; lanes && i < names; i++)
        free(lanes[i].ends);
    free(lanes);
    return done;
}
