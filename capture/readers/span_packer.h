/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes for spans that come in the order of their beginnings, the longer of equal ones first: a span goes into the lane
 * of its track where it nests, else into the first lane that is free. In a lane, spans nest.
 *
 *     struct pr_span_packer packer = {.track_count = tracks};
 *     pr_span_packer_begin(&packer);                           // once
 *     pr_span_packer_restart(&packer);                         // before the spans of each group
 *     lane = pr_span_packer_place(&packer, track, &span);
 *     pr_span_packer_end(&packer);
 */
#ifndef PR_CAPTURE_READERS_SPAN_PACKER_H
#define PR_CAPTURE_READERS_SPAN_PACKER_H

#include "capture/readers/call_sorter.h"

enum { PR_MOST_SPAN_LANES = 1024 };

struct pr_span_lane {
    int64_t *end_ns; /* [depth] of the spans that are open, the innermost last */
    size_t depth, capacity;
    uint32_t track;  /* that of all of them */
};

struct pr_span_packer {
    uint32_t track_count; /* set by the caller */
    uint32_t *lane_of;    /* [track_count] the lane in which a track was last; any number, to be checked */
    struct pr_span_lane lanes[PR_MOST_SPAN_LANES];
    int64_t free_ns[PR_MOST_SPAN_LANES]; /* from when on a lane is free: the end of its outermost span */
    uint32_t lane_count;
    bool failed; /* no memory */
};

bool pr_span_packer_begin(struct pr_span_packer *packer); /* false: no memory */
void pr_span_packer_restart(struct pr_span_packer *packer);

/* The lane of a span of TRACK; PR_MOST_SPAN_LANES: all are taken. */
uint32_t pr_span_packer_place(struct pr_span_packer *packer, uint32_t track, const struct pr_call *span);

void pr_span_packer_end(struct pr_span_packer *packer);

#endif
