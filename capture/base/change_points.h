/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a series of values changes its level for good: a step is found, and a slow drift as several small steps; a
 * single value that sticks out is not.
 *
 *     struct pr_change_points points;
 *     if (!pr_change_points_find(peaks, count, &points)) return no_memory();
 *     for (size_t i = 0; i < points.count; i++) note_change(points.at[i].index);
 *     pr_change_points_clear(&points);
 *
 * The points are those of E-divisive means: a stretch is divided where the mean distance between the values on both
 * sides exceeds most those within each. A division counts if Student's t-test finds the means of its neighbouring
 * stretches different at the 0.1 % level, instead of by the random permutations of the original method: the same
 * series has the same points, on every machine.
 *
 * A series that differs from value to value is looked at again with each run, and one look in a thousand is one false
 * alarm too many: there the level is 0.001 %. One that repeats has no noise that could be taken for a step.
 *
 * Source: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014;
 * t-test: Fleming and others, "Hunter: Using Change Point Detection to Hunt for Performance Regressions", 2023.
 */
#ifndef PR_CAPTURE_BASE_CHANGE_POINTS_H
#define PR_CAPTURE_BASE_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stretch has at least this many values: two that stick out side by side are not a level yet. */
enum { PR_SHORTEST_STRETCH = 3 };

/* Only the last values of a longer series are looked at, so the work for one more value has a bound. */
enum { PR_LONGEST_SERIES = 500 };

struct pr_change_point {
    size_t index;         /* of the first value of the new level */
    double before, after; /* means of the stretches before and from it */
    double chance;        /* how likely chance alone makes such a difference */
};

struct pr_change_points {
    struct pr_change_point *at; /* [count] in the order of the series */
    size_t count, capacity;
};

/* Fills POINTS for VALUES, [COUNT], oldest first. False: no memory. Owner: pr_change_points_clear. */
bool pr_change_points_find(const int64_t *values, size_t count, struct pr_change_points *points);
void pr_change_points_clear(struct pr_change_points *points);

/*
 * How likely Student's t is at least T away from 0 by chance alone, with that many degrees of FREEDOM; two-sided.
 * Source: Abramowitz and Stegun, 26.5.27 and, for the incomplete beta function, 26.5.8.
 */
double pr_student_chance(double t, double freedom);

#endif
