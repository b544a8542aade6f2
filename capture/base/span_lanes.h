/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes of bars on a line of time: bars of one name share a lane, and further ones as far as they overlap.
 *
 *     struct pr_lane_span spans[] = {{.name = 0, .start = 0, .finish = 2}, {.name = 0, .start = 1, .finish = 3}};
 *     uint32_t lanes;
 *     if (pr_span_lanes(spans, 2, 1, &lanes))
 *         draw(spans[1].lane);
 */
#ifndef PR_CAPTURE_BASE_SPAN_LANES_H
#define PR_CAPTURE_BASE_SPAN_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_lane_span {
    uint32_t name; /* a number of it */
    double start, finish;
    uint32_t lane; /* from 0 */
};

/*
 * Sets the lanes of SPANS, which are in the order of their start; NAMES is above the number of each name. Lanes of a
 * name follow one another, names are in the order of their first bars. False: out of memory.
 */
bool pr_span_lanes(struct pr_lane_span *spans, size_t count, size_t names, uint32_t *lane_count);

#endif
