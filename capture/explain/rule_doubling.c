/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer that grows by doubling: blocks from one stack, each about twice the one before, which is then freed. */
#include "capture/explain/holder_words.h"

enum {
    MOST_BLOCKS = 64,    /* of one stack: who has more of them has no chain */
    LEAST_STEPS = 4,     /* blocks after the first */
    LEAST_BYTES = 65536, /* smaller blocks are not looked at */
    LEAST_LAST = 1 << 20, /* the last one is worth a sentence, */
    LEAST_PERCENT = 5     /* and has this part of the peak */
};

struct chain {
    const struct pr_lifetime *first, *last;
    unsigned count;
    int64_t before; /* bytes of all but the last */
};

/* NEXT is about twice as large, and takes over from BLOCK, which is freed once NEXT is there. */
static bool follows(const struct pr_lifetime *block, const struct pr_lifetime *next)
{
    const double ratio = (double)next->bytes / (double)block->bytes;
    return ratio >= 1.75 && ratio <= 2.3 && block->to != PR_NEVER && block->to >= next->from &&
           block->to <= next->from + 1;
}

/* The single blocks of FACT that are large, by time; more than there is room for: none. */
static size_t find_blocks(const struct pr_profile *profile, size_t fact, const struct pr_lifetime **blocks)
{
    size_t count = 0;
    for (size_t i = profile->fact_first_lifetime[fact]; i < profile->fact_first_lifetime[fact + 1]; i++) {
        if (profile->moves[i].count != 1 || profile->moves[i].bytes < LEAST_BYTES)
            continue;
        if (count == MOST_BLOCKS)
            return 0;
        blocks[count++] = &profile->moves[i];
    }
    return count;
}

/* The chain of blocks that begins with number START. */
static struct chain follow(const struct pr_lifetime *const *blocks, size_t count, size_t start)
{
    struct chain chain = {.first = blocks[start], .last = blocks[start], .count = 1};
    for (size_t i = start + 1; i < count; i++) {
        if (!follows(chain.last, blocks[i]))
            continue;
        pr_add_to(&chain.before, chain.last->bytes);
        chain.last = blocks[i];
        chain.count++;
    }
    return chain;
}

/* Of all facts the chain with the largest last block, the longest of these. */
static struct chain find_chain(const struct pr_profile *profile, int64_t least, size_t *fact)
{
    const struct pr_lifetime *blocks[MOST_BLOCKS];
    struct chain best = {.count = 0};
    for (size_t i = 0; i < profile->fact_count; i++) {
        const size_t count = find_blocks(profile, i, blocks);
        for (size_t k = 0; k + LEAST_STEPS < count; k++) {
            const struct chain chain = follow(blocks, count, k);
            if (chain.count > LEAST_STEPS && chain.last->bytes >= least &&
                (!best.count || chain.last->bytes > best.last->bytes)) {
                best = chain;
                *fact = i;
            }
        }
    }
    return best;
}

/* "read allocates 7 blocks, each about twice the one before: from 1.00 MiB at 1.20 s to 64.0 MiB at 2.00 s, at ..." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *peak, const struct chain *chain, size_t fact)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id leaf = pr_profile_shown_leaf(profile)[fact];
    const pr_node_id own = inquiry->code.holder[leaf], node = own == PR_ROOT ? inquiry->code.any_holder[leaf] : own;
    const pr_frame_id frame = profile->tree.frame[node];
    struct pr_insight *insight = node == PR_ROOT ? NULL : pr_insight_add(inquiry);
    if (!insight)
        return;
    insight->metric = (uint32_t)(peak - profile->metrics);
    insight->node = node;
    insight->score = (int64_t)((double)chain->last->bytes / (double)peak->total_value * 20000);
    insight->from_ms = (struct pr_maybe){true, profile->bins[chain->first->from].end_ms};
    insight->to_ms = (struct pr_maybe){true, profile->bins[chain->last->from].end_ms};
    insight->proof = "summary INPUT --allocated";
    PR_SAY(inquiry, &insight->headline, "{} allocates {}, each about twice the one before", pr_phrase_function(frame),
           pr_phrase_count(chain->count, "blocks"));
    PR_SAY(inquiry, &insight->rest, ": from {} at {} to {} at {}", pr_phrase_amount(peak, chain->first->bytes),
           pr_phrase_moment(insight->from_ms.value), pr_phrase_amount(peak, chain->last->bytes),
           pr_phrase_moment(insight->to_ms.value));
    if (profile->frames[frame].file)
        PR_SAY(inquiry, &insight->rest, ", at {}", pr_phrase_place(frame, profile->frames[frame].line));
    PR_SAY(inquiry, &insight->rest,
           ". Each is freed after the next is allocated, like a buffer that grows by doubling. Starting at the final "
           "size would allocate {} less.",
           pr_phrase_amount(peak, chain->before));
}

void pr_rule_doubling(struct pr_inquiry *inquiry)
{
    const struct pr_metric *peak = pr_inquiry_metric(inquiry, "peak");
    const int64_t share = peak->total_value / 100 * LEAST_PERCENT;
    size_t fact = 0;
    const struct chain chain = find_chain(inquiry->profile, share > LEAST_LAST ? share : LEAST_LAST, &fact);
    if (chain.count)
        say(inquiry, peak, &chain, fact);
}
