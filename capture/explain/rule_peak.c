/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds the heap at its peak, and what the peak would be without it. */
#include "capture/explain/inquiry.h"

#include "capture/explain/holder_words.h"
#include "capture/model/run_times.h"

/* "Without it the peak would be 179 MiB, at 9.22 s." */
static void say_without(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                        const struct pr_holder *holder)
{
    struct pr_without without;
    inquiry->failed |= !pr_code_without(&inquiry->code, holder->function, &without);
    if (!without.known)
        return;
    const int64_t saving = metric->total_value - without.rest;
    const bool still = !pr_is_share(saving, metric->total_value, PR_LEAST_SHARE);
    pr_insight_saves(insight, metric->unit, saving, metric->total_value);
    PR_SAY(inquiry, &insight->rest,
           still ? " Without it the peak would still be {}" : " Without it the peak would be {}",
           pr_phrase_amount(metric, without.rest));
    if (inquiry->profile->bin_count > 1)
        PR_SAY(inquiry, &insight->rest, ", at {}", pr_phrase_moment(inquiry->profile->bins[without.bin].end_ms));
    PR_SAY(inquiry, &insight->rest, ".");
}

/* "load holds 2.38 MiB of the 2.77 MiB heap peak at 5.60 s (86.1 %): 2 allocations at etl.py:41." */
static void say_holder(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder)
{
    const struct pr_maybe at_ms = pr_times_peak_ms(inquiry->profile);
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, holder->total, metric->total_value);
    insight->proof = "summary INPUT --metric peak";
    PR_SAY(inquiry, &insight->headline, "{} holds {}", pr_phrase_function(holder->frame),
           pr_phrase_amount(metric, holder->total));
    PR_SAY(inquiry, &insight->rest, " of the {} heap peak", pr_phrase_amount(metric, metric->total_value));
    if (at_ms.known)
        PR_SAY(inquiry, &insight->rest, " at {}", pr_phrase_moment(at_ms.value));
    PR_SAY(inquiry, &insight->rest, " ({}): ", pr_phrase_share(metric, holder->total, metric->total_value));
    pr_say_holding(inquiry, &insight->rest, metric, holder);
    say_without(inquiry, insight, metric, holder);
}

void pr_rule_peak_holder(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    const struct pr_column column = {metric->value, metric->count};
    struct pr_holder holder;
    if (!pr_code_find_holder(&inquiry->code, &column, &holder)) {
        inquiry->failed = true;
        return;
    }
    if (!holder.known || metric->total_value <= 0)
        return;
    if ((holder.is_own || !inquiry->code.has_own) && pr_is_share(holder.own, metric->total_value, PR_LEAST_SHARE))
        say_holder(inquiry, metric, &holder);
    else
        pr_say_spread(inquiry, metric, &holder, "heap peak");
}
