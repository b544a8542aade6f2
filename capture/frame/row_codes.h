/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of rows for figures of two columns: the category of each text that has few, as one byte a row; and the
 * numbers, once they have left memory otherwise.
 *
 * Rows are kept while they fit. Beyond that every second one, by a hash of its number, is dropped, and of those that
 * follow too: what is left is a sample of all rows, the same for the same table.
 */
#ifndef PR_CAPTURE_FRAME_ROW_CODES_H
#define PR_CAPTURE_FRAME_ROW_CODES_H

#include "capture/frame/contingency.h"
#include "profrender/data_frame.h"

#include <stddef.h>

enum {
    PR_CODED_COLUMNS = 64,     /* columns of which categories are kept: the first that show few */
    PR_CODED_BYTES = 1 << 23,  /* categories of all of them */
    PR_SAMPLED_ROWS = 1 << 16, /* rows, once numbers have left memory */
    PR_CODE_BEYOND = 255       /* in a batch: of a value beyond PR_CODES */
};

struct pr_data_build;

struct pr_row_codes {
    bool is_on; /* set it first */
    struct {
        size_t column;
        uint8_t *codes; /* [kept] 0: missing; else the place among the frequent values of the column, from 1 */
        size_t capacity;
    } coded[PR_CODED_COLUMNS];
    uint32_t coded_count;
    struct {
        double *numbers; /* [kept] by the place among the columns that are correlated */
        size_t capacity;
    } sampled[PR_DATA_RELATED];
    bool is_sampled; /* numbers are there, not with their columns */
    uint8_t *batch;  /* [PR_CODED_COLUMNS][stride] */
    uint32_t *picks; /* [stride] scratch */
    uint64_t kept;
    unsigned shift; /* of 2^SHIFT rows, one is kept */
};

/* Where the codes of the batch of a column go; NULL: they are not kept. */
uint8_t *pr_row_codes_of(const struct pr_data_build *build, size_t column);

/* Adds the batch, of which all columns are known. False: no memory. */
bool pr_row_codes_add(struct pr_data_build *build);

/* The numbers of all columns are about to leave memory. False: no memory. */
bool pr_row_codes_leave_memory(struct pr_data_build *build);

/* Whether the row, from 0, is among those that are kept. */
bool pr_row_codes_keeps(const struct pr_row_codes *rows, uint64_t row);

void pr_row_codes_clear(struct pr_row_codes *rows);

#endif
