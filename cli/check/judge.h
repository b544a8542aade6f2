/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rules of a check share while they become findings: the metrics of the input and its baselines by number, and
 * who has how much of one. budgets.c, growth.c, compare_phases.c, every_run.c and check_insights.c apply the rules;
 * cli/check/verdict.h has the result.
 */
#ifndef PR_CLI_CHECK_JUDGE_H
#define PR_CLI_CHECK_JUDGE_H

#include "cli/check/verdict.h"

struct pr_judge {
    struct pr_verdict *verdict;
    const struct pr_rules *rules;
    int64_t *sums;    /* [1 + baselines] scratch: what is judged */
    int64_t *sample;  /* [baselines] scratch */
    const uint32_t *chosen; /* [chosen_count] baselines that the value at hand is compared with */
    size_t chosen_count;
    double tolerance; /* below 0: as the unit requires */
    double least;     /* percent that a run has to exceed to have grown; below 0: as the unit requires */
};

/* Each rule of both kinds: 0, or an exit status with the reason reported. */
int pr_judge_budget(struct pr_judge *j, const struct pr_budget *budget);
int pr_judge_growth(struct pr_judge *j);

/* One metric by its number: the whole of it against the baselines. */
int pr_judge_regression(struct pr_judge *j, int metric);

/* Each phase of the input against those of its name in the baselines. */
int pr_judge_phases(struct pr_judge *j);

/* What grew in each of the last runs, where the rules ask for it. */
int pr_judge_every_run(struct pr_judge *j);

/* Each rule of `explain` that was asked for: broken if it found something. */
int pr_judge_insights(struct pr_judge *j);

/* ---- for both --------------------------------------------------------------------------------------------------- */

/* Reports it, and returns its exit status. */
int pr_judge_no_memory(void);

/* Adds a finding that has its answer. Returns 0, or an exit status with the reason reported. */
int pr_judge_add(struct pr_judge *j, const struct pr_finding *finding);

/*
 * A metric is called by a number here: those of the difference, then the figures of runs as a whole, then those of
 * phases. Its columns are the values by profile.
 */
const struct pr_metric *pr_judge_column(const struct pr_judge *j, int metric, uint32_t profile);

/* False: it is a figure of the whole run, and no function has a part of it. */
bool pr_judge_has_stacks(const struct pr_judge *j, int metric);

/* Whether the first COUNT of the input and its baselines have the figure, of runs as a whole or of a phase. */
bool pr_judge_has_figure(const struct pr_judge *j, int figure, uint32_t count);

/* Number of a metric that the first COUNT have, -1 with the reason reported. NAME NULL: the main one. */
int pr_judge_metric(const struct pr_judge *j, const char *name, uint32_t count);

/*
 * Names of the metrics that the baselines are compared by: those that were asked for, else those of memory, else the
 * main one, whose name is NULL. Returns how many.
 */
size_t pr_judge_compared(const struct pr_judge *j, const char *names[PR_MOST_METRICS]);

/* How much more of a metric than before is no growth yet. */
struct pr_tolerance pr_judge_tolerance(const struct pr_judge *j, const struct pr_metric *metric);

/* Bytes in arenas of pymalloc that a profile has in a metric. */
int64_t pr_judge_arenas(const struct pr_judge *j, int metric, uint32_t profile);

/* The whole of a metric, or its count, for each profile, into the scratch; APART: without arenas. */
void pr_judge_sum_up(const struct pr_judge *j, int metric, bool counts, bool apart);

/* The values of a finding and its history; VALUES holds one per profile. False: no memory. */
bool pr_judge_start(struct pr_judge *j, struct pr_finding *finding, const int64_t *values);

/*
 * The same of a value whose level is looked for in the history, where there is one: only runs of that level are chosen.
 * TREND gets the history; NULL: it is not kept. False: no memory.
 */
bool pr_judge_start_level(struct pr_judge *j, struct pr_finding *finding, const int64_t *values,
                          struct pr_trend *trend);

/* Chooses COUNT runs of the history from number FROM on, for what is blamed next. False: no memory. */
bool pr_judge_choose(struct pr_judge *j, struct pr_finding *finding, const int64_t *values, size_t from, size_t count);

/* The profile of the chosen baseline whose whole is nearest to their median. */
uint32_t pr_judge_usual(struct pr_judge *j, int metric);

/* Reports what is wrong with a limit. Returns the exit status. */
int pr_judge_bad_limit(const struct pr_budget *budget, const struct pr_metric *metric);

/* Who has how much; the whole of a run belongs to no function: its table is empty. False: no memory. */
bool pr_judge_table(const struct pr_judge *j, int metric, enum pr_diff_by by, enum pr_diff_of of,
                    struct pr_diff_table *table);

/* What a row had: the median of the chosen baselines. */
int64_t pr_judge_before(struct pr_judge *j, const struct pr_diff_row *row);

/* Puts findings with the same cause next to each other: the first one is the alarm. */
void pr_verdict_gather_by_cause(struct pr_verdict *verdict);

/* The function of a row, and what it had and has. */
struct pr_culprit pr_culprit_of(const struct pr_diff_row *row, int64_t before, int64_t after);

/* Inserts a culprit in order among those already there. */
void pr_finding_blame(struct pr_finding *finding, struct pr_culprit culprit);

/*
 * What explains that rows of TABLE grew (PR_DIFF_OWN, without arenas) since the chosen baseline that is most like the
 * median, for each of them. Owner: the caller, by free. NULL: no memory.
 */
struct pr_diff_cause *pr_judge_causes(struct pr_judge *j, int metric, const struct pr_diff_table *table);

/* Gives a finding about one row its common ancestor, or one with several to blame theirs. False: no memory. */
void pr_finding_explain(struct pr_finding *finding, const struct pr_diff_cause *cause);
bool pr_judge_explain(struct pr_judge *j, struct pr_finding *finding, int metric, const struct pr_diff_table *table);

/*
 * The path on which each row of TABLE (PR_DIFF_OWN, without arenas) grew since the same baseline. Owner: the caller, by
 * free. NULL: no memory.
 */
struct pr_diff_path *pr_judge_paths(struct pr_judge *j, int metric, const struct pr_diff_table *table);

/* Gives the rows of TABLE (PR_DIFF_OWN) the line that grew most since profile number BEFORE. False: no memory. */
bool pr_judge_grown_lines(struct pr_judge *j, int metric, uint32_t before, struct pr_diff_table *table);

/* Gives those that a finding blames the paths of their rows. */
void pr_finding_take_paths(struct pr_finding *finding, const struct pr_diff_table *table,
                           const struct pr_diff_path *paths);

/*
 * Those whose own part grew most; without a baseline, those that have most. Of several baselines, those that had the
 * same in each come first. What only moved, by MOVED for each row, has not grown; NULL: that is not known.
 */
void pr_judge_blame(struct pr_judge *j, struct pr_finding *finding, const struct pr_diff_table *table,
                    const struct pr_diff_move *moved);

#endif
