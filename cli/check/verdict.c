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

int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules)
{
    struct pr_judge j = {.verdict = verdict, .rules = rules, .tolerance = -1};
    if (rules->tolerance && !pr_percent_parse(rules->tolerance, &j.tolerance)) {
        pr_say("the tolerance '%s' is not a percentage such as 5%%", rules->tolerance);
        return PR_EXIT_USAGE;
    }
    j.sums = calloc(verdict->diff->count + (size_t)1, sizeof *j.sums);
    j.sample = calloc(verdict->diff->count + (size_t)1, sizeof *j.sample);
    int status = j.sums && j.sample && look_at_work(&j) ? PR_EXIT_DONE : pr_judge_no_memory();
    for (size_t i = 0; i < rules->budget_count && status == PR_EXIT_DONE; i++)
        status = pr_judge_budget(&j, &rules->budget[i]);
    if (status == PR_EXIT_DONE && verdict->baseline_count)
        status = pr_judge_growth(&j);
    if (status == PR_EXIT_DONE && !pr_sort(verdict->finding, verdict->count, sizeof *verdict->finding,
                                           compare_findings, NULL))
        status = pr_judge_no_memory();
    free(j.sums);
    free(j.sample);
    return status;
}

void pr_verdict_clear(struct pr_verdict *verdict)
{
    for (size_t i = 0; i < verdict->note_count; i++)
        free(verdict->notes[i]);
    free(verdict->notes);
    free(verdict->failure);
    free(verdict->finding);
    free(verdict->figures);
    *verdict = (struct pr_verdict){.count = 0};
}
