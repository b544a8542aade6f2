/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts of pairs of columns: those that are asked for, else those whose columns depend on one another most, by
 * phi-k, or by Pearson's coefficient where that is higher.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/frame/box_figures.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/moments.h"
#include "capture/frame/pair_lanes.h"
#include "capture/frame/view_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_found = 0.3;

struct charts {
    struct pr_data_build *build;
    struct pr_data_frame *frame;
    bool failed;
};

/* ---- which ------------------------------------------------------------------------------------------------------ */

static double pearson_of(const struct pr_data_build *build, uint32_t x, uint32_t y)
{
    const int a = build->columns[x].related, b = build->columns[y].related;
    if (a < 0 || b < 0 || build->columns[x].family != PR_FAMILY_NUMBERS ||
        build->columns[y].family != PR_FAMILY_NUMBERS)
        return NAN;
    return a == b ? 1 : pr_comoments_pearson(&build->pairs[(a > b ? a : b) * PR_DATA_RELATED + (a > b ? b : a)]);
}

static double phi_k_of(const struct pr_data_matrix *matrix, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        for (uint32_t k = 0; matrix->columns[i] == x && k < matrix->count; k++)
            if (matrix->columns[k] == y)
                return matrix->values[i * matrix->count + k];
    return NAN;
}

struct found {
    uint32_t x, y;
    double strength;
};

static int by_strength(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct found *)b)->strength, ((const struct found *)a)->strength);
}

/* The pairs that depend on one another most, into those that are asked for. */
static bool find_pairs(struct charts *charts)
{
    const struct pr_data_matrix *matrix = &charts->frame->phi_k;
    struct pr_data_build *build = charts->build;
    size_t count = 0;
    struct found *found = malloc(((size_t)matrix->count * matrix->count + 1) * sizeof *found);
    for (uint32_t i = 0; found && i < matrix->count; i++)
        for (uint32_t k = i + 1; k < matrix->count; k++) {
            const double r = fabs(pearson_of(build, matrix->columns[i], matrix->columns[k]));
            const double strength = fmax(r, matrix->values[i * matrix->count + k]); /* not NaN if one of them is not */
            if (strength >= least_found)
                found[count++] = (struct found){matrix->columns[i], matrix->columns[k], strength};
        }
    if (!found || !pr_sort(found, count, sizeof *found, by_strength, NULL)) {
        free(found);
        return false;
    }
    for (size_t i = 0; i < count && i < PR_DATA_PAIRS_FOUND; i++) {
        build->asked[build->asked_count].x = found[i].x;
        build->asked[build->asked_count++].y = found[i].y;
    }
    free(found);
    return true;
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

/* One bin for each whole number if they are few. */
static uint32_t bins_of(const struct pr_column_build *column, const struct pr_lane *lane, uint32_t most, double *from,
                        double *to)
{
    const bool is_whole = column->family == PR_FAMILY_NUMBERS && !column->kinds[PR_KIND_REAL];
    *from = lane->from;
    *to = lane->to;
    if (is_whole && lane->to - lane->from < most) {
        *from -= 0.5;
        *to += 0.5;
        return (uint32_t)(lane->to - lane->from) + 1;
    }
    return lane->to > lane->from && isfinite(lane->to - lane->from) ? most : 1;
}

/* What is on an edge is in the bin above it, as numpy's histograms have it. */
static uint32_t bin_of(double number, double from, double to, uint32_t count)
{
    const double step = (to - from) / count;
    const double place = step > 0 && isfinite(step) ? (number - from) / step : 0;
    uint32_t bin = place < 1 ? 0 : place < count ? (uint32_t)place : count - 1;
    while (bin + 1 < count && number >= (bin + 1) * step + from)
        bin++;
    while (bin && number < bin * step + from)
        bin--;
    return bin;
}

static void make_points(struct charts *charts, const struct pr_lane *x, const struct pr_lane *y,
                        struct pr_data_pair *pair)
{
    pair->kind = PR_PAIR_POINTS;
    pair->width = bins_of(&charts->build->columns[x->column], x, PR_DATA_PAIR_WIDTH, &pair->x_from, &pair->x_to);
    pair->height = bins_of(&charts->build->columns[y->column], y, PR_DATA_PAIR_HEIGHT, &pair->y_from, &pair->y_to);
    pair->counts =
        pr_arena_array(&charts->frame->arena, (size_t)pair->width * pair->height, sizeof *pair->counts);
    charts->failed |= !pair->counts;
    for (uint64_t row = 0; pair->counts && row < charts->build->codes.kept; row++) {
        if (!isfinite(x->numbers[row]) || !isfinite(y->numbers[row]))
            continue;
        pair->counts[bin_of(y->numbers[row], pair->y_from, pair->y_to, pair->height) * pair->width +
                     bin_of(x->numbers[row], pair->x_from, pair->x_to, pair->width)]++;
        pair->rows++;
    }
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

/* The categories of a chart. */
struct shown {
    uint32_t count;
    uint32_t codes[PR_CODES];     /* by rows: those that are shown first */
    uint32_t places[PR_CODES + 1]; /* of a code; beyond COUNT: it is not shown */
    uint64_t rows[PR_CODES];
};

static int by_rows(const void *a, const void *b, const void *context)
{
    const uint64_t *rows = context;
    return PR_ORDER(rows[*(const uint32_t *)b], rows[*(const uint32_t *)a]);
}

/* Whether both columns have a value. */
static bool has_both(const struct pr_lane *x, const struct pr_lane *y, uint64_t row)
{
    return (x->numbers ? isfinite(x->numbers[row]) : x->codes[row] != 0) &&
           (y->numbers ? isfinite(y->numbers[row]) : y->codes[row] != 0);
}

/* Those of the most rows of LANE that OTHER has too. */
static void choose(struct charts *charts, const struct pr_lane *lane, const struct pr_lane *other, struct shown *shown)
{
    *shown = (struct shown){.count = lane->count < PR_DATA_PAIR_LABELS ? lane->count : PR_DATA_PAIR_LABELS};
    for (uint64_t row = 0; row < charts->build->codes.kept; row++)
        if (has_both(lane, other, row))
            shown->rows[lane->codes[row] - 1]++;
    for (uint32_t i = 0; i < lane->count; i++)
        shown->codes[i] = i;
    charts->failed |= !pr_sort(shown->codes, lane->count, sizeof *shown->codes, by_rows, shown->rows);
    while (shown->count && !shown->rows[shown->codes[shown->count - 1]])
        shown->count--;
    for (uint32_t i = 0; i < lane->count; i++)
        shown->places[shown->codes[i] + 1] = i;
}

static struct pr_text label_of(struct charts *charts, const struct pr_lane *lane, uint32_t code)
{
    enum { LABEL_BYTES = 80 };
    const struct pr_column_build *column = &charts->build->columns[lane->column];
    const struct pr_frequent_item *item = &column->frequent.items[lane->items[code]];
    struct pr_text text = {column->frequent.bytes + item->at, item->kept < LABEL_BYTES ? item->kept : LABEL_BYTES};
    struct pr_cell_value value = {.kind = PR_KIND_TEXT};
    if (pr_column_is_boolean(column))
        pr_column_parse(column, text.bytes, text.length, &value);
    if (value.kind == PR_KIND_BOOLEAN) /* True is TRUE, and one label is for both */
        text = value.number > 0 ? (struct pr_text){"true", 4} : (struct pr_text){"false", 5};
    return pr_view_text(charts->frame, text, &charts->failed);
}

static struct pr_text *labels_of(struct charts *charts, const struct pr_lane *lane, const struct shown *shown)
{
    struct pr_text *labels = pr_arena_array(&charts->frame->arena, shown->count, sizeof *labels);
    charts->failed |= !labels;
    for (uint32_t i = 0; labels && i < shown->count; i++)
        labels[i] = label_of(charts, lane, shown->codes[i]);
    return labels;
}

static void make_categories(struct charts *charts, const struct pr_lane *x, const struct pr_lane *y,
                            struct pr_data_pair *pair)
{
    struct shown right, down;
    choose(charts, x, y, &right);
    choose(charts, y, x, &down);
    pair->kind = PR_PAIR_CATEGORIES;
    pair->width = right.count;
    pair->height = down.count;
    pair->x_labels = labels_of(charts, x, &right);
    pair->y_labels = labels_of(charts, y, &down);
    pair->counts =
        pr_arena_array(&charts->frame->arena, (size_t)pair->width * pair->height, sizeof *pair->counts);
    charts->failed |= !pair->counts;
    for (uint64_t row = 0; pair->counts && row < charts->build->codes.kept; row++) {
        const uint32_t across = right.places[x->codes[row]], below = down.places[y->codes[row]];
        if (!has_both(x, y, row))
            continue;
        pair->rows++;
        if (across < right.count && below < down.count)
            pair->counts[below * pair->width + across]++;
        else
            pair->rows_left_out++;
    }
}

/* The numbers of one category after the other, in VALUES; STARTS: where each begins. */
static void part_numbers(const struct charts *charts, const struct pr_lane *x, const struct pr_lane *y,
                         const struct shown *shown, double *values, size_t *starts)
{
    size_t at[PR_CODES] = {0}, sum = 0;
    for (uint32_t i = 0; i < y->count; i++) {
        starts[i] = at[i] = sum;
        sum += (size_t)shown->rows[shown->codes[i]];
    }
    starts[y->count] = sum;
    for (uint64_t row = 0; row < charts->build->codes.kept; row++)
        if (has_both(x, y, row))
            values[at[shown->places[y->codes[row]]]++] = x->numbers[row];
}

static void make_boxes(struct charts *charts, const struct pr_lane *x, const struct pr_lane *y,
                       struct pr_data_pair *pair)
{
    struct shown down;
    size_t starts[PR_CODES + 1] = {0};
    double *values = malloc(((size_t)charts->build->codes.kept + 1) * sizeof *values);
    choose(charts, y, x, &down);
    pair->kind = PR_PAIR_BOXES;
    pair->boxes = (struct pr_data_boxes){.value = x->column, .by = y->column, .count = down.count};
    pair->boxes.boxes = pr_arena_array(&charts->frame->arena, down.count, sizeof *pair->boxes.boxes);
    charts->failed |= !values || !pair->boxes.boxes;
    if (!charts->failed)
        part_numbers(charts, x, y, &down, values, starts);
    pair->rows = starts[y->count];
    for (uint32_t i = 0; !charts->failed && i < y->count; i++) {
        const size_t count = starts[i + 1] - starts[i];
        if (i >= down.count) {
            pair->boxes.left_out += count > 0;
            pair->rows_left_out += count;
            continue;
        }
        charts->failed |= !pr_sort_doubles(values + starts[i], count);
        pair->boxes.boxes[i] = pr_box_of(values + starts[i], count);
        pair->boxes.boxes[i].label = label_of(charts, y, down.codes[i]);
    }
    pair->boxes.rows_left_out = pair->rows_left_out;
    free(values);
}

/* ---- a chart ---------------------------------------------------------------------------------------------------- */

static void make(struct charts *charts, const struct pr_lane *x, const struct pr_lane *y, struct pr_data_pair *pair)
{
    const bool turn = !x->numbers && y->numbers; /* numbers are to the right of boxes */
    pair->x = turn ? y->column : x->column;
    pair->y = turn ? x->column : y->column;
    pair->pearson = pearson_of(charts->build, pair->x, pair->y);
    pair->phi_k = phi_k_of(&charts->frame->phi_k, pair->x, pair->y);
    if (x->numbers && y->numbers)
        make_points(charts, x, y, pair);
    else if (!x->numbers && !y->numbers)
        make_categories(charts, x, y, pair);
    else
        make_boxes(charts, turn ? y : x, turn ? x : y, pair);
}

bool pr_pair_charts(struct pr_data_build *build, struct pr_data_frame *frame)
{
    struct charts charts = {build, frame, false};
    const bool is_asked = build->asked_count > 0;
    if (!build->codes.is_on || (!is_asked && !find_pairs(&charts)))
        return !build->codes.is_on;
    frame->pairs = pr_arena_array(&frame->arena, build->asked_count, sizeof *frame->pairs);
    if (!frame->pairs)
        return false;
    for (uint32_t i = 0; i < build->asked_count && !charts.failed; i++) {
        struct pr_lane x, y = {0};
        bool x_is_one = false, y_is_one = false;
        struct pr_data_pair *pair = &frame->pairs[frame->pair_count];
        charts.failed |= !pr_lane_of(build, build->asked[i].x, &x, &x_is_one);
        charts.failed |= !pr_lane_of(build, build->asked[i].y, &y, &y_is_one);
        pair->is_asked = is_asked;
        if (!charts.failed && x_is_one && y_is_one) {
            make(&charts, &x, &y, pair);
            frame->pair_count++;
        }
        pr_lane_clear(&x);
        pr_lane_clear(&y);
    }
    frame->pairs_left_out = build->asked_count - frame->pair_count;
    return !charts.failed;
}
