/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds the heap at its peak, and what the peak would be without it. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/run_times.h"

#include <string.h>

/* "Without it the peak would be 179 MiB, at 9.22 s." */
static void say_without(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                        const struct pr_holder *holder)
{
    struct pr_without without;
    if (inquiry->profile->peak_bytes != metric->total_value)
        return; /* allocations at addresses in use: the heap as it was counted is not that of the stacks */
    inquiry->failed |= !pr_code_without(&inquiry->code, holder->function, &without);
    if (!without.known)
        return;
    const int64_t saving = pr_subtract_saturated(metric->total_value, without.rest);
    const bool still = !pr_is_share(saving, metric->total_value, PR_LEAST_SHARE);
    pr_insight_saves(insight, metric->unit, saving, metric->total_value);
    if (without.rest == 0)
        return; /* all that was ever in use is from it, as its share says */
    PR_SAY(inquiry, &insight->rest,
           still ? " Without it the peak would still be {}" : " Without it the peak would be {}",
           pr_phrase_amount(metric, without.rest));
    if (inquiry->profile->bin_count > 1)
        PR_SAY(inquiry, &insight->rest, ", at {}", pr_phrase_moment(inquiry->profile->bins[without.bin].end_ms));
    PR_SAY(inquiry, &insight->rest, ".");
}

/* For how long the heap was above HIGH percent of its peak, how long it is known, and what it had half of the time. */
struct height {
    int64_t high_ms, span_ms, median;
};

static int by_height(const void *a, const void *b, const void *context)
{
    const struct pr_bin *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->peak_bytes, y->peak_bytes);
}

/* False: no memory. */
static bool measure(const struct pr_profile *profile, int64_t peak, struct height *height)
{
    enum { HIGH = 80 };
    struct pr_bin *bins = calloc(profile->bin_count, sizeof *bins);
    int64_t passed = 0;
    *height = (struct height){0};
    if (bins)
        memcpy(bins, profile->bins, profile->bin_count * sizeof *bins);
    if (!bins || !pr_sort(bins, profile->bin_count, sizeof *bins, by_height, NULL)) {
        free(bins);
        return false;
    }
    for (uint32_t i = 0; i < profile->bin_count; i++) {
        const int64_t ms = pr_subtract_saturated(bins[i].end_ms, bins[i].start_ms);
        pr_add_to(&height->span_ms, ms);
        if (pr_is_share(bins[i].peak_bytes, peak, HIGH))
            pr_add_to(&height->high_ms, ms);
    }
    for (uint32_t i = 0; i < profile->bin_count && passed <= height->span_ms / 2; i++) {
        pr_add_to(&passed, pr_subtract_saturated(bins[i].end_ms, bins[i].start_ms));
        height->median = bins[i].peak_bytes;
    }
    free(bins);
    return true;
}

/* It is up for at most a tenth of the run, and half of the time at most half as high. */
static bool is_spike(const struct pr_profile *profile, const struct height *height, int64_t peak)
{
    enum { LEAST_BINS = 20, LEAST_MS = 200 };
    return profile->bin_count >= LEAST_BINS && height->span_ms >= LEAST_MS && height->high_ms <= height->span_ms / 10 &&
           height->median <= peak / 2 &&
           profile->bins[profile->bin_count - 1].peak_bytes <=
               peak / 5 * 4; /* else nobody knows how long it would last */
}

/*
 * Whether the function makes the spike: from when the heap was last below half of its peak, it takes at most a fifth of
 * the run to the peak, and the function adds half of what it holds there. A slow rise that ends with the run is none.
 * BY_BIN: what the function holds.
 */
static bool makes_spike(const struct pr_profile *profile, const struct height *height, const int64_t *by_bin)
{
    enum { MOST_PARTS = 5 };
    const uint32_t peak = profile->peak_bin;
    uint32_t from = peak;
    while (from && profile->bins[from].peak_bytes > profile->bins[peak].peak_bytes / 2)
        from--;
    const int64_t ms = pr_subtract_saturated(profile->bins[peak].end_ms, profile->bins[from].end_ms);
    return ms <= height->span_ms / MOST_PARTS && by_bin[from] <= by_bin[peak] / 2;
}

/* The same, of the function that holds most. False also without memory. */
static bool is_spike_of(struct pr_inquiry *inquiry, const struct height *height, const struct pr_holder *holder)
{
    int64_t *by_bin = calloc(inquiry->profile->bin_count + (size_t)1, sizeof *by_bin);
    const bool done = by_bin && pr_code_held(&inquiry->code, holder->function, by_bin);
    const bool is_one = done && makes_spike(inquiry->profile, height, by_bin);
    inquiry->failed |= !done;
    free(by_bin);
    return is_one;
}

/* " It is a short spike: the heap is above four fifths of its peak for 120 ms of 12.8 s, and half of the ..." */
static void say_spike(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                      const struct height *height)
{
    PR_SAY(inquiry, &insight->rest,
           " It is a short spike: the {heap} is above four fifths of its peak for {} of {}, and at most {} for half of "
           "the time.",
           pr_phrase_span(height->high_ms, ""), pr_phrase_span(height->span_ms, ""),
           pr_phrase_amount(metric, height->median));
}

/* "load holds 2.38 MiB of the 2.77 MiB heap peak at 5.60 s (86.1 %): 2 allocations at etl.py:41." */
static struct pr_insight *say_holder(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                     const struct pr_holder *holder)
{
    const struct pr_maybe at_ms = pr_times_peak_ms(inquiry->profile);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, holder->total, metric->total_value);
    insight->proof = "summary INPUT --metric peak";
    PR_SAY(inquiry, &insight->headline, "{} holds {}", pr_phrase_function(holder->frame),
           pr_phrase_amount(metric, holder->total));
    PR_SAY(inquiry, &insight->rest, " of the {} {}", pr_phrase_amount(metric, metric->total_value),
           pr_phrase_text(pr_heap_words(inquiry->profile)->peak));
    if (at_ms.known)
        PR_SAY(inquiry, &insight->rest, " at {}", pr_phrase_moment(at_ms.value));
    PR_SAY(inquiry, &insight->rest, " ({}): ", pr_phrase_share(metric, holder->total, metric->total_value));
    pr_say_holding(inquiry, &insight->rest, metric, holder);
    say_without(inquiry, insight, metric, holder);
    return insight;
}

/* The function that holds most of the peak. False: all is 0. */
static bool find_holder(struct pr_inquiry *inquiry, const struct pr_metric *metric, struct pr_holder *holder)
{
    *holder = *pr_inquiry_peak(inquiry);
    return holder->known && metric->total_value > 0;
}

static bool stands_out(const struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder)
{
    return (holder->is_own || !inquiry->code.has_own) && pr_is_share(holder->own, metric->total_value, PR_LEAST_SHARE);
}

/* "86.3 % of the heap peak has no stack: 69.0 MiB, ..." False: less than half has none. */
static bool say_stackless(struct pr_inquiry *inquiry, const struct pr_metric *metric)
{
    enum { LEAST_PERCENT = 50 };
    const struct pr_profile *profile = inquiry->profile;
    int64_t stackless = 0;
    for (size_t i = 0; i < profile->fact_count; i++)
        if (profile->fact_leaf[i] == PR_ROOT)
            pr_add_to(&stackless, metric->value[i]);
    if (!pr_is_share(stackless, metric->total_value, LEAST_PERCENT))
        return false;
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return true;
    insight->is_of_none = true;
    insight->metric = (uint32_t)(metric - profile->metrics);
    insight->proof = "table INPUT --metric peak";
    pr_insight_saves(insight, metric->unit, stackless, metric->total_value);
    insight->saving.known = false;
    PR_SAY(inquiry, &insight->headline, "{} of the {} has no stack",
           pr_phrase_share(metric, stackless, metric->total_value), pr_phrase_text(pr_heap_words(profile)->peak));
    PR_SAY(inquiry, &insight->rest,
           ": {}. It was allocated where the recorder saw no function, as in a thread without Python code, so what "
           "allocated it is not known.",
           pr_phrase_amount(metric, stackless));
    return true;
}

void pr_rule_peak_holder(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct pr_holder holder;
    if (!metric || metric->total_value <= 0)
        return;
    const bool is_stackless = say_stackless(inquiry, metric);
    if (!find_holder(inquiry, metric, &holder))
        return;
    if (stands_out(inquiry, metric, &holder))
        say_holder(inquiry, metric, &holder);
    else if (!is_stackless)
        pr_say_spread(inquiry, metric, &holder, pr_heap_words(inquiry->profile)->peak);
}

void pr_rule_spike(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct pr_holder holder;
    struct height height;
    if (!find_holder(inquiry, metric, &holder) || !stands_out(inquiry, metric, &holder))
        return;
    if (!measure(inquiry->profile, metric->total_value, &height)) {
        inquiry->failed = true;
        return;
    }
    struct pr_insight *insight =
        is_spike(inquiry->profile, &height, metric->total_value) && is_spike_of(inquiry, &height, &holder)
            ? say_holder(inquiry, metric, &holder)
            : NULL;
    if (insight)
        say_spike(inquiry, insight, metric, &height);
}

/* ---- again and again -------------------------------------------------------------------------------------------- */

struct rounds {
    unsigned count;
    int64_t first_ms, last_ms, shortest_ms, longest_ms;
};

static void add_round(struct rounds *rounds, int64_t ms)
{
    const int64_t gap = pr_subtract_saturated(ms, rounds->last_ms);
    if (!rounds->count)
        rounds->first_ms = ms;
    if (rounds->count) {
        rounds->shortest_ms = rounds->count == 1 || gap < rounds->shortest_ms ? gap : rounds->shortest_ms;
        rounds->longest_ms = gap > rounds->longest_ms ? gap : rounds->longest_ms;
    }
    rounds->last_ms = ms;
    rounds->count++;
}

/* Rises to within a tenth of the peak, each after a fall to below half of the height above the lowest part between. */
static struct rounds count_rounds(const struct pr_profile *profile, int64_t low, int64_t high)
{
    struct rounds rounds = {0};
    bool is_up = false;
    for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
        const int64_t bytes = profile->bins[bin].peak_bytes;
        if (!is_up && bytes >= high)
            add_round(&rounds, profile->bins[bin].end_ms);
        is_up = bytes >= high || (is_up && bytes > low);
    }
    return rounds;
}

/* "The heap rises to its peak 12 times, every 1.02 s: each time it falls below 145 MiB again." */
void pr_rule_repeated_peak(struct pr_inquiry *inquiry)
{
    enum { LEAST_ROUNDS = 4 };
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    const int64_t peak = metric->total_value, low = peak / 2;
    const struct rounds rounds = count_rounds(profile, low, peak - peak / 10);
    struct pr_insight *insight;
    if (rounds.count < LEAST_ROUNDS || rounds.longest_ms / 2 > rounds.shortest_ms || rounds.shortest_ms <= 0 ||
        !(insight = pr_insight_add(inquiry)))
        return;
    const int64_t every_ms = pr_subtract_saturated(rounds.last_ms, rounds.first_ms) / (rounds.count - 1);
    insight->metric = (uint32_t)(metric - profile->metrics);
    insight->from_ms = (struct pr_maybe){true, rounds.first_ms};
    insight->to_ms = (struct pr_maybe){true, rounds.last_ms};
    insight->score = 5000;
    insight->proof = "export INPUT --view series";
    PR_SAY(inquiry, &insight->headline, "The {heap} rises to its peak {}", pr_phrase_count(rounds.count, "times"));
    PR_SAY(inquiry, &insight->rest,
           ", every {} from {} to {}: to at least 90 % of {}, and each time back to at most {}.",
           pr_phrase_span(every_ms, "on average"), pr_phrase_moment(rounds.first_ms), pr_phrase_moment(rounds.last_ms),
           pr_phrase_amount(metric, peak), pr_phrase_amount(metric, low));
}
