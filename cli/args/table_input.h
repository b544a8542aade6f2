/* SPDX-License-Identifier: Apache-2.0 */
/* A table of data as an input of a command: read with progress and limits, and what it lacks is said. */
#ifndef PR_CLI_ARGS_TABLE_INPUT_H
#define PR_CLI_ARGS_TABLE_INPUT_H

#include "cli/args/input.h"
#include "profrender/data_frame.h"
#include "profrender/data_schema.h"

/* PATH, or what standard input is called. */
const char *pr_table_input_name(const char *path);

/*
 * Reads the table at PATH ("-": standard input). HOW gets its progress and limits here. What does not fit is said; that
 * a table is not complete is in *FRAME's problem, and the caller's to judge.
 *
 * Returns: PR_EXIT_DONE, or PR_EXIT_INPUT with *FRAME as it was, the reason being said.
 * Owner:   *FRAME: pr_data_frame_free.
 */
int pr_table_input_read(const struct pr_common *common, const char *path, struct pr_data_options how,
                        struct pr_data_frame **frame);

/* Its parts, for tables that are read otherwise: threads and limits of HOW; and what of FRAME does not fit is said. */
void pr_table_input_set(const struct pr_common *common, struct pr_data_options *how);
void pr_table_input_say(const struct pr_common *common, const char *name, struct pr_data_frame *frame);

/*
 * The schema that --schema names, or has in itself; NULL if WORD is. What it lacks is said.
 *
 * Returns: PR_EXIT_DONE, or PR_EXIT_INPUT.
 * Owner:   *SCHEMA: pr_data_schema_free.
 */
int pr_table_schema_read(const char *word, struct pr_data_schema **schema);

/* Whether each column of SCHEMA, which may be NULL, was in one of the tables. False: one was not, which is said. */
bool pr_table_schema_is_used(const struct pr_data_schema *schema);

#endif
