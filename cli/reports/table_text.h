/* SPDX-License-Identifier: Apache-2.0 */
/* A table of rows for a terminal of any width. */
#ifndef PR_CLI_REPORTS_TABLE_TEXT_H
#define PR_CLI_REPORTS_TABLE_TEXT_H

#include "cli/reports/report.h"
#include "cli/reports/table_view.h"

enum { PR_TABLE_TEXT_COLUMNS = 9 };

struct pr_table_text {
    const struct pr_table_view *view;
    int group; /* enum pr_group_by */
    const char *files; /* "Module": what the files are, by capture/model/charged_modules.h; NULL: files */
    int sort;  /* enum pr_table_sort: its column is marked */
    bool exact; /* bytes with all digits */
    struct pr_part_shown part;
    /* Columns that each of its columns would need, 0 = not there: zeros at first, then measured once for the view */
    size_t wanted[PR_TABLE_TEXT_COLUMNS];
    bool is_measured;
};

/* Rows of a table, with all that is written around it, which fill a terminal of ROWS lines. */
size_t pr_table_text_limit(size_t rows);

/*
 * Whether there is room for the column that tells the allocators of rows apart. Without it, rows of one place would
 * look the same: the table is then better made by place.
 */
bool pr_table_text_has_room(const struct pr_report *report, struct pr_table_text *table);

/* As a table of Markdown, with all columns. REPORT: PR_MARKUP_TEXT. */
void pr_table_markdown_write(struct pr_report *report, struct pr_table_text *table);

void pr_table_text_write(struct pr_report *report, struct pr_table_text *table);

#endif
