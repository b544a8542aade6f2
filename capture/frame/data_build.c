/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/data_build.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <math.h>
#include <string.h>

/* Absent cells in every row of the columns from FIRST on. */
static void clear_cells(struct pr_data_build *build, size_t first)
{
    for (size_t i = first * build->stride; i < build->column_capacity * build->stride; i++)
        build->cells[i] = (struct pr_cell){"", 0, PR_FORM_ABSENT};
}

/* Room for COUNT columns; the number of rows in a batch is decided by the first call. */
static bool make_room(struct pr_data_build *build, size_t count)
{
    const size_t before = build->column_capacity;
    if (count > PR_DATA_MOST_COLUMNS)
        return false;
    count += !count;
    if (count <= before && build->cells)
        return true;
    if (!build->stride) {
        const size_t rows = PR_DATA_BATCH_CELLS / count;
        build->stride = rows > PR_DATA_BATCH_ROWS ? PR_DATA_BATCH_ROWS : rows < 16 ? 16 : rows;
    }
    if (!pr_grow(&build->columns, &build->column_capacity, count, sizeof *build->columns))
        return false;
    memset(build->columns + before, 0, (build->column_capacity - before) * sizeof *build->columns);
    struct pr_cell *cells = realloc(build->cells, build->column_capacity * build->stride * sizeof *cells);
    if (!cells)
        return false;
    build->cells = cells;
    clear_cells(build, before);
    return true;
}

static bool make_scratch(struct pr_data_build *build)
{
    const size_t rows = build->stride;
    if (build->row_hashes)
        return true;
    build->part_rows = 1;
    build->row_hashes = malloc(rows * sizeof *build->row_hashes);
    build->missing_bits = malloc(rows * sizeof *build->missing_bits);
    build->numbers = malloc((PR_DATA_RELATED + 1) * rows * sizeof *build->numbers);
    build->scratch = malloc(rows * sizeof *build->scratch);
    build->wholes = malloc(rows * sizeof *build->wholes);
    build->pairs = calloc(PR_DATA_RELATED * PR_DATA_RELATED, sizeof *build->pairs);
    return build->row_hashes && build->missing_bits && build->numbers && build->scratch && build->wholes &&
           build->pairs;
}

bool pr_data_build_columns(struct pr_data_build *build, size_t count)
{
    if (!make_room(build, count))
        return false;
    for (; build->column_count < count; build->column_count++) {
        build->columns[build->column_count].related = -1;
        build->columns[build->column_count].in_sketch = build->in_sketch;
        build->columns[build->column_count].keeps = build->keeps;
    }
    return make_scratch(build);
}

bool pr_data_build_name(struct pr_data_build *build, size_t column, const char *name, size_t length)
{
    struct pr_column_build *to = &build->columns[column];
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    if (length)
        memcpy(copy, name, length);
    copy[length] = '\0';
    free(to->name);
    to->name = copy;
    to->name_length = (uint32_t)length;
    return true;
}

uint32_t pr_data_build_add_column(struct pr_data_build *build, const char *name, size_t length)
{
    const size_t number = build->column_count;
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
    if (build->batch_rows == build->stride && !pr_data_build_flush(build))
        return NULL;
    struct pr_cell *row = build->cells + build->batch_rows++;
    for (size_t c = 0; c < build->column_count; c++)
        row[c * build->stride] = (struct pr_cell){"", 0, PR_FORM_ABSENT};
    return row;
}

/* ---- a batch ---------------------------------------------------------------------------------------------------- */

/* Parts of the table grow in pairs, until the rows up to END are in one of them. */
static void widen_parts(struct pr_data_build *build, uint64_t end)
{
    while (end > build->part_rows * PR_DATA_PARTS) {
        build->part_rows *= 2;
        for (size_t c = 0; c < build->column_count; c++) {
            uint64_t *parts = build->columns[c].missing_in;
            for (unsigned i = 0; i < PR_DATA_PARTS; i++) {
                const unsigned from = 2 * i;
                parts[i] = from < PR_DATA_PARTS ? parts[from] + (from + 1 < PR_DATA_PARTS ? parts[from + 1] : 0) : 0;
            }
        }
    }
}

void pr_keep_row(const struct pr_data_build *build, uint32_t row, struct pr_kept_row *kept)
{
    kept->number = build->rows + row + 1;
    kept->bytes.length = 0;
    kept->count = build->column_count < PR_DATA_SHOWN ? (uint32_t)build->column_count : PR_DATA_SHOWN;
    for (uint32_t c = 0; c < kept->count; c++) {
        const struct pr_cell *cell = &build->cells[c * build->stride + row];
        kept->size[c] = cell->length;
        kept->kept[c] = cell->length < PR_KEPT_BYTES ? cell->length : PR_KEPT_BYTES;
        kept->form[c] = cell->form;
        kept->known[c] = build->columns[c].given.kind;
        pr_buf_add(&kept->bytes, cell->text, kept->kept[c]);
    }
}

static bool keep_rows(struct pr_data_build *build)
{
    bool failed = false;
    for (uint32_t row = 0; row < build->batch_rows && build->rows + row < PR_DATA_ROWS; row++) {
        pr_keep_row(build, row, &build->head[build->rows + row]);
        failed |= build->head[build->rows + row].bytes.failed;
    }
    for (uint32_t row = build->batch_rows > PR_DATA_ROWS ? build->batch_rows - PR_DATA_ROWS : 0;
         row < build->batch_rows; row++) {
        struct pr_kept_row *kept = &build->tail[(build->rows + row) % PR_DATA_ROWS];
        pr_keep_row(build, row, kept);
        failed |= kept->bytes.failed;
    }
    return !failed;
}

static void count_pattern(struct pr_data_build *build, uint64_t columns)
{
    uint32_t at = build->last_pattern;
    if (at >= build->pattern_count || build->patterns[at].columns != columns)
        for (at = 0; at < build->pattern_count && build->patterns[at].columns != columns;)
            at++;
    if (at == PR_PATTERNS_COUNTED) {
        build->patterns_cut = true;
        return;
    }
    if (at == build->pattern_count)
        build->patterns[build->pattern_count++] = (struct pr_data_pattern){columns, 0};
    build->patterns[at].rows++;
    build->last_pattern = at;
}

/* The first columns with numbers are correlated. */
static double *numbers_of(struct pr_data_build *build, size_t c)
{
    const int related = build->columns[c].related;
    return build->numbers + (related < 0 ? PR_DATA_RELATED : (size_t)related) * build->stride;
}

static bool add_column(struct pr_data_build *build, size_t c)
{
    struct pr_column_build *column = &build->columns[c];
    const struct pr_column_batch batch = {.cells = build->cells + c * build->stride,
                                          .rows = build->batch_rows,
                                          .first_row = build->rows,
                                          .part_rows = build->part_rows,
                                          .bit = c < 64 ? UINT64_C(1) << c : 0,
                                          .row_hashes = build->row_hashes,
                                          .missing_bits = build->missing_bits,
                                          .numbers = numbers_of(build, c),
                                          .scratch = build->scratch,
                                          .wholes = build->wholes};
    if (column->given.has_numbers)
        build->fill(build->fill_context, c, batch.rows, batch.numbers, build->wholes);
    if (!(column->given.has_numbers ? pr_column_add_numbers(column, &batch) : pr_column_add(column, &batch)))
        return false;
    if (column->related >= 0 || column->family != PR_FAMILY_NUMBERS || build->related_count == PR_DATA_RELATED)
        return true;
    column->related = build->related_count;
    build->related[build->related_count++] = (uint32_t)c;
    memcpy(numbers_of(build, c), batch.numbers, batch.rows * sizeof *batch.numbers);
    return true;
}

/* Infinite numbers are left out of correlations, as of the other figures. */
static void relate(struct pr_data_build *build)
{
    for (int i = 0; i < build->related_count; i++) {
        double *x = build->numbers + (size_t)i * build->stride;
        for (uint32_t row = 0; row < build->batch_rows; row++)
            if (isinf(x[row]))
                x[row] = NAN;
        if (build->columns[build->related[i]].family != PR_FAMILY_NUMBERS)
            continue;
        for (int k = 0; k < i; k++)
            if (build->columns[build->related[k]].family == PR_FAMILY_NUMBERS)
                pr_comoments_add(&build->pairs[i * PR_DATA_RELATED + k], x, build->numbers + (size_t)k * build->stride,
                                 build->batch_rows);
    }
}

/* What is kept in memory has a bound: beyond it, all columns keep sketches. */
static bool leave_memory_in_time(struct pr_data_build *build)
{
    uint64_t all = 0;
    for (size_t c = 0; c < build->column_count; c++)
        all += build->columns[c].value_count;
    if (build->in_sketch || all <= build->exact_values)
        return true;
    build->in_sketch = true;
    for (size_t c = 0; c < build->column_count; c++)
        if (!pr_column_leave_memory(&build->columns[c]))
            return false;
    return true;
}

bool pr_data_build_flush(struct pr_data_build *build)
{
    if (!build->batch_rows)
        return true;
    widen_parts(build, build->rows + build->batch_rows);
    memset(build->row_hashes, 0, build->batch_rows * sizeof *build->row_hashes);
    memset(build->missing_bits, 0, build->batch_rows * sizeof *build->missing_bits);
    if (!keep_rows(build))
        return false;
    for (size_t c = 0; c < build->column_count; c++)
        if (!add_column(build, c))
            return false;
    if (build->take && !build->take(build->take_context, build))
        return false;
    relate(build);
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        if (!pr_hash_sample_add(&build->row_sample, build->row_hashes[row], 1))
            return false;
        count_pattern(build, build->missing_bits[row]);
    }
    build->rows += build->batch_rows;
    build->batch_rows = 0;
    return leave_memory_in_time(build);
}

void pr_data_build_clear(struct pr_data_build *build)
{
    for (size_t c = 0; c < build->column_count; c++)
        pr_column_build_clear(&build->columns[c]);
    for (unsigned i = 0; i < PR_DATA_ROWS; i++) {
        pr_buf_clear(&build->head[i].bytes);
        pr_buf_clear(&build->tail[i].bytes);
    }
    free(build->columns);
    free(build->cells);
    free(build->row_hashes);
    free(build->missing_bits);
    free(build->numbers);
    free(build->scratch);
    free(build->wholes);
    free(build->pairs);
    pr_hash_sample_clear(&build->row_sample);
}
