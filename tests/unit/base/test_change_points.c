/* SPDX-License-Identifier: Apache-2.0 */
/* Where a series changes its level. */
#include "tests/support/unit.h"

#include "capture/base/change_points.h"
#include "tests/support/alloc_fail.h"

#include <math.h>
#include <stdlib.h>

static uint32_t seed;

/* Noise of plus or minus WIDTH, evenly spread. */
static int64_t noise(int64_t width)
{
    seed = seed * 1664525 + 1013904223;
    return (int64_t)(seed >> 8) % (2 * width + 1) - width;
}

static struct pr_change_points find(const int64_t *values, size_t count)
{
    struct pr_change_points points;
    assert_true(pr_change_points_find(values, count, &points));
    return points;
}

static void test_student(void **state)
{
    (void)state;
    /* by scipy 1.16: 2 * scipy.stats.t.sf(t, freedom) */
    assert_true(fabs(pr_student_chance(2, 10) - 0.07338803477074037) < 1e-12);
    assert_true(fabs(pr_student_chance(-0.5, 3) - 0.651447964848151) < 1e-12);
    assert_true(fabs(pr_student_chance(12, 1) - 0.05292935211917974) < 1e-12);
    assert_true(fabs(pr_student_chance(30, 200) / 5.724161208827841e-76 - 1) < 1e-9);
    assert_true(pr_student_chance(INFINITY, 3) == 0);
    assert_true(pr_student_chance(0, 3) == 1);
}

static void test_step(void **state)
{
    (void)state;
    int64_t values[40];
    for (size_t i = 0; i < 40; i++)
        values[i] = (i < 23 ? 1000 : 1030) + noise(5);
    struct pr_change_points points = find(values, 40);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.at[0].index, 23);
    assert_true(fabs(points.at[0].before - 1000) < 3 && fabs(points.at[0].after - 1030) < 3);
    pr_change_points_clear(&points);
}

/* A peak that chance moves is looked at with each run of a year, and hardly ever raises an alarm. */
static void test_noise_that_is_looked_at_often(void **state)
{
    int64_t values[21];
    size_t wrong = 0;
    (void)state;
    for (size_t n = 0; n < 3000; n++) {
        for (size_t i = 0; i < 21; i++)
            values[i] = 12000 + noise(4000);
        struct pr_change_points points = find(values, 21);
        wrong += points.count > 0;
        pr_change_points_clear(&points);
    }
    assert_true(wrong <= 1);
}

/* Values that repeat to the byte have no noise at all. */
static void test_exact_step(void **state)
{
    (void)state;
    int64_t values[9] = {500, 500, 500, 500, 500, 500, 501, 501, 501};
    struct pr_change_points points = find(values, 9);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.at[0].index, 6);
    assert_true(points.at[0].chance == 0);
    pr_change_points_clear(&points);
    points = find(values, 8); /* two of the new level are too few */
    assert_int_equal(points.count, 0);
    pr_change_points_clear(&points);
}

static void test_outlier(void **state)
{
    (void)state;
    for (size_t where = 0; where < 30; where++) {
        int64_t values[30];
        for (size_t i = 0; i < 30; i++)
            values[i] = i == where ? 5000 : 1000 + noise(5);
        struct pr_change_points points = find(values, 30);
        assert_int_equal(points.count, 0);
        pr_change_points_clear(&points);
    }
}

/* The level that came back: neither point alone divides the whole series well. */
static void test_there_and_back(void **state)
{
    (void)state;
    int64_t values[60];
    for (size_t i = 0; i < 60; i++)
        values[i] = (i >= 25 && i < 35 ? 1012 : 1000) + noise(6);
    struct pr_change_points points = find(values, 60);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.at[0].index, 25);
    assert_int_equal(points.at[1].index, 35);
    pr_change_points_clear(&points);
}

static void test_drift(void **state)
{
    (void)state;
    int64_t values[60];
    for (int64_t i = 0; i < 60; i++)
        values[i] = 1000 + 3 * i + noise(5);
    struct pr_change_points points = find(values, 60);
    assert_true(points.count >= 2);
    for (size_t i = 0; i < points.count; i++)
        assert_true(points.at[i].after > points.at[i].before);
    pr_change_points_clear(&points);
}

/* One series in a thousand may have a point by chance at each division; of 300 with noise alone few do. */
static void test_noise(void **state)
{
    (void)state;
    size_t found = 0;
    for (int series = 0; series < 300; series++) {
        int64_t values[50];
        for (size_t i = 0; i < 50; i++)
            values[i] = 100000 + noise(20000);
        struct pr_change_points points = find(values, 50);
        found += points.count > 0;
        pr_change_points_clear(&points);
    }
    assert_true(found <= 6);
}

/* A longer series has the points of its last part. */
static void test_long(void **state)
{
    (void)state;
    const size_t count = 2 * PR_LONGEST_SERIES;
    int64_t *values = calloc(count, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = i < 200 ? 1 : i < count - 100 ? 1000 : 2000;
    struct pr_change_points points = find(values, count);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.at[0].index, count - 100);
    pr_change_points_clear(&points);
    free(values);
}

static void test_few_and_extreme(void **state)
{
    (void)state;
    const int64_t values[6] = {INT64_MIN, INT64_MAX, 0, INT64_MAX, INT64_MIN, INT64_MAX};
    for (size_t count = 0; count <= 6; count++) {
        struct pr_change_points points = find(values, count);
        assert_int_equal(points.count, 0);
        pr_change_points_clear(&points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student), cmocka_unit_test(test_step),  cmocka_unit_test(test_exact_step),
        cmocka_unit_test(test_outlier), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_drift), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_long),    cmocka_unit_test(test_few_and_extreme),
        cmocka_unit_test(test_noise_that_is_looked_at_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
