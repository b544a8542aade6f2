/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `profrender check` demands: budgets, and how much more than its baseline an input may have. From the command
 * line, and from a file in JSON; the command line takes precedence.
 *
 * Its schema is schemas/check-config.schema.json; an example is samples/profrender-check.json.
 *
 *     {
 *       "max": {"peak": "2GiB", "leaked": "10MiB", "allocations": 100000},
 *       "budgets": [{"metric": "peak", "pattern": "sales/features.py", "max": "200MiB"}],
 *       "findings": ["steady-growth"],
 *       "metrics": ["peak", "leaked"],
 *       "grows_in_every": 3, "least": "1%",
 *       "tolerance": "3%",
 *       "tolerance_absolute": "100KiB",
 *       "functions": false, "phases": false,
 *       "allow_incomplete": false, "baseline_optional": true, "require_match": true,
 *       "frame": ["missing below 1 %", "price: mean within 3 %"]
 *     }
 */
#ifndef PR_CLI_CHECK_CHECK_RULES_H
#define PR_CLI_CHECK_CHECK_RULES_H

#include "cli/args/command.h"
#include "profrender/explain.h"

enum { PR_MOST_BUDGETS = 256, PR_MOST_METRICS = 16, PR_MOST_INSIGHTS = 64, PR_LEAST_RUNS = 2, PR_MOST_RUNS = 1000 };

/* A limit for a whole metric, for its count, or for all stacks with a function or file that the pattern matches. */
struct pr_budget {
    const char *metric;  /* NULL: the main one */
    bool is_count;       /* of allocations, not bytes */
    const char *pattern; /* NULL: all */
    const char *limit;
};

struct pr_rules {
    struct pr_budget budget[PR_MOST_BUDGETS];
    size_t budget_count;
    const char *metric[PR_MOST_METRICS]; /* compared with the baseline; none: those that a regression shows in */
    size_t metric_count;
    const struct pr_rule *insight[PR_MOST_INSIGHTS]; /* what `explain` must not find */
    size_t insight_count;
    uint64_t grows_in_every;                    /* runs, the input too, in which nothing grows each time; 0: any */
    const char *least;                          /* percent that such a run has to exceed; NULL: as the unit requires */
    const char *tolerance, *tolerance_absolute; /* NULL: as the unit of the metric requires */
    bool functions;                             /* each function on its own too */
    bool grown_functions;                       /* where metrics are named: the functions of those that grew, too */
    bool allow_incomplete, baseline_optional;
    bool phases;                                /* each phase on its own too */
    bool require_match;                         /* a budget whose pattern matches nothing is broken */
    struct pr_words frame;                      /* rules of tables of data, for --frame */
    void *config; /* the JSON that strings are borrowed from, or NULL */
};

/* Adds the rules in the file PATH. Returns 0, or an exit status with the reason reported. */
int pr_rules_read(struct pr_rules *rules, const char *path);

/*
 * Adds a rule in the form METRIC:PATTERN=LIMIT or PATTERN=LIMIT, or phase:NAME:FIGURE=LIMIT; TEXT is modified. False:
 * it has another form.
 */
bool pr_rules_add_budget(struct pr_rules *rules, char *text);

/* Adds a limit on a whole metric; an earlier one for the same thing is replaced. False: there are too many. */
bool pr_rules_add_max(struct pr_rules *rules, const char *metric, bool is_count, const char *limit);

/* Adds a rule of `explain`, once. False: there is none of that NAME. */
bool pr_rules_add_insight(struct pr_rules *rules, const char *name);

/* Reports that `explain` has no rule NAME, and which it has. WHERE: the file with it, or NULL. Returns the status. */
int pr_rules_lack_insight(const char *where, const char *name);

void pr_rules_clear(struct pr_rules *rules);

#endif
