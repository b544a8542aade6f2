/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/pair_lanes.h"

#include "capture/frame/column_parts.h"
#include "capture/frame/data_asked.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool has_numbers(const struct pr_column_build *column)
{
    return column->family != PR_FAMILY_NONE && column->family != PR_FAMILY_BROKEN && column->moments.count > 0;
}

/* Those of the rows that are kept. *NUMBERS: NULL: they are in no memory. */
static bool find_numbers(const struct pr_data_build *build, const struct pr_column_build *column, struct pr_lane *lane)
{
    const struct pr_row_codes *rows = &build->codes;
    uint64_t count = 0;
    lane->from = column->lowest[0].number;
    lane->to = column->highest[0].number;
    if (rows->is_sampled) {
        lane->numbers = column->related >= 0 ? rows->sampled[column->related].numbers : NULL;
        return true;
    }
    if (!column->values || column->value_count != build->rows)
        return true;
    lane->numbers = column->values;
    if (!rows->shift)
        return true;
    lane->numbers = lane->owned = malloc(((size_t)rows->kept + 1) * sizeof *lane->owned);
    for (uint64_t row = 0; lane->owned && row < build->rows; row++)
        if (pr_row_codes_keeps(rows, row))
            lane->owned[count++] = column->values[row];
    return lane->owned != NULL;
}

/*
 * Ten bins of the same width, to the right of their lower ends, of which the first is as much lower as phik makes it.
 * Source: phik 0.12.5, phik/binning.py, bin_edges and bin_array.
 */
bool pr_lane_bin(const struct pr_data_build *build, struct pr_lane *lane)
{
    const double start = lane->from - fmax(1e-14 * fabs(lane->from), DBL_MIN);
    const double step = (lane->to - start) / PR_PHI_K_BINS;
    double edges[PR_PHI_K_BINS];
    if (lane->codes || !lane->numbers)
        return true;
    lane->codes = malloc((size_t)build->codes.kept + 1);
    if (!lane->codes)
        return false;
    for (unsigned i = 0; i < PR_PHI_K_BINS; i++)
        edges[i] = i * step + start;
    for (uint64_t row = 0; row < build->codes.kept; row++) {
        const double number = lane->numbers[row];
        uint8_t bin = PR_PHI_K_BINS;
        while (bin > 1 && number <= edges[bin - 1])
            bin--;
        lane->codes[row] = isfinite(number) ? bin : 0;
    }
    lane->count = PR_PHI_K_BINS;
    return true;
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

/* Where it is one, the first item that means the same: True is TRUE. */
static uint8_t same_item(const struct pr_column_build *column, uint32_t item, const uint8_t *places)
{
    const struct pr_frequent *frequent = &column->frequent;
    struct pr_cell_value value, other;
    if (!pr_column_is_boolean(column))
        return 0;
    pr_column_parse(column, frequent->bytes + frequent->items[item].at, frequent->items[item].kept, &value);
    for (uint32_t i = 0; i < item && value.kind == PR_KIND_BOOLEAN; i++) {
        pr_column_parse(column, frequent->bytes + frequent->items[i].at, frequent->items[i].kept, &other);
        if (other.kind == PR_KIND_BOOLEAN && other.number == value.number)
            return places[i + 1];
    }
    return 0;
}

static bool find_categories(const struct pr_data_build *build, const struct pr_column_build *column,
                            struct pr_lane *lane)
{
    const uint8_t *codes = build->codes.coded[column->coded].codes;
    uint8_t places[PR_CODES + 1] = {0};
    for (uint32_t i = 0; i < column->frequent.count && i < PR_CODES; i++) {
        places[i + 1] = same_item(column, i, places);
        if (places[i + 1])
            continue;
        lane->items[lane->count++] = i;
        places[i + 1] = (uint8_t)lane->count;
    }
    lane->codes = malloc((size_t)build->codes.kept + 1);
    for (uint64_t row = 0; lane->codes && row < build->codes.kept; row++)
        lane->codes[row] = places[codes[row]];
    return lane->codes != NULL;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

bool pr_lane_of(const struct pr_data_build *build, uint32_t c, struct pr_lane *lane, bool *is_one)
{
    const struct pr_column_build *column = &build->columns[c];
    *lane = (struct pr_lane){.column = c};
    if (has_numbers(column) && !find_numbers(build, column, lane))
        return false;
    if (column->coded >= 0 && column->family == PR_FAMILY_BROKEN && !find_categories(build, column, lane))
        return false;
    *is_one = lane->numbers || lane->codes;
    return true;
}

void pr_lane_clear(struct pr_lane *lane)
{
    free(lane->owned);
    free(lane->codes);
}

bool pr_is_measured(const struct pr_column_build *column, uint64_t rows)
{
    const uint64_t count = rows - column->kinds[PR_KIND_MISSING];
    const bool is_boolean = pr_column_is_boolean(column);
    uint64_t distinct = column->frequent.count;
    if (is_boolean)
        distinct = column->trues && column->trues < count ? 2 : 1;
    if (column->family == PR_FAMILY_NUMBERS)
        return column->moments.count > 0 && column->lowest[0].number < column->highest[0].number;
    if (column->coded < 0 || column->family != PR_FAMILY_BROKEN || distinct < 2 || column->kinds[PR_KIND_NESTED])
        return false;
    if (column->asked && !column->asked->is_string)
        return column->asked->type == PR_TYPE_CATEGORY || column->asked->type == PR_TYPE_BOOLEAN;
    if (column->given.type == PR_TYPE_CATEGORY)
        return true;
    return is_boolean || pr_is_category(distinct, count, column->longest);
}
