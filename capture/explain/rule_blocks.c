/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: several of one size at once, many small ones, and what is allocated again and again. */
#include "capture/explain/holder_words.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <string.h>

/* ---- of one size ------------------------------------------------------------------------------------------------ */

/* Facts that are few blocks, and large. */
struct block {
    int64_t bytes; /* of one block */
    int64_t count;
    pr_frame_id frame;
};

enum { MOST_BLOCKS = 64, MOST_IN_FACT = 4, MOST_NAMED = 3, LARGE_PERCENT = 5, LARGE_BYTES = 1024 * 1024 };

static int by_size(const void *a, const void *b, const void *context)
{
    const struct block *x = a, *y = b;
    (void)context;
    return PR_ORDER(y->bytes, x->bytes);
}

/*
 * Blocks that each have at least LARGE_PERCENT of the peak, at the line of own code that holds them. Arenas of pymalloc
 * all have one size, and nobody asked for a second one.
 */
static size_t find_blocks(const struct pr_inquiry *inquiry, const struct pr_metric *metric, struct block *blocks)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    size_t count = 0;
    for (size_t i = 0; i < profile->fact_count && count < MOST_BLOCKS; i++) {
        const int64_t blocks_here = metric->count[i];
        const pr_node_id node = inquiry->code.holder[leaf[i]];
        if (blocks_here < 1 || blocks_here > MOST_IN_FACT || node == PR_ROOT ||
            pr_pymalloc_of_fact(profile, (uint32_t)(metric - profile->metrics), i).count)
            continue;
        const int64_t bytes = metric->value[i] / blocks_here;
        if (bytes >= LARGE_BYTES && bytes <= INT64_MAX / (MOST_BLOCKS * MOST_IN_FACT) &&
            pr_is_share(bytes, metric->total_value, LARGE_PERCENT))
            blocks[count++] = (struct block){bytes, blocks_here, profile->tree.frame[node]};
    }
    return count;
}

/* The blocks from FIRST on that differ from it by less than a thousandth. */
static size_t count_equal(const struct block *blocks, size_t count, size_t first)
{
    size_t end = first;
    while (end < count && (blocks[first].bytes - blocks[end].bytes) <= blocks[first].bytes / 1000)
        end++;
    return end - first;
}

/* Whether one before it is at the same line. */
static bool is_repeated(const struct block *blocks, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (blocks[i].frame == blocks[number].frame)
            return true;
    }
    return false;
}

/* Whether all of them are in the function that holds most of the peak: then it is one cause. */
static bool are_of_holder(struct pr_inquiry *inquiry, const struct block *blocks, size_t places)
{
    const struct pr_holder *holder = pr_inquiry_peak(inquiry);
    for (size_t i = 0; i < places; i++) {
        if (!holder->known || inquiry->code.function[blocks[i].frame] != holder->function)
            return false;
    }
    return true;
}

/* " 2 blocks of this are 6.00 MiB each: reusing one could ...": in the finding of the holder. */
static void add_to_holder(struct pr_inquiry *inquiry, const struct pr_metric *metric, int64_t bytes, int64_t count)
{
    struct pr_explanation *explanation = inquiry->explanation;
    for (size_t i = 0; i < explanation->count; i++) {
        struct pr_insight *insight = &explanation->insight[i];
        if (strcmp(insight->rule->name, "peak-holder") == 0)
            PR_SAY(inquiry, &insight->rest,
                   " {} of this are {} each: reusing one could save up to {}.",
                   pr_phrase_count(count, "blocks"), pr_phrase_amount(metric, bytes),
                   pr_phrase_amount(metric, bytes * (count - 1)));
    }
}

/* "3 blocks of the same size are alive at the peak, 69.5 MiB each: at features.py:30, features.py:31; ..." */
static void say_equal(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct block *blocks,
                      size_t places, int64_t count)
{
    const int64_t bytes = blocks[0].bytes, all = bytes * count;
    unsigned named = 0;
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, metric->unit, all - bytes, metric->total_value);
    insight->score /= 2; /* whether one could do is not known */
    if (are_of_holder(inquiry, blocks, places))
        insight->frame = blocks[0].frame;
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->proof = "table INPUT --metric peak";
    PR_SAY(inquiry, &insight->headline, "{} of the same size are alive at the peak", pr_phrase_count(count, "blocks"));
    PR_SAY(inquiry, &insight->rest, ", {} each", pr_phrase_amount(metric, bytes));
    for (size_t i = 0; i < places && named < MOST_NAMED; i++) {
        if (!is_repeated(blocks, i))
            PR_SAY(inquiry, &insight->rest, named++ ? ", {}" : ": at {}",
                   pr_phrase_place(blocks[i].frame, inquiry->profile->frames[blocks[i].frame].line));
    }
    PR_SAY(inquiry, &insight->rest, "; together {} of the peak. Reusing one could save up to {}.",
           pr_phrase_share(metric, all, metric->total_value), pr_phrase_amount(metric, all - bytes));
}

/* Of all groups of equal blocks the one with most bytes. */
void pr_rule_equal_blocks(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct block blocks[MOST_BLOCKS];
    size_t best = 0, best_places = 0;
    int64_t most = 0, best_count = 0;
    if (!metric->count) {
        inquiry->why = "allocations were not counted";
        return;
    }
    const size_t count = find_blocks(inquiry, metric, blocks);
    inquiry->failed |= !pr_sort(blocks, count, sizeof *blocks, by_size, NULL);
    for (size_t i = 0; i < count; i++) {
        const size_t places = count_equal(blocks, count, i);
        int64_t equal = 0;
        for (size_t k = i; k < i + places; k++)
            equal += blocks[k].count;
        if (equal >= 2 && equal * blocks[i].bytes > most) {
            most = equal * blocks[i].bytes;
            best = i;
            best_places = places;
            best_count = equal;
        }
    }
    if (pr_is_share(most, metric->total_value, 25))
        say_equal(inquiry, metric, &blocks[best], best_places, best_count);
    if (pr_is_share(most, metric->total_value, 25) && are_of_holder(inquiry, &blocks[best], best_places))
        add_to_holder(inquiry, metric, blocks[best].bytes, best_count);
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

/* "load has 1,234,567 small allocations at the peak, 56 B on average: 66.0 MiB." */
void pr_rule_many_small(struct pr_inquiry *inquiry)
{
    enum { LEAST_COUNT = 100000, MOST_MEAN = 512 };
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct pr_holder holder;
    struct pr_insight *insight;
    if (!metric->count) {
        inquiry->why = "allocations were not counted";
        return;
    }
    holder = *pr_inquiry_peak(inquiry);
    if (inquiry->failed || !holder.known || holder.count < LEAST_COUNT || holder.own / holder.count > MOST_MEAN ||
        !pr_is_share(holder.own, metric->total_value, 25) || !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_locate(inquiry, insight, metric, &holder);
    insight->proof = "summary INPUT --metric peak";
    PR_SAY(inquiry, &insight->headline, "{} has {} at the peak, {} on average", pr_phrase_function(holder.frame),
           pr_phrase_count(holder.count, "allocations"), pr_phrase_amount(metric, holder.own / holder.count));
    PR_SAY(inquiry, &insight->rest, ", {} together. The allocator's overhead for each is not included.",
           pr_phrase_amount(metric, holder.own));
}

/* "fit allocates 45.0 GiB in all, 138 times the heap's peak: 1,234,567 allocations at forecast.py:28." */
void pr_rule_churn(struct pr_inquiry *inquiry)
{
    enum { LEAST_TIMES = 20, LEAST_PERCENT = 30, LEAST_BYTES = 1 << 30 };
    const struct pr_metric *peak = pr_inquiry_metric(inquiry, "peak"),
                           *metric = pr_inquiry_metric(inquiry, "allocated");
    struct pr_holder holder;
    struct pr_insight *insight;
    if (!metric || metric->unit != PR_UNIT_BYTES || !pr_metric_has_allocations(inquiry->profile, metric)) {
        inquiry->why = "total allocations were not recorded by call stack";
        return;
    }
    const struct pr_column column = {metric->value, metric->count};
    inquiry->failed |= !pr_code_find_holder(&inquiry->code, &column, &holder);
    if (inquiry->failed || !holder.known || (!holder.is_own && inquiry->code.has_own) || holder.own < LEAST_BYTES ||
        holder.own / LEAST_TIMES < peak->total_value || !pr_is_share(holder.own, metric->total_value, LEAST_PERCENT) ||
        !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_locate(inquiry, insight, metric, &holder);
    insight->score = 15000;
    insight->proof = "summary INPUT --allocated";
    PR_SAY(inquiry, &insight->headline, "{} allocates {} over the run", pr_phrase_function(holder.frame),
           pr_phrase_amount(metric, holder.own));
    PR_SAY(inquiry, &insight->rest, ", {} of all allocations, while the {heap} never exceeds {}: ",
           pr_phrase_share(metric, holder.own, metric->total_value), pr_phrase_amount(peak, peak->total_value));
    pr_say_holding(inquiry, &insight->rest, metric, &holder);
}
