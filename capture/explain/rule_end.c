/* SPDX-License-Identifier: Apache-2.0 */
/* What grew before a run ended for lack of memory. */
#include "capture/explain/holder_words.h"

#include "capture/model/run_times.h"

#include <string.h>

/* The last tenth of what was recorded. */
enum { LAST_PART = 10 };

static bool is_memory_error(struct pr_text type)
{
    static const char name[] = "MemoryError";
    const size_t length = sizeof name - 1;
    return type.length >= length && !memcmp(type.bytes + type.length - length, name, length);
}

/* It was killed for memory, or its last exception was of that kind. */
static bool ran_out(const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    if (failure->oom == PR_OOM_YES || failure->oom == PR_OOM_LIKELY)
        return true;
    return failure->final_exception < failure->exception_count &&
           is_memory_error(pr_profile_text(profile, failure->exceptions[failure->final_exception].type));
}

/* What each fact holds at the peak of BIN, and in how many allocations. */
static void fill(const struct pr_profile *profile, uint32_t bin, int64_t *value, int64_t *count)
{
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++) {
            if (profile->steps[i].bin > bin)
                break;
            value[fact] = profile->steps[i].bytes;
            count[fact] = profile->steps[i].count;
        }
    }
}

/* The first bin of the last part of the run. */
static uint32_t find_start(const struct pr_profile *profile)
{
    const struct pr_bin *last = &profile->bins[profile->bin_count - 1];
    const double span = (double)last->end_ms - (double)profile->bins[0].start_ms,
                 from = (double)last->end_ms - span / LAST_PART;
    uint32_t bin = 0;
    while (bin + 1 < profile->bin_count && (double)profile->bins[bin].end_ms < from)
        bin++;
    return bin;
}

/* Who ended it, as far as is known. */
static const char *how_it_ended(const struct pr_failure *failure)
{
    if (failure->oom == PR_OOM_YES)
        return " The kernel killed it because memory ran out.";
    return failure->oom == PR_OOM_LIKELY ? " The kernel likely killed it because memory ran out."
                                         : " It ended with a MemoryError.";
}

/* "Before memory ran out, load grew by 1.20 GiB in the last 4.10 s: 92.0 % of all growth." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder,
                int64_t whole, uint32_t bin)
{
    const struct pr_profile *profile = inquiry->profile;
    const int64_t from_ms = profile->bins[bin].end_ms, to_ms = profile->bins[profile->bin_count - 1].end_ms;
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_locate(inquiry, insight, metric, holder);
    pr_insight_saves(insight, metric->unit, holder->total, metric->total_value);
    insight->severity = PR_SEVERITY_HIGH;
    insight->score += 200000; /* it ended the run */
    insight->from_ms = (struct pr_maybe){true, from_ms};
    insight->to_ms = (struct pr_maybe){true, to_ms};
    PR_SAY(inquiry, &insight->headline, "Before memory ran out, {} grew by {}", pr_phrase_function(holder->frame),
           pr_phrase_amount(metric, holder->total));
    PR_SAY(inquiry, &insight->rest,
           " in the last {}, {} of all growth: ", pr_phrase_span(pr_subtract_saturated(to_ms, from_ms), ""),
           pr_phrase_share(metric, holder->total, whole));
    pr_say_holding(inquiry, &insight->rest, metric, holder);
    PR_SAY_TEXT(inquiry, &insight->rest, how_it_ended(&profile->run.failure));
}

void pr_rule_last_growth(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct pr_holder holder;
    if (!ran_out(profile)) {
        inquiry->why = "as far as is known, memory did not run out";
        return;
    }
    const size_t facts = profile->fact_count;
    int64_t *sums = calloc(4 * facts + 1, sizeof *sums), whole = 0;
    const uint32_t bin = find_start(profile);
    if (!sums) {
        inquiry->failed = true;
        return;
    }
    int64_t *bytes = sums, *count = bytes + facts, *bytes_then = count + facts, *count_then = bytes_then + facts;
    fill(profile, bin, bytes_then, count_then);
    fill(profile, profile->bin_count - 1, bytes, count);
    for (size_t i = 0; i < facts; i++) {
        const bool has_grown = bytes[i] > bytes_then[i];
        bytes[i] = has_grown ? bytes[i] - bytes_then[i] : 0;
        count[i] = has_grown && count[i] > count_then[i] ? count[i] - count_then[i] : 0;
        pr_add_to(&whole, bytes[i]);
    }
    const struct pr_column column = {bytes, count};
    inquiry->failed |= !pr_code_find_holder(&inquiry->code, &column, &holder);
    if (!inquiry->failed && holder.known && pr_is_share(holder.total, metric->total_value, PR_LEAST_SHARE))
        say(inquiry, metric, &holder, whole, bin);
    free(sums);
}
