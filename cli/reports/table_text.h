/* SPDX-License-Identifier: Apache-2.0 */
/* A table of rows for a terminal of any width. */
#ifndef PR_CLI_REPORTS_TABLE_TEXT_H
#define PR_CLI_REPORTS_TABLE_TEXT_H

#include "cli/reports/report.h"
#include "cli/reports/table_view.h"

struct pr_table_text {
    const struct pr_table_view *view;
    int group; /* enum pr_group_by */
    int sort;  /* enum pr_table_sort: its column is marked */
    bool exact; /* bytes with all digits */
    const char *thread; /* the one it is about, NULL: all */
};

/* Rows of a table, with all that is written around it, which fill a terminal of ROWS lines. */
size_t pr_table_text_limit(size_t rows);

void pr_table_text_write(struct pr_report *report, const struct pr_table_text *table);

#endif
