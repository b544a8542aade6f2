/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/box_figures.h"

#include <math.h>

static const double whisker = 1.5; /* distances of the quartiles */

/* Hyndman and Fan's seventh definition. */
double pr_quantile_of(const double *sorted, size_t count, double rank)
{
    const double place = rank * (double)(count - 1);
    const size_t below = (size_t)place;
    const double part = place - (double)below;
    if (part == 0 || below + 1 >= count)
        return sorted[below];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * part;
}

static bool is_below(const struct pr_data_box *box, double value)
{
    return value < box->first - whisker * (box->third - box->first);
}

static bool is_above(const struct pr_data_box *box, double value)
{
    return value > box->third + whisker * (box->third - box->first);
}

static void add_outlier(double *list, uint32_t *count, double value)
{
    if (*count < PR_DATA_OUTLIERS && (!*count || list[*count - 1] != value))
        list[(*count)++] = value;
}

struct pr_data_box pr_box_of(const double *sorted, size_t count)
{
    struct pr_data_box box = {.count = count};
    size_t from = 0, to = count;
    box.minimum = box.low = box.first = box.median = box.third = box.high = box.maximum = NAN;
    if (!count)
        return box;
    box.minimum = sorted[0];
    box.maximum = sorted[count - 1];
    box.first = pr_quantile_of(sorted, count, 0.25);
    box.median = pr_quantile_of(sorted, count, 0.5);
    box.third = pr_quantile_of(sorted, count, 0.75);
    for (; from < count && is_below(&box, sorted[from]); from++)
        add_outlier(box.low_outliers, &box.low_outlier_count, sorted[from]);
    for (; to > from && is_above(&box, sorted[to - 1]); to--)
        add_outlier(box.high_outliers, &box.high_outlier_count, sorted[to - 1]);
    box.below = from;
    box.above = count - to;
    box.low = from < to ? sorted[from] : box.first;
    box.high = from < to ? sorted[to - 1] : box.third;
    return box;
}

/* Sorted numbers, each once; or those of a sketch. */
struct sorted {
    const double *numbers;
    const struct pr_weighted *weighted; /* NULL: NUMBERS */
    size_t count;
};

static double number_of(const struct sorted *sorted, size_t i)
{
    return sorted->weighted ? sorted->weighted[i].value : sorted->numbers[i];
}

/* Goes outwards from the median, always to the nearer neighbour, until the middle one or two of ALL are passed. */
static double deviation_of(const struct sorted *sorted, uint64_t all, double median)
{
    size_t above = 0;
    uint64_t passed = 0;
    double first = NAN;
    while (above < sorted->count && number_of(sorted, above) < median)
        above++;
    for (size_t below = above; below > 0 || above < sorted->count;) {
        const double down = below > 0 ? median - number_of(sorted, below - 1) : INFINITY;
        const double up = above < sorted->count ? number_of(sorted, above) - median : INFINITY;
        const size_t at = down < up ? --below : above++;
        passed += sorted->weighted ? sorted->weighted[at].weight : 1;
        if (isnan(first) && passed > (all - 1) / 2)
            first = fmin(down, up);
        if (passed > all / 2)
            return (first + fmin(down, up)) / 2;
    }
    return first;
}

double pr_deviation_of(const double *sorted, size_t count, double median)
{
    const struct sorted all = {sorted, NULL, count};
    return deviation_of(&all, count, median);
}

double pr_deviation_of_sketch(const struct pr_weighted *sorted, size_t count, uint64_t all, double median)
{
    const struct sorted values = {NULL, sorted, count};
    return deviation_of(&values, all, median);
}

static double value_at(const struct pr_weighted *values, size_t count, uint64_t all, double rank)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        before += values[i].weight;
        if ((double)before >= rank * (double)all)
            return values[i].value;
    }
    return values[count - 1].value;
}

struct pr_data_box pr_box_of_sketch(const struct pr_quantile_sketch *sketch, const struct pr_weighted *values,
                                    size_t count, double minimum, double maximum)
{
    struct pr_data_box box = pr_box_of(NULL, 0);
    uint64_t heaviest = 0;
    size_t from = 0, to = count;
    box.count = sketch->count;
    if (!count)
        return box;
    box.minimum = minimum;
    box.maximum = maximum;
    box.first = value_at(values, count, sketch->count, 0.25);
    box.median = value_at(values, count, sketch->count, 0.5);
    box.third = value_at(values, count, sketch->count, 0.75);
    for (size_t i = 0; i < count; i++)
        heaviest = values[i].weight > heaviest ? values[i].weight : heaviest;
    for (; from < count && is_below(&box, values[from].value); from++)
        box.below += values[from].weight;
    for (; to > from && is_above(&box, values[to - 1].value); to--)
        box.above += values[to - 1].weight;
    if (is_below(&box, minimum))
        add_outlier(box.low_outliers, &box.low_outlier_count, minimum);
    if (is_above(&box, maximum))
        add_outlier(box.high_outliers, &box.high_outlier_count, maximum);
    box.low = from < to ? values[from].value : box.first;
    box.high = from < to ? values[to - 1].value : box.third;
    if (sketch->error)
        box.rank_error = (double)(sketch->error + heaviest) / (double)sketch->count;
    return box;
}
