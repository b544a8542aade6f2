/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV: commas, quotes where they are needed, a line end of one byte. Names are harmless for those who open the file in
 * a spreadsheet or see it in a log: control characters are visibly escaped, and what would be a formula (`=`, `+`, `-`,
 * `@`, a tab or a line end at its beginning) begins with a quote. Raw, they are as they were recorded, except on a
 * terminal; what is not UTF-8 becomes U+FFFD. Numbers and words of ours are left unchanged.
 *
 *     struct pr_csv csv = pr_csv_start(&out, raw);
 *     pr_csv_text(&csv, "function");  pr_csv_text(&csv, "size");  pr_csv_end_line(&csv);
 */
#ifndef PR_CLI_IO_CSV_WRITER_H
#define PR_CLI_IO_CSV_WRITER_H

#include "profrender/string_table.h"
#include "cli/io/output.h"

struct pr_csv {
    struct pr_output *out;
    bool raw;          /* names as they were recorded */
    bool has_fields;   /* in this line */
};

struct pr_csv pr_csv_start(struct pr_output *out, bool raw);

/* A name from an input, and a text of ours: a word, a number with a fraction. */
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
