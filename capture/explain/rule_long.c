/* SPDX-License-Identifier: Apache-2.0 */
/* What was held long before the peak that others made, and what the peak would be had it been freed. */
#include "capture/explain/holder_words.h"

#include "capture/model/run_times.h"
#include "profrender/owner.h"

enum { FUNCTIONS = 5, LEAST_BINS = 20, LEAST_MS = 200, LEAST_PART = 20, LEAST_TIME = 40, LEAST_BYTES = 1 << 20 };

/* The bins up to that of the peak in which a function holds what it holds there, and no more. */
struct plateau {
    uint32_t first; /* everything was there at its end */
    int64_t held;   /* at the peak */
    int64_t ms;     /* from the end of the first to the end of the peak's */
};

/* It changes by less than a twentieth. */
static bool is_same(int64_t bytes, int64_t held)
{
    return bytes >= held - held / 20 && bytes <= held + held / 20;
}

static struct plateau find_plateau(const struct pr_profile *profile, const int64_t *held)
{
    const uint32_t peak = profile->peak_bin;
    struct plateau plateau = {.first = peak, .held = held[peak]};
    while (plateau.first && is_same(held[plateau.first - 1], plateau.held))
        plateau.first--;
    plateau.ms = pr_subtract_saturated(profile->bins[peak].end_ms, profile->bins[plateau.first].end_ms);
    return plateau;
}

/* The peak, had the function's memory been freed at the end of bin FREED. */
static int64_t peak_without(const struct pr_profile *profile, const int64_t *held, uint32_t freed)
{
    int64_t peak = 0;
    for (uint32_t i = 0; i < profile->bin_count; i++) {
        const int64_t bytes = profile->bins[i].peak_bytes;
        const int64_t rest = i <= freed ? bytes : pr_subtract_saturated(bytes, held[i]);
        peak = rest > peak ? rest : peak;
    }
    return peak;
}

/* Most of the time to the peak, and others added much since then. */
static bool is_long(const struct pr_profile *profile, const struct plateau *plateau, int64_t peak)
{
    const int64_t span = pr_subtract_saturated(profile->bins[profile->bin_count - 1].end_ms, profile->bins[0].start_ms);
    const int64_t then = profile->bins[plateau->first].peak_bytes;
    return plateau->ms >= LEAST_MS && plateau->held >= LEAST_BYTES && pr_is_share(plateau->ms, span, LEAST_TIME) &&
           pr_is_share(plateau->held, peak, LEAST_PART) &&
           pr_is_share(pr_subtract_saturated(peak, then), peak, LEAST_PART);
}

/* "load holds 120 MiB for 7.00 s before the peak, 40 % of it, at ... If it were freed at 1.00 s, the peak ...." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                const struct plateau *plateau, const int64_t *held)
{
    const struct pr_profile *profile = inquiry->profile;
    const int64_t first_ms = profile->bins[plateau->first].end_ms, peak_ms = profile->bins[profile->peak_bin].end_ms;
    const int64_t rest = peak_without(profile, held, plateau->first),
                  saving = pr_subtract_saturated(metric->total_value, rest);
    struct pr_insight *insight =
        pr_is_share(saving, metric->total_value, PR_LEAST_SHARE) ? pr_insight_add(inquiry) : NULL;
    if (!insight)
        return;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, saving, metric->total_value);
    insight->from_ms = (struct pr_maybe){true, first_ms};
    insight->to_ms = (struct pr_maybe){true, peak_ms};
    insight->proof = "summary INPUT --metric peak";
    PR_SAY(inquiry, &insight->headline, "{} holds {} for {} before the peak", pr_phrase_function(holder->frame),
           pr_phrase_amount(metric, plateau->held), pr_phrase_span(plateau->ms, ""));
    PR_SAY(inquiry, &insight->rest, ", {} of the peak", pr_phrase_share(metric, plateau->held, metric->total_value));
    if (pr_profile_text(profile, profile->frames[holder->frame].file).length)
        PR_SAY(inquiry, &insight->rest,
               holder->line_value == holder->own                  ? ", at {}"
               : pr_is_share(holder->line_value, holder->own, 50) ? ", most of it at {}"
                                                                  : ", the largest part at {}",
               pr_phrase_place(holder->frame, profile->frames[holder->frame].line));
    PR_SAY(inquiry, &insight->rest,
           ". Whether it was still in use is not recorded. If it were freed at {}, the peak would be {}.",
           pr_phrase_moment(first_ms), pr_phrase_amount(metric, rest));
}

/* METRIC without what imports hold: a module stays as long as the program. Owned: free. NULL: no memory. */
static int64_t *without_imports(struct pr_inquiry *inquiry, const struct pr_metric *metric)
{
    const struct pr_profile *profile = inquiry->profile;
    bool *is_import = calloc(profile->frame_count + (size_t)1, sizeof *is_import);
    int64_t sum;
    for (pr_frame_id i = 0; is_import && i < profile->frame_count; i++)
        is_import[i] = pr_role_of(profile, i) & PR_ROLE_IMPORT;
    int64_t *part = is_import ? pr_inquiry_part_below(inquiry, metric, is_import, &sum) : NULL;
    for (size_t i = 0; part && i < profile->fact_count; i++)
        part[i] = pr_subtract_saturated(metric->value[i], part[i]);
    free(is_import);
    return part;
}

void pr_rule_held_long(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct pr_holder holders[FUNCTIONS];
    if (profile->bin_count < LEAST_BINS || profile->peak_bytes != metric->total_value) {
        inquiry->why = "the run is too short to show a trend";
        return;
    }
    int64_t *held = calloc(profile->bin_count, sizeof *held), *lasting = without_imports(inquiry, metric);
    const struct pr_column column = {lasting, metric->count};
    const int64_t least = metric->total_value / 100 * LEAST_PART;
    const bool found = held && lasting && pr_code_find_holders(&inquiry->code, &column, holders, FUNCTIONS, least);
    free(lasting);
    if (!found) {
        free(held);
        inquiry->failed = true;
        return;
    }
    for (unsigned i = 0; i < FUNCTIONS && holders[i].known && !inquiry->failed; i++) {
        inquiry->failed |= !pr_code_held(&inquiry->code, holders[i].function, held);
        const struct plateau plateau = find_plateau(profile, held);
        if ((holders[i].is_own || !inquiry->code.has_own) && is_long(profile, &plateau, metric->total_value))
            say(inquiry, metric, &holders[i], &plateau, held);
    }
    free(held);
}
