/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks every rule, then ranks what was found: by importance, and of two insights about the same function only the more
 * precise one is kept.
 */
#include "capture/explain/inquiry.h"

#include "capture/base/sort.h"
#include "capture/model/run_figures.h"
#include "capture/model/run_times.h"

#include <string.h>

/* ---- what a rule needs ------------------------------------------------------------------------------------------ */

static bool has_total(const struct pr_inquiry *inquiry, const char *name)
{
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, name);
    return metric && metric->unit == PR_UNIT_BYTES && pr_metric_has_allocations(inquiry->profile, metric);
}

static bool has_stacks(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        if (!pr_metric_is_of_heap(profile, metric) && !pr_metric_is_of_objects(metric) && metric->total_value > 0)
            return true;
    }
    return false;
}

/* Lanes of more than what a tracker of the heap samples by itself. */
static bool has_run(const struct pr_profile *profile)
{
    return pr_run_series(profile, "cpu") || pr_run_series(profile, "cgroup_memory") ||
           pr_run_series(profile, "cpu_wait");
}

static bool has(const struct pr_inquiry *inquiry, unsigned need)
{
    const struct pr_profile *profile = inquiry->profile;
    switch (need) {
    case PR_NEED_PEAK:
        return has_total(inquiry, "peak");
    case PR_NEED_HISTORY:
        return profile->bin_count > 0 && has_total(inquiry, "peak");
    case PR_NEED_LEAKED: /* sums by call stack will do */
        return pr_inquiry_metric(inquiry, "leaked");
    case PR_NEED_TEMPORARY:
        return has_total(inquiry, "temporary");
    case PR_NEED_ALL_READ:
        return profile->complete;
    case PR_NEED_STACKS:
        return has_stacks(profile);
    case PR_NEED_DIFFERENCE:
        return profile->is_difference;
    case PR_NEED_RUN:
        return profile->run.wall_ns.known || profile->run.max_rss_bytes.known || has_run(profile);
    case PR_NEED_ALL_CALLS:
        return !profile->damage.kind[PR_DAMAGE_OVERFLOWED].count;
    case PR_NEED_ENDED_WELL:
        return !pr_failure_is_one(&profile->run.failure);
    default:
        return true;
    }
}

/* Sums of call stacks, as massif and heaptrack have them, do not show which allocations they consist of. */
static bool has_only_sums(const struct pr_inquiry *inquiry, enum pr_need need)
{
    return need == PR_NEED_PEAK && pr_inquiry_metric(inquiry, "peak");
}

/* Why a rule cannot judge; NULL: it can. */
static const char *find_missing(const struct pr_inquiry *inquiry, unsigned needs)
{
    static const struct {
        enum pr_need need;
        const char *why;
    } missing[] = {
        {PR_NEED_PEAK, "the heap at its peak was not recorded by call stack"},
        {PR_NEED_HISTORY, "the heap over time was not recorded by call stack"},
        {PR_NEED_LEAKED, "unfreed memory was not recorded by call stack"},
        {PR_NEED_TEMPORARY, "individual allocations were not recorded"},
        {PR_NEED_RUN, "resource use of the whole run was not recorded; profrender record does this"},
        {PR_NEED_ALL_READ, "the capture could not be read to the end"},
        {PR_NEED_ALL_CALLS, "the recorder dropped calls: its buffer overflowed"},
        {PR_NEED_STACKS, "no time, samples or calls were recorded by call stack"},
        {PR_NEED_DIFFERENCE, "there is only one profile"},
        {PR_NEED_ENDED_WELL, "the run failed before it could free its memory"},
    };
    if (!(needs & PR_NEED_DIFFERENCE) && inquiry->profile->is_difference)
        return "it judges one profile, not a difference";
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if ((needs & missing[i].need) && !has(inquiry, missing[i].need))
            return has_only_sums(inquiry, missing[i].need) ? "only the sums of call stacks were recorded"
                                                            : missing[i].why;
    }
    return NULL;
}

static void ask(struct pr_inquiry *inquiry, const struct pr_rule_row *row)
{
    struct pr_explanation *explanation = inquiry->explanation;
    struct pr_rule_outcome *outcome = &explanation->outcome[explanation->outcome_count++];
    const size_t before = explanation->count;
    inquiry->rule = &row->rule;
    inquiry->why = find_missing(inquiry, row->needs);
    if (!inquiry->why)
        row->ask(inquiry);
    *outcome = (struct pr_rule_outcome){&row->rule, PR_OUTCOME_FINE, ""};
    if (explanation->count > before)
        outcome->outcome = PR_OUTCOME_FOUND;
    else if (inquiry->why)
        *outcome = (struct pr_rule_outcome){&row->rule, PR_OUTCOME_NOT_JUDGED, inquiry->why};
}

/* ---- ranking ---------------------------------------------------------------------------------------------------- */

static const struct pr_rule_row *row_of(const struct pr_insight *insight)
{
    const struct pr_rule_row *row = pr_rule_rows;
    while (row->ask && &row->rule != insight->rule)
        row++;
    return row;
}

static bool is_memory(const struct pr_inquiry *inquiry, const struct pr_insight *insight)
{
    return insight->metric != PR_NO_METRIC && inquiry->profile->metrics[insight->metric].unit == PR_UNIT_BYTES;
}

/* Both are about what one function does, in memory or in time. */
static bool have_one_cause(const struct pr_inquiry *inquiry, const struct pr_insight *a, const struct pr_insight *b)
{
    return a->frame != PR_NO_NODE && b->frame != PR_NO_NODE && is_memory(inquiry, a) == is_memory(inquiry, b) &&
           inquiry->code.function[a->frame] == inquiry->code.function[b->frame];
}

/* The more precise, unless it is about less than half as much: 3 MiB that are not freed do not explain a peak of 40. */
static bool is_better(const struct pr_insight *a, const struct pr_insight *b)
{
    const bool a_is_precise = row_of(a)->precision > row_of(b)->precision;
    const struct pr_insight *precise = a_is_precise ? a : b, *other = a_is_precise ? b : a;
    return (precise->score >= other->score / 2) == a_is_precise;
}

/* The better of two keeps the higher score of both. */
static void drop_repeated(struct pr_inquiry *inquiry)
{
    struct pr_explanation *explanation = inquiry->explanation;
    size_t kept = 0;
    for (size_t i = 0; i < explanation->count; i++) {
        struct pr_insight insight = explanation->insight[i];
        size_t k = 0;
        while (k < kept && !have_one_cause(inquiry, &explanation->insight[k], &insight))
            k++;
        if (k == kept) {
            explanation->insight[kept++] = insight;
            continue;
        }
        struct pr_insight *other = &explanation->insight[k];
        const int64_t score = insight.score > other->score ? insight.score : other->score;
        if (is_better(&insight, other))
            *other = insight;
        other->score = score;
    }
    explanation->count = kept;
}

static int by_importance(const void *a, const void *b, const void *context)
{
    const struct pr_insight *x = a, *y = b;
    (void)context;
    return PR_ORDER(y->score, x->score);
}

static void rank(struct pr_inquiry *inquiry, bool keep_repeated)
{
    struct pr_explanation *explanation = inquiry->explanation;
    if (!keep_repeated)
        drop_repeated(inquiry);
    inquiry->failed |=
        !pr_sort(explanation->insight, explanation->count, sizeof *explanation->insight, by_importance, NULL);
}

/* ---- the way in ------------------------------------------------------------------------------------------------- */

enum pr_status pr_explain(const struct pr_profile *profile, const struct pr_explain_options *options,
                          struct pr_explanation *explanation, struct pr_error *err)
{
    struct pr_inquiry inquiry = {.profile = profile, .explanation = explanation};
    size_t rows = 0;
    *explanation = (struct pr_explanation){0};
    while (pr_rule_rows[rows].ask)
        rows++;
    explanation->outcome = pr_arena_array(&explanation->arena, rows, sizeof *explanation->outcome);
    const bool started =
        explanation->outcome && pr_code_make(&inquiry.code, profile, options ? options->is_own : NULL, err) == PR_OK;
    for (size_t i = 0; started && i < rows; i++)
        ask(&inquiry, &pr_rule_rows[i]);
    if (started)
        rank(&inquiry, options && options->keep_repeated);
    pr_code_clear(&inquiry.code);
    return started && !inquiry.failed ? PR_OK : pr_fail_memory(err);
}

void pr_explanation_clear(struct pr_explanation *explanation)
{
    free(explanation->insight);
    pr_arena_clear(&explanation->arena);
    *explanation = (struct pr_explanation){0};
}

const struct pr_rule *pr_rule_at(size_t i)
{
    for (size_t row = 0; pr_rule_rows[row].ask; row++) {
        if (row == i)
            return &pr_rule_rows[row].rule;
    }
    return NULL;
}

const struct pr_rule *pr_rule_find(const char *name)
{
    const struct pr_rule *rule;
    for (size_t i = 0; (rule = pr_rule_at(i)); i++) {
        if (!strcmp(rule->name, name))
            return rule;
    }
    return NULL;
}
