/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that grows until the end, where nothing tells by call stack who holds it: a service of any language that was
 * sampled from outside, or a heap that a collector empties. The lower edge of the lane counts, not what comes and goes.
 */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/base/decimal.h"
#include "capture/base/slope.h"
#include "capture/model/run_figures.h"

#include <math.h>
#include <string.h>

enum {
    PARTS = 20,
    LEAST_SAMPLES = 2 * PARTS,
    LEAST_MS = 10 * 1000,
    LEAST_BYTES = 16 * 1024 * 1024,
    LEAST_PERCENT = 20, /* of the highest value */
    LOW_PERCENT = 5     /* of what it grew by: growth begins where the lane was last that low */
};

/* Some decades: times of a damaged file may be anything. */
#define LONGEST_MS INT64_C(1000000000000)

/* In so many equal parts of the time: what the lane never has less than from there on. */
struct edge {
    int64_t start_ms, span_ms, highest;
    double low[PARTS];
};

/* The last sample may be of a process that is on its way out. */
static size_t count_samples(const struct pr_series *lane)
{
    const size_t count = lane->count;
    return count > 1 && lane->value[count - 1] < lane->value[count - 2] / 2 ? count - 1 : count;
}

/* False: too short, too few samples, or none in some part. */
static bool find_edge(const struct pr_series *lane, struct edge *edge)
{
    const size_t count = count_samples(lane);
    bool has_sample[PARTS] = {false};
    *edge = (struct edge){.start_ms = lane->at_ms[0]};
    if (count < LEAST_SAMPLES || __builtin_sub_overflow(lane->at_ms[count - 1], edge->start_ms, &edge->span_ms) ||
        edge->span_ms < LEAST_MS || edge->span_ms >= LONGEST_MS)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double part = ((double)lane->at_ms[i] - (double)edge->start_ms) / (double)edge->span_ms * PARTS;
        const unsigned at = part < 0 ? 0 : part >= PARTS ? PARTS - 1 : (unsigned)part;
        const double value = (double)lane->value[i];
        edge->low[at] = has_sample[at] && edge->low[at] < value ? edge->low[at] : value;
        edge->highest = lane->value[i] > edge->highest ? lane->value[i] : edge->highest;
        has_sample[at] = true;
    }
    for (unsigned i = PARTS; i-- > 0;) {
        if (!has_sample[i])
            return false;
        if (i + 1 < PARTS && edge->low[i + 1] < edge->low[i])
            edge->low[i] = edge->low[i + 1];
    }
    return true;
}

/* The last part that is nearly as low as the first, which is the lowest: growth begins there. */
static unsigned find_first(const struct edge *edge)
{
    const double limit = edge->low[0] + (edge->low[PARTS - 1] - edge->low[0]) * LOW_PERCENT / 100;
    unsigned first = 0;
    while (first + 1 < PARTS && edge->low[first + 1] <= limit)
        first++;
    return first;
}

/* Along a line for at least half of the time, and as fast at its end as before. */
static bool is_steady(const struct edge *edge, unsigned first, double slope)
{
    const double growth = edge->low[PARTS - 1] - edge->low[first];
    unsigned growing = 0;
    if (first > PARTS / 2 || slope <= 0 || growth < LEAST_BYTES || growth * 100 < (double)edge->highest * LEAST_PERCENT)
        return false;
    for (unsigned i = first + 1; i < PARTS; i++) {
        growing += edge->low[i] > edge->low[i - 1];
        if (fabs(edge->low[i] - edge->low[first] - slope * (i - first)) > growth / 6)
            return false;
    }
    return growing * 2 >= PARTS - 1 - first && edge->low[PARTS - 1] - edge->low[PARTS - 4] > slope;
}

/* "RSS grows by 1.20 MiB/s until the end: from 120 MiB at 3.00 s to 480 MiB, at its lower edge. ..." */
static void say(struct pr_inquiry *inquiry, const struct pr_series *lane, const struct edge *edge, unsigned first,
                double slope)
{
    const double rate = slope * PARTS / (double)edge->span_ms * 1000;
    const int64_t from = pr_double_scaled(edge->low[first], 1), to = pr_double_scaled(edge->low[PARTS - 1], 1);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, PR_UNIT_BYTES, pr_subtract_saturated(to, from), edge->highest);
    insight->saving.known = false; /* what it is needed for is not known */
    insight->from_ms = (struct pr_maybe){true, edge->start_ms + edge->span_ms / PARTS * first};
    insight->to_ms = (struct pr_maybe){true, edge->start_ms + edge->span_ms};
    insight->proof = "export INPUT --view series";
    PR_SAY(inquiry, &insight->headline, "{} grows by {} until the end", pr_phrase_text(lane->title),
           pr_phrase_value(PR_UNIT_BYTES_PER_SECOND, pr_double_scaled(rate, 1), "Theil-Sen slope of its lower edge"));
    PR_SAY(inquiry, &insight->rest,
           ": its low points rise from {} at {} to {}. Which code holds the memory was not recorded.",
           pr_phrase_value(PR_UNIT_BYTES, from, ""), pr_phrase_moment(insight->from_ms.value),
           pr_phrase_value(PR_UNIT_BYTES, to, ""));
    pr_say_limit(inquiry, insight, rate);
}

/* Where stacks have the heap over time, steady-growth names who holds it. */
void pr_rule_memory_growth(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_series *heap = pr_run_series(profile, "heap"), *lane = heap ? heap : pr_run_memory_series(profile);
    struct edge edge;
    double slope;
    if (profile->bin_count) {
        inquiry->why = "memory over time was recorded by call stack; steady-growth judges it";
        return;
    }
    if (!lane || !find_edge(lane, &edge)) {
        inquiry->why = lane ? "memory was sampled for less than 10 seconds or too rarely" : "memory was not sampled";
        return;
    }
    const unsigned first = find_first(&edge);
    if (!pr_slope_find(edge.low + first, PARTS - first, &slope)) {
        inquiry->failed = true;
        return;
    }
    if (is_steady(&edge, first, slope))
        say(inquiry, lane, &edge, first, slope);
}
