/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/change_points.h"

#include "capture/base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_at_first = 0.01;
static const double by_chance_exact = 1e-3, by_chance_noisy = 1e-5;
static const double alike = 0.003, most_unlike = 0.25; /* neighbours differ by this share; in this part of the series */

/* ---- Student's t ------------------------------------------------------------------------------------------------ */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300, enough = 1e-14;
    double c = 1, d = 1 / (fabs(1 - (a + b) * x / (a + 1)) < tiny ? tiny : 1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m <= 300; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= d * c;
        if (fabs(d * c - 1) < enough)
            break;
    }
    return value;
}

/* The regularised incomplete beta function. */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double pr_student_chance(double t, double freedom)
{
    if (isinf(t))
        return 0;
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* ---- stretches -------------------------------------------------------------------------------------------------- */

struct stretch {
    double mean, squares; /* SQUARES: sum of squared distances from the mean */
    size_t count;
};

static struct stretch measure(const double *values, size_t count)
{
    struct stretch s = {.count = count};
    for (size_t i = 0; i < count; i++) {
        const double away = values[i] - s.mean;
        s.mean += away / (double)(i + 1);
        s.squares += away * (values[i] - s.mean);
    }
    return s;
}

/* How likely two stretches of one level differ that much. */
static double chance_of(const struct stretch *a, const struct stretch *b)
{
    const double freedom = (double)(a->count + b->count) - 2, away = fabs(a->mean - b->mean);
    if (away == 0 || freedom < 1)
        return 1;
    const double variance = (a->squares + b->squares) / freedom;
    return pr_student_chance(away / sqrt(variance * (1 / (double)a->count + 1 / (double)b->count)), freedom);
}

/*
 * Where VALUES divide best; 0: nowhere. ACROSS, LEFT and RIGHT are sums of distances between all pairs on both sides,
 * and on each; moving one value from right to left changes them by its distances.
 */
static size_t best_division(const double *values, size_t count)
{
    double across = 0, left = 0, right = 0, highest = 0;
    size_t best = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            right += fabs(values[i] - values[k]);
    for (size_t i = 0; i + PR_SHORTEST_STRETCH < count; i++) {
        double to_left = 0, to_right = 0;
        for (size_t k = 0; k < i; k++)
            to_left += fabs(values[i] - values[k]);
        for (size_t k = i + 1; k < count; k++)
            to_right += fabs(values[i] - values[k]);
        across += to_right - to_left;
        left += to_left;
        right -= to_right;
        const double m = (double)(i + 1), n = (double)count - m;
        if (i + 1 < PR_SHORTEST_STRETCH)
            continue;
        const double within = left / (m * (m - 1) / 2) + right / (n * (n - 1) / 2);
        const double distance = m * n / (m + n) * (2 * across / (m * n) - within);
        if (distance > highest) {
            highest = distance;
            best = i + 1;
        }
    }
    return best;
}

/* ---- the points ------------------------------------------------------------------------------------------------- */

struct search {
    const double *values;
    size_t *bounds; /* [count] where stretches begin, ascending; the end of the series last */
    size_t count;
    double by_chance;
    struct pr_change_points *points;
};

static void insert_bound(struct search *s, size_t after, size_t at)
{
    memmove(&s->bounds[after + 2], &s->bounds[after + 1], (s->count - after - 1) * sizeof *s->bounds);
    s->bounds[after + 1] = at;
    s->count++;
}

/* Divides each stretch as long as its parts may differ: a weak bound is strong once others are found next to it. */
static void divide(struct search *s)
{
    for (size_t i = 0; i + 1 < s->count;) {
        const size_t from = s->bounds[i], length = s->bounds[i + 1] - from;
        const size_t at = best_division(&s->values[from], length);
        const struct stretch a = measure(&s->values[from], at), b = measure(&s->values[from + at], length - at);
        if (at && chance_of(&a, &b) <= most_at_first)
            insert_bound(s, i, from + at);
        else
            i++;
    }
}

static double chance_at(const struct search *s, size_t i)
{
    const size_t *at = &s->bounds[i];
    const struct stretch a = measure(&s->values[at[-1]], at[0] - at[-1]), b = measure(&s->values[at[0]], at[1] - at[0]);
    return chance_of(&a, &b);
}

/* Removes the weakest bound while the stretches on both sides do not differ. */
static void join_alike(struct search *s)
{
    for (;;) {
        size_t weakest = 0;
        double highest = s->by_chance;
        for (size_t i = 1; i + 1 < s->count; i++)
            if (chance_at(s, i) > highest) {
                highest = chance_at(s, i);
                weakest = i;
            }
        if (!weakest)
            return;
        s->count--;
        memmove(&s->bounds[weakest], &s->bounds[weakest + 1], (s->count - weakest) * sizeof *s->bounds);
    }
}

static bool take_points(const struct search *s, size_t skipped)
{
    if (!pr_grow(&s->points->at, &s->points->capacity, s->count, sizeof *s->points->at))
        return false;
    for (size_t i = 1; i + 1 < s->count; i++) {
        const size_t *at = &s->bounds[i];
        s->points->at[s->points->count++] = (struct pr_change_point){
            .index = skipped + at[0],
            .before = measure(&s->values[at[-1]], at[0] - at[-1]).mean,
            .after = measure(&s->values[at[0]], at[1] - at[0]).mean,
            .chance = chance_at(s, i)};
    }
    return true;
}

/* Whether neighbours differ, not at a few steps but everywhere. */
static bool is_noisy(const double *series, size_t length)
{
    size_t unlike = 0;
    for (size_t i = 1; i < length; i++)
        unlike += fabs(series[i] - series[i - 1]) > alike * fabs(series[i - 1]);
    return (double)unlike > most_unlike * (double)length;
}

bool pr_change_points_find(const int64_t *values, size_t count, struct pr_change_points *points)
{
    const size_t skipped = count > PR_LONGEST_SERIES ? count - PR_LONGEST_SERIES : 0, length = count - skipped;
    *points = (struct pr_change_points){.count = 0};
    double *series = calloc(length + 1, sizeof *series);
    struct search s = {.values = series, .bounds = calloc(length + 2, sizeof *s.bounds), .count = 2,
                       .points = points};
    bool done = series && s.bounds;
    for (size_t i = 0; done && i < length; i++)
        series[i] = (double)values[skipped + i];
    if (done) {
        s.bounds[1] = length;
        s.by_chance = is_noisy(series, length) ? by_chance_noisy : by_chance_exact;
        divide(&s);
        join_alike(&s);
        done = take_points(&s, skipped);
    }
    free(series);
    free(s.bounds);
    return done;
}

void pr_change_points_clear(struct pr_change_points *points)
{
    free(points->at);
    *points = (struct pr_change_points){.count = 0};
}
