/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch is added to the columns, each of which is an item of the crew: no column knows of another. What belongs to
 * rows, hashes and missing cells, is kept by worker and summed up; sums do not depend on who took which column. So the
 * result is the same for any number of threads.
 */
#include "capture/base/crew.h"
#include "capture/base/hash.h"
#include "capture/frame/data_asked.h"
#include "capture/frame/data_build.h"
#include "capture/frame/known_cells.h"
#include "capture/frame/row_groups.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* What a worker has for itself, and what it found of the rows of a batch. */
struct pr_data_worker {
    double *numbers, *scratch;
    int64_t *wholes;
    uint64_t *row_hashes, *missing_bits, *as_text, *hashes;
    struct pr_known_cells *known;
};

void pr_data_build_clear_cells(const struct pr_data_build *build, struct pr_cell *cells, size_t first)
{
    for (size_t i = first * build->stride; i < build->column_capacity * build->stride; i++)
        cells[i] = (struct pr_cell){"", 0, PR_FORM_ABSENT};
}

/* ---- workers ---------------------------------------------------------------------------------------------------- */

bool pr_data_build_workers(struct pr_data_build *build, unsigned count)
{
    const size_t rows = build->stride;
    struct pr_data_worker *all = realloc(build->workers, count * sizeof *all);
    if (!all)
        return false;
    build->workers = all;
    for (; build->worker_count < count; build->worker_count++) {
        struct pr_data_worker *worker = &all[build->worker_count];
        uint64_t *words = malloc(7 * rows * sizeof *words);
        struct pr_known_cells *known = calloc(1, sizeof *known);
        if (!words || !known) {
            free(words);
            free(known);
            return false;
        }
        worker->known = known;
        worker->row_hashes = words;
        worker->missing_bits = words + rows;
        worker->wholes = (int64_t *)(words + 2 * rows);
        worker->numbers = (double *)(words + 3 * rows);
        worker->scratch = (double *)(words + 4 * rows);
        worker->as_text = words + 5 * rows;
        worker->hashes = words + 6 * rows;
    }
    return true;
}

/* A table with fewer rows than a full batch starts no threads. */
static bool start_crew(struct pr_data_build *build)
{
    const bool is_small = build->rows + build->filled_rows < build->stride;
    if (build->crew || build->threads < 2 || is_small)
        return true;
    build->crew = pr_crew_new(build->threads);
    build->threads = 1;
    return pr_data_build_workers(build, pr_crew_size(build->crew));
}

void pr_data_build_stop(struct pr_data_build *build)
{
    if (build->is_working)
        pr_crew_end(build->crew);
    build->is_working = false;
    pr_crew_free(build->crew);
    for (unsigned i = 0; i < build->worker_count; i++) {
        free(build->workers[i].row_hashes);
        free(build->workers[i].known);
    }
    free(build->workers);
    build->workers = NULL;
    build->worker_count = 0;
    build->crew = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

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

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static double *related_numbers(const struct pr_data_build *build, int related)
{
    return build->numbers + (size_t)related * build->stride;
}

/* The first columns with numbers are correlated. */
static bool add_column(const struct pr_data_build *build, unsigned worker, size_t c)
{
    const struct pr_data_worker *own = &build->workers[worker];
    struct pr_column_build *column = &build->columns[c];
    double *numbers = column->related < 0 ? own->numbers : related_numbers(build, column->related);
    const struct pr_column_batch batch = {.cells = build->cells + c * build->stride,
                                          .rows = build->batch_rows,
                                          .first_row = build->rows,
                                          .part_rows = build->part_rows,
                                          .seed = c,
                                          .bit = c < 64 ? UINT64_C(1) << c : 0,
                                          .row_hashes = own->row_hashes,
                                          .missing_bits = own->missing_bits,
                                          .as_text = own->as_text,
                                          .numbers = numbers,
                                          .scratch = own->scratch,
                                          .hashes = own->hashes,
                                          .wholes = own->wholes,
                                          .known = own->known,
                                          .codes = pr_row_codes_of(build, c)};
    if (build->prepare && !build->prepare(build->reader, c))
        return false;
    if (c < build->text_count && build->texts[c]) {
        column->is_text = true;
        column->family = PR_FAMILY_BROKEN;
    }
    if (column->asked && column->asked->type == PR_TYPE_BOOLEAN)
        pr_cells_to_booleans(build->cells + c * build->stride, build->batch_rows);
    if (column->given.has_numbers && !build->fill(build->reader, c, batch.rows, numbers, own->wholes))
        return false;
    return column->given.has_numbers ? pr_column_add_numbers(column, &batch) : pr_column_add(column, &batch);
}

enum { LATELY = 8 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* An item of the crew. */
static bool add_turn(void *context, unsigned worker, size_t turn)
{
    const struct pr_data_build *build = context;
    const size_t c = build->columns[turn].turn;
    if (!build->crew)
        return add_column(build, worker, c);
    const uint64_t begin = now_ns();
    const bool done = add_column(build, worker, c);
    build->columns[c].took += (now_ns() - begin) / LATELY - build->columns[c].took / LATELY;
    return done;
}

/*
 * Columns that took longest lately are begun first, so that at the end no worker has a long one to itself. One pass
 * brings the longest to the front and the others closer to their places.
 */
static void put_longest_first(struct pr_data_build *build)
{
    struct pr_column_build *columns = build->columns;
    for (size_t i = build->column_count; i-- > 1;) {
        const size_t later = columns[i].turn, earlier = columns[i - 1].turn;
        if (columns[later].took <= columns[earlier].took)
            continue;
        columns[i].turn = earlier;
        columns[i - 1].turn = later;
    }
}

/* The numbers of the batch once more, of a column that the batch showed to have some. */
static bool read_numbers(struct pr_data_build *build, size_t c, double *numbers)
{
    const struct pr_column_build *column = &build->columns[c];
    struct pr_cell_value value;
    if (column->given.has_numbers)
        return build->fill(build->reader, c, build->batch_rows, numbers, build->workers[0].wholes);
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        pr_column_read(column, &build->cells[c * build->stride + row], &value);
        numbers[row] = value.kind == PR_KIND_MISSING ? NAN : value.number;
    }
    return true;
}

/* Columns are correlated in the order in which they show numbers. */
static bool find_related(struct pr_data_build *build)
{
    for (size_t c = 0; c < build->column_count && build->related_count < PR_DATA_RELATED; c++) {
        struct pr_column_build *column = &build->columns[c];
        if (column->related >= 0 || column->family != PR_FAMILY_NUMBERS)
            continue;
        column->related = build->related_count;
        build->related[build->related_count++] = (uint32_t)c;
        if (!read_numbers(build, c, related_numbers(build, column->related)))
            return false;
    }
    return true;
}

static bool is_related(const struct pr_data_build *build, size_t i)
{
    return build->columns[build->related[i]].family == PR_FAMILY_NUMBERS;
}

/* An item of the crew. Infinite numbers are left out of correlations, as of the other figures. */
static bool centre(void *context, unsigned worker, size_t i)
{
    struct pr_data_build *build = context;
    struct pr_centred *side = &build->centred[i];
    double *x = related_numbers(build, (int)i);
    bool lacks_some = false;
    (void)worker;
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        x[row] = isinf(x[row]) ? NAN : x[row];
        lacks_some |= isnan(x[row]);
    }
    side->count = 0;
    if (lacks_some || !is_related(build, i))
        return true;
    if (!side->distances && !(side->distances = malloc(build->stride * sizeof *side->distances)))
        return false;
    pr_centre(side, x, build->batch_rows);
    return true;
}

/* An item of the crew: the pairs of one column with those before it. */
static bool relate(void *context, unsigned worker, size_t i)
{
    struct pr_data_build *build = context;
    struct pr_comoments *moments[PR_CENTRED_AT_ONCE];
    const struct pr_centred *centred[PR_CENTRED_AT_ONCE];
    unsigned count = 0;
    (void)worker;
    for (size_t k = 0; k < i && is_related(build, i); k++) {
        struct pr_comoments *pair = &build->pairs[i * PR_DATA_RELATED + k];
        if (!is_related(build, k))
            continue;
        if (!build->centred[i].count || !build->centred[k].count) {
            pr_comoments_add(pair, related_numbers(build, (int)i), related_numbers(build, (int)k), build->batch_rows);
            continue;
        }
        moments[count] = pair;
        centred[count++] = &build->centred[k];
        if (count == PR_CENTRED_AT_ONCE) {
            pr_comoments_add_centred(moments, &build->centred[i], centred, count);
            count = 0;
        }
    }
    if (count)
        pr_comoments_add_centred(moments, &build->centred[i], centred, count);
    return true;
}

static bool relate_all(struct pr_data_build *build)
{
    const size_t count = (size_t)build->related_count;
    return pr_crew_run(build->crew, count, centre, build) && pr_crew_run(build->crew, count, relate, build);
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
    if (!pr_row_codes_leave_memory(build))
        return false;
    for (size_t c = 0; c < build->column_count; c++)
        if (!pr_column_leave_memory(&build->columns[c]))
            return false;
    return true;
}

/* ---- a batch ---------------------------------------------------------------------------------------------------- */

/* What each worker found of the rows, into that of the first. */
static void join_rows(const struct pr_data_build *build)
{
    const struct pr_data_worker *sum = &build->workers[0];
    for (unsigned i = 1; i < build->worker_count; i++)
        for (uint32_t row = 0; row < build->batch_rows; row++) {
            sum->row_hashes[row] += build->workers[i].row_hashes[row];
            sum->missing_bits[row] |= build->workers[i].missing_bits[row];
        }
}

static bool add_rows(struct pr_data_build *build)
{
    enum { AHEAD = 16 };
    const struct pr_data_worker *found = &build->workers[0];
    join_rows(build);
    for (uint32_t row = 0; row < build->batch_rows; row++)
        found->row_hashes[row] = pr_hash_u64(found->row_hashes[row]);
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        const uint64_t hash = found->row_hashes[row];
        if (row + AHEAD < build->batch_rows)
            pr_hash_sample_expect(&build->row_sample, found->row_hashes[row + AHEAD]);
        if (!pr_hash_sample_add(&build->row_sample, hash, 1) ||
            !pr_row_groups_add(build, row, hash, build->row_sample.now))
            return false;
        count_pattern(build, found->missing_bits[row]);
    }
    return true;
}

bool pr_data_build_settle(struct pr_data_build *build)
{
    if (!build->is_working)
        return true;
    build->is_working = false;
    bool done = build->crew ? pr_crew_end(build->crew)
                            : pr_crew_run(NULL, build->column_count, add_turn, build);
    done = done && keep_rows(build) && (!build->take || build->take(build->take_context, build)) &&
           find_related(build) && relate_all(build) && pr_row_codes_add(build) && add_rows(build);
    build->rows += build->batch_rows;
    build->batch_rows = 0;
    build->spare = build->cells;
    build->cells = NULL;
    return done && leave_memory_in_time(build);
}

/* Gives the filled batch to the columns, and another one to who fills it. */
static bool begin_batch(struct pr_data_build *build)
{
    if (!start_crew(build))
        return false;
    if (!build->spare) {
        build->spare = malloc(build->column_capacity * build->stride * sizeof *build->spare);
        if (!build->spare)
            return false;
        pr_data_build_clear_cells(build, build->spare, 0);
    }
    build->cells = build->filling;
    build->filling = build->spare;
    build->spare = NULL;
    build->batch_rows = build->filled_rows;
    build->filled_rows = 0;
    widen_parts(build, build->rows + build->batch_rows);
    for (unsigned i = 0; i < build->worker_count; i++) {
        memset(build->workers[i].row_hashes, 0, build->batch_rows * sizeof(uint64_t));
        memset(build->workers[i].missing_bits, 0, build->batch_rows * sizeof(uint64_t));
    }
    build->is_working = true;
    if (build->crew) {
        put_longest_first(build);
        pr_crew_begin(build->crew, build->column_count, add_turn, build);
    }
    return true;
}

bool pr_data_build_pass(struct pr_data_build *build)
{
    return pr_data_build_settle(build) && (!build->filled_rows || begin_batch(build));
}

bool pr_data_build_flush(struct pr_data_build *build)
{
    return pr_data_build_settle(build) && (!build->filled_rows || begin_batch(build)) && pr_data_build_settle(build);
}
