/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of what reads a format of tables into a table that is built. */
#ifndef PR_CAPTURE_FRAME_TABLE_READER_H
#define PR_CAPTURE_FRAME_TABLE_READER_H

#include "capture/frame/data_build.h"
#include "capture/input/source.h"

struct pr_table_reading {
    struct pr_source *src; /* text in UTF-8, or bytes; at its beginning */
    const struct pr_data_options *options;
    struct pr_data_build *build;
    struct pr_data_frame *frame; /* its facts about the file, damage and problem are the reader's to fill */
    bool interrupted;
};

/* Counts COUNT more of DAMAGE, the first of them in ROW, from 1. */
void pr_table_damage(struct pr_table_reading *reading, enum pr_data_damage damage, uint64_t row);

/* Tells the caller how far it is. False: it wants no more. */
bool pr_table_progress(struct pr_table_reading *reading);

/*
 * Once all columns have their names and before the first row: names that repeat get a number, and what the schema
 * ignores is taken away.
 * (*PLACES)[N] is then the column that column N became, PR_DATA_NONE for none; NULL: nothing is ignored.
 *
 * Owner:  *PLACES: free.
 * Errors: PR_FAILED: the schema has a column that the table has not, all are ignored, or no memory.
 */
enum pr_status pr_table_ask(struct pr_table_reading *reading, uint32_t **places, struct pr_error *err);

/* PR_FAILED: the schema has a column that was not found, which the table must have. */
enum pr_status pr_table_check_schema(const struct pr_table_reading *reading, struct pr_error *err);

/* Fails: the table has no column NAME, but others, some of which are named. */
enum pr_status pr_table_lacks(const struct pr_data_build *build, struct pr_text name, struct pr_error *err);

/* PR_FAILED: no memory, or nothing usable. An input that ends early is frame->problem. */
enum pr_status pr_read_csv(struct pr_table_reading *reading, struct pr_error *err);
enum pr_status pr_read_json_lines(struct pr_table_reading *reading, struct pr_error *err);
enum pr_status pr_read_arrow(struct pr_table_reading *reading, struct pr_error *err);

#endif
