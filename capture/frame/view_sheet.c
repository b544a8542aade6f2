/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first rows, in the order of the table or of a column. Twice as many as are wanted are in memory at most: then
 * they are sorted, and the second half is dropped.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/frame/view_build.h"

#include <string.h>

static bool is_number(const struct pr_sheet_row *row)
{
    return row->kind > PR_KIND_BOOLEAN && row->kind < PR_KIND_TEXT;
}

/* Numbers and dates before texts, what is missing last, whatever the direction. */
static int compare(const struct pr_sheet_row *a, const struct pr_sheet_row *b, bool descending)
{
    const int missing_a = a->kind == PR_KIND_MISSING, missing_b = b->kind == PR_KIND_MISSING;
    int order = missing_a - missing_b;
    if (order || missing_a)
        return order;
    order = is_number(b) - is_number(a);
    if (order)
        return descending ? -order : order;
    if (is_number(a))
        order = PR_ORDER(a->number, b->number);
    if (!order)
        order = is_number(a) ? 0
                             : pr_text_compare((struct pr_text){a->text, a->length},
                                               (struct pr_text){b->text, b->length});
    return descending ? -order : order;
}

static int by_key(const void *a, const void *b, const void *context)
{
    const struct pr_sheet_row *const *x = a, *const *y = b;
    return compare(*x, *y, ((const struct pr_view_build *)context)->wanted.descending);
}

static void free_row(struct pr_sheet_row *row)
{
    if (!row)
        return;
    pr_buf_clear(&row->row.bytes);
    free(row->text);
    free(row);
}

static size_t most_rows(const struct pr_view_build *view)
{
    const uint64_t most = view->wanted.most_rows;
    return most < PR_DATA_MOST_SHEET ? (size_t)most : PR_DATA_MOST_SHEET;
}

static bool sort_and_cut(struct pr_view_build *view)
{
    const size_t most = most_rows(view);
    if (view->wanted.sort && !pr_sort(view->sheet, view->sheet_count, sizeof *view->sheet, by_key, view))
        return false;
    while (view->sheet_count > most)
        free_row(view->sheet[--view->sheet_count]);
    return true;
}

static bool add_row(struct pr_view_build *view, const struct pr_data_build *build, uint32_t column, uint32_t row)
{
    struct pr_sheet_row *kept = calloc(1, sizeof *kept);
    struct pr_cell_value value;
    if (!kept || !pr_grow(&view->sheet, &view->sheet_capacity, view->sheet_count + 1, sizeof *view->sheet)) {
        free(kept);
        return false;
    }
    view->sheet[view->sheet_count++] = kept;
    pr_keep_row(build, row, &kept->row);
    pr_view_value(build, column, row, &value);
    kept->kind = value.kind;
    kept->number = value.number;
    if (column == PR_DATA_NONE || is_number(kept) || kept->kind == PR_KIND_MISSING)
        return !kept->row.bytes.failed;
    const struct pr_cell *cell = &build->cells[column * build->stride + row];
    kept->length = cell->length < PR_KEPT_BYTES ? cell->length : PR_KEPT_BYTES;
    kept->text = malloc(kept->length + 1);
    if (!kept->text)
        return false;
    memcpy(kept->text, cell->text, kept->length);
    return !kept->row.bytes.failed;
}

bool pr_sheet_add(struct pr_view_build *view, const struct pr_data_build *build)
{
    const uint32_t column = pr_view_column(build, view->wanted.sort);
    const size_t most = most_rows(view);
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        if (!view->wanted.sort && view->sheet_count == most)
            return true;
        if (!add_row(view, build, column, row))
            return false;
        if (view->sheet_count > 2 * most && !sort_and_cut(view))
            return false;
    }
    return true;
}

enum pr_status pr_sheet_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err)
{
    if (!sort_and_cut(view))
        return pr_fail_memory(err);
    frame->sheet.rows = pr_arena_array(&frame->arena, view->sheet_count, sizeof *frame->sheet.rows);
    frame->sheet.descending = view->wanted.descending;
    if (!frame->sheet.rows)
        return pr_fail_memory(err);
    for (size_t i = 0; i < view->sheet_count; i++)
        if (!pr_finish_row(frame, &view->sheet[i]->row, &frame->sheet.rows[frame->sheet.count++]))
            return pr_fail_memory(err);
    return PR_OK;
}

void pr_sheet_clear(struct pr_view_build *view)
{
    for (size_t i = 0; i < view->sheet_count; i++)
        free_row(view->sheet[i]);
    free(view->sheet);
}
