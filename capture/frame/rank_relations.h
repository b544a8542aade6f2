/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spearman's correlation of columns whose numbers are in memory: Pearson's of their ranks, where equal values have the
 * mean of theirs. Only rows that have both numbers are ranked, as pandas does it.
 */
#ifndef PR_CAPTURE_FRAME_RANK_RELATIONS_H
#define PR_CAPTURE_FRAME_RANK_RELATIONS_H

#include "profrender/data_frame.h"

/*
 * COLUMNS: [count][rows] of which not finite numbers are left out; NULL: a column without numbers in memory. MATRIX:
 * [count][count]; NaN where there is no such number. False: no memory.
 */
bool pr_spearman(const double *const *columns, uint32_t count, size_t rows, double *matrix);

#endif
