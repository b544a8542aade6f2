/* SPDX-License-Identifier: Apache-2.0 */
/* What grew between two inputs: rows in the order in which they matter, and words and figures for a change. */
#ifndef PR_CLI_REPORTS_DIFF_VIEW_H
#define PR_CLI_REPORTS_DIFF_VIEW_H

#include "capture/parse/changes.h"
#include "profrender/diff.h"
#include "cli/reports/growth_points.h"
#include "render/words/units.h"

struct pr_change {
    const struct pr_diff_row *row;
    int64_t before, after, change;
    int64_t arenas; /* the part of the change in arenas of pymalloc: of no function, see profrender/pymalloc.h */
    enum pr_touch touch; /* by the change under review, where it is known */
};

/* A function of your own code that neither grew nor shrank: what it has more left another one, or went there. */
struct pr_moved {
    const struct pr_diff_row *row, *other; /* OTHER: the other side; NULL: several, or none by itself */
    int64_t change;
    bool is_told; /* it is worth a sentence, and the other side does not have it already */
};

struct pr_diff_view {
    const struct pr_diff *diff; /* the first profile is the new one, the second the base */
    const struct pr_metric *metric; /* that of the new one */
    enum pr_diff_by by;
    struct pr_change total;
    struct pr_diff_table table;
    struct pr_change *change; /* [count] what grew most, ... then what shrank most, ... then what is the same */
    size_t count;
    size_t changed;           /* of these: not the same */
    bool has_arenas;          /* arenas of some changed */
    const struct pr_changes *changes; /* the change under review, borrowed; NULL: not known */
    struct pr_diff_table own;         /* by function of your own code: what moved is that of its rows */
    struct pr_moved *moved;           /* [moved_count] the largest first */
    size_t moved_count;
    struct pr_growth_points points; /* of heap dumps: where it grew */
};

/*
 * METRIC is one of the difference. What CHANGES touches comes first among what grew, unless that is next to nothing;
 * NULL: it is not known.
 * Owner: pr_diff_view_clear, also after an error. PR_FAILED: no memory.
 */
enum pr_status pr_diff_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by,
                                 const struct pr_changes *changes, struct pr_diff_view *view, struct pr_error *err);
void pr_diff_view_clear(struct pr_diff_view *view);

/* AFTER - BEFORE, held at the end of the range. */
int64_t pr_change_of(int64_t before, int64_t after);

#endif
