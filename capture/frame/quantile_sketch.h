/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles of any number of values in bounded memory, with a bound that holds for every input.
 *
 * Levels of buffers. A full one is sorted, and every second of its values goes to the next level, where each stands for
 * twice as many. That moves the rank of any value by at most one value of the level: the sum of these moves is counted,
 * so the bound is not a probability.
 *
 * Source: Manku, Rajagopalan and Lindsay, "Approximate medians and other quantiles in one pass and with limited
 *         memory", 1998; the shape of the levels is that of KLL (Karnin, Lang and Liberty, 2016), without its random
 *         choices.
 */
#ifndef PR_CAPTURE_FRAME_QUANTILE_SKETCH_H
#define PR_CAPTURE_FRAME_QUANTILE_SKETCH_H

#include "profrender/data_frame.h"

enum { PR_SKETCH_BUFFER = 8192, PR_SKETCH_LEVELS = 40 };

struct pr_quantile_sketch {
    double *buffer[PR_SKETCH_LEVELS]; /* [PR_SKETCH_BUFFER] */
    uint32_t used[PR_SKETCH_LEVELS];
    bool odd[PR_SKETCH_LEVELS]; /* which half is taken next */
    uint64_t count, error;      /* values; and how many of them a rank may be off */
};

/* A value and how many it stands for, of a finished sketch. */
struct pr_weighted {
    double value;
    uint64_t weight;
};

/* Adds COUNT values, no NaN among them. False: no memory. */
bool pr_quantile_sketch_add(struct pr_quantile_sketch *sketch, const double *values, size_t count);

/* All that is in it, in ascending order. NULL: no memory. Owner: free it. */
struct pr_weighted *pr_quantile_sketch_values(const struct pr_quantile_sketch *sketch, size_t *count);

void pr_quantile_sketch_clear(struct pr_quantile_sketch *sketch);

/* The bits of a double that is not NaN, so that they sort like the numbers. */
uint64_t pr_double_key(double value);

/* Sorts doubles in time that depends on their number alone. No NaN among them. False: no memory. */
bool pr_sort_doubles(double *values, size_t count);

#endif
