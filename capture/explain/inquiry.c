/* SPDX-License-Identifier: Apache-2.0 */
/* Insights as rules make them. */
#include "capture/explain/inquiry.h"

#include "capture/base/checked.h"
#include "capture/model/owner_settle.h"

#include <stdlib.h>

struct pr_insight *pr_insight_add(struct pr_inquiry *inquiry)
{
    struct pr_explanation *explanation = inquiry->explanation;
    if (!pr_grow(&explanation->insight, &inquiry->room, explanation->count + 1, sizeof *explanation->insight)) {
        inquiry->failed = true;
        return NULL;
    }
    struct pr_insight *insight = &explanation->insight[explanation->count++];
    *insight = (struct pr_insight){
        .rule = inquiry->rule, .metric = PR_NO_METRIC, .frame = PR_NO_NODE, .node = PR_NO_NODE, .whole = 0};
    return insight;
}

const struct pr_metric *pr_inquiry_metric(const struct pr_inquiry *inquiry, const char *name)
{
    const int index = pr_profile_metric(inquiry->profile, name);
    return index < 0 ? NULL : &inquiry->profile->metrics[index];
}

const struct pr_holder *pr_inquiry_peak(struct pr_inquiry *inquiry)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    if (!inquiry->has_peak && metric) {
        const struct pr_column column = {metric->value, metric->count};
        inquiry->has_peak = true;
        inquiry->failed |= !pr_code_find_holder(&inquiry->code, &column, &inquiry->peak);
    }
    return &inquiry->peak;
}

/* A finding about little is not of high severity, whatever its share. */
static bool is_little(enum pr_unit unit, int64_t amount)
{
    enum { LITTLE_BYTES = 8 * 1024 * 1024, LITTLE_NS = 100 * 1000 * 1000 };
    return (unit == PR_UNIT_BYTES && amount < LITTLE_BYTES) || (unit == PR_UNIT_NANOSECONDS && amount < LITTLE_NS);
}

void pr_insight_saves(struct pr_insight *insight, enum pr_unit unit, int64_t saving, int64_t whole)
{
    const double share = whole > 0 && saving > 0 ? (double)saving / (double)whole : 0;
    insight->unit = unit;
    insight->saving = (struct pr_maybe){true, saving};
    insight->whole = whole;
    insight->score = (int64_t)((share < 1 ? share : 1) * 100000);
    insight->severity = is_little(unit, saving) ? PR_SEVERITY_LOW
                        : share >= 0.5          ? PR_SEVERITY_HIGH
                        : share >= 0.2          ? PR_SEVERITY_MEDIUM
                                                : PR_SEVERITY_LOW;
}

void pr_insight_locate(const struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                       const struct pr_holder *holder)
{
    insight->metric = (uint32_t)(metric - inquiry->profile->metrics);
    insight->frame = holder->frame;
    insight->node = holder->node;
}

bool *pr_inquiry_mark_below(struct pr_inquiry *inquiry, const struct pr_holder *holder)
{
    bool *is_below = calloc(inquiry->profile->tree.count + (size_t)1, sizeof *is_below);
    inquiry->failed |= !is_below;
    if (is_below)
        pr_code_mark(&inquiry->code, holder->function, is_below);
    return is_below;
}

int64_t pr_inquiry_sum_below(struct pr_inquiry *inquiry, const struct pr_metric *metric,
                             const struct pr_holder *holder, pr_frame_counts *counts, const void *context)
{
    const struct pr_profile *profile = inquiry->profile;
    bool *is_below = pr_inquiry_mark_below(inquiry, holder);
    int64_t sum = 0;
    for (size_t i = 0; is_below && i < profile->fact_count; i++) {
        const pr_node_id leaf = profile->fact_leaf[i];
        if (leaf != PR_ROOT && is_below[leaf] && counts(inquiry, profile->tree.frame[leaf], context))
            pr_add_to(&sum, metric->value[i]);
    }
    free(is_below);
    return sum;
}

int64_t *pr_inquiry_part_below(struct pr_inquiry *inquiry, const struct pr_metric *metric, const bool *is_marked,
                               int64_t *sum)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    bool *is_below = calloc(profile->tree.count + (size_t)1, sizeof *is_below),
         *is_start = calloc(profile->tree.count + (size_t)1, sizeof *is_start);
    const bool has_room = is_below && is_start && pr_owner_mark_start(profile, is_start);
    int64_t *part = has_room ? calloc(profile->fact_count + 1, sizeof *part) : NULL;
    *sum = 0;
    for (pr_node_id i = 1; part && i < profile->tree.count; i++)
        is_below[i] = is_below[profile->tree.parent[i]] || is_marked[profile->tree.frame[i]];
    for (size_t i = 0; part && i < profile->fact_count; i++) {
        part[i] = is_below[leaf[i]] && !is_start[leaf[i]] ? metric->value[i] : 0;
        pr_add_to(sum, part[i]);
    }
    free(is_below);
    free(is_start);
    return part;
}

struct pr_pymalloc pr_inquiry_arenas(const struct pr_inquiry *inquiry, const struct pr_metric *metric,
                                     const struct pr_holder *holder)
{
    const struct pr_profile *profile = inquiry->profile;
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    struct pr_pymalloc sum = {0, 0};
    if (!pr_pymalloc_has_arenas(profile))
        return sum;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = inquiry->code.holder[leaf[i]];
        if (node == PR_ROOT || inquiry->code.function[profile->tree.frame[node]] != holder->function)
            continue;
        const struct pr_pymalloc arenas = pr_pymalloc_of_fact(profile, (uint32_t)(metric - profile->metrics), i);
        pr_add_to(&sum.count, arenas.count);
        pr_add_to(&sum.bytes, arenas.bytes);
    }
    return sum;
}
