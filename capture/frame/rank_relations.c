/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/rank_relations.h"

#include "capture/frame/moments.h"
#include "capture/frame/quantile_sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

struct keyed {
    uint64_t key;
    uint32_t row;
};

/* A column: its rows by value, without those that have none; and the ranks of all rows if they all have one. */
struct ranked {
    const double *values;
    uint32_t *order; /* [count] */
    size_t count;
    uint32_t *twice; /* [rows] of the rank, which may be between two; NULL: not all have one */
};

static void sort_pass(const struct keyed *from, struct keyed *to, size_t count, unsigned shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        const size_t here = starts[i];
        starts[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static bool find_order(struct ranked *column, size_t rows)
{
    struct keyed *keys = malloc((2 * rows + 1) * sizeof *keys);
    column->order = malloc((rows + 1) * sizeof *column->order);
    if (!keys || !column->order) {
        free(keys);
        return false;
    }
    for (size_t row = 0; row < rows; row++)
        if (isfinite(column->values[row]))
            keys[column->count++] = (struct keyed){pr_double_key(column->values[row]), (uint32_t)row};
    struct keyed *from = keys, *to = keys + rows;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        sort_pass(from, to, column->count, pass * DIGIT_BITS);
        struct keyed *const swapped = from;
        from = to;
        to = swapped;
    }
    for (size_t i = 0; i < column->count; i++)
        column->order[i] = from[i].row;
    free(keys);
    return true;
}

/* Ranks of the rows that OTHER has too; NaN for the others. */
static void rank(const struct ranked *column, const double *other, size_t rows, double *ranks)
{
    size_t below = 0;
    for (size_t row = 0; column->count < rows && row < rows; row++)
        ranks[row] = NAN;
    for (size_t i = 0, end; i < column->count; i = end) {
        const double value = column->values[column->order[i]];
        size_t equal = 0;
        for (end = i; end < column->count && column->values[column->order[end]] == value; end++)
            equal += isfinite(other[column->order[end]]) ? 1 : 0;
        const double mean = (double)below + ((double)equal + 1) / 2;
        for (size_t k = i; k < end; k++)
            ranks[column->order[k]] = isfinite(other[column->order[k]]) ? mean : NAN;
        below += equal;
    }
}

static bool keep_ranks(struct ranked *column, size_t rows, double *scratch)
{
    column->twice = malloc((rows + 1) * sizeof *column->twice);
    if (!column->twice)
        return false;
    rank(column, column->values, rows, scratch);
    for (size_t row = 0; row < rows; row++)
        column->twice[row] = (uint32_t)(2 * scratch[row]);
    return true;
}

static double relate(const struct ranked *x, const struct ranked *y, size_t rows, double *x_ranks, double *y_ranks)
{
    struct pr_comoments moments = {0};
    if (x->twice && y->twice) { /* of which the correlation is the same */
        for (size_t row = 0; row < rows; row++) {
            x_ranks[row] = x->twice[row];
            y_ranks[row] = y->twice[row];
        }
    } else {
        rank(x, y->values, rows, x_ranks);
        rank(y, x->values, rows, y_ranks);
    }
    pr_comoments_add(&moments, x_ranks, y_ranks, rows);
    return pr_comoments_pearson(&moments);
}

static bool relate_all(struct ranked *ranked, uint32_t count, size_t rows, double *matrix, double *scratch)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!ranked[i].values)
            continue;
        if (!find_order(&ranked[i], rows))
            return false;
        if (ranked[i].count == rows && !keep_ranks(&ranked[i], rows, scratch))
            return false;
        matrix[i * count + i] = 1;
        for (uint32_t k = 0; k < i; k++)
            if (ranked[k].values)
                matrix[i * count + k] = matrix[k * count + i] =
                    relate(&ranked[i], &ranked[k], rows, scratch, scratch + rows);
    }
    return true;
}

bool pr_spearman(const double *const *columns, uint32_t count, size_t rows, double *matrix)
{
    struct ranked *ranked = calloc(count + (size_t)1, sizeof *ranked);
    double *scratch = malloc((2 * rows + 1) * sizeof *scratch);
    for (uint32_t i = 0; ranked && i < count; i++)
        ranked[i].values = columns[i];
    for (size_t i = 0; i < (size_t)count * count; i++)
        matrix[i] = NAN;
    const bool done = ranked && scratch && relate_all(ranked, count, rows, matrix, scratch);
    for (uint32_t i = 0; ranked && i < count; i++) {
        free(ranked[i].order);
        free(ranked[i].twice);
    }
    free(ranked);
    free(scratch);
    return done;
}
