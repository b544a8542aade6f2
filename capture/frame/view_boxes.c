/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by category: in memory up to the budget of exact values, then in a sketch for each category. */
#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/sort.h"
#include "capture/frame/box_figures.h"
#include "capture/frame/view_build.h"

#include <math.h>
#include <stdlib.h>

enum { LABEL_BYTES = 120 };

/* The place of the group of LABEL among the slots, or a free one. */
static size_t slot_of(const struct pr_view_build *view, struct pr_text label)
{
    size_t slot = (size_t)pr_hash_bytes(label.bytes, label.length) & (PR_BOX_SLOTS - 1);
    while (view->group_slots[slot] &&
           pr_text_compare(pr_strings_get(&view->texts, view->groups[view->group_slots[slot] - 1].label), label) != 0)
        slot = (slot + 1) & (PR_BOX_SLOTS - 1);
    return slot;
}

/* The group of LABEL. NULL: it is one too many, or there is no memory: *FAILED is then set. */
static struct pr_box_group *group_of(struct pr_view_build *view, struct pr_text label, bool *failed)
{
    const size_t slot = slot_of(view, label);
    if (view->group_slots[slot])
        return &view->groups[view->group_slots[slot] - 1];
    if (view->group_count == PR_BOX_GROUPS)
        return NULL;
    const pr_str text = pr_strings_add(&view->texts, label.bytes, label.length);
    if (text == PR_NO_STR ||
        !pr_grow(&view->groups, &view->group_capacity, view->group_count + 1, sizeof *view->groups)) {
        *failed = true;
        return NULL;
    }
    view->groups[view->group_count] = (struct pr_box_group){.label = text, .minimum = INFINITY, .maximum = -INFINITY};
    view->group_slots[slot] = (uint16_t)++view->group_count;
    return &view->groups[view->group_count - 1];
}

static bool leave_memory(struct pr_view_build *view)
{
    view->in_sketch = true;
    for (size_t i = 0; i < view->group_count; i++) {
        struct pr_box_group *group = &view->groups[i];
        if (!pr_quantile_sketch_add(&group->sketch, group->values, group->count))
            return false;
        free(group->values);
        group->values = NULL;
        group->count = group->capacity = 0;
    }
    return true;
}

static bool add_number(struct pr_view_build *view, struct pr_box_group *group, double number)
{
    group->minimum = fmin(group->minimum, number);
    group->maximum = fmax(group->maximum, number);
    if (view->in_sketch)
        return pr_quantile_sketch_add(&group->sketch, &number, 1);
    if (!pr_grow(&group->values, &group->capacity, group->count + 1, sizeof *group->values))
        return false;
    group->values[group->count++] = number;
    return ++view->values_kept <= view->exact_values || leave_memory(view);
}

/* The empty text is the label of rows without a category; True and TRUE are one. */
static struct pr_text label_of(const struct pr_data_build *build, uint32_t by, uint32_t row)
{
    struct pr_cell_value value;
    pr_view_value(build, by, row, &value);
    if (value.kind == PR_KIND_MISSING)
        return (struct pr_text){"", 0};
    if (value.kind == PR_KIND_BOOLEAN)
        return value.number > 0 ? (struct pr_text){"true", 4} : (struct pr_text){"false", 5};
    const struct pr_cell *cell = &build->cells[by * build->stride + row];
    return (struct pr_text){cell->text, cell->length < LABEL_BYTES ? cell->length : LABEL_BYTES};
}

bool pr_boxes_add(struct pr_view_build *view, const struct pr_data_build *build)
{
    const uint32_t number = pr_view_column(build, view->wanted.value), by = pr_view_column(build, view->wanted.by);
    bool failed = false;
    if (!view->wanted.by || number == PR_DATA_NONE)
        return true;
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        struct pr_cell_value value;
        struct pr_box_group *group = group_of(view, label_of(build, by, row), &failed);
        if (failed)
            return false;
        view->rows_left_out += !group;
        if (!group)
            continue;
        group->rows++;
        pr_view_value(build, number, row, &value);
        if (value.kind > PR_KIND_BOOLEAN && value.kind < PR_KIND_TEXT && isfinite(value.number) &&
            !add_number(view, group, value.number))
            return false;
    }
    return true;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static bool box_of_group(struct pr_box_group *group, struct pr_data_box *box)
{
    size_t count;
    if (!group->sketch.count) {
        if (!pr_sort_doubles(group->values, group->count))
            return false;
        *box = pr_box_of(group->values, group->count);
        return true;
    }
    struct pr_weighted *values = pr_quantile_sketch_values(&group->sketch, &count);
    if (!values)
        return false;
    *box = pr_box_of_sketch(&group->sketch, values, count, group->minimum, group->maximum);
    free(values);
    return true;
}

static int by_rows(const void *a, const void *b, const void *context)
{
    const struct pr_box_group *groups = context;
    return PR_ORDER(groups[*(const uint32_t *)b].rows, groups[*(const uint32_t *)a].rows);
}

static int by_number(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* The groups of the most rows, in the order in which the table has them. False: no memory. */
static bool choose(struct pr_view_build *view, uint32_t *chosen, size_t *shown)
{
    for (uint32_t i = 0; i < view->group_count; i++)
        chosen[i] = i;
    *shown = view->group_count < PR_DATA_BOXES ? view->group_count : PR_DATA_BOXES;
    return pr_sort(chosen, view->group_count, sizeof *chosen, by_rows, view->groups) &&
           pr_sort(chosen, *shown, sizeof *chosen, by_number, NULL);
}

static bool fill(struct pr_view_build *view, struct pr_data_frame *frame, const uint32_t *chosen, size_t shown)
{
    struct pr_data_boxes *boxes = &frame->boxes;
    bool failed = false;
    boxes->boxes = pr_arena_array(&frame->arena, shown, sizeof *boxes->boxes);
    if (!boxes->boxes)
        return false;
    boxes->rows_left_out = view->rows_left_out;
    for (size_t i = 0; i < view->group_count; i++) {
        struct pr_box_group *group = &view->groups[chosen[i]];
        struct pr_data_box *box = &boxes->boxes[boxes->count];
        if (i >= shown) {
            boxes->left_out++;
            boxes->rows_left_out += group->rows;
            continue;
        }
        if (!box_of_group(group, box))
            return false;
        boxes->count++;
        box->is_missing = group->label == 0;
        box->label = pr_view_text(frame, pr_strings_get(&view->texts, group->label), &failed);
        frame->is_exact &= box->rank_error == 0;
    }
    return !failed;
}

enum pr_status pr_boxes_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err)
{
    const struct pr_data_boxes *boxes = &frame->boxes;
    size_t shown;
    if (boxes->value != PR_DATA_NONE && !frame->columns[boxes->value].has_numbers)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "column '%s' has no numbers or dates: its type is %s",
                       view->wanted.value, pr_data_type_name(frame->columns[boxes->value].type));
    if (boxes->by == PR_DATA_NONE)
        return PR_OK;
    uint32_t *chosen = malloc((view->group_count + 1) * sizeof *chosen);
    const bool done = chosen && choose(view, chosen, &shown) && fill(view, frame, chosen, shown);
    free(chosen);
    return done ? PR_OK : pr_fail_memory(err);
}

void pr_boxes_clear(struct pr_view_build *view)
{
    for (size_t i = 0; i < view->group_count; i++) {
        free(view->groups[i].values);
        pr_quantile_sketch_clear(&view->groups[i].sketch);
    }
    free(view->groups);
}
