/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/row_codes.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/data_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_kept(uint64_t row, unsigned shift)
{
    return !shift || (pr_hash_u64(row + 1) & ((UINT64_C(1) << shift) - 1)) == 0;
}

bool pr_row_codes_keeps(const struct pr_row_codes *rows, uint64_t row)
{
    return is_kept(row, rows->shift);
}

uint8_t *pr_row_codes_of(const struct pr_data_build *build, size_t column)
{
    const int place = build->columns[column].coded;
    return place < 0 ? NULL : build->codes.batch + (size_t)place * build->stride;
}

/* ---- fewer rows ------------------------------------------------------------------------------------------------- */

/* Of the rows before END that were kept with one shift less, those that still are go together. */
static void thin(struct pr_row_codes *rows, uint64_t end)
{
    uint64_t from = 0, to = 0;
    for (uint64_t row = 0; row < end; row++) {
        if (!is_kept(row, rows->shift - 1))
            continue;
        if (is_kept(row, rows->shift)) {
            for (uint32_t i = 0; i < rows->coded_count; i++)
                if (rows->coded[i].codes)
                    rows->coded[i].codes[to] = rows->coded[i].codes[from];
            for (unsigned i = 0; i < PR_DATA_RELATED; i++)
                if (rows->sampled[i].numbers)
                    rows->sampled[i].numbers[to] = rows->sampled[i].numbers[from];
            to++;
        }
        from++;
    }
    rows->kept = to;
}

static void keep_within(struct pr_row_codes *rows, uint64_t end)
{
    const uint64_t most = rows->is_sampled      ? PR_SAMPLED_ROWS
                          : rows->coded_count ? PR_CODED_BYTES / rows->coded_count
                                                : UINT64_MAX;
    while (rows->kept > most) {
        rows->shift++;
        thin(rows, end);
    }
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static void drop(struct pr_data_build *build, uint32_t place)
{
    struct pr_row_codes *rows = &build->codes;
    build->columns[rows->coded[place].column].coded = PR_NEVER_CODED;
    free(rows->coded[place].codes);
    rows->coded[place].codes = NULL;
    rows->coded[place].capacity = 0;
}

/* The codes of the batch once more, of a column that the batch showed to have texts. *VALUES: how many there are. */
static bool read_codes(const struct pr_data_build *build, size_t c, uint8_t *codes, uint64_t *values)
{
    const struct pr_column_build *column = &build->columns[c];
    *values = 0;
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        const struct pr_cell *cell = &build->cells[c * build->stride + row];
        struct pr_cell_value value;
        pr_column_read(column, cell, &value);
        codes[row] = 0;
        if (value.kind == PR_KIND_MISSING)
            continue;
        const size_t place = pr_frequent_place(&column->frequent, cell->text, cell->length,
                                               pr_hash_bytes(cell->text, cell->length));
        if (place >= PR_CODES)
            return false;
        codes[row] = (uint8_t)(place + 1);
        ++*values;
    }
    return true;
}

/* A column has a place from the first batch in which it has values. */
static bool begin_column(struct pr_data_build *build, size_t c)
{
    struct pr_row_codes *rows = &build->codes;
    struct pr_column_build *column = &build->columns[c];
    const uint32_t place = rows->coded_count;
    uint64_t values;
    if (!rows->batch && !(rows->batch = malloc(PR_CODED_COLUMNS * build->stride)))
        return false;
    column->coded = PR_NEVER_CODED;
    if (!read_codes(build, c, rows->batch + place * build->stride, &values) ||
        column->kinds[PR_KIND_MISSING] + values != build->rows + build->batch_rows)
        return true; /* too many, or there were others before, of which nothing is known */
    rows->coded[place].column = c;
    if (!pr_grow(&rows->coded[place].codes, &rows->coded[place].capacity, (size_t)rows->kept + 1, 1))
        return false;
    memset(rows->coded[place].codes, 0, (size_t)rows->kept);
    column->coded = (int)place;
    rows->coded_count++;
    return true;
}

static bool begin_columns(struct pr_data_build *build)
{
    for (size_t c = 0; c < build->column_count && build->codes.coded_count < PR_CODED_COLUMNS; c++) {
        const struct pr_column_build *column = &build->columns[c];
        if (column->coded == PR_NOT_CODED && column->family == PR_FAMILY_BROKEN && !begin_column(build, c))
            return false;
    }
    return true;
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

static bool add_codes(struct pr_data_build *build, uint32_t place, uint32_t count)
{
    struct pr_row_codes *rows = &build->codes;
    const uint8_t *batch = rows->batch + place * build->stride;
    if (!rows->coded[place].codes)
        return true;
    if (memchr(batch, PR_CODE_BEYOND, build->batch_rows) ||
        build->columns[rows->coded[place].column].frequent.error) {
        drop(build, place);
        return true;
    }
    if (!pr_grow(&rows->coded[place].codes, &rows->coded[place].capacity, (size_t)rows->kept + count, 1))
        return false;
    for (uint32_t i = 0; i < count; i++)
        rows->coded[place].codes[rows->kept + i] = batch[rows->picks[i]];
    return true;
}

static bool add_numbers(struct pr_data_build *build, int related, uint32_t count)
{
    struct pr_row_codes *rows = &build->codes;
    const double *batch = build->numbers + (size_t)related * build->stride;
    double **numbers = &rows->sampled[related].numbers;
    const bool is_first = *numbers == NULL;
    if (!pr_grow(numbers, &rows->sampled[related].capacity, (size_t)rows->kept + count + 1, sizeof **numbers))
        return false;
    for (uint64_t i = 0; is_first && i < rows->kept; i++)
        (*numbers)[i] = NAN;
    for (uint32_t i = 0; i < count; i++)
        (*numbers)[rows->kept + i] = batch[rows->picks[i]];
    return true;
}

bool pr_row_codes_add(struct pr_data_build *build)
{
    struct pr_row_codes *rows = &build->codes;
    uint32_t count = 0;
    if (!rows->is_on)
        return true;
    if (!rows->picks && !(rows->picks = malloc(build->stride * sizeof *rows->picks)))
        return false;
    if (!begin_columns(build))
        return false;
    for (uint32_t row = 0; row < build->batch_rows; row++)
        if (is_kept(build->rows + row, rows->shift))
            rows->picks[count++] = row;
    for (uint32_t i = 0; i < rows->coded_count; i++)
        if (!add_codes(build, i, count))
            return false;
    for (int i = 0; rows->is_sampled && i < build->related_count; i++)
        if (!add_numbers(build, i, count))
            return false;
    rows->kept += count;
    keep_within(rows, build->rows + build->batch_rows);
    return true;
}

bool pr_row_codes_leave_memory(struct pr_data_build *build)
{
    struct pr_row_codes *rows = &build->codes;
    if (!rows->is_on)
        return true;
    rows->is_sampled = true;
    keep_within(rows, build->rows);
    for (int i = 0; i < build->related_count; i++) {
        const struct pr_column_build *column = &build->columns[build->related[i]];
        double **numbers = &rows->sampled[i].numbers;
        uint64_t to = 0;
        if (!pr_grow(numbers, &rows->sampled[i].capacity, (size_t)rows->kept + 1, sizeof **numbers))
            return false;
        for (uint64_t row = 0; row < build->rows; row++)
            if (is_kept(row, rows->shift))
                (*numbers)[to++] = row < column->value_count ? column->values[row] : NAN;
    }
    return true;
}

void pr_row_codes_clear(struct pr_row_codes *rows)
{
    for (uint32_t i = 0; i < rows->coded_count; i++)
        free(rows->coded[i].codes);
    for (unsigned i = 0; i < PR_DATA_RELATED; i++)
        free(rows->sampled[i].numbers);
    free(rows->batch);
    free(rows->picks);
}
