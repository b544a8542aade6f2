/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kendall's tau-b of columns whose numbers are in memory: of all pairs of rows, how many more are in the same order in
 * both columns than in opposite ones, corrected for equal values. Each two columns are counted over the rows that have
 * both numbers, as pandas does it.
 *
 * Source: Knight, "A Computer Method for Calculating Kendall's Tau with Ungrouped Data", 1966.
 */
#ifndef PR_CAPTURE_FRAME_KENDALL_H
#define PR_CAPTURE_FRAME_KENDALL_H

#include "profrender/data_frame.h"

/* The same as pr_spearman, with at most UINT32_MAX rows. Sorts once for each two columns. False: no memory. */
bool pr_kendall(const double *const *columns, uint32_t count, size_t rows, double *matrix);

#endif
