/* SPDX-License-Identifier: Apache-2.0 */
/* The slope of a line through points by Theil and Sen: the median of all slopes, which outliers do not move. */
#ifndef PR_CAPTURE_BASE_SLOPE_H
#define PR_CAPTURE_BASE_SLOPE_H

#include <stdbool.h>
#include <stddef.h>

#define PR_SLOPE_MOST_POINTS 32

/*
 * Of VALUES at equal distances, for one distance; 0 for a single one. COUNT <= PR_SLOPE_MOST_POINTS. False: no memory.
 */
bool pr_slope_find(const double *values, size_t count, double *slope);

#endif
