/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape over time of what was not freed: does it grow until the end, or was it filled once? What a function
 * allocated and never freed is added up by the time at which it was allocated, in equal parts of the run.
 */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/base/decimal.h"
#include "capture/base/slope.h"
#include "capture/model/run_times.h"

#include <math.h>

enum {
    PARTS = 20,      /* of the run */
    FUNCTIONS = 5,   /* that hold most of what was not freed are looked at */
    LEAST_BINS = 10, /* fewer moments have no shape */
    LEAST_MS = 500,  /* a run that is shorter has none either */
    LEAST_KEPT = 64 * 1024
};

struct shape {
    int64_t start_ms, span_ms;
    double kept[PARTS + 1]; /* at the end of each part, from 0 */
    double whole;
    bool is_active[PARTS]; /* something was allocated in it, by whomever */
};

/* The part of the run that a bin ends in. */
static unsigned part_of(const struct shape *shape, double ms)
{
    const double part = (ms - (double)shape->start_ms) / (double)shape->span_ms * PARTS;
    return part < 0 ? 0 : part >= PARTS ? PARTS - 1 : (unsigned)part;
}

static void fill(const struct pr_profile *profile, const int64_t *kept, struct shape *shape)
{
    double in_part[PARTS] = {0};
    for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
        const struct pr_bin *b = &profile->bins[bin];
        in_part[part_of(shape, (double)b->start_ms / 2 + (double)b->end_ms / 2)] += (double)kept[bin];
    }
    for (unsigned i = 0; i < PARTS; i++)
        shape->kept[i + 1] = shape->kept[i] + in_part[i];
    shape->whole = shape->kept[PARTS];
}

static void find_active(const struct pr_profile *profile, struct shape *shape)
{
    const size_t moves = profile->fact_first_lifetime[profile->fact_count];
    for (size_t i = 0; i < moves; i++) {
        if (profile->moves[i].from < profile->bin_count)
            shape->is_active[part_of(shape, (double)profile->bins[profile->moves[i].from].end_ms - 1)] = true;
    }
    for (uint32_t bin = 1; bin < profile->bin_count; bin++) { /* what was freed in its own bin is only in the peaks */
        if (profile->bins[bin].peak_bytes != profile->bins[bin - 1].peak_bytes)
            shape->is_active[part_of(shape, (double)profile->bins[bin].end_ms - 1)] = true;
    }
}

/* The first part at whose end SHARE of it was kept. */
static unsigned reached(const struct shape *shape, double share)
{
    unsigned part = 0;
    while (part < PARTS && shape->kept[part] < shape->whole * share)
        part++;
    return part;
}

/*
 * It grows along a line, from FIRST to the end, for at least half of the run: no part is further from the line than a
 * sixth of the whole, most parts add something, and so do the last ones.
 */
static bool is_steady(const struct shape *shape, unsigned first, double slope)
{
    unsigned growing = 0;
    const double base = shape->kept[first];
    if (PARTS - first < PARTS / 2 || slope <= 0)
        return false;
    for (unsigned i = first; i < PARTS; i++) {
        growing += shape->kept[i + 1] > shape->kept[i];
        if (fabs(shape->kept[i + 1] - base - slope * (i + 1 - first)) > shape->whole / 6)
            return false;
    }
    return growing * 3 >= (PARTS - first) * 2 && shape->kept[PARTS] - shape->kept[PARTS - 3] > slope;
}

/* It was there in the first half, nothing was added later, and the program went on allocating. */
static bool is_filled(const struct shape *shape, unsigned full)
{
    unsigned active = 0;
    for (unsigned i = full; i < PARTS; i++)
        active += shape->is_active[i];
    return full <= PARTS / 2 && active * 2 >= PARTS - full && shape->kept[PARTS] <= shape->kept[full];
}

static int64_t time_of(const struct shape *shape, unsigned part)
{
    return shape->start_ms + (int64_t)((double)shape->span_ms * part / PARTS);
}

static struct pr_insight *begin(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                const struct pr_holder *holder)
{
    const struct pr_metric *peak = pr_inquiry_metric(inquiry, "peak");
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, holder->total, peak->total_value);
    insight->proof = "summary INPUT --leaks";
    return insight;
}

/* "poll grows by 1.10 MiB/s until the end: 23.4 MiB is not freed, 12 allocations at service.py:9." */
static void say_steady(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                       const struct shape *shape, unsigned first, double slope)
{
    struct pr_insight *insight = begin(inquiry, metric, holder);
    if (!insight)
        return;
    const double rate = slope * PARTS / (double)shape->span_ms * 1000;
    insight->score = insight->score * 6 / 5; /* it gets worse with time */
    insight->from_ms = (struct pr_maybe){true, time_of(shape, first)};
    insight->to_ms = (struct pr_maybe){true, time_of(shape, PARTS)};
    PR_SAY(inquiry, &insight->headline, "{} grows by {} until the end", pr_phrase_function(holder->frame),
           pr_phrase_value(PR_UNIT_BYTES_PER_SECOND, pr_double_scaled(rate, 1),
                           "Theil-Sen slope of memory never freed"));
    PR_SAY(inquiry, &insight->rest, ": {} is not freed, ", pr_phrase_amount(metric, holder->total));
    pr_say_holding(inquiry, &insight->rest, metric, holder);
    PR_SAY(inquiry, &insight->rest, " It starts growing at {}.", pr_phrase_moment(insight->from_ms.value));
    pr_say_arenas(inquiry, &insight->rest, metric, holder);
    pr_say_limit(inquiry, insight, rate);
}

/* "load allocates 45.0 MiB by 1.20 s and keeps it: it added nothing in the last 11.6 s." */
static void say_filled(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                       const struct shape *shape, unsigned full)
{
    struct pr_insight *insight = begin(inquiry, metric, holder);
    if (!insight)
        return;
    const int64_t full_ms = time_of(shape, full), left_ms = shape->start_ms + shape->span_ms - full_ms;
    insight->severity = PR_SEVERITY_NOTE;
    insight->score /= 2; /* it does not get worse */
    insight->saving.known = false;
    insight->to_ms = (struct pr_maybe){true, full_ms};
    PR_SAY(inquiry, &insight->headline, "{} allocates {} by {} and keeps it", pr_phrase_function(holder->frame),
           pr_phrase_amount(metric, holder->total), pr_phrase_moment(full_ms));
    PR_SAY(inquiry, &insight->rest, ": it added nothing in the last {}, so this does not look like a leak. It has ",
           pr_phrase_span(left_ms, ""));
    pr_say_holding(inquiry, &insight->rest, metric, holder);
}

/* Objects that leak need another arena when the last one is full: of a few arenas nobody knows. */
static bool is_of_few_arenas(const struct pr_inquiry *inquiry, const struct pr_metric *metric,
                             const struct pr_holder *holder)
{
    enum { FEW = 8, MOST_OF_IT = 50 };
    const struct pr_pymalloc arenas = pr_inquiry_arenas(inquiry, metric, holder);
    return arenas.count < FEW && pr_is_share(arenas.bytes, holder->own, MOST_OF_IT);
}

enum wanted { STEADY, FILLED };

/* Some decades: times of a damaged file may be anything. */
#define LONGEST_MS INT64_C(1000000000000)

static void judge(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                  struct shape shape, enum wanted wanted, int64_t *kept)
{
    double slope = 0;
    inquiry->failed |= !pr_code_kept(&inquiry->code, holder->function, kept);
    fill(inquiry->profile, kept, &shape);
    const unsigned first = reached(&shape, 0.02) ? reached(&shape, 0.02) - 1 : 0, full = reached(&shape, 1);
    if (shape.whole <= 0)
        return;
    inquiry->failed |= !pr_slope_find(shape.kept + first, PARTS + 1 - first, &slope);
    if (wanted == STEADY && is_steady(&shape, first, slope))
        say_steady(inquiry, metric, holder, &shape, first, slope);
    if (wanted == FILLED && is_filled(&shape, full) && !is_of_few_arenas(inquiry, metric, holder))
        say_filled(inquiry, metric, holder, &shape, full);
}

static bool has_shape(struct pr_inquiry *inquiry, struct shape *shape)
{
    const struct pr_profile *profile = inquiry->profile;
    *shape = (struct shape){.start_ms = profile->bins[0].start_ms};
    const bool is_known =
        !__builtin_sub_overflow(profile->bins[profile->bin_count - 1].end_ms, shape->start_ms, &shape->span_ms);
    if (is_known && shape->span_ms >= LEAST_MS && shape->span_ms < LONGEST_MS && profile->bin_count >= LEAST_BINS)
        return true;
    inquiry->why = "the run is too short to show a trend";
    return false;
}

static void judge_all(struct pr_inquiry *inquiry, enum wanted wanted)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "leaked"), *peak = pr_inquiry_metric(inquiry, "peak");
    const struct pr_column column = {metric->value, metric->count};
    struct pr_holder holders[FUNCTIONS];
    struct shape shape;
    if (!has_shape(inquiry, &shape))
        return;
    const int64_t share = peak->total_value / 100 * PR_LEAST_SHARE, least = share > LEAST_KEPT ? share : LEAST_KEPT;
    int64_t *kept = calloc(inquiry->profile->bin_count, sizeof *kept);
    if (!kept || !pr_code_find_holders(&inquiry->code, &column, holders, FUNCTIONS, least)) {
        free(kept);
        inquiry->failed = true;
        return;
    }
    find_active(inquiry->profile, &shape);
    for (unsigned i = 0; i < FUNCTIONS && holders[i].known; i++) {
        const struct pr_holder *holder = &holders[i];
        if (holder->is_own || !inquiry->code.has_own)
            judge(inquiry, metric, holder, shape, wanted, kept);
    }
    free(kept);
}

void pr_rule_steady_growth(struct pr_inquiry *inquiry)
{
    judge_all(inquiry, STEADY);
}

void pr_rule_filled(struct pr_inquiry *inquiry)
{
    judge_all(inquiry, FILLED);
}
