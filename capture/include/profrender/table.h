/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as a flat table: one row per function, place or file, self and total, a stack counted once per row
 * however often the function recurs in it.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_TABLE_H
#define PR_API_TABLE_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_group_by {
    PR_BY_FUNCTION, /* function, file, line of the definition (comprehensions, lambdas: else as by code);
                       memory: function, file, line that ran, allocator */
    PR_BY_LOCATION, /* function, file, line that ran */
    PR_BY_FILE,     /* the file */
    PR_BY_NAME,     /* function and file, whatever the line and allocator */
    PR_BY_CODE      /* function and file; where a file has several functions of that name, also their first line */
};

struct pr_row {
    pr_str function; /* empty for files, and for allocations without a stack */
    pr_str file;     /* empty = unknown */
    int32_t line;    /* 0 = unknown */
    uint32_t thread; /* index into profile->threads; UINT32_MAX when merged */
    uint8_t allocator; /* enum pr_allocator; PR_ALLOC_NONE when the grouping has none */
    bool no_stack;   /* allocations made outside Python */
    pr_node_id node; /* a node of the row with the highest total: where to show it in the graph */
    int64_t self, total;
    int64_t self_count;  /* allocations or samples right here; calls: all of them */
    int64_t total_count; /* the same with what it called; calls: those that are not recursive */
};

struct pr_table {
    struct pr_row *row; /* [count], largest total first, then self, then names: the same order on every run */
    size_t count;
    int64_t total_value, total_count; /* of the metric */
};

/*
 * Where the metric has exact rows, the figures are those; where several functions make one row (a file), `total`
 * comes from the estimated tree, and `total_count` is the sum of theirs.
 *
 * Owner: pr_table_clear. Rows without any value or count are left out. PR_FAILED: out of memory.
 */
PR_API enum pr_status pr_table_make(const struct pr_profile *profile, unsigned metric, enum pr_group_by group,
                                    bool split_threads, struct pr_table *table, struct pr_error *err);
PR_API void pr_table_clear(struct pr_table *table);

PR_DECLS_END

#endif
