/* SPDX-License-Identifier: Apache-2.0 */
/* Cramér's V between categories, phi-k between all; each table of counts is made once, by the crew. */
#include "capture/base/crew.h"
#include "capture/frame/pair_lanes.h"

#include <math.h>
#include <stdlib.h>

struct measures {
    const struct pr_data_build *build;
    struct pr_lane lanes[PR_DATA_MEASURED];
    uint32_t count;
    double v[PR_DATA_MEASURED * PR_DATA_MEASURED], phi_k[PR_DATA_MEASURED * PR_DATA_MEASURED];
};

/* The first columns that fit. */
static bool choose(struct measures *all)
{
    const struct pr_data_build *build = all->build;
    unsigned bins = 0;
    for (uint32_t c = 0; c < build->column_count && all->count < PR_DATA_MEASURED; c++) {
        struct pr_lane *lane = &all->lanes[all->count];
        bool is_one;
        if (!pr_is_measured(&build->columns[c], build->rows))
            continue;
        if (!pr_lane_of(build, c, lane, &is_one) || !pr_lane_bin(build, lane)) {
            all->count++; /* to be cleared */
            return false;
        }
        if (is_one && lane->count > 1 && bins + lane->count <= PR_DATA_MEASURED_BINS) {
            bins += lane->count;
            all->count++;
        } else {
            pr_lane_clear(lane);
        }
    }
    return true;
}

static void count_rows(const struct pr_lane *x, const struct pr_lane *y, uint64_t rows, uint32_t *counts)
{
    const unsigned width = x->count;
    for (uint64_t row = 0; row < rows; row++)
        if (x->codes[row] && y->codes[row])
            counts[(y->codes[row] - 1u) * width + x->codes[row] - 1u]++;
}

/* An item of the crew: the pairs of a column with those before it. */
static bool measure(void *context, unsigned worker, size_t i)
{
    struct measures *all = context;
    const struct pr_lane *x = &all->lanes[i];
    (void)worker;
    for (size_t k = 0; k < i; k++) {
        const struct pr_lane *y = &all->lanes[k];
        uint32_t *counts = calloc((size_t)x->count * y->count, sizeof *counts);
        if (!counts)
            return false;
        count_rows(x, y, all->build->codes.kept, counts);
        const struct pr_contingency table = pr_contingency_of(counts, x->count, y->count);
        free(counts);
        const size_t one = i * PR_DATA_MEASURED + k, other = k * PR_DATA_MEASURED + i;
        all->v[one] = all->v[other] = x->numbers || y->numbers ? NAN : pr_cramers_v(&table);
        all->phi_k[one] = all->phi_k[other] = pr_phi_k(&table);
    }
    return true;
}

/* Of the columns with categories alone, or of all. */
static bool keep(const struct measures *all, struct pr_arena *arena, bool categories, struct pr_data_matrix *matrix)
{
    uint32_t at[PR_DATA_MEASURED], count = 0;
    const double *values = categories ? all->v : all->phi_k;
    for (uint32_t i = 0; i < all->count; i++)
        if (!categories || !all->lanes[i].numbers)
            at[count++] = i;
    matrix->columns = pr_arena_array(arena, count, sizeof *matrix->columns);
    matrix->values = pr_arena_array(arena, (size_t)count * count, sizeof *matrix->values);
    if (!matrix->columns || !matrix->values)
        return false;
    matrix->count = count;
    for (uint32_t i = 0; i < count; i++) {
        matrix->columns[i] = all->lanes[at[i]].column;
        for (uint32_t k = 0; k < count; k++)
            matrix->values[i * count + k] = i == k ? 1 : values[at[i] * PR_DATA_MEASURED + at[k]];
    }
    return true;
}

bool pr_pair_measures(struct pr_data_build *build, struct pr_data_frame *frame)
{
    if (!build->codes.is_on)
        return true;
    struct measures *all = calloc(1, sizeof *all);
    if (!all)
        return false;
    all->build = build;
    frame->paired_rows = build->codes.kept;
    frame->is_exact &= build->codes.kept == build->rows;
    const bool done = choose(all) && pr_crew_run(build->crew, all->count, measure, all) &&
                      keep(all, &frame->arena, true, &frame->cramers_v) &&
                      keep(all, &frame->arena, false, &frame->phi_k);
    for (uint32_t i = 0; i < all->count; i++)
        pr_lane_clear(&all->lanes[i]);
    free(all);
    return done;
}

static bool is_in(const struct pr_data_matrix *matrix, uint32_t column)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        if (matrix->columns[i] == column)
            return true;
    return false;
}

void pr_pairs_finish(const struct pr_data_build *build, struct pr_data_frame *frame)
{
    for (uint32_t c = 0; build->codes.is_on && c < frame->column_count; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        const bool is_category = (column->type == PR_TYPE_CATEGORY || column->type == PR_TYPE_BOOLEAN) &&
                                 column->distinct.value > 1 && column->distinct.value <= PR_CODES;
        const bool is_number = build->columns[c].family == PR_FAMILY_NUMBERS && !column->is_constant;
        frame->cramers_v.left_out += is_category && !is_in(&frame->cramers_v, c);
        frame->phi_k.left_out += (is_category || is_number) && !is_in(&frame->phi_k, c);
    }
}
