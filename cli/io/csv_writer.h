/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV: commas, quotes where they are needed, a line end of one byte. What is not UTF-8 becomes U+FFFD.
 *
 *     struct pr_csv csv = pr_csv_start(&out, is_terminal);
 *     pr_csv_text(&csv, "function");  pr_csv_text(&csv, "size");  pr_csv_end_line(&csv);
 */
#ifndef PR_CLI_IO_CSV_WRITER_H
#define PR_CLI_IO_CSV_WRITER_H

#include "profrender/string_table.h"
#include "cli/io/output.h"

struct pr_csv {
    struct pr_output *out;
    bool for_terminal; /* control characters of names are escaped: a person reads this, no program */
    bool has_fields;   /* in this line */
};

struct pr_csv pr_csv_start(struct pr_output *out, bool for_terminal);

void pr_csv_name(struct pr_csv *csv, struct pr_text name);
void pr_csv_text(struct pr_csv *csv, const char *text);
void pr_csv_int(struct pr_csv *csv, int64_t value);
void pr_csv_uint(struct pr_csv *csv, uint64_t value);
void pr_csv_end_line(struct pr_csv *csv);

/* A field of several parts. */
void pr_csv_open(struct pr_csv *csv);
void pr_csv_part(struct pr_csv *csv, struct pr_text part);
void pr_csv_close(struct pr_csv *csv);

#endif
