/* SPDX-License-Identifier: Apache-2.0 */
/* What grew between two inputs: rows in the order in which they matter, and words and figures for a change. */
#ifndef PR_CLI_REPORTS_DIFF_VIEW_H
#define PR_CLI_REPORTS_DIFF_VIEW_H

#include "profrender/diff.h"
#include "render/words/units.h"

struct pr_change {
    const struct pr_diff_row *row;
    int64_t before, after, change;
    int64_t arenas; /* the part of the change in arenas of pymalloc: of no function, see profrender/pymalloc.h */
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
};

/* METRIC is one of the difference. Owner: pr_diff_view_clear, also after an error. PR_FAILED: no memory. */
enum pr_status pr_diff_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by,
                                 struct pr_diff_view *view, struct pr_error *err);
void pr_diff_view_clear(struct pr_diff_view *view);

/* AFTER - BEFORE, held at the end of the range. */
int64_t pr_change_of(int64_t before, int64_t after);

#endif
