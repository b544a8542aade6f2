/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/moments.h"

#include <math.h>

/* Neumaier's sum: also exact where the next number is larger than the sum. */
static void add_to_sum(struct pr_moments *moments, double value)
{
    const double sum = moments->sum + value;
    if (fabs(moments->sum) >= fabs(value))
        moments->lost += moments->sum - sum + value;
    else
        moments->lost += value - sum + moments->sum;
    moments->sum = sum;
}

static struct pr_moments of_batch(const double *values, size_t count)
{
    struct pr_moments batch = {.count = count};
    double rest = 0;
    for (size_t i = 0; i < count; i++)
        add_to_sum(&batch, values[i]);
    batch.mean = (batch.sum + batch.lost) / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double d = values[i] - batch.mean, squared = d * d;
        rest += d;
        batch.m2 += squared;
        batch.m3 += squared * d;
        batch.m4 += squared * squared;
    }
    batch.m2 -= rest * rest / (double)count;
    return batch;
}

void pr_moments_add(struct pr_moments *moments, const double *values, size_t count)
{
    if (!count)
        return;
    const struct pr_moments a = *moments, b = of_batch(values, count);
    const double n_a = (double)a.count, n_b = (double)b.count, n = n_a + n_b;
    const double d = b.mean - a.mean, d_n = d / n, d_n2 = d_n * d_n;
    add_to_sum(moments, b.sum);
    moments->lost += b.lost;
    if (!a.count) {
        *moments = b;
        return;
    }
    moments->count = a.count + b.count;
    moments->mean = (moments->sum + moments->lost) / n;
    moments->m2 = a.m2 + b.m2 + d * d_n * n_a * n_b;
    moments->m3 = a.m3 + b.m3 + d * d_n2 * n_a * n_b * (n_a - n_b) + 3 * d_n * (n_a * b.m2 - n_b * a.m2);
    moments->m4 = a.m4 + b.m4 + d * d_n2 * d_n * n_a * n_b * (n_a * n_a - n_a * n_b + n_b * n_b) +
                  6 * d_n2 * (n_a * n_a * b.m2 + n_b * n_b * a.m2) + 4 * d_n * (n_a * b.m3 - n_b * a.m3);
}

double pr_moments_sum(const struct pr_moments *moments)
{
    return moments->sum + moments->lost;
}

double pr_moments_variance(const struct pr_moments *moments)
{
    return moments->count > 1 ? moments->m2 / ((double)moments->count - 1) : NAN;
}

double pr_moments_skewness(const struct pr_moments *moments)
{
    const double n = (double)moments->count;
    if (moments->count < 3)
        return NAN;
    return moments->m2 > 0 ? n * sqrt(n - 1) / (n - 2) * moments->m3 / (moments->m2 * sqrt(moments->m2)) : NAN;
}

double pr_moments_kurtosis(const struct pr_moments *moments)
{
    const double n = (double)moments->count;
    if (moments->count < 4)
        return NAN;
    if (!(moments->m2 > 0))
        return NAN;
    const double shared = (n - 1) / ((n - 2) * (n - 3));
    return n * (n + 1) * shared * moments->m4 / (moments->m2 * moments->m2) - 3 * (n - 1) * shared;
}

static struct pr_comoments pairs_of_batch(const double *x, const double *y, size_t count)
{
    struct pr_comoments batch = {0};
    double sum_x = 0, sum_y = 0;
    for (size_t i = 0; i < count; i++) {
        const double both = x[i] + y[i];
        if (isnan(both))
            continue;
        batch.count++;
        sum_x += x[i];
        sum_y += y[i];
    }
    if (!batch.count)
        return batch;
    batch.mean_x = sum_x / (double)batch.count;
    batch.mean_y = sum_y / (double)batch.count;
    for (size_t i = 0; i < count; i++) {
        const double dx = x[i] - batch.mean_x, dy = y[i] - batch.mean_y;
        if (isnan(dx + dy))
            continue;
        batch.xx += dx * dx;
        batch.yy += dy * dy;
        batch.xy += dx * dy;
    }
    return batch;
}

static void join_pairs(struct pr_comoments *moments, struct pr_comoments b)
{
    const struct pr_comoments a = *moments;
    const double n_a = (double)a.count, n_b = (double)b.count, n = n_a + n_b;
    const double dx = b.mean_x - a.mean_x, dy = b.mean_y - a.mean_y, weight = n_a * n_b / n;
    moments->count = a.count + b.count;
    moments->mean_x = a.mean_x + dx * n_b / n;
    moments->mean_y = a.mean_y + dy * n_b / n;
    moments->xx = a.xx + b.xx + dx * dx * weight;
    moments->yy = a.yy + b.yy + dy * dy * weight;
    moments->xy = a.xy + b.xy + dx * dy * weight;
}

void pr_comoments_add(struct pr_comoments *moments, const double *x, const double *y, size_t count)
{
    const struct pr_comoments batch = pairs_of_batch(x, y, count);
    if (batch.count)
        join_pairs(moments, batch);
}

void pr_centre(struct pr_centred *side, const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    side->count = count;
    side->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double distance = values[i] - side->mean;
        side->distances[i] = distance;
        squares += distance * distance;
    }
    side->squares = squares;
}

/* Four sums at once, each in the order of the rows: none waits for another. */
void pr_comoments_add_centred(struct pr_comoments *const *moments, const struct pr_centred *x,
                              const struct pr_centred *const *ys, unsigned count)
{
    const double *y[PR_CENTRED_AT_ONCE];
    double sums[PR_CENTRED_AT_ONCE] = {0};
    for (unsigned k = 0; k < PR_CENTRED_AT_ONCE; k++)
        y[k] = ys[k < count ? k : 0]->distances;
    for (size_t i = 0; i < x->count; i++) {
        const double distance = x->distances[i];
        sums[0] += distance * y[0][i];
        sums[1] += distance * y[1][i];
        sums[2] += distance * y[2][i];
        sums[3] += distance * y[3][i];
    }
    for (unsigned k = 0; k < count; k++)
        join_pairs(moments[k], (struct pr_comoments){.count = x->count,
                                                     .mean_x = x->mean,
                                                     .mean_y = ys[k]->mean,
                                                     .xx = x->squares,
                                                     .yy = ys[k]->squares,
                                                     .xy = sums[k]});
}

double pr_comoments_pearson(const struct pr_comoments *moments)
{
    const double both = sqrt(moments->xx) * sqrt(moments->yy);
    if (moments->count < 2 || !(both > 0))
        return NAN;
    const double r = moments->xy / both;
    return r > 1 ? 1 : r < -1 ? -1 : r;
}
