/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit is kept or not; a regression is one if the input has more than the median of its baselines and more than a
 * relative and an absolute tolerance and, where there are enough baselines to know it, than their spread: three times
 * the median deviation from the median, scaled to what a standard deviation is. One odd run among ten moves none.
 */
#include "cli/check/verdict.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/code_path.h"
#include "cli/args/amount.h"
#include "cli/reports/diff_view.h"
#include "cli/args/options.h"
#include "cli/reports/report.h"
#include "cli/io/say.h"
#include "cli/io/terminal_names.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_FOR_SPREAD = 3 };
static const double spreads = 3, deviation_of_median = 1.4826;

struct judge {
    struct pr_verdict *verdict;
    const struct pr_rules *rules;
    int64_t *sample;            /* [baselines] scratch */
    double tolerance;           /* below 0: as the unit asks for */
};

/* ---- baselines -------------------------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

static bool median(int64_t *values, size_t count, int64_t *result)
{
    if (!pr_sort(values, count, sizeof *values, compare_values, NULL))
        return false;
    const int64_t low = values[(count - 1) / 2], high = values[count / 2];
    *result = low + (high - low) / 2;
    return true;
}

/* Median and spread of the baselines in the scratch. */
static bool look_back(struct judge *j, int64_t *before, int64_t *spread)
{
    const size_t count = j->verdict->baseline_count;
    *spread = 0;
    if (!median(j->sample, count, before))
        return false;
    if (count < MIN_FOR_SPREAD)
        return true;
    for (size_t i = 0; i < count; i++)
        j->sample[i] = llabs(j->sample[i] - *before);
    int64_t deviation;
    if (!median(j->sample, count, &deviation))
        return false;
    *spread = (int64_t)(deviation_of_median * (double)deviation);
    return true;
}

/* ---- tolerances ------------------------------------------------------------------------------------------------- */

/* Where nobody said otherwise. Sizes repeat well; times do not. */
static double relative_of(const struct judge *j, const struct pr_metric *metric)
{
    if (j->tolerance >= 0)
        return j->tolerance;
    return metric->unit == PR_UNIT_BYTES ? 0.03 : 0.1;
}

static int64_t absolute_of(const struct judge *j, const struct pr_metric *metric)
{
    int64_t value = 0;
    if (j->rules->tolerance_absolute && pr_amount_parse(metric, j->rules->tolerance_absolute, &value))
        return value;
    return metric->unit == PR_UNIT_BYTES ? 100 * 1024 : metric->unit == PR_UNIT_NANOSECONDS ? 100000000 : 0;
}

static int64_t limit_of(const struct judge *j, const struct pr_finding *finding)
{
    const double relative = relative_of(j, finding->metric) * (double)finding->before;
    const double spread = spreads * (double)finding->spread;
    const double most = relative > spread ? relative : spread;
    const int64_t absolute = finding->is_count ? 0 : absolute_of(j, finding->metric);
    const int64_t room = most < 0x1p62 ? (int64_t)most : INT64_MAX;
    return pr_add_saturated(finding->before, room > absolute ? room : absolute);
}

/* ---- whose fault ------------------------------------------------------------------------------------------------ */

static int64_t before_of(struct judge *j, const struct pr_diff_row *row)
{
    int64_t before = 0, spread;
    for (size_t i = 0; i < j->verdict->baseline_count; i++)
        j->sample[i] = row->value[1 + i];
    if (j->verdict->baseline_count)
        look_back(j, &before, &spread);
    return before;
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
        add_culprit(finding,
                    (struct pr_culprit){row->function, row->file, row->line, before_of(j, row), row->value[0]});
    }
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static int no_memory(void)
{
    pr_say("no memory for the check");
    return PR_EXIT_INPUT;
}

static int add_finding(struct judge *j, const struct pr_finding *finding)
{
    struct pr_verdict *v = j->verdict;
    if (!pr_grow(&v->finding, &v->capacity, v->count + 1, sizeof *v->finding))
        return no_memory();
    v->finding[v->count] = *finding;
    v->finding[v->count].broken = finding->after > finding->limit;
    v->broken += v->finding[v->count++].broken;
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
static bool make_table(const struct judge *j, int metric, enum pr_diff_by by, struct pr_diff_table *table)
{
    struct pr_error err = {0};
    *table = (struct pr_diff_table){.count = 0};
    return !has_stacks(j, metric) || pr_diff_table(j->verdict->diff, (unsigned)metric, by, table, &err) != PR_FAILED;
}

/* A finding of a metric of the input, with what the baselines have; VALUES holds one a profile. */
static bool start_finding(struct judge *j, struct pr_finding *finding, const int64_t *values)
{
    finding->after = values[0];
    finding->has_before = j->verdict->baseline_count > 0;
    for (size_t i = 0; i < j->verdict->baseline_count; i++)
        j->sample[i] = values[1 + i];
    return !finding->has_before || look_back(j, &finding->before, &finding->spread);
}

/* A limit of a whole run is one for the input alone: baselines need not have the figure. */
static void forget_unknown(const struct judge *j, int metric, struct pr_finding *finding)
{
    const struct pr_diff *diff = j->verdict->diff;
    if (has_stacks(j, metric) || has_figure(j, metric - (int)diff->metric_count, diff->count))
        return;
    finding->has_before = false;
    finding->before = finding->spread = 0;
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

/* Sums over all stacks with a frame that PATTERN means, a value for each profile. False: no memory. */
static bool sum_matching(const struct judge *j, int metric, const char *pattern, int64_t *sums)
{
    const struct pr_profile *profile = j->verdict->diff->profile;
    bool *meant = calloc(profile->frame_count + (size_t)1, sizeof *meant);
    bool *inside = calloc(profile->tree.count, sizeof *inside);
    for (pr_frame_id i = 0; meant && i < profile->frame_count; i++)
        meant[i] = is_meant(profile, profile->frames[i].function, profile->frames[i].file, pattern);
    for (pr_node_id i = 1; meant && inside && i < profile->tree.count; i++)
        inside[i] = inside[profile->tree.parent[i]] || meant[profile->tree.frame[i]];
    for (uint32_t k = 0; meant && inside && k < j->verdict->diff->count; k++) {
        sums[k] = 0;
        for (size_t i = 0; i < profile->fact_count; i++)
            if (inside[profile->fact_leaf[i]])
                sums[k] = pr_add_saturated(sums[k], column_of(j, metric, k)->value[i]);
    }
    const bool done = meant && inside;
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
            add_culprit(finding, (struct pr_culprit){row->function, row->file, row->line, 0, row->value[0]});
    }
}

static void sum_up(const struct judge *j, int metric, bool counts, int64_t *sums)
{
    for (uint32_t k = 0; k < j->verdict->diff->count; k++) {
        const struct pr_metric *column = column_of(j, metric, k);
        sums[k] = counts ? column->total_count : column->total_value;
    }
}

static int bad_limit(const struct pr_budget *budget, const struct pr_metric *metric)
{
    pr_say("the limit '%s' for %s is not %s", budget->limit, budget->pattern ? budget->pattern : metric->name,
           budget->is_count ? "a whole number" : pr_amount_example(metric));
    return PR_EXIT_USAGE;
}

static int apply_budget(struct judge *j, const struct pr_budget *budget, int64_t *sums)
{
    const int metric = metric_named(j, budget->metric, 1);
    if (metric < 0)
        return PR_EXIT_INPUT;
    struct pr_finding finding = {.kind = budget->pattern ? PR_RULE_BUDGET : PR_RULE_MAX,
                                 .metric = column_of(j, metric, 0),
                                 .is_count = budget->is_count,
                                 .pattern = budget->pattern};
    struct pr_diff_table table;
    if (budget->pattern && !has_stacks(j, metric)) {
        pr_say("'%s' is a figure of the whole run: no function has a part of it, so '%s' cannot be checked",
               finding.metric->name, budget->pattern);
        return PR_EXIT_USAGE;
    }
    if (budget->is_count ? !pr_count_parse(budget->limit, &finding.limit)
                         : !pr_amount_parse(finding.metric, budget->limit, &finding.limit))
        return bad_limit(budget, finding.metric);
    if (budget->pattern && !sum_matching(j, metric, budget->pattern, sums))
        return no_memory();
    if (!budget->pattern)
        sum_up(j, metric, budget->is_count, sums);
    const enum pr_diff_by by = budget->pattern ? PR_DIFF_TOTAL : PR_DIFF_OWN;
    if (!start_finding(j, &finding, sums) || !make_table(j, metric, by, &table))
        return no_memory();
    forget_unknown(j, metric, &finding);
    if (budget->pattern)
        find_meant(&finding, j->verdict->diff->profile, &table);
    else
        find_culprits(j, &finding, &table);
    pr_diff_table_clear(&table);
    return add_finding(j, &finding);
}

/* Each function by itself: what it and the libraries that it called have. */
static int compare_functions(struct judge *j, const struct pr_metric *metric, const struct pr_diff_table *table)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < table->count && status == PR_EXIT_DONE; i++) {
        const struct pr_diff_row *row = &table->row[i];
        struct pr_finding finding = {.kind = PR_RULE_FUNCTION, .metric = metric, .culprit_count = 1};
        if (!start_finding(j, &finding, row->value))
            return no_memory();
        finding.limit = limit_of(j, &finding);
        finding.culprit[0] = (struct pr_culprit){row->function, row->file, row->line, finding.before, finding.after};
        if (finding.after > finding.limit)
            status = add_finding(j, &finding);
    }
    return status;
}

static int compare_metric(struct judge *j, int metric, int64_t *sums)
{
    struct pr_finding finding = {.kind = PR_RULE_REGRESSION, .metric = column_of(j, metric, 0)};
    struct pr_diff_table table;
    int64_t ignored;
    if (j->rules->tolerance_absolute && !pr_amount_parse(finding.metric, j->rules->tolerance_absolute, &ignored))
        return bad_limit(&(struct pr_budget){.limit = j->rules->tolerance_absolute}, finding.metric);
    sum_up(j, metric, false, sums);
    if (!start_finding(j, &finding, sums) || !make_table(j, metric, PR_DIFF_OWN, &table))
        return no_memory();
    finding.limit = limit_of(j, &finding);
    find_culprits(j, &finding, &table);
    int status = add_finding(j, &finding);
    if (status == PR_EXIT_DONE && j->rules->functions)
        status = compare_functions(j, finding.metric, &table);
    pr_diff_table_clear(&table);
    return status;
}

/*
 * What was asked for; else what is held at the peak and at the end, which repeat; of other profiles the main metric, of
 * runs without stacks the memory of the process.
 */
static int compare_metrics(struct judge *j, int64_t *sums)
{
    static const char *const usual[] = {"peak", "leaked"};
    const struct pr_diff *diff = j->verdict->diff;
    const bool is_memory = pr_diff_metric(diff, "peak") >= 0;
    const size_t count = j->rules->metric_count ? j->rules->metric_count : is_memory ? 2 : 1;
    const char *other = !diff->metric_count && has_figure(j, PR_FIGURE_RSS, diff->count) ? "rss" : NULL;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < count && status == PR_EXIT_DONE; i++) {
        const char *name = j->rules->metric_count ? j->rules->metric[i] : is_memory ? usual[i] : other;
        if (!j->rules->metric_count && is_memory && pr_diff_metric(diff, name) < 0)
            continue;
        const int metric = metric_named(j, name, diff->count);
        status = metric < 0 ? PR_EXIT_INPUT : compare_metric(j, metric, sums);
    }
    return status;
}

/* How far over its limit: what is worst comes first. */
static double excess(const struct pr_finding *finding)
{
    return ((double)finding->after - (double)finding->limit) / (finding->limit > 0 ? (double)finding->limit : 1);
}

static int compare_findings(const void *a, const void *b, const void *context)
{
    const struct pr_finding *x = a, *y = b;
    (void)context;
    if (x->broken != y->broken)
        return PR_ORDER(y->broken, x->broken);
    return x->broken ? PR_ORDER(excess(y), excess(x)) : 0;
}

int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules)
{
    struct judge j = {.verdict = verdict, .rules = rules, .tolerance = -1};
    if (rules->tolerance && !pr_percent_parse(rules->tolerance, &j.tolerance)) {
        pr_say("the tolerance '%s' is not a percentage such as 5%%", rules->tolerance);
        return PR_EXIT_USAGE;
    }
    int64_t *sums = calloc(verdict->diff->count + (size_t)1, sizeof *sums);
    j.sample = calloc(verdict->diff->count + (size_t)1, sizeof *j.sample);
    int status = sums && j.sample ? PR_EXIT_DONE : no_memory();
    for (size_t i = 0; i < rules->budget_count && status == PR_EXIT_DONE; i++)
        status = apply_budget(&j, &rules->budget[i], sums);
    if (status == PR_EXIT_DONE && verdict->baseline_count)
        status = compare_metrics(&j, sums);
    if (status == PR_EXIT_DONE && !pr_sort(verdict->finding, verdict->count, sizeof *verdict->finding,
                                           compare_findings, NULL))
        status = no_memory();
    free(sums);
    free(j.sample);
    return status;
}

void pr_verdict_clear(struct pr_verdict *verdict)
{
    free(verdict->finding);
    free(verdict->figures);
    *verdict = (struct pr_verdict){.count = 0};
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

void pr_finding_name(struct pr_buf *buf, const struct pr_finding *finding)
{
    static const char *const kinds[] = {"max", "budget", "regression", "function"};
    pr_buf_printf(buf, "%s-%s%s", kinds[finding->kind], finding->metric->name, finding->is_count ? "-count" : "");
    if (finding->pattern)
        pr_buf_printf(buf, ":%s", finding->pattern);
}

struct pr_figure pr_finding_figure(const struct pr_finding *finding, int64_t value)
{
    return finding->is_count ? pr_units_count(value) : pr_report_value(finding->metric, value);
}

struct pr_figure pr_finding_change(const struct pr_finding *finding, int64_t change)
{
    struct pr_metric plain = {.unit = PR_UNIT_COUNT};
    return pr_change_figure(finding->is_count ? &plain : finding->metric, false, change);
}

void pr_finding_sentence(struct pr_buf *buf, const struct pr_finding *finding)
{
    if (pr_figure_named(finding->metric->name) == PR_FIGURE_FAILED && finding->limit == 0) {
        pr_buf_text(buf, finding->broken ? "failed: the run did; --require-success allows none"
                                         : "failed: the run did not");
        return;
    }
    if (finding->kind == PR_RULE_FUNCTION)
        pr_buf_printf(buf, "%s of the function", finding->metric->name);
    else
        pr_buf_text(buf, finding->metric->name);
    if (finding->is_count)
        pr_buf_printf(buf, ", %s", finding->metric->count_name ? finding->metric->count_name : "count");
    if (finding->pattern)
        pr_buf_printf(buf, " of %s", finding->pattern);
    pr_buf_printf(buf, ": %s", pr_finding_figure(finding, finding->after).text);
    if (finding->has_before && finding->before != finding->after) {
        struct pr_figure share = pr_change_share(finding->before, finding->after);
        pr_buf_printf(buf, ", %s (%s) from %s", share.text,
                      pr_finding_change(finding, pr_change_of(finding->before, finding->after)).text,
                      pr_finding_figure(finding, finding->before).text);
    } else if (finding->has_before) {
        pr_buf_text(buf, ", as before");
    }
    pr_buf_printf(buf, "; the limit is %s", pr_finding_figure(finding, finding->limit).text);
}

int64_t pr_culprit_change(const struct pr_culprit *culprit)
{
    return pr_change_of(culprit->before, culprit->after);
}

struct pr_text pr_culprit_function(const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    if (culprit->function || culprit->file)
        return pr_profile_text(verdict->diff->profile, culprit->function);
    return pr_text_of("(no stack)");
}

struct pr_text pr_culprit_file(const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    struct pr_text file = pr_profile_text(verdict->diff->profile, culprit->file), root = pr_text_of(verdict->root);
    if (!root.length || !pr_path_below(file, root) || file.length == root.length)
        return file;
    uint32_t at = root.length;
    while (at < file.length && file.bytes[at] == '/')
        at++;
    return (struct pr_text){file.bytes + at, file.length - at};
}
