/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/data_build.h"

#include "capture/base/checked.h"
#include "capture/frame/data_asked.h"

#include <stdio.h>
#include <string.h>

/* How many rows a batch of COUNT columns has. */
static size_t rows_of_batch(size_t count)
{
    const size_t rows = PR_DATA_BATCH_CELLS / count;
    return rows > PR_DATA_BATCH_ROWS ? PR_DATA_BATCH_ROWS : rows < 16 ? 16 : rows;
}

/* Room for COUNT columns; the number of rows in a batch is decided by the first call, and by shorten_batch. */
static bool make_room(struct pr_data_build *build, size_t count)
{
    const size_t before = build->column_capacity;
    if (count > PR_DATA_MOST_COLUMNS)
        return false;
    count += !count;
    if (count <= before && build->filling)
        return true;
    if (!build->stride)
        build->stride = rows_of_batch(count);
    if (!pr_grow(&build->columns, &build->column_capacity, count, sizeof *build->columns))
        return false;
    memset(build->columns + before, 0, (build->column_capacity - before) * sizeof *build->columns);
    struct pr_cell *cells = realloc(build->filling, build->column_capacity * build->stride * sizeof *cells);
    if (!cells)
        return false;
    build->filling = cells;
    free(build->spare); /* it has room for fewer */
    build->spare = NULL;
    pr_data_build_clear_cells(build, cells, before);
    return true;
}

/* What is needed once for the table, and by the first worker; threads bring their own. */
static bool make_scratch(struct pr_data_build *build)
{
    if (build->workers)
        return true;
    build->part_rows = 1;
    build->numbers = malloc(PR_DATA_RELATED * build->stride * sizeof *build->numbers);
    build->pairs = calloc(PR_DATA_RELATED * PR_DATA_RELATED, sizeof *build->pairs);
    return build->numbers && build->pairs && pr_data_build_workers(build, 1);
}

bool pr_data_build_columns(struct pr_data_build *build, size_t count)
{
    if (!pr_data_build_settle(build) || !make_room(build, count))
        return false;
    for (; build->column_count < count; build->column_count++) {
        build->columns[build->column_count].turn = build->column_count;
        build->columns[build->column_count].related = -1;
        build->columns[build->column_count].coded = PR_NOT_CODED;
        build->columns[build->column_count].in_sketch = build->in_sketch;
        build->columns[build->column_count].keeps = build->keeps;
    }
    return make_scratch(build);
}

bool pr_data_build_name(struct pr_data_build *build, size_t column, const char *name, size_t length)
{
    struct pr_column_build *to = &build->columns[column];
    char number[32];
    if (!length) {
        length = (size_t)snprintf(number, sizeof number, "column_%zu", column + 1);
        name = number;
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, name, length);
    copy[length] = '\0';
    free(to->name);
    to->name = copy;
    to->name_length = (uint32_t)length;
    return true;
}

void pr_data_build_ask(struct pr_data_build *build, size_t column, const struct pr_data_asked *asked)
{
    struct pr_column_build *to = &build->columns[column];
    to->asked = asked;
    to->is_asked = asked != NULL;
    if (!asked || !asked->has_order)
        return;
    to->order_is_settled = true;
    to->order = asked->day_first ? PR_ORDER_DAY_FIRST : PR_ORDER_MONTH_FIRST;
}

/* Memory for a batch is bounded: with many columns it gets fewer rows. The row begun last becomes its first. */
static bool shorten_batch(struct pr_data_build *build)
{
    const size_t count = build->column_count, stride = build->stride;
    const bool fits = count * stride <= 2 * (size_t)PR_DATA_BATCH_CELLS;
    if (fits || rows_of_batch(4 * count) == stride || !build->filled_rows)
        return true;
    struct pr_cell *row = malloc(count * sizeof *row);
    if (!row)
        return false;
    build->filled_rows--;
    for (size_t c = 0; c < count; c++)
        row[c] = build->filling[c * stride + build->filled_rows];
    const bool done = pr_data_build_flush(build);
    build->stride = rows_of_batch(4 * count);
    pr_data_build_clear_cells(build, build->filling, 0);
    for (size_t c = 0; c < count; c++)
        build->filling[c * build->stride] = row[c];
    build->filled_rows = 1;
    free(build->spare);
    build->spare = NULL;
    free(row);
    return done;
}

uint32_t pr_data_build_add_column(struct pr_data_build *build, const char *name, size_t length)
{
    const size_t number = build->column_count;
    if (!shorten_batch(build))
        return PR_DATA_NONE;
    if (!pr_data_build_columns(build, number + 1) || !pr_data_build_name(build, number, name, length))
        return PR_DATA_NONE;
    struct pr_column_build *column = &build->columns[number];
    column->kinds[PR_KIND_MISSING] = build->rows;
    for (uint64_t row = 0; row < build->rows; row += build->part_rows) {
        const uint64_t rest = build->rows - row;
        column->missing_in[row / build->part_rows] = rest < build->part_rows ? rest : build->part_rows;
    }
    return (uint32_t)number;
}

struct pr_cell *pr_data_build_row(struct pr_data_build *build)
{
    if (pr_data_build_is_full(build) && !pr_data_build_flush(build))
        return NULL;
    struct pr_cell *row = build->filling + build->filled_rows++;
    for (size_t c = 0; c < build->column_count; c++)
        row[c * build->stride] = (struct pr_cell){"", 0, PR_FORM_ABSENT};
    return row;
}

void pr_data_build_clear(struct pr_data_build *build)
{
    pr_data_build_stop(build);
    for (size_t c = 0; c < build->column_count; c++)
        pr_column_build_clear(&build->columns[c]);
    for (unsigned i = 0; i < PR_DATA_ROWS; i++) {
        pr_buf_clear(&build->head[i].bytes);
        pr_buf_clear(&build->tail[i].bytes);
        pr_buf_clear(&build->groups[i].row.bytes);
    }
    free(build->columns);
    free(build->filling);
    free(build->spare);
    for (unsigned i = 0; i < PR_DATA_RELATED; i++)
        free(build->centred[i].distances);
    free(build->numbers);
    free(build->pairs);
    pr_hash_sample_clear(&build->row_sample);
    pr_row_codes_clear(&build->codes);
}
