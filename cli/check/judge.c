/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/judge.h"

#include "capture/base/checked.h"
#include "cli/args/amount.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "cli/reports/diff_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pr_judge_no_memory(void)
{
    pr_say("no memory for the check");
    return PR_EXIT_INPUT;
}

int pr_judge_add(struct pr_judge *j, const struct pr_finding *finding)
{
    struct pr_verdict *v = j->verdict;
    if (!pr_grow(&v->finding, &v->capacity, v->count + 1, sizeof *v->finding))
        return pr_judge_no_memory();
    v->finding[v->count++] = *finding;
    v->broken += finding->answer == PR_BROKEN;
    v->untold += finding->answer == PR_CANNOT_TELL;
    return PR_EXIT_DONE;
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

const struct pr_metric *pr_judge_column(const struct pr_judge *j, int metric, uint32_t profile)
{
    const struct pr_diff *diff = j->verdict->diff;
    if ((uint32_t)metric < diff->metric_count)
        return &diff->profile->metrics[(uint32_t)metric * diff->count + profile];
    const uint32_t figure = (uint32_t)metric - diff->metric_count;
    return figure < PR_FIGURES ? &j->verdict->figures[profile].metric[figure]
                               : &j->verdict->phases.one[figure - PR_FIGURES].column[profile];
}

bool pr_judge_has_stacks(const struct pr_judge *j, int metric)
{
    return (uint32_t)metric < j->verdict->diff->metric_count;
}

bool pr_judge_has_figure(const struct pr_judge *j, int figure, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!pr_judge_column(j, (int)j->verdict->diff->metric_count + figure, k)->name)
            return false;
    return true;
}

static const char *all_inputs(const struct pr_judge *j)
{
    return j->verdict->baseline_count ? " and its baseline" : "";
}

/* Reports what is missing, and what there is instead. NAME NULL: the main metric. */
static int lack(const struct pr_judge *j, const char *name)
{
    const struct pr_verdict *v = j->verdict;
    struct pr_buf list = {0};
    for (uint32_t i = 0; i < v->diff->metric_count; i++)
        pr_buf_printf(&list, "%s%s", i ? ", " : "", v->diff->profile->metrics[i * v->diff->count].name);
    for (int i = 0; i < PR_FIGURES; i++)
        if (pr_judge_has_figure(j, i, v->diff->count))
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

/* The figure of a phase that the first COUNT have, -1 with the reason reported. */
static int phase_metric(const struct pr_judge *j, const char *name, uint32_t count)
{
    struct pr_verdict *v = j->verdict;
    if (pr_check_phase_figure(name) < 0) {
        pr_say("'%s' is not a figure of a phase: phase:NAME: and rss, growth, heap, retained, cpu, read, written, "
               "received or sent", name);
        return -1;
    }
    const int number = pr_check_phases_add(&v->phases, v->diff, name);
    if (number < 0) {
        pr_judge_no_memory();
        return -1;
    }
    if (pr_judge_has_figure(j, PR_FIGURES + number, count))
        return (int)v->diff->metric_count + PR_FIGURES + number;
    pr_say("%s%s: there is no '%s'; profrender info lists phases and their figures", v->input,
           count > 1 ? all_inputs(j) : "", name);
    return -1;
}

int pr_judge_metric(const struct pr_judge *j, const char *name, uint32_t count)
{
    if (name && strncmp(name, PR_PHASE_METRIC, strlen(PR_PHASE_METRIC)) == 0)
        return phase_metric(j, name, count);
    const struct pr_diff *diff = j->verdict->diff;
    const int figure = name ? pr_figure_named(name) : -1;
    int metric = name ? pr_diff_metric(diff, name) : diff->metric_count ? 0 : -1;
    if (metric >= 0)
        return metric;
    if (figure < 0)
        return lack(j, name);
    if (pr_judge_has_figure(j, figure, count))
        return (int)diff->metric_count + figure;
    pr_say("%s%s: %s", j->verdict->input, count > 1 ? all_inputs(j) : "", pr_figure_missing(figure));
    return -1;
}

int64_t pr_judge_arenas(const struct pr_judge *j, int metric, uint32_t profile)
{
    const struct pr_diff *diff = j->verdict->diff;
    return pr_judge_has_stacks(j, metric) ? diff->arenas[(uint32_t)metric * diff->count + profile].total.bytes : 0;
}

void pr_judge_sum_up(const struct pr_judge *j, int metric, bool counts, bool apart)
{
    for (uint32_t k = 0; k < j->verdict->diff->count; k++) {
        const struct pr_metric *column = pr_judge_column(j, metric, k);
        j->sums[k] = counts ? column->total_count : column->total_value;
        if (apart)
            j->sums[k] = pr_subtract_saturated(j->sums[k], pr_judge_arenas(j, metric, k));
    }
}

/* Values of the chosen baselines; VALUES holds one per profile. False: no memory. */
static bool take_history(struct pr_judge *j, const int64_t *values, struct pr_baseline_values *history)
{
    for (size_t i = 0; i < j->chosen_count; i++)
        j->sample[i] = values[1 + j->chosen[i]];
    if (!pr_baseline_values_make(j->sample, j->chosen_count, history))
        return false;
    if (j->chosen_count)
        history->highest_at = j->chosen[history->highest_at];
    return true;
}

bool pr_judge_choose(struct pr_judge *j, struct pr_finding *finding, const int64_t *values, size_t from, size_t count)
{
    j->chosen = j->verdict->order + from;
    j->chosen_count = count;
    return take_history(j, values, &finding->history);
}

bool pr_judge_start(struct pr_judge *j, struct pr_finding *finding, const int64_t *values)
{
    finding->after = values[0];
    finding->has_before = j->verdict->baseline_count > 0;
    return pr_judge_choose(j, finding, values, 0, j->verdict->baseline_count);
}

bool pr_judge_start_level(struct pr_judge *j, struct pr_finding *finding, const int64_t *values,
                          struct pr_trend *trend)
{
    const struct pr_verdict *v = j->verdict;
    struct pr_trend found = {.count = 0};
    if (!pr_judge_start(j, finding, values))
        return false;
    if (!v->is_history)
        return true;
    const bool done = pr_trend_make(values, v->order, v->baseline_count, &found) &&
                      pr_judge_choose(j, finding, values, found.from, v->baseline_count - found.from);
    if (!done || !trend)
        pr_trend_clear(&found);
    if (trend)
        *trend = found;
    return done;
}

uint32_t pr_judge_usual(struct pr_judge *j, int metric)
{
    uint32_t best = 0;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < j->chosen_count; i++)
        j->sample[i] = pr_judge_column(j, metric, 1 + j->chosen[i])->total_value;
    struct pr_baseline_values values;
    if (!pr_baseline_values_make(j->sample, j->chosen_count, &values))
        return 1 + j->chosen[0];
    for (size_t i = 0; i < j->chosen_count; i++) {
        const uint32_t profile = 1 + j->chosen[i];
        const int64_t change = pr_subtract_saturated(pr_judge_column(j, metric, profile)->total_value, values.median);
        const int64_t away = change < 0 ? pr_subtract_saturated(0, change) : change;
        if (!best || away < least) {
            best = profile;
            least = away;
        }
    }
    return best;
}

int pr_judge_bad_limit(const struct pr_budget *budget, const struct pr_metric *metric)
{
    pr_say("the limit '%s' for %s is not %s", budget->limit, budget->pattern ? budget->pattern : metric->name,
           budget->is_count ? "a whole number" : pr_amount_example(metric));
    return PR_EXIT_USAGE;
}

/* ---- whose fault ------------------------------------------------------------------------------------------------ */

bool pr_judge_table(const struct pr_judge *j, int metric, enum pr_diff_by by, enum pr_diff_of of,
                       struct pr_diff_table *table)
{
    struct pr_error err = {0};
    *table = (struct pr_diff_table){.count = 0};
    return !pr_judge_has_stacks(j, metric) ||
           pr_diff_table(j->verdict->diff, (unsigned)metric, by, of, table, &err) != PR_FAILED;
}

int64_t pr_judge_before(struct pr_judge *j, const struct pr_diff_row *row)
{
    struct pr_baseline_values history = {.count = 0};
    return take_history(j, row->value, &history) ? history.median : 0;
}

void pr_finding_blame(struct pr_finding *finding, struct pr_culprit culprit)
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

static const double repeats = 0.003, worth_naming = 0.1; /* of the median; of what the first one grew by */

/* Whether the chosen baselines, of which there are several, had the same of it. */
static bool has_repeated(struct pr_judge *j, const struct pr_diff_row *row)
{
    struct pr_baseline_values history = {.count = 0};
    if (!take_history(j, row->value, &history) || history.count < 2)
        return false;
    return (double)history.highest - (double)history.lowest <= repeats * (double)history.median;
}

/*
 * Who had the same in each baseline and has more now did that; who had now more and now less may have more by chance.
 * The former come first, unless what they grew by is next to nothing.
 */
static void put_certain_first(struct pr_finding *finding)
{
    const double least = worth_naming * (double)pr_culprit_change(&finding->culprit[0]);
    size_t first = 0;
    for (size_t i = 0; i < finding->culprit_count; i++) {
        const struct pr_culprit culprit = finding->culprit[i];
        if (!culprit.has_repeated || (double)pr_culprit_change(&culprit) < least)
            continue;
        memmove(&finding->culprit[first + 1], &finding->culprit[first], (i - first) * sizeof culprit);
        finding->culprit[first++] = culprit;
    }
}

/* Whether all that a row has more came from other functions. */
static bool only_moved(struct pr_judge *j, const struct pr_diff_row *row, const struct pr_diff_move *move)
{
    return pr_diff_only_moved(pr_change_of(pr_judge_before(j, row), row->value[0]), move);
}

struct pr_culprit pr_culprit_of(const struct pr_diff_row *row, int64_t before, int64_t after)
{
    return (struct pr_culprit){.function = row->function, .file = row->file, .code = row->code, .line = row->line,
                               .before = before, .after = after};
}

void pr_judge_blame(struct pr_judge *j, struct pr_finding *finding, const struct pr_diff_table *table,
                    const struct pr_diff_move *moved)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_diff_row *row = &table->row[i];
        if (moved && only_moved(j, row, &moved[i]))
            continue;
        struct pr_culprit culprit = pr_culprit_of(row, pr_judge_before(j, row), row->value[0]);
        culprit.has_repeated = has_repeated(j, row);
        pr_finding_blame(finding, culprit);
    }
    if (finding->culprit_count)
        put_certain_first(finding);
    else if (moved)
        pr_judge_blame(j, finding, table, NULL);
}

bool pr_verdict_note(struct pr_verdict *verdict, const char *format, ...)
{
    char note[512];
    va_list list;
    va_start(list, format);
    vsnprintf(note, sizeof note, format, list);
    va_end(list);
    struct pr_strings *noted = &verdict->noted;
    if (!noted->count && pr_strings_init(noted, NULL) == PR_FAILED)
        return false;
    const uint32_t before = noted->count;
    const pr_str number = pr_strings_add(noted, note, strlen(note));
    if (number == PR_NO_STR)
        return false;
    if (number < before)
        return true;
    if (!pr_grow(&verdict->notes, &verdict->note_capacity, verdict->note_count + 1, sizeof *verdict->notes))
        return false;
    verdict->notes[verdict->note_count++] = pr_strings_get(noted, number).bytes;
    return true;
}
