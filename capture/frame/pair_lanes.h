/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column as figures of two columns need it: a number or a category for each row that is kept (row_codes.h).
 *
 * Before columns are finished, which sorts their numbers.
 */
#ifndef PR_CAPTURE_FRAME_PAIR_LANES_H
#define PR_CAPTURE_FRAME_PAIR_LANES_H

#include "capture/frame/data_build.h"

struct pr_lane {
    uint32_t column;
    const double *numbers; /* [rows] not finite: missing; NULL: it has categories */
    double *owned;         /* they are ours */
    double from, to;       /* of numbers: the extremes of the column */
    uint8_t *codes;        /* [rows] 0: missing; a category, or a bin of phi-k, from 1. Of numbers: NULL until asked */
    unsigned count;        /* of codes */
    uint32_t items[PR_CODES]; /* a place among the frequent values of the column for each category */
};

/* What the column has by row. *IS_ONE is false: neither numbers nor few categories. False: no memory. */
bool pr_lane_of(const struct pr_data_build *build, uint32_t column, struct pr_lane *lane, bool *is_one);

/* Codes of numbers: the bins of phi-k. False: no memory. */
bool pr_lane_bin(const struct pr_data_build *build, struct pr_lane *lane);

void pr_lane_clear(struct pr_lane *lane);

/* Whether its values are categories, or numbers, for measures of pairs. */
bool pr_is_measured(const struct pr_column_build *column, uint64_t rows);

/* The columns of A,B, at whichever comma both are names. PR_FAILED: there are none, or no chart of them. */
enum pr_status pr_pairs_ask(struct pr_data_build *build, const struct pr_data_wanted *wanted, struct pr_error *err);

/* Cramér's V and phi-k, then charts; both before the columns are finished. False: no memory. */
bool pr_pair_measures(struct pr_data_build *build, struct pr_data_frame *frame);
bool pr_pair_charts(struct pr_data_build *build, struct pr_data_frame *frame);

/* What is known when they are: columns left out. */
void pr_pairs_finish(const struct pr_data_build *build, struct pr_data_frame *frame);

#endif
