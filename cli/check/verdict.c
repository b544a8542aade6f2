/* SPDX-License-Identifier: Apache-2.0 */
/* Rules become findings, in the order in which they matter. */
#include "cli/check/verdict.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "cli/args/amount.h"
#include "cli/args/options.h"
#include "cli/check/judge.h"
#include "cli/io/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far over its limit: what is worst comes first. */
static double excess(const struct pr_finding *finding)
{
    const int64_t limit = finding->bounds.alarm;
    return ((double)finding->after - (double)limit) / (limit > 0 ? (double)limit : 1);
}

static int compare_findings(const void *a, const void *b, const void *context)
{
    const struct pr_finding *x = a, *y = b;
    (void)context;
    static const int order[] = {[PR_BROKEN] = 0, [PR_CANNOT_TELL] = 1, [PR_KEPT] = 2};
    if (x->answer != y->answer)
        return PR_ORDER(order[x->answer], order[y->answer]);
    return x->answer == PR_BROKEN ? PR_ORDER(excess(y), excess(x)) : 0;
}

/* How long processors worked, where that is known of all runs. */
static bool look_at_work(struct pr_judge *j)
{
    struct pr_verdict *v = j->verdict;
    for (size_t i = 0; i <= v->baseline_count; i++)
        if (!v->figures[i].worked_ns.known)
            return true;
    for (size_t i = 0; i < v->baseline_count; i++)
        j->sample[i] = v->figures[1 + i].worked_ns.value;
    v->worked_ns = v->figures[0].worked_ns.value;
    return pr_baseline_values_make(j->sample, v->baseline_count, &v->worked);
}

/* Runs without a date are last, in the order in which they were named. */
static int compare_starts(const void *a, const void *b, const void *context)
{
    const struct pr_figures *figures = context;
    const struct pr_maybe x = figures[1 + *(const uint32_t *)a].start_ms;
    const struct pr_maybe y = figures[1 + *(const uint32_t *)b].start_ms;
    return PR_ORDER(x.known ? x.value : INT64_MAX, y.known ? y.value : INT64_MAX);
}

static bool put_in_order(struct pr_verdict *verdict)
{
    verdict->order = malloc((verdict->baseline_count + 1) * sizeof *verdict->order);
    for (uint32_t i = 0; verdict->order && i < verdict->baseline_count; i++)
        verdict->order[i] = i;
    return verdict->order && (!verdict->is_history || pr_sort(verdict->order, verdict->baseline_count,
                                                              sizeof *verdict->order, compare_starts,
                                                              verdict->figures));
}

static const double worth_naming = 0.1; /* of what the first one grew by */

/* Those in changed code first, unless what they grew by is next to nothing. */
static void put_suspects_first(struct pr_finding *finding)
{
    const double least = worth_naming * (double)pr_culprit_change(&finding->culprit[0]);
    for (int touch = PR_TOUCHED_FILE; touch <= PR_TOUCHED_LINE; touch++) {
        size_t first = 0;
        for (size_t i = 0; i < finding->culprit_count; i++) {
            const struct pr_culprit culprit = finding->culprit[i];
            if ((int)culprit.touch < touch || (double)pr_culprit_change(&culprit) < least)
                continue;
            memmove(&finding->culprit[first + 1], &finding->culprit[first], (i - first) * sizeof culprit);
            finding->culprit[first++] = culprit;
        }
    }
}

/* What the change under review touched. False: no memory. */
static bool look_for_suspects(struct pr_verdict *verdict)
{
    bool done = true;
    for (size_t i = 0; verdict->changes && i < verdict->count && done; i++) {
        struct pr_finding *finding = &verdict->finding[i];
        bool any = false;
        for (size_t k = 0; k < finding->culprit_count; k++) {
            struct pr_culprit *culprit = &finding->culprit[k];
            culprit->touch = pr_changes_touch(verdict->changes, pr_culprit_file(verdict, culprit), culprit->line);
            any |= culprit->touch != PR_UNTOUCHED;
        }
        struct pr_culprit *ancestor = &finding->ancestor;
        if (ancestor->code)
            ancestor->touch = pr_changes_touch(verdict->changes, pr_culprit_file(verdict, ancestor), ancestor->line);
        any |= ancestor->touch != PR_UNTOUCHED;
        if (any)
            put_suspects_first(finding);
        else if (finding->answer == PR_BROKEN && finding->culprit_count && finding->kind != PR_RULE_INSIGHT)
            done = pr_verdict_note(verdict, "%s: none of the functions that grew most is in a file that the change "
                                   "touches", finding->metric->name);
    }
    return done;
}

int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules)
{
    struct pr_judge j = {.verdict = verdict, .rules = rules, .tolerance = -1, .least = -1};
    if (rules->tolerance && !pr_percent_parse(rules->tolerance, &j.tolerance)) {
        pr_say("the tolerance '%s' is not a percentage such as 5%%", rules->tolerance);
        return PR_EXIT_USAGE;
    }
    if (!put_in_order(verdict))
        return pr_judge_no_memory();
    if (rules->least && !pr_percent_parse(rules->least, &j.least)) {
        pr_say("the growth '%s' is not a percentage such as 5%%", rules->least);
        return PR_EXIT_USAGE;
    }
    j.least *= 100;
    j.sums = calloc(verdict->diff->count + (size_t)1, sizeof *j.sums);
    j.sample = calloc(verdict->diff->count + (size_t)1, sizeof *j.sample);
    int status = j.sums && j.sample && look_at_work(&j) ? PR_EXIT_DONE : pr_judge_no_memory();
    for (size_t i = 0; i < rules->budget_count && status == PR_EXIT_DONE; i++)
        status = pr_judge_budget(&j, &rules->budget[i]);
    if (status == PR_EXIT_DONE)
        status = pr_judge_insights(&j);
    if (status == PR_EXIT_DONE && verdict->baseline_count)
        status = pr_judge_growth(&j);
    if (status == PR_EXIT_DONE && verdict->baseline_count && rules->phases)
        status = pr_judge_phases(&j);
    if (status == PR_EXIT_DONE)
        status = pr_judge_every_run(&j);
    if (status == PR_EXIT_DONE && !look_for_suspects(verdict))
        status = pr_judge_no_memory();
    if (status == PR_EXIT_DONE && !pr_sort(verdict->finding, verdict->count, sizeof *verdict->finding,
                                           compare_findings, NULL))
        status = pr_judge_no_memory();
    pr_verdict_gather_by_cause(verdict);
    free(j.sums);
    free(j.sample);
    return status;
}

void pr_verdict_clear(struct pr_verdict *verdict)
{
    free(verdict->notes);
    pr_strings_clear(&verdict->noted);
    for (size_t i = 0; i < verdict->count; i++)
        pr_trend_clear(&verdict->finding[i].trend);
    free(verdict->order);
    pr_check_insights_clear(&verdict->insights);
    pr_check_phases_clear(&verdict->phases);
    free(verdict->failure);
    free(verdict->run_name);
    free(verdict->finding);
    free(verdict->figures);
    *verdict = (struct pr_verdict){.count = 0};
}
