/* SPDX-License-Identifier: Apache-2.0 */
/* Where what a heap retains grew, of a difference of heap dumps. Nothing for other profiles. */
#ifndef PR_CLI_REPORTS_GROWTH_POINTS_H
#define PR_CLI_REPORTS_GROWTH_POINTS_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"
#include "profrender/diff.h"

struct pr_growth_points {
    const struct pr_profile *profile; /* the difference's */
    const struct pr_metric *metric;   /* that of the newest profile */
    struct pr_growth_point at[PR_GROWTH_POINTS];
    size_t count;
};

/* From the oldest profile of DIFF, its last one, to the newest; METRIC is one of it. PR_FAILED: no memory. */
enum pr_status pr_growth_points_find(const struct pr_diff *diff, unsigned metric, struct pr_growth_points *points,
                                     struct pr_error *err);

/* EXACT: bytes with all digits. */
void pr_growth_points_report(struct pr_report *report, const struct pr_growth_points *points, bool exact);
void pr_growth_points_markdown(struct pr_output *out, const struct pr_growth_points *points, bool exact);

/* The member "growth_points". */
void pr_growth_points_json(struct pr_json_writer *json, const struct pr_growth_points *points);

#endif
