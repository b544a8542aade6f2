/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/diff_view.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "cli/reports/report.h"

#include <stdio.h>
#include <stdlib.h>

int64_t pr_change_of(int64_t before, int64_t after)
{
    return pr_subtract_saturated(after, before);
}

/* Growth, largest first; then what shrank, most first; then the rest, largest first. Equal ones keep their order. */
static int compare_changes(const void *a, const void *b, const void *context)
{
    const struct pr_change *x = a, *y = b;
    (void)context;
    const int kind_x = x->change > 0 ? 0 : x->change < 0 ? 1 : 2, kind_y = y->change > 0 ? 0 : y->change < 0 ? 1 : 2;
    if (kind_x != kind_y)
        return PR_ORDER(kind_x, kind_y);
    int order = kind_x == 0 ? PR_ORDER(y->change, x->change) : PR_ORDER(x->change, y->change);
    return order ? order : PR_ORDER(y->after, x->after);
}

static bool is_same_row(const struct pr_diff_row *a, const struct pr_diff_row *b)
{
    return a->function == b->function && a->file == b->file && a->node == b->node;
}

/* The rows of arenas are some of all rows, in the same order. */
static enum pr_status add_arenas(struct pr_diff_view *view, unsigned metric, struct pr_error *err)
{
    struct pr_diff_table arenas;
    if (pr_diff_table(view->diff, metric, view->by, PR_DIFF_ARENAS, &arenas, err) == PR_FAILED)
        return PR_FAILED;
    for (size_t i = 0, k = 0; i < arenas.count && k < view->count; k++) {
        if (!is_same_row(&arenas.row[i], view->change[k].row))
            continue;
        view->change[k].arenas = pr_change_of(arenas.row[i].value[1], arenas.row[i].value[0]);
        view->has_arenas |= view->change[k].arenas != 0;
        i++;
    }
    pr_diff_table_clear(&arenas);
    return PR_OK;
}

enum pr_status pr_diff_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by,
                                 struct pr_diff_view *view, struct pr_error *err)
{
    const struct pr_metric *metrics = &diff->profile->metrics[metric * diff->count];
    const int64_t before = metrics[1].total_value, after = metrics[0].total_value;
    *view = (struct pr_diff_view){.diff = diff, .metric = metrics, .by = by,
                                  .total = {.before = before, .after = after, .change = pr_change_of(before, after)}};
    view->total.arenas = pr_change_of(diff->arenas[metric * diff->count + 1].total.bytes,
                                      diff->arenas[metric * diff->count].total.bytes);
    if (pr_diff_table(diff, metric, by, PR_DIFF_VALUES, &view->table, err) == PR_FAILED)
        return PR_FAILED;
    view->count = view->table.count;
    view->change = malloc((view->count + 1) * sizeof *view->change);
    for (size_t i = 0; view->change && i < view->count; i++) {
        const struct pr_diff_row *row = &view->table.row[i];
        view->change[i] = (struct pr_change){.row = row, .before = row->value[1], .after = row->value[0],
                                             .change = pr_change_of(row->value[1], row->value[0])};
        view->changed += view->change[i].change != 0;
    }
    if (view->change && add_arenas(view, metric, err) == PR_FAILED)
        return PR_FAILED;
    if (!view->change || !pr_sort(view->change, view->count, sizeof *view->change, compare_changes, NULL))
        return pr_fail_memory(err);
    return PR_OK;
}

void pr_diff_view_clear(struct pr_diff_view *view)
{
    free(view->change);
    pr_diff_table_clear(&view->table);
    *view = (struct pr_diff_view){.count = 0};
}
