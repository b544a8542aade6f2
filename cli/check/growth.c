/* SPDX-License-Identifier: Apache-2.0 */
/* What grew since the baselines, and how exactly that can be known. */
#include "cli/check/judge.h"

#include "capture/base/checked.h"
#include "cli/args/amount.h"
#include "cli/args/options.h"
#include "cli/check/moves.h"
#include "cli/check/speed.h"
#include "cli/reports/diff_view.h"
#include "render/words/phase_figures.h"

#include <stdlib.h>
#include <string.h>

/* ---- tolerances ------------------------------------------------------------------------------------------------- */

static const double time_by_chance_if_worked = 1;
static const double arenas_relative = 0.25;
static const int64_t arenas_absolute = 8 << 20; /* eight arenas of today's Python */

/* How far chance alone may move METRIC, as a share. */
static double by_chance(const struct pr_judge *j, const struct pr_metric *metric)
{
    const int figure = pr_figure_named(metric->name), of_phase = pr_check_phase_figure(metric->name);
    if (metric == &pr_arenas_metric || strcmp(metric->name, "peak") == 0 || of_phase == PR_PHASE_HEAP)
        return pr_chance_share(&j->verdict->chance);
    if (figure == PR_FIGURE_FAILED || j->tolerance >= 0)
        return 0; /* anyone who gives a tolerance knows how far times differ */
    if (figure == PR_FIGURE_RSS || (of_phase >= 0 && of_phase != PR_PHASE_RETAINED && of_phase != PR_PHASE_CPU))
        return PR_RSS_BY_CHANCE;
    if (metric->unit == PR_UNIT_BYTES)
        return 0;
    return j->verdict->worked.count ? time_by_chance_if_worked : PR_TIME_BY_CHANCE;
}

static struct pr_tolerance default_of(const struct pr_metric *metric)
{
    return metric->unit == PR_UNIT_BYTES ? pr_tolerance_of_bytes(0) : pr_tolerance_of_times(0);
}

/*
 * What a function allocates repeats to the byte, whatever threads, tasks and hash seeds do: tests/bench/verdict.py. So
 * less of it is growth than of anything else.
 */
static const double exact_relative = 0.005;

static bool is_exact(const struct pr_metric *metric)
{
    return strcmp(metric->name, "allocated") == 0;
}

/* Used unless given. */
static double relative_of(const struct pr_judge *j, const struct pr_metric *metric)
{
    if (metric == &pr_arenas_metric)
        return j->tolerance > arenas_relative ? j->tolerance : arenas_relative;
    if (j->tolerance >= 0)
        return j->tolerance;
    return default_of(metric).relative;
}

static int64_t absolute_of(const struct pr_judge *j, const struct pr_metric *metric)
{
    int64_t value = 0;
    if (metric == &pr_arenas_metric)
        return arenas_absolute;
    if (j->rules->tolerance_absolute && pr_amount_parse(metric, j->rules->tolerance_absolute, &value))
        return value;
    return metric->unit == PR_UNIT_BYTES || metric->unit == PR_UNIT_NANOSECONDS ? default_of(metric).absolute : 0;
}

struct pr_tolerance pr_judge_tolerance(const struct pr_judge *j, const struct pr_metric *metric)
{
    return (struct pr_tolerance){relative_of(j, metric), absolute_of(j, metric), by_chance(j, metric)};
}

/* Whether processors worked longer than in the baselines, beyond doubt. */
static bool worked_longer(const struct pr_judge *j)
{
    const struct pr_tolerance tolerance = pr_tolerance_of_times(time_by_chance_if_worked);
    const struct pr_baseline_values *worked = &j->verdict->worked;
    const struct pr_bounds bounds = pr_bounds_of(worked, &tolerance);
    enum pr_doubt doubt;
    return pr_bounds_answer(&bounds, worked, j->verdict->worked_ns, &doubt) == PR_BROKEN;
}

/* The limits of a finding that has its history, and the answer they give. */
static void judge(const struct pr_judge *j, struct pr_finding *finding)
{
    struct pr_tolerance tolerance = pr_judge_tolerance(j, finding->metric);
    if (finding->kind == PR_RULE_FUNCTION && is_exact(finding->metric) && j->tolerance < 0)
        tolerance.relative = exact_relative;
    finding->bounds = pr_bounds_of(&finding->history, &tolerance);
    finding->answer = pr_bounds_answer(&finding->bounds, &finding->history, finding->after, &finding->doubt);
    if (finding->answer == PR_BROKEN && tolerance.by_chance > 0 && finding->metric->unit == PR_UNIT_NANOSECONDS &&
        j->verdict->worked.count && !worked_longer(j)) {
        finding->answer = PR_CANNOT_TELL;
        finding->doubt = PR_DOUBT_WAITED;
    }
}

/* The level of a time is known better than the time of a run: less is growth. */
static const double relative_of_level = 0.05;
static const int64_t absolute_of_level_ns = 1000000;

static int64_t whole_of(double value)
{
    return value < 0x1p62 ? (int64_t)value : INT64_MAX;
}

/*
 * A level of the whole that rose for good, seen for the first time with this run, is a growth even if each run of it is
 * within what chance allows, and if each step was small. VALUES: as for the finding. False: no memory.
 */
static bool judge_rise(struct pr_judge *j, struct pr_finding *finding, const int64_t *values)
{
    if (finding->answer == PR_BROKEN || !finding->trend.rose)
        return true;
    const bool is_time = finding->metric->unit == PR_UNIT_NANOSECONDS;
    const double relative = is_time && j->tolerance < 0 ? relative_of_level : relative_of(j, finding->metric);
    const struct pr_rise rise = pr_trend_rise(&finding->trend, relative);
    const double by_share = rise.before * (1 + relative);
    const bool is_given = j->rules->tolerance_absolute;
    const double absolute = rise.before + (double)(is_time && !is_given ? absolute_of_level_ns
                                                                         : absolute_of(j, finding->metric));
    const double limit = by_share > absolute ? by_share : absolute;
    if (rise.after <= limit)
        return true;
    finding->rise = rise;
    finding->answer = PR_BROKEN;
    finding->doubt = PR_NO_DOUBT;
    finding->bounds = (struct pr_bounds){.usual = whole_of(limit), .alarm = whole_of(limit)};
    if (!pr_judge_choose(j, finding, values, rise.from, rise.index - rise.from))
        return false;
    finding->history.median = whole_of(rise.before);
    finding->after = whole_of(rise.after);
    return true;
}

/* ---- what was only freed later -------------------------------------------------------------------------------- */

static const double kept_by_chance = 0.5, alike = 0.003;

/* What the functions to blame allocated in addition, of what each of them has more in FINDING. */
static int64_t allocated_more(struct pr_judge *j, const struct pr_finding *finding, const struct pr_diff_table *table)
{
    int64_t sum = 0;
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < finding->culprit_count; k++) {
            const struct pr_culprit *culprit = &finding->culprit[k];
            const struct pr_diff_row *row = &table->row[i];
            if (row->code != culprit->code)
                continue;
            const int64_t more = pr_change_of(pr_judge_before(j, row), row->value[0]);
            const int64_t grown = pr_culprit_change(culprit);
            sum = pr_add_saturated(sum, more < 0 ? 0 : more < grown ? more : grown);
        }
    return sum;
}

/*
 * The collector of cycles comes when it comes: what it has not freed yet is held at the peak and left at the end. Where
 * most of what such a value grew by was not allocated in addition, one baseline or baselines that differ do not say
 * whether chance held it or the program.
 */
static bool may_be_held(const struct pr_finding *finding)
{
    const struct pr_baseline_values *history = &finding->history;
    const double range = (double)history->highest - (double)history->lowest;
    const bool is_held = strcmp(finding->metric->name, "peak") == 0 || strcmp(finding->metric->name, "leaked") == 0;
    return finding->answer == PR_BROKEN && is_held && finding->culprit_count &&
           (history->count < 2 || range > alike * (double)history->median);
}

static void doubt_held(const struct pr_judge *j, struct pr_finding *finding)
{
    const struct pr_tolerance tolerance = {relative_of(j, finding->metric), absolute_of(j, finding->metric),
                                           kept_by_chance};
    if (finding->rise.steps) {
        finding->answer = PR_CANNOT_TELL;
    } else {
        finding->bounds = pr_bounds_of(&finding->history, &tolerance);
        finding->answer = pr_bounds_answer(&finding->bounds, &finding->history, finding->after, &finding->doubt);
    }
    finding->doubt = finding->answer == PR_CANNOT_TELL ? PR_DOUBT_HELD : PR_NO_DOUBT;
}

/* FINDING has its answer and those to blame. False: no memory. */
static bool look_whether_held(struct pr_judge *j, struct pr_finding *finding)
{
    const int allocated = pr_diff_metric(j->verdict->diff, "allocated");
    struct pr_diff_table table;
    if (!may_be_held(finding) || allocated < 0)
        return true;
    if (!pr_judge_table(j, allocated, PR_DIFF_OWN, PR_DIFF_APART, &table))
        return false;
    if (allocated_more(j, finding, &table) < pr_change_of(finding->history.median, finding->after) / 2)
        doubt_held(j, finding);
    pr_diff_table_clear(&table);
    return true;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------ */

/* What moves from one function to another leaves the whole nearly unchanged: it grew by WHOLE. */
static bool has_moved(const struct pr_finding *finding, int64_t whole)
{
    return whole < pr_subtract_saturated(finding->after, finding->history.median) / 2;
}

/* What is known of the rows of a table: where their growth came from, and what explains it. */
struct rows {
    const struct pr_diff_table *table;
    struct pr_losers losers; /* and what moved */
    const struct pr_diff_path *path;
    struct pr_diff_cause *cause;
    int64_t whole; /* what all of them grew by */
    size_t untold; /* of them */
};

static int compare_function(struct pr_judge *j, int number, struct rows *rows, size_t i)
{
    const struct pr_diff_row *row = &rows->table->row[i];
    struct pr_finding finding = {.kind = PR_RULE_FUNCTION, .metric = pr_judge_column(j, number, 0),
                                 .culprit_count = 1};
    if (!pr_judge_start_level(j, &finding, row->value, NULL))
        return pr_judge_no_memory();
    judge(j, &finding);
    finding.culprit[0] = pr_culprit_of(row, finding.history.median, finding.after);
    finding.culprit[0].path = rows->path[i];
    rows->untold += finding.answer == PR_CANNOT_TELL && finding.after > finding.bounds.usual;
    if (finding.answer != PR_BROKEN || has_moved(&finding, rows->whole))
        return PR_EXIT_DONE;
    if (pr_moves_explain(&finding, &rows->losers.moved[i]))
        return pr_moves_note(j, &finding, rows->table, &rows->losers, i);
    pr_finding_explain(&finding, &rows->cause[i]);
    return pr_judge_add(j, &finding);
}

/* Each function by itself: what it and the libraries that it called have. WHOLE: what all of them grew by. */
static int compare_functions(struct pr_judge *j, int number, const struct pr_diff_table *table,
                             const struct pr_diff_move *moved, const struct pr_diff_path *path, int64_t whole)
{
    struct rows rows = {.table = table, .path = path, .cause = pr_judge_causes(j, number, table), .whole = whole};
    int status = pr_losers_find(&rows.losers, table, moved) && rows.cause ? PR_EXIT_DONE : pr_judge_no_memory();
    for (size_t i = 0; i < table->count && status == PR_EXIT_DONE; i++)
        status = compare_function(j, number, &rows, i);
    free(rows.cause);
    pr_losers_clear(&rows.losers);
    if (rows.untold && status == PR_EXIT_DONE &&
        !pr_verdict_note(j->verdict, "%s of %zu function%s is above the usual; it may be chance",
                         pr_judge_column(j, number, 0)->name, rows.untold, rows.untold == 1 ? "" : "s"))
        status = pr_judge_no_memory();
    return status;
}

/* The time of a function as if the machine had been as fast as usual, with a level of it that rose. */
static int compare_time_of(struct pr_judge *j, const struct pr_metric *metric, const struct pr_diff_row *row,
                           const struct pr_diff_path *path, const double *slowness)
{
    struct pr_finding finding = {.kind = PR_RULE_FUNCTION, .metric = metric, .culprit_count = 1};
    for (uint32_t k = 0; k < j->verdict->diff->count; k++)
        j->sums[k] = slowness[k] > 0 ? whole_of((double)row->value[k] / slowness[k]) : row->value[k];
    if (!pr_judge_start_level(j, &finding, j->sums, &finding.trend) || !judge_rise(j, &finding, j->sums))
        return pr_judge_no_memory();
    finding.culprit[0] = pr_culprit_of(row, finding.history.median, finding.after);
    finding.culprit[0].path = *path;
    if (finding.answer == PR_BROKEN)
        return pr_judge_add(j, &finding);
    pr_trend_clear(&finding.trend);
    return PR_EXIT_DONE;
}

/* Each function's part of the time repeats better than the time itself. */
static int compare_times(struct pr_judge *j, int number, const struct pr_diff_table *table,
                         const struct pr_diff_path *path)
{
    const size_t broken = j->verdict->broken;
    double *slowness = calloc(j->verdict->diff->count, sizeof *slowness);
    bool known = false;
    int status = slowness && pr_speed_find(j, table, slowness, &known) ? PR_EXIT_DONE : pr_judge_no_memory();
    for (size_t i = 0; known && i < table->count && status == PR_EXIT_DONE; i++)
        status = compare_time_of(j, pr_judge_column(j, number, 0), &table->row[i], &path[i], slowness);
    free(slowness);
    if (status == PR_EXIT_DONE && j->verdict->broken > broken &&
        !pr_verdict_note(j->verdict, "%s of functions is what it would be with the machine as fast as usual",
                         pr_judge_column(j, number, 0)->name))
        status = pr_judge_no_memory();
    return status;
}

/* Arenas of pymalloc by themselves, at the peak. */
static int compare_arenas(struct pr_judge *j, int metric)
{
    struct pr_finding finding = {.kind = PR_RULE_REGRESSION, .metric = &pr_arenas_metric};
    for (uint32_t k = 0; k < j->verdict->diff->count; k++)
        j->sums[k] = pr_judge_arenas(j, metric, k);
    if (!pr_judge_start_level(j, &finding, j->sums, &finding.trend))
        return pr_judge_no_memory();
    judge(j, &finding);
    return pr_judge_add(j, &finding);
}

static bool have_arenas(const struct pr_judge *j, int metric)
{
    bool any = false;
    for (uint32_t k = 0; k < j->verdict->diff->count; k++)
        any |= pr_judge_arenas(j, metric, k) > 0;
    return any;
}

/* How a metric is examined. */
enum functions {
    WHOLE_ONLY,
    EACH_FUNCTION,   /* each by itself too */
    GROWN_FUNCTIONS  /* each by itself, where the whole is kept and yet grew with it */
};

static int compare_metric(struct pr_judge *j, int metric, enum functions functions)
{
    struct pr_finding finding = {.kind = PR_RULE_REGRESSION, .metric = pr_judge_column(j, metric, 0)};
    struct pr_diff_table table;
    int64_t ignored;
    if (j->rules->tolerance_absolute && !pr_amount_parse(finding.metric, j->rules->tolerance_absolute, &ignored))
        return pr_judge_bad_limit(&(struct pr_budget){.limit = j->rules->tolerance_absolute}, finding.metric);
    pr_judge_sum_up(j, metric, false, true);
    if (!pr_judge_start_level(j, &finding, j->sums, &finding.trend))
        return pr_judge_no_memory();
    finding.arenas = have_arenas(j, metric) ? pr_judge_arenas(j, metric, 0) : 0;
    judge(j, &finding);
    if (!judge_rise(j, &finding, j->sums) || !pr_judge_table(j, metric, PR_DIFF_OWN, PR_DIFF_APART, &table)) {
        pr_trend_clear(&finding.trend);
        return pr_judge_no_memory();
    }
    struct pr_diff_move *moved = pr_moves_find(j, metric, &table);
    struct pr_diff_path *path = pr_judge_paths(j, metric, &table);
    const bool lines = !j->chosen_count || pr_judge_grown_lines(j, metric, pr_judge_usual(j, metric), &table);
    pr_judge_blame(j, &finding, &table, moved);
    if (path)
        pr_finding_take_paths(&finding, &table, path);
    const bool done = moved && path && lines && look_whether_held(j, &finding) &&
                      pr_judge_explain(j, &finding, metric, &table);
    int status = done ? pr_judge_add(j, &finding) : pr_judge_no_memory();
    const int64_t whole = pr_subtract_saturated(finding.after, finding.history.median);
    const bool is_time = finding.metric->unit == PR_UNIT_NANOSECONDS && pr_judge_has_stacks(j, metric);
    if (status == PR_EXIT_DONE && is_time && j->verdict->is_history && finding.answer != PR_BROKEN)
        status = compare_times(j, metric, &table, path);
    if (status == PR_EXIT_DONE && functions == EACH_FUNCTION)
        status = compare_functions(j, metric, &table, moved, path, INT64_MAX);
    if (status == PR_EXIT_DONE && functions == GROWN_FUNCTIONS && finding.answer != PR_BROKEN)
        status = compare_functions(j, metric, &table, moved, path, whole);
    free(moved);
    free(path);
    pr_diff_table_clear(&table);
    if (status == PR_EXIT_DONE && strcmp(finding.metric->name, "peak") == 0 && have_arenas(j, metric))
        status = compare_arenas(j, metric);
    return status;
}

int pr_judge_regression(struct pr_judge *j, int metric)
{
    return compare_metric(j, metric, WHOLE_ONLY);
}

static int compare_named(struct pr_judge *j, const char *name)
{
    const int metric = pr_judge_metric(j, name, j->verdict->diff->count);
    if (metric < 0)
        return PR_EXIT_INPUT;
    const bool is_memory = pr_diff_metric(j->verdict->diff, "peak") >= 0;
    const bool is_default = !j->rules->metric_count || j->rules->grown_functions;
    const bool by_itself = is_memory && is_default && is_exact(pr_judge_column(j, metric, 0));
    return compare_metric(j, metric, by_itself              ? GROWN_FUNCTIONS
                                     : j->rules->functions ? EACH_FUNCTION
                                                           : WHOLE_ONLY);
}

/*
 * For memory: what is held at the peak and at the end, and what was allocated, which repeats to the byte where the work
 * does, so that each function is examined for it.
 */
size_t pr_judge_compared(const struct pr_judge *j, const char *names[PR_MOST_METRICS])
{
    static const char *const of_memory[] = {"peak", "leaked", "allocated"};
    const struct pr_diff *diff = j->verdict->diff;
    size_t count = 0;
    for (; count < j->rules->metric_count; count++)
        names[count] = j->rules->metric[count];
    if (count)
        return count;
    for (size_t i = 0; pr_diff_metric(diff, "peak") >= 0 && i < sizeof of_memory / sizeof *of_memory; i++)
        if (pr_diff_metric(diff, of_memory[i]) >= 0)
            names[count++] = of_memory[i];
    if (!count)
        names[count++] = !diff->metric_count && pr_judge_has_figure(j, PR_FIGURE_RSS, diff->count) ? "rss" : NULL;
    return count;
}

int pr_judge_growth(struct pr_judge *j)
{
    const char *names[PR_MOST_METRICS];
    const size_t count = pr_judge_compared(j, names);
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < count && status == PR_EXIT_DONE; i++)
        status = compare_named(j, names[i]);
    return status;
}
