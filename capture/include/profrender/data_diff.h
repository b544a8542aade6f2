/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is different between two tables of data: columns, types, missing values, distributions, categories.
 *
 *     struct pr_data_diff *diff = NULL;
 *     if (pr_data_frame_diff(before, after, &diff, &err) == PR_FAILED)
 *         fprintf(stderr, "%s\n", err.text);
 *     for (uint32_t i = 0; i < diff->change_count; i++)
 *         use(diff->changes[i].column, diff->changes[i].kind);
 *     pr_data_diff_free(diff);
 *
 * Both frames are read with `keep_distributions`, and outlive the difference.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_DIFF_H
#define PR_API_DATA_DIFF_H

#include "profrender/data_frame.h"

PR_DECLS_BEGIN

enum pr_data_measure {
    PR_MEASURE_NONE,       /* texts, or too many different values, or too few at all */
    PR_MEASURE_KOLMOGOROV, /* numbers, dates: the greatest distance of the two cumulative distributions */
    PR_MEASURE_JENSEN      /* categories: the Jensen-Shannon distance, with the logarithm to base 2 */
};

/* New or lost categories that are named, at most. */
enum { PR_DATA_CATEGORIES = 10 };

/* A column of either table, or of both. */
struct pr_data_column_diff {
    uint32_t before, after; /* numbers; PR_DATA_NONE: not there */
    bool is_retyped;
    bool missing_moved; /* by more than chance and a point */
    enum pr_data_measure measure;
    double distance;   /* from 0, the same, to 1 */
    double error;      /* DISTANCE is off by at most this, as the distributions are estimates; 0: exact */
    double chance;     /* two samples of one distribution differ by more once in 1,000 times */
    bool has_moved;    /* DISTANCE is PR_DATA_MOVED or more, ERROR and CHANCE apart */
    bool has_categories;            /* both tables have all of them */
    uint64_t new_count, lost_count;
    struct pr_data_value new_values[PR_DATA_CATEGORIES], lost_values[PR_DATA_CATEGORIES]; /* the most frequent first */
};
#define PR_DATA_MOVED 0.1

enum pr_data_change_kind {
    PR_CHANGE_REMOVED,
    PR_CHANGE_ADDED,
    PR_CHANGE_RETYPED,
    PR_CHANGE_MISSING,
    PR_CHANGE_MOVED,
    PR_CHANGE_NEW_CATEGORIES,
    PR_CHANGE_LOST_CATEGORIES
};

struct pr_data_change {
    enum pr_data_change_kind kind;
    uint32_t column; /* of pr_data_diff.columns */
};

struct pr_data_diff {
    struct pr_arena arena;
    const struct pr_data_frame *before, *after; /* borrowed */
    struct pr_data_column_diff *columns;        /* those of AFTER in their order, then those that are gone */
    uint32_t column_count;
    struct pr_data_change *changes; /* by kind, the gravest first */
    uint32_t change_count;
};

/* Columns are the same if their names are; of those with one name the first is the first, and so on. */
PR_API enum pr_status pr_data_frame_diff(const struct pr_data_frame *before, const struct pr_data_frame *after,
                                         struct pr_data_diff **diff, struct pr_error *err);

PR_API void pr_data_diff_free(struct pr_data_diff *diff);

/* Names for documents: "kolmogorov_smirnov", "new_categories". */
PR_API const char *pr_data_measure_name(enum pr_data_measure measure);
PR_API const char *pr_data_change_name(enum pr_data_change_kind kind);

PR_DECLS_END

#endif
