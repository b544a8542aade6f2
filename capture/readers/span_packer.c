/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/readers/span_packer.h"

#include "capture/base/checked.h"

#include <stdlib.h>

bool pr_span_packer_begin(struct pr_span_packer *packer)
{
    packer->lane_of = calloc(packer->track_count + (size_t)1, sizeof *packer->lane_of);
    return packer->lane_of != NULL;
}

void pr_span_packer_restart(struct pr_span_packer *packer)
{
    packer->lane_count = 0;
}

/* Spans that are over by NOW_NS are no longer open. */
static void close_until(struct pr_span_lane *lane, int64_t now_ns)
{
    while (lane->depth && lane->end_ns[lane->depth - 1] <= now_ns)
        lane->depth--;
}

static bool nests(struct pr_span_packer *packer, uint32_t at, uint32_t track, int64_t start_ns, int64_t end_ns)
{
    struct pr_span_lane *lane = &packer->lanes[at];
    if (at >= packer->lane_count || lane->track != track)
        return false;
    close_until(lane, start_ns);
    return lane->depth && lane->end_ns[lane->depth - 1] >= end_ns;
}

static uint32_t first_free(struct pr_span_packer *packer, int64_t now_ns)
{
    uint32_t at = 0;
    while (at < packer->lane_count && packer->free_ns[at] > now_ns)
        at++;
    if (at < packer->lane_count)
        return at;
    return packer->lane_count < PR_MOST_SPAN_LANES ? packer->lane_count++ : PR_MOST_SPAN_LANES;
}

uint32_t pr_span_packer_place(struct pr_span_packer *packer, uint32_t track, const struct pr_call *span)
{
    const int64_t end_ns = pr_add_saturated(span->start_ns, span->duration_ns);
    uint32_t at = packer->lane_of[track];
    if (!nests(packer, at, track, span->start_ns, end_ns)) {
        at = first_free(packer, span->start_ns);
        if (at == PR_MOST_SPAN_LANES)
            return at;
        packer->lanes[at].depth = 0;
        packer->free_ns[at] = end_ns;
        packer->lanes[at].track = track;
        packer->lane_of[track] = at;
    }
    struct pr_span_lane *lane = &packer->lanes[at];
    if (pr_grow(&lane->end_ns, &lane->capacity, lane->depth + 1, sizeof *lane->end_ns))
        lane->end_ns[lane->depth++] = end_ns;
    else
        packer->failed = true;
    return at;
}

void pr_span_packer_end(struct pr_span_packer *packer)
{
    for (uint32_t i = 0; i < PR_MOST_SPAN_LANES; i++)
        free(packer->lanes[i].end_ns);
    free(packer->lane_of);
}
