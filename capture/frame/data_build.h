/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table while it is read. Readers fill a batch of rows, column by column, and add it:
 *
 *     struct pr_data_build build = {.exact_values = 3000000, .threads = 4};
 *     if (!pr_data_build_columns(&build, 12)) ...
 *     struct pr_cell *row = pr_data_build_row(&build);         // NULL: no memory; cells are at row[column * stride]
 *     row[0] = (struct pr_cell){text, length, PR_FORM_TEXT};
 *     pr_data_build_flush(&build);                             // before what the cells borrow is gone
 *
 * A reader whose cells stay a while longer passes a full batch on, and fills the next one while threads add it:
 *
 *     if (pr_data_build_is_full(&build))
 *         pr_data_build_pass(&build);                          // what it borrows stays until the next pass or settle
 *
 * Memory is bounded by the number of columns, not of rows.
 */
#ifndef PR_CAPTURE_FRAME_DATA_BUILD_H
#define PR_CAPTURE_FRAME_DATA_BUILD_H

#include "capture/frame/column_build.h"
#include "capture/frame/row_codes.h"
#include "profrender/buf.h"

enum { PR_DATA_MOST_COLUMNS = 100000, PR_DATA_BATCH_ROWS = 4096, PR_DATA_BATCH_CELLS = 1 << 18, PR_KEPT_BYTES = 120 };

/* Cells of a row at either end of the table; in `bytes` one after the other. */
struct pr_kept_row {
    uint64_t number;
    struct pr_buf bytes;
    uint32_t count;
    uint32_t size[PR_DATA_SHOWN], kept[PR_DATA_SHOWN];
    enum pr_cell_form form[PR_DATA_SHOWN];
    enum pr_data_kind known[PR_DATA_SHOWN]; /* of PR_FORM_KNOWN */
    const struct pr_data_asked *asked[PR_DATA_SHOWN];
    enum pr_cell_order order[PR_DATA_SHOWN];
};

/* A row that the table has more than once; see row_groups.h. */
struct pr_row_group {
    uint64_t hash;
    uint32_t count;
    struct pr_kept_row row;
};

enum { PR_PATTERNS_COUNTED = 256 };

struct pr_data_build {
    uint64_t exact_values; /* set it first */
    unsigned threads;      /* set it first: how many add a batch; 0 is 1 */
    /* Set it first: columns of texts, whatever their first cells are, as an earlier reading found; NULL: none known. */
    const bool *texts; /* [text_count] */
    size_t text_count;
    /* Is given each batch, of which the columns know the order of dates; NULL: none. False: no memory. */
    bool (*take)(void *context, const struct pr_data_build *build);
    void *take_context;
    /*
     * For readers whose batches have columns, not rows; they are called for several columns at once. `prepare` makes
     * the cells of a column; `fill` the batch's ROWS of one that is given numbers: NaN where a value is missing, and
     * the whole numbers if the column has them. NULL: the reader needs none. False: no memory.
     */
    bool (*prepare)(void *reader, size_t column);
    bool (*fill)(void *reader, size_t column, uint32_t rows, double *numbers, int64_t *wholes);
    void (*show)(void *reader, uint32_t row); /* makes the cells of a row that have no text yet; NULL: all have it */
    void *reader;
    bool is_utf8; /* the format has no other texts, or one that is not has no bytes of another encoding either */
    struct pr_column_build *columns;
    size_t column_count, column_capacity;
    size_t stride;                   /* rows of a batch */
    struct pr_cell *filling, *spare; /* [column_capacity][stride] the batch that is filled, and one that is free */
    uint32_t filled_rows;
    struct pr_cell *cells; /* the batch that is added */
    uint32_t batch_rows;   /* of it */
    bool is_working;       /* it is begun, and not settled */
    uint64_t rows, part_rows;
    double *numbers; /* [PR_DATA_RELATED][stride] */
    struct pr_crew *crew;
    struct pr_data_worker *workers; /* [worker_count] */
    unsigned worker_count;
    struct pr_hash_sample row_sample;
    bool in_sketch, keeps; /* KEEPS: distributions; set it first */
    struct pr_centred centred[PR_DATA_RELATED]; /* of the batch; a count of 0: some of its numbers are missing */
    struct pr_comoments *pairs; /* [PR_DATA_RELATED][PR_DATA_RELATED], of which one half is used */
    uint32_t related[PR_DATA_RELATED];
    int related_count;
    struct pr_row_codes codes;
    struct {
        uint32_t x, y;
    } asked[PR_DATA_PAIRS]; /* pairs of columns that have a chart */
    uint32_t asked_count;
    uint32_t related_left_out;
    struct pr_data_pattern patterns[PR_PATTERNS_COUNTED];
    uint32_t pattern_count, last_pattern;
    bool patterns_cut;
    struct pr_kept_row head[PR_DATA_ROWS], tail[PR_DATA_ROWS];
    struct pr_row_group groups[PR_DATA_ROWS];
    uint32_t group_count, least_group; /* LEAST: a row needs a higher count to be among them */
};

/* COUNT columns without names, before the first row. False: no memory, or too many. */
bool pr_data_build_columns(struct pr_data_build *build, size_t count);

/* One more column, whose cells so far are absent; its number. PR_DATA_NONE: no memory, or too many. */
uint32_t pr_data_build_add_column(struct pr_data_build *build, const char *name, size_t length);

/* One without a name gets its number: "column_3". False: no memory. */
bool pr_data_build_name(struct pr_data_build *build, size_t column, const char *name, size_t length);

/* Once all columns have names: those that repeat get a number. False: no memory. */
bool pr_data_build_number_names(struct pr_data_build *build);

/* The schema says what the column is; before its first row. ASKED may be NULL. */
void pr_data_build_ask(struct pr_data_build *build, size_t column, const struct pr_data_asked *asked);

/* Cells of the next row, all absent; the cell of column C is at [C * build->stride]. A batch that is full is added. */
struct pr_cell *pr_data_build_row(struct pr_data_build *build);

/* Takes back the row that was begun last. */
static inline void pr_data_build_drop_row(struct pr_data_build *build)
{
    build->filled_rows--;
}

/* Whether the cells of row ROW of the batch that is added are shown, or taken: of others, numbers need no text. */
static inline bool pr_data_build_shows(const struct pr_data_build *build, uint32_t row)
{
    return build->take || build->rows + row < PR_DATA_ROWS || row + PR_DATA_ROWS >= build->batch_rows;
}

static inline bool pr_data_build_is_full(const struct pr_data_build *build)
{
    return build->filled_rows == build->stride;
}

/* Adds the batch: nothing of it is needed any more. False: no memory. */
bool pr_data_build_flush(struct pr_data_build *build);

/* Begins to add the batch, when the one before is added. False: no memory. */
bool pr_data_build_pass(struct pr_data_build *build);

/* Waits until the batch that was passed on is added. False: no memory. */
bool pr_data_build_settle(struct pr_data_build *build);

/* Makes the cells of the columns from FIRST on absent, those that are made later too: every row of a batch. */
void pr_data_build_clear_cells(const struct pr_data_build *build, struct pr_cell *cells, size_t first);

/* COUNT workers in all; and ends threads and workers, whatever they do. False: no memory. */
bool pr_data_build_workers(struct pr_data_build *build, unsigned count);
void pr_data_build_stop(struct pr_data_build *build);

void pr_data_build_clear(struct pr_data_build *build);

/* Moves what was found into FRAME. False: no memory. */
bool pr_data_finish(struct pr_data_build *build, struct pr_data_frame *frame);

/* The row of the batch, cut; `failed` of its bytes: no memory. And what it becomes in FRAME; false: no memory. */
void pr_keep_row(const struct pr_data_build *build, uint32_t row, struct pr_kept_row *kept);
bool pr_finish_row(struct pr_data_frame *frame, const struct pr_kept_row *kept, struct pr_data_row *row);

/* The findings, from all the rest of FRAME. False: no memory. */
bool pr_data_find(struct pr_data_frame *frame);

#endif
