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

/* Of more functions than these, each is an alarm of its own: nobody reads them, and pairs of them take for ever. */
enum { MOST_COMPARED = 1000 };

static bool is_worth_naming(const struct pr_finding *finding, size_t i)
{
    return (double)pr_culprit_change(&finding->culprit[i]) >=
           worth_naming * (double)pr_culprit_change(&finding->culprit[0]);
}

static bool is_same(const struct pr_diff_cause *a, const struct pr_diff_cause *b)
{
    return a->code == b->code;
}

void pr_finding_explain(struct pr_finding *finding, const struct pr_diff_cause *cause)
{
    if (cause->code)
        finding->ancestor = (struct pr_culprit){.function = cause->function, .file = cause->file,
                                                .code = cause->code, .line = cause->line,
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
        if (i == MOST_COMPARED)
            return;
        const struct pr_culprit *culprit = &finding->culprit[i];
        size_t row = 0;
        while (row < table->count && table->row[row].code != culprit->code)
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

static bool is_place(const struct pr_culprit *a, const struct pr_culprit *b)
{
    return a->code == b->code && !a->is_arenas && !b->is_arenas;
}

/*
 * What counts of those to blame: the ancestor that explains them, or as many as are worth naming, at *FIRST. 0: none,
 * or too many.
 */
static size_t places_of(const struct pr_finding *finding, const struct pr_culprit **first)
{
    size_t count = 0;
    *first = pr_finding_place(finding);
    if (!*first || !finding->has_before)
        return 0;
    if (*first == &finding->ancestor)
        return 1;
    while (count < finding->culprit_count && is_worth_naming(finding, count))
        if (++count > MOST_COMPARED)
            return 0;
    return count;
}

static bool has_place(const struct pr_culprit *places, size_t count, const struct pr_culprit *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (is_place(&places[i], wanted))
            return true;
    return false;
}

/* Whether both blame the same. */
static bool is_same_cause(const struct pr_finding *a, const struct pr_finding *b)
{
    const struct pr_culprit *x, *y;
    const size_t count = places_of(a, &x);
    bool all = count && places_of(b, &y) == count;
    for (size_t i = 0; i < count && all; i++)
        all = has_place(x, count, &y[i]);
    return all;
}

/* Whether each that B blames has an alarm of its own among the first END findings. */
static bool is_sum(const struct pr_verdict *verdict, size_t end, const struct pr_finding *b)
{
    const struct pr_culprit *x, *y;
    const size_t count = places_of(b, &y);
    bool all = count > 1;
    for (size_t i = 0; i < count && all; i++) {
        bool found = false;
        for (size_t k = 0; k < end && !found; k++)
            found = places_of(&verdict->finding[k], &x) == 1 && is_place(x, &y[i]);
        all = found;
    }
    return all;
}

/* What others alarm about singly comes after them. */
static void put_sums_last(struct pr_verdict *verdict)
{
    for (size_t i = 0, left = verdict->broken; left; left--) {
        const struct pr_finding finding = verdict->finding[i];
        if (!is_sum(verdict, verdict->broken < MOST_COMPARED ? verdict->broken : MOST_COMPARED, &finding)) {
            i++;
            continue;
        }
        memmove(&verdict->finding[i], &verdict->finding[i + 1], (verdict->broken - i - 1) * sizeof finding);
        verdict->finding[verdict->broken - 1] = finding;
    }
}

void pr_verdict_gather_by_cause(struct pr_verdict *verdict)
{
    put_sums_last(verdict);
    for (size_t first = 0, next; first < verdict->broken; first = next) {
        next = first + 1;
        verdict->finding[first].has_cause =
            is_sum(verdict, first < MOST_COMPARED ? first : MOST_COMPARED, &verdict->finding[first]);
        if (verdict->finding[first].has_cause)
            continue;
        verdict->causes++;
        for (size_t i = next; i < verdict->broken && first < MOST_COMPARED; i++) {
            const struct pr_finding finding = verdict->finding[i];
            if (!is_same_cause(&verdict->finding[first], &finding))
                continue;
            memmove(&verdict->finding[next + 1], &verdict->finding[next], (i - next) * sizeof finding);
            verdict->finding[next] = finding;
            verdict->finding[next++].has_cause = true;
        }
    }
}
