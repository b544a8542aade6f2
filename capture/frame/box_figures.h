/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five numbers of a box plot.
 *
 * Source: Tukey, "Exploratory Data Analysis", 1977, for whiskers of 1.5 times the distance of the quartiles; quartiles
 *         as numpy, pandas and matplotlib have them.
 */
#ifndef PR_CAPTURE_FRAME_BOX_FIGURES_H
#define PR_CAPTURE_FRAME_BOX_FIGURES_H

#include "capture/frame/quantile_sketch.h"

/* The value at RANK, from 0 to 1, of COUNT sorted ones, 1 or more: between two of them where it is between them. */
double pr_quantile_of(const double *sorted, size_t count, double rank);

/*
 * The median of how far values are from their MEDIAN; the mean of two where it is between them, NaN where there are
 * none. Of COUNT sorted numbers; or of the sorted values of a sketch, which stand for ALL.
 */
double pr_deviation_of(const double *sorted, size_t count, double median);
double pr_deviation_of_sketch(const struct pr_weighted *sorted, size_t count, uint64_t all, double median);

/* From COUNT sorted numbers, all finite; none gives a box of NaN. */
struct pr_data_box pr_box_of(const double *sorted, size_t count);

/* From COUNT sorted values that stand for all those of SKETCH, whose extremes are known to be MINIMUM and MAXIMUM. */
struct pr_data_box pr_box_of_sketch(const struct pr_quantile_sketch *sketch, const struct pr_weighted *values,
                                    size_t count, double minimum, double maximum);

#endif
