/* SPDX-License-Identifier: Apache-2.0 */
/* What was not freed, and what was freed at once. */
#include "capture/explain/holder_words.h"

/* Less is not worth a sentence, whatever its share: Python alone takes as much to start. */
enum { LEAST_BYTES = 64 * 1024 };

/* Finds who has most of the metric. False: none that is worth a sentence, measured by the peak. */
static bool find(struct pr_inquiry *inquiry, const struct pr_metric *metric, struct pr_holder *holder)
{
    const struct pr_metric *peak = pr_inquiry_metric(inquiry, "peak");
    const struct pr_column column = {metric->value, metric->count};
    if (!pr_code_find_holder(&inquiry->code, &column, holder)) {
        inquiry->failed = true;
        return false;
    }
    return holder->known && holder->own >= LEAST_BYTES &&
           pr_is_share(holder->own, metric->total_value, PR_LEAST_SHARE) &&
           (!peak || pr_is_share(holder->own, peak->total_value, PR_LEAST_SHARE)) &&
           (holder->is_own || !inquiry->code.has_own);
}

/* Importance of an amount, by the peak. */
static void weigh(const struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                  int64_t amount)
{
    const struct pr_metric *peak = pr_inquiry_metric(inquiry, "peak");
    pr_insight_saves(insight, metric->unit, amount, peak ? peak->total_value : metric->total_value);
}

/* "99.2 MiB from training_slice is not freed: 76.6 % of all unfreed memory, 287 allocations at forecast.py:20." */
void pr_rule_not_freed(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "leaked");
    const bool complete = inquiry->profile->complete;
    struct pr_holder holder;
    struct pr_insight *insight;
    if (!find(inquiry, metric, &holder) || !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_locate(inquiry, insight, metric, &holder);
    weigh(inquiry, insight, metric, holder.total);
    insight->saving.known = complete; /* what was freed later would have saved nothing */
    insight->proof = "summary INPUT --leaks";
    PR_SAY(inquiry, &insight->headline,
           complete ? "{} from {} is not freed" : "{} from {} was still held when the capture ended",
           pr_phrase_amount(metric, holder.total), pr_phrase_function(holder.frame));
    PR_SAY(inquiry, &insight->rest, complete ? ": {} of all unfreed memory, " : ": {} of all that was held, ",
           pr_phrase_share(metric, holder.total, metric->total_value));
    pr_say_holding(inquiry, &insight->rest, metric, &holder);
    pr_say_arenas(inquiry, &insight->rest, metric, &holder);
    if (!complete)
        PR_SAY(inquiry, &insight->rest, " It may have been freed later.");
}

/* "fit makes 179 MiB of temporary allocations, freed before the next allocation: 48.0 % of ..." */
void pr_rule_temporary(struct pr_inquiry *inquiry)
{
    enum { COST_PERCENT = 25 }; /* they cost time, not the peak */
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "temporary");
    struct pr_holder holder;
    struct pr_insight *insight;
    if (!find(inquiry, metric, &holder) || !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_locate(inquiry, insight, metric, &holder);
    weigh(inquiry, insight, metric, holder.total);
    insight->score = insight->score * COST_PERCENT / 100;
    insight->saving.known = false;
    insight->severity = PR_SEVERITY_NOTE;
    insight->proof = "summary INPUT --temporary";
    PR_SAY(inquiry, &insight->headline, "{} makes {} of temporary allocations", pr_phrase_function(holder.frame),
           pr_phrase_amount(metric, holder.total));
    PR_SAY(inquiry, &insight->rest, ", freed before the next allocation: {} of all temporary memory, ",
           pr_phrase_share(metric, holder.total, metric->total_value));
    pr_say_holding(inquiry, &insight->rest, metric, &holder);
}
