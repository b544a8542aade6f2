/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/grew_view.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

int64_t pr_grew_least(const int64_t *value, size_t count, double percent)
{
    int64_t least = INT64_MAX;
    for (size_t run = count - 1; run-- > 0;) {
        const int64_t before = value[run + 1], growth = pr_subtract_saturated(value[run], before);
        if (growth <= 0 || (double)growth * 100 <= (double)before * percent)
            return 0;
        least = growth < least ? growth : least;
    }
    return least;
}

static int by_least(const void *a, const void *b, const void *context)
{
    const struct pr_grown *x = a, *y = b;
    (void)context;
    return PR_ORDER(y->least, x->least);
}

enum pr_status pr_grew_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by, double percent,
                                 struct pr_grew_view *view, struct pr_error *err)
{
    *view = (struct pr_grew_view){.diff = diff, .metric = &diff->profile->metrics[metric * diff->count], .by = by};
    if (pr_growth_points_find(diff, metric, &view->points, err) == PR_FAILED ||
        pr_diff_table(diff, metric, by, PR_DIFF_APART, &view->table, err) == PR_FAILED)
        return PR_FAILED;
    view->grown = calloc(view->table.count + 1, sizeof *view->grown);
    if (!view->grown)
        return pr_fail_memory(err);
    for (size_t i = 0; i < view->table.count; i++) {
        const struct pr_diff_row *row = &view->table.row[i];
        const int64_t least = pr_grew_least(row->value, diff->count, percent);
        if (least)
            view->grown[view->count++] =
                (struct pr_grown){row, least, row->value[diff->count - 1], row->value[0]};
    }
    return pr_sort(view->grown, view->count, sizeof *view->grown, by_least, NULL) ? PR_OK : pr_fail_memory(err);
}

void pr_grew_view_clear(struct pr_grew_view *view)
{
    free(view->grown);
    pr_diff_table_clear(&view->table);
}
