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

/* With all the digits of the sum, of which its double has some. */
static void settle_mean(struct pr_moments *moments)
{
    const double n = (double)moments->count, mean = moments->sum / n;
    const double rest = (fma(-mean, n, moments->sum) + moments->lost) / n;
    moments->mean = mean + rest;
    moments->mean_rest = mean - moments->mean + rest;
}

static struct pr_moments of_batch(const double *values, size_t count)
{
    struct pr_moments batch = {.count = count};
    double rest = 0;
    for (size_t i = 0; i < count; i++)
        add_to_sum(&batch, values[i]);
    settle_mean(&batch);
    for (size_t i = 0; i < count; i++) {
        const double d = values[i] - batch.mean, squared = d * d;
        rest += d;
        batch.m2 += squared;
        batch.m3 += squared * d;
        batch.m4 += squared * squared;
    }
    const double off = batch.mean_rest = rest / (double)count; /* the true mean is that much more */
    batch.m4 += off * (off * (6 * batch.m2 - 3 * off * rest) - 4 * batch.m3);
    batch.m3 += off * (2 * off * rest - 3 * batch.m2);
    batch.m2 -= off * rest;
    return batch;
}

void pr_moments_add(struct pr_moments *moments, const double *values, size_t count)
{
    if (!count)
        return;
    const struct pr_moments a = *moments, b = of_batch(values, count);
    const double n_a = (double)a.count, n_b = (double)b.count, n = n_a + n_b;
    const double d = b.mean - a.mean + (b.mean_rest - a.mean_rest), d_n = d / n, d_n2 = d_n * d_n;
    add_to_sum(moments, b.sum);
    moments->lost += b.lost;
    if (!a.count) {
        *moments = b;
        return;
    }
    moments->count = a.count + b.count;
    settle_mean(moments);
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
    double sum_x = 0, sum_y = 0, rest_x = 0, rest_y = 0;
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
        rest_x += dx;
        rest_y += dy;
        batch.xx += dx * dx;
        batch.yy += dy * dy;
        batch.xy += dx * dy;
    }
    batch.rest_x = rest_x / (double)batch.count;
    batch.rest_y = rest_y / (double)batch.count;
    batch.xx -= batch.rest_x * rest_x;
    batch.yy -= batch.rest_y * rest_y;
    batch.xy -= batch.rest_x * rest_y;
    return batch;
}

/* MORE is added to a mean, which is small compared with it or all there is. */
static void move_mean(double *mean, double *rest, double more)
{
    const double all = *rest + more, moved = *mean + all;
    *rest = fabs(*mean) >= fabs(all) ? *mean - moved + all : all - moved + *mean;
    *mean = moved;
}

static void join_pairs(struct pr_comoments *moments, struct pr_comoments b)
{
    const struct pr_comoments a = *moments;
    const double n_a = (double)a.count, n_b = (double)b.count, n = n_a + n_b;
    const double dx = b.mean_x - a.mean_x + (b.rest_x - a.rest_x), dy = b.mean_y - a.mean_y + (b.rest_y - a.rest_y);
    const double weight = n_a * n_b / n;
    if (!a.count) {
        *moments = b;
        return;
    }
    moments->count = a.count + b.count;
    move_mean(&moments->mean_x, &moments->rest_x, dx * n_b / n);
    move_mean(&moments->mean_y, &moments->rest_y, dy * n_b / n);
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
    double sum = 0, squares = 0, rest = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    side->count = count;
    side->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double distance = values[i] - side->mean;
        side->distances[i] = distance;
        rest += distance;
        squares += distance * distance;
    }
    side->rest = rest;
    side->squares = squares - rest * rest / (double)count;
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
                                                     .rest_x = x->rest / (double)x->count,
                                                     .rest_y = ys[k]->rest / (double)x->count,
                                                     .yy = ys[k]->squares,
                                                     .xy = sums[k] - x->rest * ys[k]->rest / (double)x->count});
}

double pr_comoments_pearson(const struct pr_comoments *moments)
{
    const double both = sqrt(moments->xx) * sqrt(moments->yy);
    if (moments->count < 2 || !(both > 0))
        return NAN;
    const double r = moments->xy / both;
    return r > 1 ? 1 : r < -1 ? -1 : r;
}
