/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two columns depend on one another that are categories or bins of numbers: counts of their pairs of values, and
 * the measures that are made of them, 0 for columns that know nothing of one another and 1 where one gives the other.
 *
 *     struct pr_contingency table = pr_contingency_of(counts, 10, 3);
 *     double v = pr_cramers_v(&table), phi_k = pr_phi_k(&table);
 *
 * chi2 is Pearson's, with Yates's correction for continuity of a table of two by two, as scipy's chi2_contingency and
 * with it ydata-profiling and the package phik have it. Rows and columns of the table without any count are not in it.
 *
 * Cramér's V has the correction of its bias, as in ydata-profiling. phi-k is the correlation of the two-dimensional
 * normal distribution over [-5, 5] whose table of as many equal bins has that chi2, above what noise alone has.
 *
 * GSL has densities of the two-dimensional normal distribution, and no integral of it; what it would serve for, a sum
 * over 16 points and the root of a function that rises, is shorter than what asks for it.
 *
 * Source: Bergsma, "A bias-correction for Cramér's V and Tschuprow's T", 2013; Baak, Koopman, Snoek and Klous, "A new
 *         correlation coefficient between categorical, ordinal and interval variables with Pearson characteristics",
 *         2020, and phik 0.12.5; the integral by Plackett, "A reduction formula for normal multivariate integrals",
 *         1954.
 */
#ifndef PR_CAPTURE_FRAME_CONTINGENCY_H
#define PR_CAPTURE_FRAME_CONTINGENCY_H

#include "profrender/data_pairs.h"

enum { PR_CODES = PR_DATA_CATEGORIES_MOST, PR_PHI_K_BINS = 10 }; /* and bins of numbers for phi-k */

struct pr_contingency {
    uint64_t count;          /* pairs */
    unsigned columns, rows; /* those that have any */
    double chi2;
};

/* COUNTS: [rows][columns], at most PR_CODES of each. */
struct pr_contingency pr_contingency_of(const uint32_t *counts, unsigned columns, unsigned rows);

/* NaN: one of the columns is constant, or so few pairs are there that chance alone gives the highest V. */
double pr_cramers_v(const struct pr_contingency *table);

/* To nine places, as it is right to more; phik solves to within 1e-5. NaN: a column is constant. */
double pr_phi_k(const struct pr_contingency *table);

/* The numbers of the same table for a normal distribution with correlation RHO; for tests. */
double pr_normal_chi2(double rho, unsigned columns, unsigned rows);

#endif
