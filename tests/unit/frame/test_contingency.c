/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures of two columns, against figures of thirty digits. tests/conformance/test_frame_pairs.py has them against
 * scipy and phik.
 */
#include "tests/support/unit.h"

#include <math.h>

#include "capture/frame/contingency.h"

static void assert_close(double value, double wanted, double most)
{
    if (!(fabs(value - wanted) <= most * fabs(wanted)))
        fail_msg("%.17g is not %.17g", value, wanted);
}

/* By mpmath 1.4, thirty digits: the sum over the cells of (p - p0)^2 / p0, where p is an integral over x of the density
 * of x times the distribution of y given x. */
static void a_normal_distribution_has_the_table_that_it_has(void **state)
{
    (void)state;
    static const struct {
        double rho, chi2;
        unsigned columns, rows;
    } cases[] = {{0.7, 0.24367307591440784, 2, 2},        {0.3, 0.022421493942853925, 3, 2},
                 {0.999, 0.095580080151369794, 3, 2},     {0.95, 1.3597307715062255, 10, 4},
                 {0.99999, 1.7691948489069513, 10, 4},    {0.01, 8.5213021005014703e-5, 10, 10},
                 {0.7, 0.71793852577401586, 10, 10},      {0.99, 6.0754323713093054, 10, 10},
                 {0.999, 7.9961323105674771, 10, 10},     {0.99999, 8.8964370633296782, 10, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(pr_normal_chi2(cases[i].rho, cases[i].columns, cases[i].rows), cases[i].chi2, 2e-12);
}

/* The table that is made of rho gives rho back, for all shapes. */
static void phi_k_is_the_inverse(void **state)
{
    (void)state;
    static const unsigned shapes[][2] = {{2, 2}, {2, 9}, {10, 10}, {7, 25}, {100, 100}, {99, 3}};
    static const double rhos[] = {1e-4, 0.02, 0.5, 0.9, 0.999, 0.9999999};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct pr_contingency table = {1000000, shapes[i][0], shapes[i][1], 0};
        const double noise = (table.rows - 1.0) * (table.columns - 1.0);
        const double most = 1e6 * (fmin(table.rows, table.columns) - 1);
        const double highest = pr_normal_chi2(1, table.columns, table.rows);
        for (size_t k = 0; k < sizeof rhos / sizeof *rhos; k++) {
            const double chi2 = pr_normal_chi2(rhos[k], table.columns, table.rows);
            table.chi2 = noise + chi2 / highest * (most - noise);
            if (table.columns != 99 || rhos[k] < 0.95) /* beyond that, three rows of one distribution are full */
                assert_true(fabs(pr_phi_k(&table) - rhos[k]) < 1e-8);
        }
    }
}

static void a_table_of_two_by_two_has_the_correction_of_yates(void **state)
{
    (void)state;
    static const uint32_t counts[] = {12, 5, 3, 20}, bare[] = {12, 0, 5, 3, 0, 20, 0, 0, 0};
    const struct pr_contingency table = pr_contingency_of(counts, 2, 2), same = pr_contingency_of(bare, 3, 3);
    assert_close(table.chi2, 11.464620630861038, 1e-14); /* scipy 1.17, chi2_contingency */
    assert_true(same.chi2 == table.chi2 && same.rows == 2 && same.columns == 2 && same.count == 40);
}

static void what_does_not_vary_has_no_measure(void **state)
{
    (void)state;
    static const uint32_t one[] = {3, 4, 5}, none[9], each[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t same[] = {50, 0, 0, 0, 50, 0, 0, 0, 50};
    struct pr_contingency table = pr_contingency_of(one, 3, 1);
    assert_true(isnan(pr_cramers_v(&table)) && isnan(pr_phi_k(&table)));
    table = pr_contingency_of(none, 3, 3);
    assert_true(isnan(pr_cramers_v(&table)) && isnan(pr_phi_k(&table)));
    table = pr_contingency_of(each, 3, 3);
    assert_true(isnan(pr_cramers_v(&table)));
    table = pr_contingency_of(same, 3, 3);
    assert_close(pr_cramers_v(&table), 1, 1e-12);
    assert_true(pr_phi_k(&table) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_normal_distribution_has_the_table_that_it_has),
        cmocka_unit_test(phi_k_is_the_inverse),
        cmocka_unit_test(a_table_of_two_by_two_has_the_correction_of_yates),
        cmocka_unit_test(what_does_not_vary_has_no_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
