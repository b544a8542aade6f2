/* SPDX-License-Identifier: Apache-2.0 */
/* What grew in each of the last runs: however little it was each time, that is rarely chance. */
#include "cli/check/judge.h"

#include "capture/base/checked.h"
#include "cli/args/options.h"
#include "cli/reports/diff_view.h"
#include "cli/reports/grew_view.h"

/* Percent that a run has to exceed; times differ from run to run by more. */
static const double least_of_sizes = 1, least_of_others = 10;

/* A metric, and the runs before the input that it is looked at in. */
struct look {
    struct pr_judge *judge;
    int metric;
    size_t from, runs; /* in the order of the baselines */
    double percent;
    struct pr_tolerance tolerance;
};

static struct pr_finding finding_of(const struct look *look)
{
    const struct pr_metric *metric = pr_judge_column(look->judge, look->metric, 0);
    return (struct pr_finding){.kind = PR_RULE_EVERY_RUN,
                               .metric = metric,
                               .after = metric->total_value,
                               .answer = PR_KEPT,
                               .grew = {.runs = look->runs, .percent = look->percent}};
}

/* VALUES, one per profile of the difference, with the input first and the run right before it next. */
static const int64_t *last_first(const struct look *look, const int64_t *values)
{
    const struct pr_verdict *v = look->judge->verdict;
    int64_t *ordered = look->judge->sample;
    ordered[0] = values[0];
    for (size_t i = 0; i < look->runs; i++)
        ordered[i + 1] = values[1 + v->order[look->from + look->runs - 1 - i]];
    return ordered;
}

/* Whether VALUES grew each time, and in all by more than what is ignored anyway: FINDING gets by how much. */
static bool grew(const struct look *look, const int64_t *values, struct pr_finding *finding)
{
    const int64_t *ordered = last_first(look, values);
    const int64_t before = ordered[1], first = ordered[look->runs];
    const int64_t least = pr_grew_least(ordered, look->runs + 1, look->percent);
    if (!least || pr_change_of(first, values[0]) <= look->tolerance.absolute)
        return false;
    const double limit = (double)before * (1 + look->percent / 100);
    finding->grew.least = least;
    finding->after = values[0];
    finding->bounds.usual = limit < 0x1p62 ? (int64_t)limit : INT64_MAX;
    finding->bounds.alarm = finding->bounds.usual;
    finding->answer = PR_BROKEN;
    finding->has_before = true;
    return true;
}

/* FINDING grew: which values it had before. Chance may do that too in a few runs, where it decides. */
static bool weigh(const struct look *look, const int64_t *values, struct pr_finding *finding)
{
    if (!pr_judge_choose(look->judge, finding, values, look->from, look->runs))
        return false;
    finding->history.median = values[1 + look->judge->verdict->order[look->from]];
    if (look->tolerance.by_chance > 0 && look->runs < PR_ENOUGH_BASELINES) {
        finding->answer = PR_CANNOT_TELL;
        finding->doubt = PR_DOUBT_CHANCE;
    }
    return true;
}

/* What cannot be told of functions is said of the one that grew most, the others are only counted. */
static int add_doubtful(const struct look *look, const struct pr_finding *most, size_t count)
{
    if (count > 1 && !pr_verdict_note(look->judge->verdict, "%s of %zu functions grew in each run; it may be chance",
                                      most->metric->name, count))
        return pr_judge_no_memory();
    return count ? pr_judge_add(look->judge, most) : PR_EXIT_DONE;
}

static int judge_functions(const struct look *look, const struct pr_diff_table *table)
{
    struct pr_finding most = {.kind = PR_RULE_EVERY_RUN};
    size_t doubtful = 0, broken = 0;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < table->count && status == PR_EXIT_DONE; i++) {
        struct pr_finding finding = finding_of(look);
        if (!grew(look, table->row[i].value, &finding))
            continue;
        if (!weigh(look, table->row[i].value, &finding))
            return pr_judge_no_memory();
        finding.culprit[0] = pr_culprit_of(&table->row[i], finding.history.median, finding.after);
        finding.culprit_count = 1;
        broken += finding.answer == PR_BROKEN;
        if (finding.answer == PR_BROKEN)
            status = pr_judge_add(look->judge, &finding);
        else if (!doubtful++ || finding.grew.least > most.grew.least)
            most = finding;
    }
    const struct pr_finding none = finding_of(look);
    if (status == PR_EXIT_DONE)
        status = add_doubtful(look, &most, doubtful);
    return status == PR_EXIT_DONE && !broken && !doubtful ? pr_judge_add(look->judge, &none) : status;
}

/* A figure of the whole run, of which no function has a part. */
static int judge_whole(const struct look *look)
{
    struct pr_finding finding = finding_of(look);
    pr_judge_sum_up(look->judge, look->metric, false, true);
    if (grew(look, look->judge->sums, &finding) && !weigh(look, look->judge->sums, &finding))
        return pr_judge_no_memory();
    return pr_judge_add(look->judge, &finding);
}

static int judge_metric(const struct look *look)
{
    struct pr_judge *j = look->judge;
    struct pr_diff_table table;
    if (j->verdict->baseline_count < look->runs) {
        struct pr_finding finding = finding_of(look);
        finding.answer = PR_CANNOT_TELL;
        finding.doubt = PR_DOUBT_FEW_RUNS;
        return pr_judge_add(j, &finding);
    }
    if (!pr_judge_has_stacks(j, look->metric))
        return judge_whole(look);
    if (!pr_judge_table(j, look->metric, PR_DIFF_OWN, PR_DIFF_APART, &table))
        return pr_judge_no_memory();
    const uint32_t first = 1 + j->verdict->order[look->from];
    const int status = pr_judge_grown_lines(j, look->metric, first, &table) ? judge_functions(look, &table)
                                                                            : pr_judge_no_memory();
    pr_diff_table_clear(&table);
    return status;
}

int pr_judge_every_run(struct pr_judge *j)
{
    const uint64_t asked = j->rules->grows_in_every;
    const size_t runs = asked < SIZE_MAX ? (size_t)asked : SIZE_MAX, baselines = j->verdict->baseline_count;
    const char *names[PR_MOST_METRICS];
    const size_t count = runs ? pr_judge_compared(j, names) : 0;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < count && status == PR_EXIT_DONE; i++) {
        const int number = pr_judge_metric(j, names[i], j->verdict->diff->count);
        if (number < 0)
            return PR_EXIT_INPUT;
        const struct pr_metric *metric = pr_judge_column(j, number, 0);
        const double usual = metric->unit == PR_UNIT_BYTES ? least_of_sizes : least_of_others;
        const struct look look = {.judge = j,
                                  .metric = number,
                                  .from = baselines > runs ? baselines - runs : 0,
                                  .runs = runs,
                                  .percent = j->least < 0 ? usual : j->least,
                                  .tolerance = pr_judge_tolerance(j, metric)};
        status = judge_metric(&look);
    }
    return status;
}
