/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How pairs of columns of a table depend on one another: measures for numbers and categories alike, and charts.
 *
 *     for (uint32_t i = 0; i < frame->pair_count; i++)
 *         if (frame->pairs[i].kind == PR_PAIR_POINTS)
 *             draw(frame->pairs[i].counts, frame->pairs[i].width, frame->pairs[i].height);
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_PAIRS_H
#define PR_API_DATA_PAIRS_H

#include "profrender/data_views.h"

PR_DECLS_BEGIN

enum {
    PR_DATA_MEASURED = 40,         /* columns of a matrix */
    PR_DATA_MEASURED_BINS = 1000,  /* categories, and bins of numbers, of all of them */
    PR_DATA_CATEGORIES_MOST = 100, /* of a column in a matrix or chart */
    PR_DATA_PAIRS = 20,            /* charts that can be asked for */
    PR_DATA_PAIRS_FOUND = 4,       /* charts where none is asked for: of the pairs that depend on one another most */
    PR_DATA_PAIR_WIDTH = 40,       /* bins of a chart */
    PR_DATA_PAIR_HEIGHT = 25,
    PR_DATA_PAIR_LABELS = 20 /* categories of a chart: those of the most rows */
};

/* A measure of each pair of COUNT columns; NaN: there is none. */
struct pr_data_matrix {
    uint32_t count, left_out; /* LEFT_OUT: columns beyond the limits */
    uint32_t *columns;        /* [count] */
    double *values;           /* [count][count] */
};

enum pr_data_pair_kind {
    PR_PAIR_POINTS,    /* numbers against numbers: how many rows are in each bin */
    PR_PAIR_BOXES,     /* numbers by category */
    PR_PAIR_CATEGORIES /* how many rows have both of two categories */
};

/* X is to the right; of boxes it is the column with numbers. Y is upwards, or down the categories. */
struct pr_data_pair {
    enum pr_data_pair_kind kind;
    uint32_t x, y; /* columns */
    bool is_asked;
    double pearson, phi_k; /* NaN: none */
    uint64_t rows;         /* that have both */
    uint64_t rows_left_out; /* of categories beyond the limit */
    uint32_t width, height;
    uint32_t *counts;                        /* [height][width] points, from the lowest; categories */
    double x_from, x_to, y_from, y_to;       /* points */
    struct pr_text *x_labels, *y_labels;     /* categories: [width], [height] */
    struct pr_data_boxes boxes;
};

PR_DECLS_END

#endif
