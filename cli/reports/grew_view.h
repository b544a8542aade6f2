/* SPDX-License-Identifier: Apache-2.0 */
/* What grew in each step of several runs, or of parts of one: the functions or paths, with their least growth. */
#ifndef PR_CLI_REPORTS_GREW_VIEW_H
#define PR_CLI_REPORTS_GREW_VIEW_H

#include "cli/reports/growth_points.h"

/* A function or path with more in each run than in the one before. */
struct pr_grown {
    const struct pr_diff_row *row; /* values by profile of the difference, the last run first */
    int64_t least;                 /* growth of any step */
    int64_t first, last;
};

struct pr_grew_view {
    const struct pr_diff *diff;     /* the last run first */
    const struct pr_metric *metric; /* that of the last run */
    enum pr_diff_by by;
    struct pr_diff_table table;
    struct pr_grown *grown; /* [count] by their least growth, the largest first */
    size_t count;
    struct pr_growth_points points; /* of heap dumps: where it grew, from the first run to the last */
};

/*
 * METRIC is one of the difference. Each step has to be more than PERCENT of what was there; arenas of pymalloc do not
 * count, as chance decides where they fall.
 *
 * Owner: pr_grew_view_clear, also after an error. PR_FAILED: no memory.
 */
enum pr_status pr_grew_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by, double percent,
                                 struct pr_grew_view *view, struct pr_error *err);
/* The least growth in the steps between COUNT values, the last one first; 0: a step is not more than PERCENT. */
int64_t pr_grew_least(const int64_t *value, size_t count, double percent);

void pr_grew_view_clear(struct pr_grew_view *view);

#endif
