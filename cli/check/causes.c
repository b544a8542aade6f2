/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One alarm for one cause. Findings that are broken by the same function, or by functions that a common ancestor
 * explains (pr_diff_causes), are one alarm: the worst of them, and the others as "also". Two functions that grew each
 * by itself are two, whoever calls both.
 */
#include "cli/check/judge.h"

#include <stdlib.h>
#include <string.h>

static const double worth_naming = 0.1; /* of what the first one grew by */

static bool is_worth_naming(const struct pr_finding *finding, size_t i)
{
    return (double)pr_culprit_change(&finding->culprit[i]) >=
           worth_naming * (double)pr_culprit_change(&finding->culprit[0]);
}

static bool is_same(const struct pr_diff_cause *a, const struct pr_diff_cause *b)
{
    return a->function == b->function && a->file == b->file;
}

void pr_finding_explain(struct pr_finding *finding, const struct pr_diff_cause *cause)
{
    if (cause->function || cause->file)
        finding->ancestor = (struct pr_culprit){.function = cause->function, .file = cause->file, .line = cause->line,
                                                .before = cause->before, .after = cause->after};
}

struct pr_diff_cause *pr_judge_causes(struct pr_judge *j, int metric, const struct pr_diff_table *table)
{
    struct pr_diff_cause *cause = calloc(table->count + 1, sizeof *cause);
    struct pr_error err = {0};
    if (!cause || !j->chosen_count || !pr_judge_has_stacks(j, metric) ||
        pr_diff_causes(j->verdict->diff, (unsigned)metric, pr_judge_usual(j, metric), PR_DIFF_APART, table, cause,
                       &err) != PR_FAILED)
        return cause;
    free(cause);
    return NULL;
}

/* Of those to blame, as far as they count, each has the same cause. */
static void explain_all(struct pr_finding *finding, const struct pr_diff_table *table,
                        const struct pr_diff_cause *causes)
{
    const struct pr_diff_cause *cause = NULL;
    for (size_t i = 0; i < finding->culprit_count && is_worth_naming(finding, i); i++) {
        const struct pr_culprit *culprit = &finding->culprit[i];
        size_t row = 0;
        while (row < table->count &&
               (table->row[row].function != culprit->function || table->row[row].file != culprit->file))
            row++;
        if (row == table->count || (cause && !is_same(cause, &causes[row])))
            return;
        cause = &causes[row];
    }
    if (cause)
        pr_finding_explain(finding, cause);
}

bool pr_judge_explain(struct pr_judge *j, struct pr_finding *finding, int metric, const struct pr_diff_table *table)
{
    if (finding->answer != PR_BROKEN || !finding->culprit_count)
        return true;
    struct pr_diff_cause *causes = pr_judge_causes(j, metric, table);
    if (causes)
        explain_all(finding, table, causes);
    const bool done = causes;
    free(causes);
    return done;
}

/* Whether B has nothing else to blame than A's place. */
static bool is_same_cause(const struct pr_finding *a, const struct pr_finding *b)
{
    const struct pr_culprit *x = pr_finding_place(a), *y = pr_finding_place(b);
    if (!a->has_before || !b->has_before || !x || !y || x->is_arenas || y->is_arenas)
        return false;
    if (y != &b->ancestor && b->culprit_count > 1 && is_worth_naming(b, 1))
        return false;
    return x->function == y->function && x->file == y->file;
}

void pr_verdict_gather_by_cause(struct pr_verdict *verdict)
{
    for (size_t first = 0, next; first < verdict->broken; first = next) {
        verdict->causes++;
        next = first + 1;
        for (size_t i = next; i < verdict->broken; i++) {
            const struct pr_finding finding = verdict->finding[i];
            if (!is_same_cause(&verdict->finding[first], &finding))
                continue;
            memmove(&verdict->finding[next + 1], &verdict->finding[next], (i - next) * sizeof finding);
            verdict->finding[next] = finding;
            verdict->finding[next++].has_cause = true;
        }
    }
}
