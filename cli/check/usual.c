/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/usual.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "cli/args/options.h"
#include "cli/args/redact_option.h"
#include "cli/check/judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- loading ---------------------------------------------------------------------------------------------------- */

int pr_usual_runs_load(struct pr_usual_runs *runs, const struct pr_common *common, const struct pr_words *named,
                       const char *name, struct pr_profile *profile)
{
    if (!profile->complete) {
        pr_profile_free(profile);
        runs->note[0] = "the newer run is incomplete, so it was not compared with earlier ones";
        runs->usuals.note = runs->note;
        runs->usuals.note_count = 1;
        return PR_EXIT_DONE;
    }
    runs->inputs.loaded = profile;
    runs->verdict.input = name;
    runs->verdict.root = "";
    runs->verdict.is_history = true;
    return pr_check_inputs_load(&runs->inputs, common, named, &runs->rules, &runs->verdict);
}

/* ---- what check says -------------------------------------------------------------------------------------------- */

/* Figures of the whole run that are compared besides the metrics of stacks. */
static const int run_figures[] = {PR_FIGURE_RSS, PR_FIGURE_DURATION};

static bool all_have(const struct pr_verdict *verdict, int figure)
{
    for (size_t i = 0; i <= verdict->baseline_count; i++)
        if (!verdict->figures[i].metric[figure].name)
            return false;
    return true;
}

/* Asks for all that the runs have in common, and of the functions for what `check` asks unless told otherwise. */
static void ask_for_all(struct pr_usual_runs *runs)
{
    const struct pr_diff *diff = runs->verdict.diff;
    struct pr_rules *rules = &runs->rules;
    rules->grown_functions = true;
    for (uint32_t i = 0; i < diff->metric_count && rules->metric_count < PR_MOST_METRICS; i++)
        rules->metric[rules->metric_count++] = diff->profile->metrics[i * diff->count].name;
    for (size_t i = 0; i < sizeof run_figures / sizeof *run_figures; i++)
        if (all_have(&runs->verdict, run_figures[i]) && rules->metric_count < PR_MOST_METRICS)
            rules->metric[rules->metric_count++] = runs->verdict.figures[0].metric[run_figures[i]].name;
}

static const struct pr_finding *finding_of(const struct pr_verdict *verdict, const char *metric)
{
    for (size_t i = 0; i < verdict->count; i++)
        if (verdict->finding[i].kind == PR_RULE_REGRESSION && strcmp(verdict->finding[i].metric->name, metric) == 0)
            return &verdict->finding[i];
    return NULL;
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static int64_t arenas_of(const struct pr_diff *diff, uint32_t metric, uint32_t profile)
{
    return diff->arenas[metric * diff->count + profile].total.bytes;
}

/* Whether any run that was compared has arenas of pymalloc in that metric: then all are without. */
static bool has_arenas(const struct pr_diff *diff, const char *name)
{
    const int metric = pr_diff_metric(diff, name);
    int64_t sum = 0;
    for (uint32_t k = 0; metric >= 0 && k < diff->count; k++)
        sum |= arenas_of(diff, (uint32_t)metric, k);
    return sum != 0;
}

static void add_figure(struct pr_usual_runs *runs, const struct pr_diff_figure *figure, const char *name,
                       const struct pr_diff *diff, uint32_t metric)
{
    const struct pr_finding *finding = finding_of(&runs->verdict, name);
    struct pr_usuals *usuals = &runs->usuals;
    if (!finding)
        return;
    struct pr_usual *usual = &usuals->figure[usuals->count++];
    *usual = (struct pr_usual){.metric = figure->metric,
                               .range = {finding->history.count, finding->history.lowest, finding->history.highest},
                               .before = figure->before,
                               .after = figure->after,
                               .answer = finding->answer,
                               .is_level = finding->rise.steps > 0,
                               .limit = finding->bounds.alarm};
    if (metric >= diff->metric_count)
        return;
    usual->is_apart = has_arenas(runs->verdict.diff, name) || has_arenas(diff, name);
    usual->after = pr_subtract_saturated(usual->after, arenas_of(diff, metric, 0));
    usual->before = pr_subtract_saturated(usual->before, arenas_of(diff, metric, diff->count - 1));
}

/* What `check` calls the duration is either of two figures of a difference. */
static const char *name_for_check(const char *figure)
{
    return strcmp(figure, "span") == 0 ? "duration" : figure;
}

static bool add_figures(struct pr_usual_runs *runs, const struct pr_diff *diff)
{
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    const size_t count = pr_diff_figures(diff->profile, &diff->runs[diff->count - 1], &diff->runs[0], figures);
    runs->usuals.figure = calloc(diff->metric_count + count + 1, sizeof *runs->usuals.figure);
    for (uint32_t i = 0; runs->usuals.figure && i < diff->metric_count; i++) {
        const struct pr_metric *metric = &diff->profile->metrics[i * diff->count];
        const struct pr_diff_figure figure = {metric[0], metric[1].total_value, metric[0].total_value};
        add_figure(runs, &figure, metric->name, diff, i);
    }
    for (size_t i = 0; runs->usuals.figure && i < count; i++)
        add_figure(runs, &figures[i], name_for_check(figures[i].metric.name), diff, diff->metric_count);
    return runs->usuals.figure != NULL;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static int compare_after(const void *a, const void *b, const void *context)
{
    const struct pr_usual_function *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->after, y->after);
}

/* The runs that the whole of a figure was compared with: numbers of baselines. */
struct chosen {
    const uint32_t *run; /* [count] 1 or more */
    size_t count;
};

static struct chosen chosen_of(const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const size_t from = finding->rise.steps ? finding->rise.from : finding->trend.from;
    return (struct chosen){verdict->order + from, finding->history.count};
}

/* VALUES: of the newer run, then of the earlier ones. */
static struct pr_usual_range range_of(const int64_t *values, const struct chosen *chosen)
{
    const int64_t first = values[1 + chosen->run[0]];
    struct pr_usual_range range = {.runs = chosen->count, .lowest = first, .highest = first};
    for (size_t i = 1; i < chosen->count; i++) {
        const int64_t value = values[1 + chosen->run[i]];
        range.lowest = value < range.lowest ? value : range.lowest;
        range.highest = value > range.highest ? value : range.highest;
    }
    return range;
}

/* The functions of METRIC, a number in the difference of the runs. False: no memory. */
static bool add_functions(const struct pr_verdict *verdict, unsigned metric, enum pr_diff_by by,
                          struct pr_usual_functions *functions)
{
    const char *name = verdict->diff->profile->metrics[metric * verdict->diff->count].name;
    const struct chosen chosen = chosen_of(verdict, finding_of(verdict, name));
    struct pr_diff_table table = {.count = 0};
    struct pr_error err = {0};
    if (pr_diff_table(verdict->diff, metric, by, PR_DIFF_VALUES, &table, &err) == PR_FAILED)
        return false;
    functions->at = calloc(table.count + 1, sizeof *functions->at);
    for (size_t i = 0; functions->at && i < table.count; i++)
        functions->at[functions->count++] = (struct pr_usual_function){
            .function = pr_profile_text(verdict->diff->profile, table.row[i].function),
            .file = pr_profile_text(verdict->diff->profile, table.row[i].file),
            .after = table.row[i].value[0],
            .range = range_of(table.row[i].value, &chosen)};
    pr_diff_table_clear(&table);
    return functions->at && pr_sort(functions->at, functions->count, sizeof *functions->at, compare_after, NULL);
}

static bool add_all_functions(struct pr_usual_runs *runs, enum pr_diff_by by)
{
    struct pr_usuals *usuals = &runs->usuals;
    usuals->functions = calloc(usuals->count + 1, sizeof *usuals->functions);
    bool done = usuals->functions != NULL;
    for (size_t i = 0; done && by != PR_DIFF_PATH && i < usuals->count; i++) {
        const int metric = pr_diff_metric(runs->verdict.diff, usuals->figure[i].metric.name);
        done = metric < 0 || add_functions(&runs->verdict, (unsigned)metric, by, &usuals->functions[i]);
    }
    return done;
}

/* What `check` says of single functions that it calls a regression. */
static bool add_sentences(struct pr_usual_runs *runs)
{
    const struct pr_verdict *verdict = &runs->verdict;
    struct pr_usuals *usuals = &runs->usuals;
    usuals->sentence = calloc(verdict->broken + 1, sizeof *usuals->sentence);
    for (size_t i = 0; usuals->sentence && i < verdict->broken; i++) {
        struct pr_buf text = {0};
        if (verdict->finding[i].kind != PR_RULE_FUNCTION)
            continue;
        pr_finding_sentence(&text, verdict, &verdict->finding[i]);
        pr_buf_byte(&text, '\0');
        if (text.failed)
            return false;
        usuals->sentence[usuals->sentence_count++] = text.bytes;
    }
    return usuals->sentence != NULL;
}

int pr_usual_runs_compare(struct pr_usual_runs *runs, const struct pr_diff *diff, enum pr_diff_by by)
{
    struct pr_verdict *verdict = &runs->verdict;
    if (!verdict->diff)
        return PR_EXIT_DONE;
    ask_for_all(runs);
    bool done = runs->rules.metric_count > 0 ||
                pr_verdict_note(verdict, "the earlier runs have no figure that the newer one has");
    const int status = done && runs->rules.metric_count ? pr_verdict_make(verdict, &runs->rules) : PR_EXIT_DONE;
    if (status != PR_EXIT_DONE)
        return status;
    done = done && add_figures(runs, diff) && add_all_functions(runs, by) && add_sentences(runs);
    runs->usuals.note = verdict->notes;
    runs->usuals.note_count = verdict->note_count;
    return done ? PR_EXIT_DONE : pr_judge_no_memory();
}

void pr_usual_runs_clear(struct pr_usual_runs *runs)
{
    struct pr_usuals *usuals = &runs->usuals;
    for (size_t i = 0; usuals->functions && i < usuals->count; i++)
        free(usuals->functions[i].at);
    for (size_t i = 0; i < usuals->sentence_count; i++)
        free(usuals->sentence[i]);
    free(usuals->sentence);
    free(usuals->functions);
    free(usuals->figure);
    pr_verdict_clear(&runs->verdict);
    pr_check_inputs_clear(&runs->inputs);
}
