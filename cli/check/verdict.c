/* SPDX-License-Identifier: Apache-2.0 */
/* Rules become findings: what is compared with what, how exactly that repeats, and who did it. */
#include "cli/check/verdict.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "cli/args/amount.h"
#include "cli/args/options.h"
#include "cli/io/say.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pr_metric pr_arenas_metric = {.name = "arenas", .title = "Arenas of pymalloc", .unit = PR_UNIT_BYTES};

struct judge {
    struct pr_verdict *verdict;
    const struct pr_rules *rules;
    int64_t *sums;    /* [1 + baselines] scratch: what is judged */
    int64_t *sample;  /* [baselines] scratch */
    double tolerance; /* below 0: as the unit asks for */
};

static int no_memory(void)
{
    pr_say("no memory for the check");
    return PR_EXIT_INPUT;
}

bool pr_verdict_note(struct pr_verdict *verdict, const char *format, ...)
{
    char note[512];
    va_list list;
    va_start(list, format);
    vsnprintf(note, sizeof note, format, list);
    va_end(list);
    for (size_t i = 0; i < verdict->note_count; i++)
        if (strcmp(verdict->notes[i], note) == 0)
            return true;
    if (!pr_grow(&verdict->notes, &verdict->note_capacity, verdict->note_count + 1, sizeof *verdict->notes))
        return false;
    verdict->notes[verdict->note_count] = strdup(note);
    return verdict->notes[verdict->note_count] && ++verdict->note_count;
}

/* ---- tolerances ------------------------------------------------------------------------------------------------- */

static const double rss_by_chance = 0.25;
static const double time_by_chance = 9, time_by_chance_if_worked = 1; /* others use the machine too */
static const double arenas_relative = 0.25;
static const int64_t arenas_absolute = 8 << 20; /* eight of those that Python has now */

/* How far chance alone may move METRIC, as a share. */
static double by_chance(const struct judge *j, const struct pr_metric *metric)
{
    const int figure = pr_figure_named(metric->name);
    if (metric == &pr_arenas_metric || strcmp(metric->name, "peak") == 0)
        return pr_chance_share(&j->verdict->chance);
    if (figure == PR_FIGURE_FAILED || j->tolerance >= 0)
        return 0; /* who names a tolerance knows how far times differ */
    if (figure == PR_FIGURE_RSS)
        return rss_by_chance;
    if (metric->unit == PR_UNIT_BYTES)
        return 0;
    return j->verdict->worked.count ? time_by_chance_if_worked : time_by_chance;
}

/* Where nobody said otherwise. Sizes repeat well; times do not. */
static double relative_of(const struct judge *j, const struct pr_metric *metric)
{
    if (metric == &pr_arenas_metric)
        return j->tolerance > arenas_relative ? j->tolerance : arenas_relative;
    if (j->tolerance >= 0)
        return j->tolerance;
    return metric->unit == PR_UNIT_BYTES ? 0.03 : 0.1;
}

static int64_t absolute_of(const struct judge *j, const struct pr_metric *metric)
{
    int64_t value = 0;
    if (metric == &pr_arenas_metric)
        return arenas_absolute;
    if (j->rules->tolerance_absolute && pr_amount_parse(metric, j->rules->tolerance_absolute, &value))
        return value;
    return metric->unit == PR_UNIT_BYTES ? 100 * 1024 : metric->unit == PR_UNIT_NANOSECONDS ? 100000000 : 0;
}

/* Whether processors worked longer than in the baselines, beyond doubt. */
static bool worked_longer(const struct judge *j)
{
    const struct pr_tolerance tolerance = {0.1, 100000000, time_by_chance_if_worked};
    const struct pr_history *worked = &j->verdict->worked;
    const struct pr_bounds bounds = pr_bounds_of(worked, &tolerance);
    enum pr_doubt doubt;
    return pr_bounds_answer(&bounds, worked, j->verdict->worked_ns, &doubt) == PR_BROKEN;
}

/* The limits of a finding that has its history, and what they say of it. */
static void judge_growth(const struct judge *j, struct pr_finding *finding)
{
    const struct pr_tolerance tolerance = {relative_of(j, finding->metric), absolute_of(j, finding->metric),
                                           by_chance(j, finding->metric)};
    finding->bounds = pr_bounds_of(&finding->history, &tolerance);
    finding->answer = pr_bounds_answer(&finding->bounds, &finding->history, finding->after, &finding->doubt);
    if (finding->answer == PR_BROKEN && tolerance.by_chance > 0 && finding->metric->unit == PR_UNIT_NANOSECONDS &&
        j->verdict->worked.count && !worked_longer(j)) {
        finding->answer = PR_CANNOT_TELL;
        finding->doubt = PR_DOUBT_WAITED;
    }
}

/* ---- whose fault ------------------------------------------------------------------------------------------------ */

static int64_t before_of(struct judge *j, const struct pr_diff_row *row)
{
    struct pr_history history = {.count = 0};
    for (size_t i = 0; i < j->verdict->baseline_count; i++)
        j->sample[i] = row->value[1 + i];
    return pr_history_make(j->sample, j->verdict->baseline_count, &history) ? history.median : 0;
}

/* Puts a culprit where it belongs among those that there are. */
static void add_culprit(struct pr_finding *finding, struct pr_culprit culprit)
{
    const int64_t change = pr_culprit_change(&culprit);
    size_t at = finding->culprit_count;
    if (change <= 0)
        return;
    while (at && pr_culprit_change(&finding->culprit[at - 1]) < change)
        at--;
    if (at == PR_MOST_CULPRITS)
        return;
    if (finding->culprit_count < PR_MOST_CULPRITS)
        finding->culprit_count++;
    for (size_t i = finding->culprit_count - 1; i > at; i--)
        finding->culprit[i] = finding->culprit[i - 1];
    finding->culprit[at] = culprit;
}

/* Those whose own part grew most; without a baseline, those that have most. */
static void find_culprits(struct judge *j, struct pr_finding *finding, const struct pr_diff_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_diff_row *row = &table->row[i];
        add_culprit(finding, (struct pr_culprit){.function = row->function, .file = row->file, .line = row->line,
                                                 .before = before_of(j, row), .after = row->value[0]});
    }
}

/* Arenas that a limit counts stand last among those who have the memory: they are nobody's. */
static void add_arenas(struct pr_finding *finding, int64_t bytes)
{
    if (!bytes)
        return;
    if (finding->culprit_count == PR_MOST_CULPRITS)
        finding->culprit_count--;
    finding->culprit[finding->culprit_count++] = (struct pr_culprit){.is_arenas = true, .after = bytes};
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static int add_finding(struct judge *j, const struct pr_finding *finding)
{
    struct pr_verdict *v = j->verdict;
    if (!pr_grow(&v->finding, &v->capacity, v->count + 1, sizeof *v->finding))
        return no_memory();
    v->finding[v->count++] = *finding;
    v->broken += finding->answer == PR_BROKEN;
    v->untold += finding->answer == PR_CANNOT_TELL;
    return PR_EXIT_DONE;
}

/*
 * A metric is called by a number here: those of the difference, then the figures of runs as a whole. Its columns are
 * the values by profile.
 */
static const struct pr_metric *column_of(const struct judge *j, int metric, uint32_t profile)
{
    const struct pr_diff *diff = j->verdict->diff;
    if ((uint32_t)metric < diff->metric_count)
        return &diff->profile->metrics[(uint32_t)metric * diff->count + profile];
    return &j->verdict->figures[profile].metric[(uint32_t)metric - diff->metric_count];
}

static bool has_stacks(const struct judge *j, int metric)
{
    return (uint32_t)metric < j->verdict->diff->metric_count;
}

/* Whether the first COUNT of the input and its baselines have the figure. */
static bool has_figure(const struct judge *j, int figure, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!j->verdict->figures[k].metric[figure].name)
            return false;
    return true;
}

static const char *all_inputs(const struct judge *j)
{
    return j->verdict->baseline_count ? " and its baseline" : "";
}

/* Says what is missing, and what there is instead. NAME NULL: the main metric. */
static int lack(const struct judge *j, const char *name)
{
    const struct pr_verdict *v = j->verdict;
    struct pr_buf list = {0};
    for (uint32_t i = 0; i < v->diff->metric_count; i++)
        pr_buf_printf(&list, "%s%s", i ? ", " : "", v->diff->profile->metrics[i * v->diff->count].name);
    for (int i = 0; i < PR_FIGURES; i++)
        if (has_figure(j, i, v->diff->count))
            pr_buf_printf(&list, ", %s", v->figures[0].metric[i].name);
    if (v->diff->metric_count)
        pr_say("%s%s: there is no '%s' to check; there is %s", v->input, all_inputs(j), name,
               list.failed ? "..." : list.bytes);
    else
        pr_say("%s%s: there are no stacks%s, so %s%s%s to check; add a capture of memray or a profile to the run, or "
               "check it with --max-rss, --max-duration or --require-success", v->input, all_inputs(j),
               v->baseline_count ? " of one kind" : "", name ? "no '" : "nothing", name ? name : "", name ? "'" : "");
    pr_buf_clear(&list);
    return -1;
}

/* Number of a metric that the first COUNT have, -1 with the reason said. NAME NULL: the main one. */
static int metric_named(const struct judge *j, const char *name, uint32_t count)
{
    const struct pr_diff *diff = j->verdict->diff;
    const int figure = name ? pr_figure_named(name) : -1;
    int metric = name ? pr_diff_metric(diff, name) : diff->metric_count ? 0 : -1;
    if (metric >= 0)
        return metric;
    if (figure < 0)
        return lack(j, name);
    if (has_figure(j, figure, count))
        return (int)diff->metric_count + figure;
    pr_say("%s%s: %s", j->verdict->input, count > 1 ? all_inputs(j) : "", pr_figure_missing(figure));
    return -1;
}

/* The whole of a run belongs to no function: its table is empty. */
static bool make_table(const struct judge *j, int metric, enum pr_diff_by by, enum pr_diff_of of,
                       struct pr_diff_table *table)
{
    struct pr_error err = {0};
    *table = (struct pr_diff_table){.count = 0};
    return !has_stacks(j, metric) ||
           pr_diff_table(j->verdict->diff, (unsigned)metric, by, of, table, &err) != PR_FAILED;
}

/* Of a metric of the input, with what the baselines have; VALUES holds one a profile. False: no memory. */
static bool start_finding(struct judge *j, struct pr_finding *finding, const int64_t *values)
{
    finding->after = values[0];
    finding->has_before = j->verdict->baseline_count > 0;
    for (size_t i = 0; i < j->verdict->baseline_count; i++)
        j->sample[i] = values[1 + i];
    return pr_history_make(j->sample, j->verdict->baseline_count, &finding->history);
}

/* A limit of a whole run is one for the input alone: baselines need not have the figure. */
static void forget_unknown(const struct judge *j, int metric, struct pr_finding *finding)
{
    const struct pr_diff *diff = j->verdict->diff;
    if (has_stacks(j, metric) || has_figure(j, metric - (int)diff->metric_count, diff->count))
        return;
    finding->has_before = false;
    finding->history = (struct pr_history){.count = 0};
}

/* Bytes in arenas of pymalloc that a profile has in a metric. */
static int64_t arenas_in(const struct judge *j, int metric, uint32_t profile)
{
    const struct pr_diff *diff = j->verdict->diff;
    return has_stacks(j, metric) ? diff->arenas[(uint32_t)metric * diff->count + profile].total.bytes : 0;
}

static bool have_arenas(const struct judge *j, int metric)
{
    bool any = false;
    for (uint32_t k = 0; k < j->verdict->diff->count; k++)
        any |= arenas_in(j, metric, k) > 0;
    return any;
}

static bool matches(const char *pattern, struct pr_text name)
{
    return name.length && fnmatch(pattern, name.bytes, 0) == 0;
}

/* A pattern names a function, or a file by as much of the end of its path as it has: "features.py". */
static bool is_meant(const struct pr_profile *profile, pr_str function, pr_str path, const char *pattern)
{
    struct pr_text file = pr_profile_text(profile, path);
    if (matches(pattern, pr_profile_text(profile, function)) || matches(pattern, file))
        return true;
    for (uint32_t i = 0; i + 1 < file.length; i++)
        if (file.bytes[i] == '/' && matches(pattern, (struct pr_text){file.bytes + i + 1, file.length - i - 1}))
            return true;
    return false;
}

static void sum_facts(const struct judge *j, int metric, const bool *inside)
{
    const struct pr_diff *diff = j->verdict->diff;
    for (uint32_t k = 0; k < diff->count; k++) {
        const int64_t *arenas = diff->arenas[(uint32_t)metric * diff->count + k].bytes;
        j->sums[k] = 0;
        for (size_t i = 0; i < diff->profile->fact_count; i++) {
            const int64_t value = column_of(j, metric, k)->value[i] - (arenas ? arenas[i] : 0);
            if (inside[diff->profile->fact_leaf[i]])
                j->sums[k] = pr_add_saturated(j->sums[k], value);
        }
    }
}

/* Sums over all stacks with a frame that the pattern means, without arenas, for each profile. False: no memory. */
static bool sum_matching(const struct judge *j, int metric, struct pr_finding *finding)
{
    const struct pr_profile *profile = j->verdict->diff->profile;
    bool *meant = calloc(profile->frame_count + (size_t)1, sizeof *meant);
    bool *inside = calloc(profile->tree.count, sizeof *inside);
    finding->no_match = true;
    for (pr_frame_id i = 0; meant && i < profile->frame_count; i++) {
        meant[i] = is_meant(profile, profile->frames[i].function, profile->frames[i].file, finding->pattern);
        finding->no_match &= !meant[i];
    }
    for (pr_node_id i = 1; meant && inside && i < profile->tree.count; i++)
        inside[i] = inside[profile->tree.parent[i]] || meant[profile->tree.frame[i]];
    const bool done = meant && inside;
    if (done)
        sum_facts(j, metric, inside);
    free(meant);
    free(inside);
    return done;
}

/* The culprits of a budget are those that it is about. */
static void find_meant(struct pr_finding *finding, const struct pr_profile *profile, const struct pr_diff_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_diff_row *row = &table->row[i];
        if (is_meant(profile, row->function, row->file, finding->pattern))
            add_culprit(finding, (struct pr_culprit){.function = row->function, .file = row->file, .line = row->line,
                                                     .after = row->value[0]});
    }
}

/* The whole of a metric, or its count, for each profile; APART: without arenas. */
static void sum_up(const struct judge *j, int metric, bool counts, bool apart)
{
    for (uint32_t k = 0; k < j->verdict->diff->count; k++) {
        const struct pr_metric *column = column_of(j, metric, k);
        j->sums[k] = counts ? column->total_count : column->total_value;
        if (apart)
            j->sums[k] = pr_subtract_saturated(j->sums[k], arenas_in(j, metric, k));
    }
}

static int bad_limit(const struct pr_budget *budget, const struct pr_metric *metric)
{
    pr_say("the limit '%s' for %s is not %s", budget->limit, budget->pattern ? budget->pattern : metric->name,
           budget->is_count ? "a whole number" : pr_amount_example(metric));
    return PR_EXIT_USAGE;
}

static int read_limit(const struct judge *j, int metric, const struct pr_budget *budget, struct pr_finding *finding)
{
    int64_t limit = 0;
    if (budget->pattern && !has_stacks(j, metric)) {
        pr_say("'%s' is a figure of the whole run: no function has a part of it, so '%s' cannot be checked",
               finding->metric->name, budget->pattern);
        return PR_EXIT_USAGE;
    }
    if (budget->is_count ? !pr_count_parse(budget->limit, &limit)
                         : !pr_amount_parse(finding->metric, budget->limit, &limit))
        return bad_limit(budget, finding->metric);
    finding->bounds = (struct pr_bounds){.usual = limit, .alarm = limit};
    return PR_EXIT_DONE;
}

/* Arenas are no leak, and no function's: but they are memory that the whole needs. */
static bool counts_arenas(const struct pr_finding *finding)
{
    return !finding->pattern && strcmp(finding->metric->name, "leaked") != 0;
}

static int judge_budget(struct judge *j, int metric, struct pr_finding *finding)
{
    const bool apart = !counts_arenas(finding) && !finding->is_count;
    const enum pr_diff_by by = finding->pattern ? PR_DIFF_TOTAL : PR_DIFF_OWN;
    struct pr_diff_table table;
    if (finding->pattern && !sum_matching(j, metric, finding))
        return no_memory();
    if (!finding->pattern)
        sum_up(j, metric, finding->is_count, apart);
    if (!start_finding(j, finding, j->sums) ||
        !make_table(j, metric, by, finding->is_count ? PR_DIFF_COUNTS : PR_DIFF_APART, &table))
        return no_memory();
    forget_unknown(j, metric, finding);
    finding->arenas = apart && !finding->pattern ? arenas_in(j, metric, 0) : 0;
    const bool wanted = finding->no_match && j->rules->require_match;
    finding->answer = finding->after > finding->bounds.alarm || wanted ? PR_BROKEN : PR_KEPT;
    if (finding->pattern)
        find_meant(finding, j->verdict->diff->profile, &table);
    else
        find_culprits(j, finding, &table);
    if (!apart && !finding->is_count && !finding->has_before)
        add_arenas(finding, arenas_in(j, metric, 0));
    pr_diff_table_clear(&table);
    return add_finding(j, finding);
}

static int apply_budget(struct judge *j, const struct pr_budget *budget)
{
    const int metric = metric_named(j, budget->metric, 1);
    if (metric < 0)
        return PR_EXIT_INPUT;
    struct pr_finding finding = {.kind = budget->pattern ? PR_RULE_BUDGET : PR_RULE_MAX,
                                 .metric = column_of(j, metric, 0),
                                 .is_count = budget->is_count,
                                 .pattern = budget->pattern,
                                 .asked = budget->limit};
    int status = read_limit(j, metric, budget, &finding);
    if (status == PR_EXIT_DONE)
        status = judge_budget(j, metric, &finding);
    if (status == PR_EXIT_DONE && finding.no_match &&
        !pr_verdict_note(j->verdict, "no function or file is like '%s': its budget holds nothing", finding.pattern))
        status = no_memory();
    return status;
}

/* ---- against the baselines -------------------------------------------------------------------------------------- */

/* What moves from one function to another leaves the whole, which grew by WHOLE, as it was. */
static bool has_moved(const struct pr_finding *finding, int64_t whole)
{
    return whole < pr_subtract_saturated(finding->after, finding->history.median) / 2;
}

/* Each function by itself: what it and the libraries that it called have. WHOLE: what all of them grew by. */
static int compare_functions(struct judge *j, const struct pr_metric *metric, const struct pr_diff_table *table,
                             int64_t whole)
{
    int status = PR_EXIT_DONE;
    size_t untold = 0;
    for (size_t i = 0; i < table->count && status == PR_EXIT_DONE; i++) {
        const struct pr_diff_row *row = &table->row[i];
        struct pr_finding finding = {.kind = PR_RULE_FUNCTION, .metric = metric, .culprit_count = 1};
        if (!start_finding(j, &finding, row->value))
            return no_memory();
        judge_growth(j, &finding);
        finding.culprit[0] = (struct pr_culprit){.function = row->function, .file = row->file, .line = row->line,
                                                 .before = finding.history.median, .after = finding.after};
        untold += finding.answer == PR_CANNOT_TELL && finding.after > finding.bounds.usual;
        if (finding.answer == PR_BROKEN && !has_moved(&finding, whole))
            status = add_finding(j, &finding);
    }
    if (untold && status == PR_EXIT_DONE &&
        !pr_verdict_note(j->verdict, "%s of %zu function%s is above the usual; whether by chance cannot be told",
                         metric->name, untold, untold == 1 ? "" : "s"))
        status = no_memory();
    return status;
}

/* Arenas of pymalloc by themselves, at the peak. */
static int compare_arenas(struct judge *j, int metric)
{
    struct pr_finding finding = {.kind = PR_RULE_REGRESSION, .metric = &pr_arenas_metric};
    for (uint32_t k = 0; k < j->verdict->diff->count; k++)
        j->sums[k] = arenas_in(j, metric, k);
    if (!start_finding(j, &finding, j->sums))
        return no_memory();
    judge_growth(j, &finding);
    return add_finding(j, &finding);
}

/* How a metric is looked at. */
enum functions {
    WHOLE_ONLY,
    EACH_FUNCTION,   /* each by itself too, wherever its growth came from */
    GROWN_FUNCTIONS  /* each by itself, where the whole is kept and yet grew with it */
};

static int compare_metric(struct judge *j, int metric, enum functions functions)
{
    struct pr_finding finding = {.kind = PR_RULE_REGRESSION, .metric = column_of(j, metric, 0)};
    struct pr_diff_table table;
    int64_t ignored;
    if (j->rules->tolerance_absolute && !pr_amount_parse(finding.metric, j->rules->tolerance_absolute, &ignored))
        return bad_limit(&(struct pr_budget){.limit = j->rules->tolerance_absolute}, finding.metric);
    sum_up(j, metric, false, true);
    if (!start_finding(j, &finding, j->sums) || !make_table(j, metric, PR_DIFF_OWN, PR_DIFF_APART, &table))
        return no_memory();
    finding.arenas = have_arenas(j, metric) ? arenas_in(j, metric, 0) : 0;
    judge_growth(j, &finding);
    find_culprits(j, &finding, &table);
    int status = add_finding(j, &finding);
    const int64_t whole = pr_subtract_saturated(finding.after, finding.history.median);
    if (status == PR_EXIT_DONE && functions == EACH_FUNCTION)
        status = compare_functions(j, finding.metric, &table, INT64_MAX);
    if (status == PR_EXIT_DONE && functions == GROWN_FUNCTIONS && finding.answer != PR_BROKEN)
        status = compare_functions(j, finding.metric, &table, whole);
    pr_diff_table_clear(&table);
    if (status == PR_EXIT_DONE && strcmp(finding.metric->name, "peak") == 0 && have_arenas(j, metric))
        status = compare_arenas(j, metric);
    return status;
}

static int compare_named(struct judge *j, const char *name, enum functions functions)
{
    const int metric = metric_named(j, name, j->verdict->diff->count);
    return metric < 0 ? PR_EXIT_INPUT : compare_metric(j, metric, functions);
}

/*
 * Of memory: what is held at the peak and at the end, and what was allocated, which repeats to the byte where the work
 * does, so that each function is looked at for it.
 */
static int compare_memory(struct judge *j)
{
    static const char *const names[] = {"peak", "leaked", "allocated"};
    const enum functions asked = j->rules->functions ? EACH_FUNCTION : WHOLE_ONLY;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == PR_EXIT_DONE; i++) {
        const bool is_exact = strcmp(names[i], "allocated") == 0;
        if (pr_diff_metric(j->verdict->diff, names[i]) >= 0)
            status = compare_named(j, names[i], is_exact ? GROWN_FUNCTIONS : asked);
    }
    return status;
}

/*
 * What was asked for; else memory as above; of other profiles the main metric, of runs without stacks the memory of the
 * process.
 */
static int compare_metrics(struct judge *j)
{
    const struct pr_diff *diff = j->verdict->diff;
    const enum functions functions = j->rules->functions ? EACH_FUNCTION : WHOLE_ONLY;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < j->rules->metric_count && status == PR_EXIT_DONE; i++)
        status = compare_named(j, j->rules->metric[i], functions);
    if (j->rules->metric_count)
        return status;
    if (pr_diff_metric(diff, "peak") >= 0)
        return compare_memory(j);
    return compare_named(j, !diff->metric_count && has_figure(j, PR_FIGURE_RSS, diff->count) ? "rss" : NULL,
                         functions);
}

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

/* How long processors worked, where all of them say it. */
static bool look_at_work(struct judge *j)
{
    struct pr_verdict *v = j->verdict;
    for (size_t i = 0; i <= v->baseline_count; i++)
        if (!v->figures[i].worked_ns.known)
            return true;
    for (size_t i = 0; i < v->baseline_count; i++)
        j->sample[i] = v->figures[1 + i].worked_ns.value;
    v->worked_ns = v->figures[0].worked_ns.value;
    return pr_history_make(j->sample, v->baseline_count, &v->worked);
}

int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules)
{
    struct judge j = {.verdict = verdict, .rules = rules, .tolerance = -1};
    if (rules->tolerance && !pr_percent_parse(rules->tolerance, &j.tolerance)) {
        pr_say("the tolerance '%s' is not a percentage such as 5%%", rules->tolerance);
        return PR_EXIT_USAGE;
    }
    j.sums = calloc(verdict->diff->count + (size_t)1, sizeof *j.sums);
    j.sample = calloc(verdict->diff->count + (size_t)1, sizeof *j.sample);
    int status = j.sums && j.sample && look_at_work(&j) ? PR_EXIT_DONE : no_memory();
    for (size_t i = 0; i < rules->budget_count && status == PR_EXIT_DONE; i++)
        status = apply_budget(&j, &rules->budget[i]);
    if (status == PR_EXIT_DONE && verdict->baseline_count)
        status = compare_metrics(&j);
    if (status == PR_EXIT_DONE && !pr_sort(verdict->finding, verdict->count, sizeof *verdict->finding,
                                           compare_findings, NULL))
        status = no_memory();
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
