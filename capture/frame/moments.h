/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean, variance, skewness and kurtosis, and how two columns vary together: batch by batch, as exact as two passes.
 *
 * Each batch is summed around its own mean, and batches are joined by the formulas of Chan and Pébay, so that numbers
 * with a large offset lose no digits.
 *
 * Source: Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979;
 *         Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical
 *         Moments", 2008.
 */
#ifndef PR_CAPTURE_FRAME_MOMENTS_H
#define PR_CAPTURE_FRAME_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

struct pr_moments {
    uint64_t count;
    double mean, mean_rest; /* and the digits that it lacks */
    double m2, m3, m4;      /* sums of powers of the distances from the mean */
    double sum, lost;       /* and the digits that the sum lost */
};

/* Adds COUNT numbers, all of them finite. */
void pr_moments_add(struct pr_moments *moments, const double *values, size_t count);

double pr_moments_sum(const struct pr_moments *moments);

/*
 * Of the population as estimated from the sample, as pandas has them; NaN where there are too few values, and for the
 * shape of what does not vary.
 */
double pr_moments_variance(const struct pr_moments *moments);
double pr_moments_skewness(const struct pr_moments *moments);
double pr_moments_kurtosis(const struct pr_moments *moments);

struct pr_comoments {
    uint64_t count;
    double mean_x, mean_y, xx, yy, xy;
    double rest_x, rest_y; /* the digits that the means lack */
};

/* Adds the pairs of which neither number is NaN. */
void pr_comoments_add(struct pr_comoments *moments, const double *x, const double *y, size_t count);

/* One side of pairs, of a batch in which no number is NaN: then all its pairs share what is summed up here. */
struct pr_centred {
    double *distances; /* [count] from the mean; set it first */
    size_t count;
    double mean, rest, squares; /* REST: of all distances, as the mean lacks digits; SQUARES: from the true mean */
};

void pr_centre(struct pr_centred *side, const double *values, size_t count);

/* Adds the pairs of X with each of the COUNT columns at YS, at most PR_CENTRED_AT_ONCE, as pr_comoments_add does. */
enum { PR_CENTRED_AT_ONCE = 4 };
void pr_comoments_add_centred(struct pr_comoments *const *moments, const struct pr_centred *x,
                              const struct pr_centred *const *ys, unsigned count);

/* NaN: one of them is constant, or there are fewer than two pairs. */
double pr_comoments_pearson(const struct pr_comoments *moments);

#endif
