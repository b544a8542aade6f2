/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `profrender table`: chosen by metric, thread and text, sorted, limited. */
#ifndef PR_CLI_REPORTS_TABLE_VIEW_H
#define PR_CLI_REPORTS_TABLE_VIEW_H

#include "profrender/table.h"

enum pr_table_sort { PR_SORT_SELF, PR_SORT_TOTAL, PR_SORT_COUNT, PR_SORT_FUNCTION, PR_SORT_FILE };

struct pr_table_question {
    const char *metric; /* NULL: the main one of the profile */
    int group;          /* enum pr_group_by */
    bool split_threads;
    const char *thread; /* name or number, NULL: all */
    const char *filter; /* in function or file, lower case matches upper case too; NULL: all */
    int sort;           /* enum pr_table_sort */
    uint64_t limit;     /* 0: none */
    bool only_code;     /* no rows of processes and threads that a profiler put on top of its stacks: what was measured
                           there and in no function is "(no stack)" */
};

struct pr_table_view {
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    struct pr_table table;
    const struct pr_row **row; /* [count] the rows to show */
    size_t count;
    size_t found;              /* rows that the filter let through; the limit cut the last found - count */
    struct pr_profile part;    /* of the chosen threads; table and metric then belong to it */
    struct pr_metric part_metric;
};

/*
 * Answers a question. Owner: pr_table_view_clear, also after an error.
 * Errors: PR_FAILED, with PR_ERR_ABSENT when the profile lacks the metric or the thread.
 */
enum pr_status pr_table_view_make(const struct pr_profile *profile, const struct pr_table_question *question,
                                  struct pr_table_view *view, struct pr_error *err);
void pr_table_view_clear(struct pr_table_view *view);

#endif
