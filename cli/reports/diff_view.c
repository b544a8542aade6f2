/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/diff_view.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "cli/reports/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return a->code == b->code && a->node == b->node;
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

/* ---- suspects --------------------------------------------------------------------------------------------------- */

static const double worth_naming = 0.1; /* of what the first one grew by */

/* Those in changed code first among what grew, unless what they grew by is next to nothing. */
static void put_suspects_first(struct pr_diff_view *view)
{
    const double least = view->count ? worth_naming * (double)view->change[0].change : 0;
    for (int touch = PR_TOUCHED_FILE; touch <= PR_TOUCHED_LINE; touch++) {
        size_t first = 0;
        for (size_t i = 0; i < view->count && view->change[i].change > 0; i++) {
            const struct pr_change change = view->change[i];
            if ((int)change.touch < touch || (double)change.change < least)
                continue;
            memmove(&view->change[first + 1], &view->change[first], (i - first) * sizeof change);
            view->change[first++] = change;
        }
    }
}

static void look_for_suspects(struct pr_diff_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct pr_diff_row *row = view->change[i].row;
        view->change[i].touch =
            pr_changes_touch(view->changes, pr_profile_text(view->diff->profile, row->file), row->line);
    }
    put_suspects_first(view);
}

/* ---- what moved ------------------------------------------------------------------------------------------------- */

static int64_t size_of(int64_t change)
{
    return change < 0 ? pr_subtract_saturated(0, change) : change;
}

static int by_size(const void *a, const void *b, const void *context)
{
    const struct pr_moved *x = a, *y = b;
    (void)context;
    return PR_ORDER(size_of(y->change), size_of(x->change));
}

static const struct pr_moved *side_of(const struct pr_diff_view *view, const struct pr_moved *moved)
{
    const struct pr_moved *found = NULL;
    for (size_t i = 0; i < view->moved_count; i++) {
        const struct pr_moved *other = &view->moved[i];
        if (!pr_diff_are_sides(moved->change, other->change))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

/*
 * CHANGED: all that grew and shrank by itself. A tenth of that, and a hundredth of the whole, is worth a sentence; what
 * has no other side only if it is the largest, as on the card.
 */
static void find_sides(struct pr_diff_view *view, int64_t changed)
{
    enum { OF_CHANGE = 10, OF_WHOLE = 100 };
    const int64_t whole = view->total.before > view->total.after ? view->total.before : view->total.after;
    for (size_t i = 0; i < view->moved_count; i++) {
        struct pr_moved *moved = &view->moved[i];
        const struct pr_moved *other = side_of(view, moved);
        const int64_t size = size_of(moved->change);
        moved->other = other ? other->row : NULL;
        moved->is_told = size >= changed / OF_CHANGE && size >= whole / OF_WHOLE && (other ? !other->is_told : !i);
    }
}

static enum pr_status add_moved(struct pr_diff_view *view, unsigned metric, struct pr_error *err)
{
    if (pr_diff_table(view->diff, metric, PR_DIFF_OWN, PR_DIFF_VALUES, &view->own, err) == PR_FAILED)
        return PR_FAILED;
    struct pr_diff_move *moves = calloc(view->own.count + 1, sizeof *moves);
    int64_t changed = 0;
    view->moved = calloc(view->own.count + 1, sizeof *view->moved);
    const bool done = moves && view->moved &&
                      pr_diff_moved(view->diff, metric, 1, PR_DIFF_VALUES, &view->own, moves, err) != PR_FAILED;
    for (size_t i = 0; done && i < view->own.count; i++) {
        const struct pr_diff_row *row = &view->own.row[i];
        const int64_t change = pr_change_of(row->value[1], row->value[0]);
        if (pr_diff_only_moved(change, &moves[i]))
            view->moved[view->moved_count++] = (struct pr_moved){.row = row, .change = change};
        else
            changed = pr_add_saturated(changed, size_of(change));
    }
    free(moves);
    if (!done || !pr_sort(view->moved, view->moved_count, sizeof *view->moved, by_size, NULL))
        return pr_fail_memory(err);
    find_sides(view, changed);
    return PR_OK;
}

enum pr_status pr_diff_view_make(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by,
                                 const struct pr_changes *changes, struct pr_diff_view *view, struct pr_error *err)
{
    const struct pr_metric *metrics = &diff->profile->metrics[metric * diff->count];
    const int64_t before = metrics[1].total_value, after = metrics[0].total_value;
    *view = (struct pr_diff_view){.diff = diff, .metric = metrics, .by = by, .changes = changes,
                                  .total = {.before = before, .after = after, .change = pr_change_of(before, after)}};
    view->total.arenas = pr_change_of(diff->arenas[metric * diff->count + 1].total.bytes,
                                      diff->arenas[metric * diff->count].total.bytes);
    if (pr_growth_points_find(diff, metric, &view->points, err) == PR_FAILED ||
        pr_diff_table(diff, metric, by, PR_DIFF_VALUES, &view->table, err) == PR_FAILED)
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
    if (changes)
        look_for_suspects(view);
    return add_moved(view, metric, err);
}

void pr_diff_view_clear(struct pr_diff_view *view)
{
    free(view->change);
    free(view->moved);
    pr_diff_table_clear(&view->own);
    pr_diff_table_clear(&view->table);
    *view = (struct pr_diff_view){.count = 0};
}
