/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that the user asked for. */
#include "cli/check/judge.h"

#include "capture/base/checked.h"
#include "cli/args/amount.h"
#include "cli/args/options.h"
#include "cli/io/say.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

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

static void sum_facts(const struct pr_judge *j, int metric, const bool *inside)
{
    const struct pr_diff *diff = j->verdict->diff;
    for (uint32_t k = 0; k < diff->count; k++) {
        const int64_t *arenas = diff->arenas[(uint32_t)metric * diff->count + k].bytes;
        j->sums[k] = 0;
        for (size_t i = 0; i < diff->profile->fact_count; i++) {
            const int64_t value = pr_judge_column(j, metric, k)->value[i] - (arenas ? arenas[i] : 0);
            if (inside[diff->profile->fact_leaf[i]])
                j->sums[k] = pr_add_saturated(j->sums[k], value);
        }
    }
}

/* Sums over all stacks with a frame that the pattern means, without arenas, for each profile. False: no memory. */
static bool sum_matching(const struct pr_judge *j, int metric, struct pr_finding *finding)
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
            pr_finding_blame(finding, pr_culprit_of(row, 0, row->value[0]));
    }
}

/* Arenas that a limit counts come last among the owners of the memory: they belong to nobody. */
static void add_arenas(struct pr_finding *finding, int64_t bytes)
{
    if (!bytes)
        return;
    if (finding->culprit_count == PR_MOST_CULPRITS)
        finding->culprit_count--;
    finding->culprit[finding->culprit_count++] = (struct pr_culprit){.is_arenas = true, .after = bytes};
}

/* A limit on a whole run is for the input alone: baselines need not have the figure. */
static void forget_unknown(const struct pr_judge *j, int metric, struct pr_finding *finding)
{
    const struct pr_diff *diff = j->verdict->diff;
    if (pr_judge_has_stacks(j, metric) || pr_judge_has_figure(j, metric - (int)diff->metric_count, diff->count))
        return;
    finding->has_before = false;
    finding->history = (struct pr_baseline_values){.count = 0};
}

static int read_limit(const struct pr_judge *j, int metric, const struct pr_budget *budget, struct pr_finding *finding)
{
    int64_t limit = 0;
    if (budget->pattern && !pr_judge_has_stacks(j, metric)) {
        pr_say("'%s' is a figure of the whole run: functions have no part of it, so '%s' cannot be checked",
               finding->metric->name, budget->pattern);
        return PR_EXIT_USAGE;
    }
    if (budget->is_count ? !pr_count_parse(budget->limit, &limit)
                         : !pr_amount_parse(finding->metric, budget->limit, &limit))
        return pr_judge_bad_limit(budget, finding->metric);
    finding->bounds = (struct pr_bounds){.usual = limit, .alarm = limit};
    return PR_EXIT_DONE;
}

/* Arenas are not a leak and belong to no function, but they are memory that the whole needs. */
static bool counts_arenas(const struct pr_finding *finding)
{
    return !finding->pattern && strcmp(finding->metric->name, "leaked") != 0;
}

static int judge_budget(struct pr_judge *j, int metric, struct pr_finding *finding)
{
    const bool apart = !counts_arenas(finding) && !finding->is_count;
    const enum pr_diff_by by = finding->pattern ? PR_DIFF_TOTAL : PR_DIFF_OWN;
    struct pr_diff_table table;
    if (finding->pattern && !sum_matching(j, metric, finding))
        return pr_judge_no_memory();
    if (!finding->pattern)
        pr_judge_sum_up(j, metric, finding->is_count, apart);
    if (!pr_judge_start(j, finding, j->sums) ||
        !pr_judge_table(j, metric, by, finding->is_count ? PR_DIFF_COUNTS : PR_DIFF_APART, &table))
        return pr_judge_no_memory();
    forget_unknown(j, metric, finding);
    finding->arenas = apart && !finding->pattern ? pr_judge_arenas(j, metric, 0) : 0;
    const bool wanted = finding->no_match && j->rules->require_match;
    finding->answer = finding->after > finding->bounds.alarm || wanted ? PR_BROKEN : PR_KEPT;
    const bool grew = finding->has_before && !finding->pattern && !finding->is_count;
    const bool lines = !grew || pr_judge_grown_lines(j, metric, pr_judge_usual(j, metric), &table);
    if (finding->pattern)
        find_meant(finding, j->verdict->diff->profile, &table);
    else
        pr_judge_blame(j, finding, &table, NULL);
    if (!apart && !finding->is_count && !finding->has_before)
        add_arenas(finding, pr_judge_arenas(j, metric, 0));
    pr_diff_table_clear(&table);
    return lines ? pr_judge_add(j, finding) : pr_judge_no_memory();
}

int pr_judge_budget(struct pr_judge *j, const struct pr_budget *budget)
{
    const int metric = pr_judge_metric(j, budget->metric, 1);
    if (metric < 0)
        return PR_EXIT_INPUT;
    struct pr_finding finding = {.kind = budget->pattern ? PR_RULE_BUDGET : PR_RULE_MAX,
                                 .metric = pr_judge_column(j, metric, 0),
                                 .is_count = budget->is_count,
                                 .pattern = budget->pattern,
                                 .asked = budget->limit};
    int status = read_limit(j, metric, budget, &finding);
    if (status == PR_EXIT_DONE)
        status = judge_budget(j, metric, &finding);
    if (status == PR_EXIT_DONE && finding.no_match &&
        !pr_verdict_note(j->verdict, "no function or file matches '%s': its budget checks nothing", finding.pattern))
        status = pr_judge_no_memory();
    return status;
}
