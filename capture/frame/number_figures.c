/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/number_figures.h"

#include "capture/frame/box_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ranks[PR_DATA_QUANTILES] = {0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};

double pr_data_rank(unsigned quantile)
{
    return quantile < PR_DATA_QUANTILES ? ranks[quantile] : NAN;
}

/* A mean below this share of the deviation is what rounding leaves of 0. */
static const double rounding = 1e-14;

/* A date has no zero that a mean could be measured from. */
static bool has_zero(enum pr_data_type type)
{
    return type <= PR_TYPE_DECIMAL || type == PR_TYPE_DURATION;
}

struct pr_data_spread pr_data_spread_of(const struct pr_data_column *column)
{
    struct pr_data_spread spread = {NAN, NAN, NAN, NAN, NAN};
    if (column->has_numbers) {
        spread.deviation = sqrt(column->variance);
        if (has_zero(column->type) && fabs(column->mean) > rounding * spread.deviation)
            spread.variation = spread.deviation / column->mean;
        spread.range = column->maximum - column->minimum;
        spread.iqr = column->quantiles[5] - column->quantiles[3];
    }
    if (column->has_lengths && column->count)
        spread.mean_length = (double)column->characters / (double)column->count;
    return spread;
}

enum pr_data_kind pr_kind_of_type(enum pr_data_type type)
{
    static const enum pr_data_kind kinds[PR_TYPE_COUNT] = {
        [PR_TYPE_EMPTY] = PR_KIND_MISSING, [PR_TYPE_BOOLEAN] = PR_KIND_BOOLEAN, [PR_TYPE_INTEGER] = PR_KIND_INTEGER,
        [PR_TYPE_REAL] = PR_KIND_REAL,     [PR_TYPE_DECIMAL] = PR_KIND_REAL,    [PR_TYPE_DATE] = PR_KIND_DATE,
        [PR_TYPE_MOMENT] = PR_KIND_MOMENT, [PR_TYPE_TIME] = PR_KIND_TIME,       [PR_TYPE_DURATION] = PR_KIND_DURATION,
        [PR_TYPE_CATEGORY] = PR_KIND_TEXT, [PR_TYPE_TEXT] = PR_KIND_TEXT,       [PR_TYPE_NESTED] = PR_KIND_NESTED,
        [PR_TYPE_IDENTIFIER] = PR_KIND_TEXT};
    return kinds[type];
}

void pr_note_frequent(struct pr_data_value list[PR_DATA_FREQUENT], uint32_t *count, const struct pr_data_value *value)
{
    uint32_t at = *count;
    while (at && list[at - 1].count < value->count)
        at--;
    if (at == PR_DATA_FREQUENT)
        return;
    if (*count < PR_DATA_FREQUENT)
        ++*count;
    memmove(list + at + 1, list + at, (*count - 1 - at) * sizeof *list);
    list[at] = *value;
}

static void count_runs(const double *sorted, size_t count, struct pr_data_column *column)
{
    uint64_t distinct = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && sorted[end] == sorted[i];)
            end++;
        const struct pr_data_value value = {.text = {"", 0},
                                            .kind = pr_kind_of_type(column->type),
                                            .number = sorted[i],
                                            .count = end - i,
                                            .most = end - i};
        pr_note_frequent(column->frequent, &column->frequent_count, &value);
        distinct++;
    }
    column->distinct = (struct pr_data_count){distinct, distinct, distinct};
}

/* Twice the cube root of the number of values, as Rice has it; one for each whole number if they are few. */
static void shape_bins(struct pr_data_column *column)
{
    const double span = column->maximum - column->minimum;
    uint32_t count = 1;
    column->bin_from = column->minimum;
    column->bin_to = column->maximum;
    if (column->type == PR_TYPE_INTEGER && span < PR_DATA_BINS) {
        column->bin_count = (uint32_t)span + 1;
        column->bin_from -= 0.5;
        column->bin_to += 0.5;
        return;
    }
    while (count < PR_DATA_BINS && (uint64_t)count * count * count < column->number_count * 8)
        count++;
    column->bin_count = span > 0 && isfinite(span) ? count : 1;
}

static void fill_bin(struct pr_data_column *column, double value, uint64_t weight)
{
    const double span = column->bin_to - column->bin_from;
    const double place = span > 0 && isfinite(span) ? (value - column->bin_from) / span * column->bin_count : 0;
    const uint32_t bin = place > 0 ? (uint32_t)place : 0;
    column->bins[bin < column->bin_count ? bin : column->bin_count - 1] += weight;
}

/* The different ones of COUNT sorted numbers; with a WEIGHT each, or one. */
static bool keep_points(struct pr_column_build *build, const double *sorted, const struct pr_weighted *weighted,
                        size_t count)
{
    if (!build->keeps || !count)
        return true;
    build->points = malloc(count * sizeof *build->points);
    if (!build->points)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double value = weighted ? weighted[i].value : sorted[i];
        const uint64_t weight = weighted ? weighted[i].weight : 1;
        if (build->point_count && build->points[build->point_count - 1].value == value)
            build->points[build->point_count - 1].count += weight;
        else
            build->points[build->point_count++] = (struct pr_data_point){value, weight};
    }
    return true;
}

static bool may_be_suspicious(const struct pr_column_build *build)
{
    uint64_t all = 0;
    for (int i = 0; i < PR_SUSPICIOUS_DAYS; i++)
        all += build->suspicious[i];
    return all > 0;
}

static bool find_suspicious(const struct pr_column_build *build, const double *sorted, size_t count,
                            struct pr_data_column *column)
{
    if (!may_be_suspicious(build))
        return true;
    struct pr_weighted *values = malloc((count ? count : 1) * sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = (struct pr_weighted){sorted[i], 1};
    const bool done = values && pr_suspicious_dates(build->suspicious, values, count, &column->suspicious);
    free(values);
    return done;
}

static bool figures_in_memory(struct pr_column_build *build, struct pr_data_column *column)
{
    size_t count = 0, first = 0, last;
    double *values = build->values;
    for (size_t i = 0; i < build->value_count; i++)
        if (!isnan(values[i]))
            values[count++] = values[i];
    if (!pr_sort_doubles(values, count))
        return false;
    if (!build->has_wide)
        count_runs(values, count, column);
    for (last = count; last && values[last - 1] == INFINITY;)
        last--;
    while (first < last && values[first] == -INFINITY)
        first++;
    for (unsigned i = 0; i < PR_DATA_QUANTILES && last > first; i++)
        column->quantiles[i] = pr_quantile_of(values + first, last - first, ranks[i]);
    for (size_t i = first; i < last; i++)
        fill_bin(column, values[i], 1);
    column->box = pr_box_of(values + first, last - first);
    column->mad = pr_deviation_of(values + first, last - first, column->box.median);
    return find_suspicious(build, values + first, last - first, column) &&
           keep_points(build, values + first, NULL, last - first);
}

static bool figures_in_sketch(struct pr_column_build *build, struct pr_data_column *column)
{
    size_t count;
    uint64_t before = 0, heaviest = 0;
    unsigned quantile = 0;
    struct pr_weighted *values = pr_quantile_sketch_values(&build->sketch, &count);
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++) {
        const double end = (double)(before + values[i].weight) / (double)build->sketch.count;
        while (quantile < PR_DATA_QUANTILES && ranks[quantile] <= end)
            column->quantiles[quantile++] = values[i].value;
        before += values[i].weight;
        heaviest = values[i].weight > heaviest ? values[i].weight : heaviest;
        fill_bin(column, values[i].value, values[i].weight);
    }
    column->box = pr_box_of_sketch(&build->sketch, values, count, column->minimum, column->maximum);
    column->mad = pr_deviation_of_sketch(values, count, build->sketch.count, column->box.median);
    const bool kept = (!may_be_suspicious(build) || pr_suspicious_dates(build->suspicious, values, count,
                                                                        &column->suspicious)) &&
                      keep_points(build, NULL, values, count);
    free(values);
    column->quantiles[0] = column->minimum;
    column->quantiles[PR_DATA_QUANTILES - 1] = column->maximum;
    if (build->sketch.error)
        column->rank_error = (double)(build->sketch.error + heaviest) / (double)build->sketch.count;
    return kept;
}

static void copy_extremes(const struct pr_extreme *from, uint32_t count, struct pr_data_value *to,
                          enum pr_data_kind kind)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct pr_data_value){
            .text = {"", 0}, .kind = kind, .number = from[i].number, .count = from[i].count, .most = from[i].count};
}

static enum pr_data_order order_of(const struct pr_column_build *build)
{
    if (!build->has_last || (build->repeats && build->has_wide))
        return PR_ORDERED_UNKNOWN;
    if (build->rises && build->falls)
        return PR_ORDERED_NOT;
    if (build->rises)
        return build->repeats ? PR_ORDERED_UP : PR_ORDERED_UP_STRICTLY;
    if (build->falls)
        return build->repeats ? PR_ORDERED_DOWN : PR_ORDERED_DOWN_STRICTLY;
    return PR_ORDERED_SAME;
}

bool pr_number_figures(struct pr_column_build *build, struct pr_data_column *column)
{
    const struct pr_moments *moments = &build->moments;
    column->has_numbers = true;
    column->number_count = moments->count;
    column->zeros = build->zeros;
    column->negatives = build->negatives;
    column->infinite = build->infinite;
    column->mean = column->minimum = column->maximum = column->mad = NAN;
    column->order = order_of(build);
    for (unsigned i = 0; i < PR_DATA_QUANTILES; i++)
        column->quantiles[i] = NAN;
    if (moments->count) {
        column->minimum = build->lowest[0].number;
        column->maximum = build->highest[0].number;
        column->sum = pr_moments_sum(moments);
        column->mean = moments->mean;
        shape_bins(column);
    }
    column->variance = pr_moments_variance(moments);
    column->skewness = pr_moments_skewness(moments);
    column->kurtosis = pr_moments_kurtosis(moments);
    column->lowest_count = build->lowest_count;
    column->highest_count = build->highest_count;
    copy_extremes(build->lowest, build->lowest_count, column->lowest, pr_kind_of_type(column->type));
    copy_extremes(build->highest, build->highest_count, column->highest, pr_kind_of_type(column->type));
    return build->values ? figures_in_memory(build, column) : figures_in_sketch(build, column);
}
