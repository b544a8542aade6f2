/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/speed.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

enum { LEAST_FUNCTIONS = 3 };

static const double least_share = 0.05, most_weight = 0.25;

/* A function that takes a part of the time that counts. */
struct gauge {
    const struct pr_diff_row *row;
    double usual, ratio, weight;
};

static int by_ratio(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct gauge *)a)->ratio, ((const struct gauge *)b)->ratio);
}

/* The median of ratios, by weight. */
static double middle(struct gauge *gauge, size_t count, double sum)
{
    double seen = 0;
    size_t i = 0;
    for (; i + 1 < count; i++) {
        seen += gauge[i].weight;
        if (seen >= sum / 2)
            break;
    }
    return gauge[i].ratio;
}

/* Those of the table that take enough time; returns how many. */
static size_t choose(struct pr_judge *j, const struct pr_diff_table *table, struct gauge *gauge)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        gauge[i] = (struct gauge){.row = &table->row[i], .usual = (double)pr_judge_before(j, &table->row[i])};
        sum += gauge[i].usual;
    }
    for (size_t i = 0; i < table->count; i++)
        if (gauge[i].usual > 0 && gauge[i].usual >= least_share * sum)
            gauge[count++] = gauge[i];
    for (size_t i = 0; i < count; i++)
        gauge[i].weight = gauge[i].usual < most_weight * sum ? gauge[i].usual : most_weight * sum;
    return count;
}

bool pr_speed_find(struct pr_judge *j, const struct pr_diff_table *table, double *slowness, bool *known)
{
    struct gauge *gauge = calloc(table->count + 1, sizeof *gauge);
    *known = false;
    if (!gauge)
        return false;
    const size_t count = choose(j, table, gauge);
    bool done = true;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += gauge[i].weight;
    *known = count >= LEAST_FUNCTIONS;
    for (uint32_t k = 0; *known && done && k < j->verdict->diff->count; k++) {
        for (size_t i = 0; i < count; i++)
            gauge[i].ratio = (double)gauge[i].row->value[k] / gauge[i].usual;
        done = pr_sort(gauge, count, sizeof *gauge, by_ratio, NULL);
        slowness[k] = middle(gauge, count, sum);
    }
    free(gauge);
    return done;
}
