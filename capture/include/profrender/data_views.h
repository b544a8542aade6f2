/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of a table of data beside its figures: its first rows, box plots, bars on a line of time.
 *
 *     struct pr_data_wanted wanted = {.view = PR_VIEW_TABLE, .most_rows = 1000, .sort = "price"};
 *
 * as `wanted` of the options of pr_data_frame_read (data_frame.h) gives a frame with `sheet`, the rows.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_VIEWS_H
#define PR_API_DATA_VIEWS_H

#include "profrender/string_table.h"

PR_DECLS_BEGIN

enum pr_data_view { PR_VIEW_PROFILE, PR_VIEW_TABLE, PR_VIEW_BOX, PR_VIEW_GANTT, PR_VIEW_COUNT };

/* Names of columns; NULL: see there. */
struct pr_data_wanted {
    enum pr_data_view view;
    uint64_t most_rows; /* PR_VIEW_TABLE */
    const char *sort;   /* PR_VIEW_TABLE: NULL: in the order of the table */
    bool descending;
    const char *value, *by;           /* PR_VIEW_BOX: NULL: each column with numbers; all rows together */
    const char *start, *finish, *name; /* PR_VIEW_GANTT: "Start", "Finish", "Name" */
    const char *group;                 /* PR_VIEW_GANTT: what has a colour of its own; NULL: none */
    const char *const *pairs; /* PR_VIEW_PROFILE: charts of "A,B", two columns each; none: of those that depend most */
    uint32_t pair_count;      /* PR_DATA_PAIRS at most */
};

enum {
    PR_DATA_MOST_SHEET = 100000, /* rows of a sheet */
    PR_DATA_OUTLIERS = 20,       /* outliers with a point of their own, on either side */
    PR_DATA_BOXES = 60,          /* boxes of a plot by category: those of the most rows */
    PR_DATA_SPANS = 10000        /* bars */
};

/*
 * Five numbers of a distribution. The whiskers end at the outermost values within 1.5 times the distance of the
 * quartiles from them; what is beyond is an outlier. Estimates if RANK_ERROR is above 0, as quantiles of a column.
 */
struct pr_data_box {
    struct pr_text label; /* of a category */
    bool is_missing;      /* the rows without a category */
    uint64_t count;       /* finite numbers */
    double minimum, low, first, median, third, high, maximum;
    uint64_t below, above; /* outliers */
    double low_outliers[PR_DATA_OUTLIERS], high_outliers[PR_DATA_OUTLIERS]; /* different ones, from the outside in */
    uint32_t low_outlier_count, high_outlier_count;
    double rank_error;
};

struct pr_data_boxes {
    uint32_t value, by; /* columns; PR_DATA_NONE: each column has its own box; all rows */
    struct pr_data_box *boxes;
    uint32_t count;
    uint64_t left_out, rows_left_out; /* categories beyond the limit, and their rows */
};

/* A bar from START to FINISH, numbers as those of their columns; NaN: open at that end. */
struct pr_data_span {
    struct pr_text name, group;
    uint32_t lane, colour; /* spans in one lane do not overlap; number of the group */
    double start, finish;
    uint64_t row; /* from 1 */
};

struct pr_data_gantt {
    uint32_t start, finish, name, group; /* columns; PR_DATA_NONE: no group */
    struct pr_data_span *spans;          /* by lane, then by start */
    uint32_t count, lane_count;
    double from, to;   /* of all bars */
    uint64_t left_out; /* rows beyond the limit */
    uint64_t untimed;  /* rows left out as neither end is known */
    uint64_t reversed; /* rows left out as they finish before they start */
    uint64_t open;     /* rows of which one end is not known */
    struct pr_text *groups;
    uint32_t group_count;
};

PR_DECLS_END

#endif
