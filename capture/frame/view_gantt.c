/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bars from a start to a finish. Bars of one name share a lane, and further ones as far as they overlap; names are in
 * the order in which the first bar of each starts.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/span_lanes.h"
#include "capture/frame/view_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 200 };

static pr_str text_of(struct pr_view_build *view, const struct pr_data_build *build, uint32_t column, uint32_t row)
{
    if (column == PR_DATA_NONE)
        return 0;
    const struct pr_cell *cell = &build->cells[column * build->stride + row];
    return pr_strings_add(&view->texts, cell->text, cell->length < NAME_BYTES ? cell->length : NAME_BYTES);
}

static double time_of(const struct pr_data_build *build, uint32_t column, uint32_t row)
{
    struct pr_cell_value value;
    pr_view_value(build, column, row, &value);
    const bool is_time = value.kind > PR_KIND_BOOLEAN && value.kind < PR_KIND_TEXT && isfinite(value.number);
    return is_time ? value.number : NAN;
}

bool pr_gantt_add(struct pr_view_build *view, const struct pr_data_build *build)
{
    const struct pr_data_wanted *wanted = &view->wanted;
    const uint32_t start = pr_view_column(build, wanted->start), finish = pr_view_column(build, wanted->finish);
    const uint32_t name = pr_view_column(build, wanted->name), group = pr_view_column(build, wanted->group);
    for (uint32_t row = 0; row < build->batch_rows; row++) {
        struct pr_data_span span = {.start = time_of(build, start, row),
                                    .finish = time_of(build, finish, row),
                                    .row = build->rows + row + 1};
        view->untimed += isnan(span.start) && isnan(span.finish);
        view->reversed += span.start > span.finish;
        if ((isnan(span.start) && isnan(span.finish)) || span.start > span.finish)
            continue;
        if (view->span_count == PR_DATA_SPANS) {
            view->spans_left_out++;
            continue;
        }
        if (!pr_grow(&view->spans, &view->span_capacity, view->span_count + 1, sizeof *view->spans) ||
            !pr_grow(&view->names, &view->name_capacity, view->span_count + 1, sizeof *view->names))
            return false;
        view->open += isnan(span.start) || isnan(span.finish);
        view->names[view->span_count].name = text_of(view, build, name, row);
        view->names[view->span_count].group = text_of(view, build, group, row);
        if (view->names[view->span_count].name == PR_NO_STR || view->names[view->span_count].group == PR_NO_STR)
            return false;
        view->spans[view->span_count++] = span;
    }
    return true;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------ */

struct layout {
    struct pr_view_build *view;
    struct pr_data_gantt *gantt;
    uint32_t *order;            /* [span_count] by start */
    struct pr_lane_span *lanes; /* [span_count] in that order */
};

/* An open start is the beginning of all, an open end their end. */
static double start_of(const struct layout *layout, uint32_t span)
{
    const double start = layout->view->spans[span].start;
    return isnan(start) ? layout->gantt->from : start;
}

static double finish_of(const struct layout *layout, uint32_t span)
{
    const double finish = layout->view->spans[span].finish;
    return isnan(finish) ? layout->gantt->to : finish;
}

static int by_start(const void *a, const void *b, const void *context)
{
    return PR_ORDER(start_of(context, *(const uint32_t *)a), start_of(context, *(const uint32_t *)b));
}

static int by_lane(const void *a, const void *b, const void *context)
{
    const struct pr_data_span *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->lane, y->lane);
}

static bool place_all(struct layout *layout)
{
    struct pr_view_build *view = layout->view;
    for (uint32_t i = 0; i < view->span_count; i++)
        layout->order[i] = i;
    if (!pr_sort(layout->order, view->span_count, sizeof *layout->order, by_start, layout))
        return false;
    for (uint32_t i = 0; i < view->span_count; i++) {
        const uint32_t from = layout->order[i];
        layout->lanes[i] = (struct pr_lane_span){.name = view->names[from].name,
                                                 .start = start_of(layout, from),
                                                 .finish = finish_of(layout, from)};
    }
    return pr_span_lanes(layout->lanes, view->span_count, view->texts.count + 1, &layout->gantt->lane_count);
}

/* ---- groups, and the rest --------------------------------------------------------------------------------------- */

/* Numbers of groups, in the order of the bars. COLOURS: [texts.count] */
static bool finish_bars(struct layout *layout, struct pr_data_frame *frame, uint32_t *colours)
{
    struct pr_view_build *view = layout->view;
    struct pr_data_gantt *gantt = layout->gantt;
    bool failed = false;
    for (uint32_t i = 0; i < view->span_count; i++) {
        const uint32_t from = layout->order[i];
        const pr_str group = view->names[from].group, name = view->names[from].name;
        struct pr_data_span bar = view->spans[from];
        if (gantt->group != PR_DATA_NONE && !colours[group]) {
            colours[group] = ++gantt->group_count;
            gantt->groups[gantt->group_count - 1] = pr_view_text(frame, pr_strings_get(&view->texts, group), &failed);
        }
        if (colours[group]) {
            bar.colour = colours[group] - 1;
            bar.group = gantt->groups[bar.colour];
        } else {
            bar.group = (struct pr_text){"", 0};
        }
        bar.name = pr_view_text(frame, pr_strings_get(&view->texts, name), &failed);
        bar.lane = layout->lanes[i].lane;
        gantt->spans[i] = bar;
    }
    gantt->count = (uint32_t)view->span_count;
    return !failed && pr_sort(gantt->spans, gantt->count, sizeof *gantt->spans, by_lane, NULL);
}

static void find_ends(const struct pr_view_build *view, struct pr_data_gantt *gantt)
{
    gantt->from = INFINITY;
    gantt->to = -INFINITY;
    for (size_t i = 0; i < view->span_count; i++) {
        gantt->from = fmin(gantt->from, fmin(view->spans[i].start, view->spans[i].finish));
        gantt->to = fmax(gantt->to, fmax(view->spans[i].start, view->spans[i].finish));
    }
}

static enum pr_status check_columns(const struct pr_view_build *view, const struct pr_data_frame *frame,
                                    struct pr_error *err)
{
    const struct pr_data_column *start = &frame->columns[frame->gantt.start],
                                *finish = &frame->columns[frame->gantt.finish];
    const bool start_is_number = start->type <= PR_TYPE_DECIMAL, finish_is_number = finish->type <= PR_TYPE_DECIMAL;
    const bool is_known = start->has_numbers || finish->has_numbers;
    for (int i = 0; i < 2; i++) {
        const struct pr_data_column *column = i ? finish : start;
        if (!column->has_numbers && (column->count || !is_known))
            return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "column '%s' has no times: its type is %s",
                           i ? view->wanted.finish : view->wanted.start, pr_data_type_name(column->type));
    }
    if (start->count && finish->count && start_is_number != finish_is_number)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "columns '%s' and '%s' are of different kinds: %s and %s", view->wanted.start,
                       view->wanted.finish, pr_data_type_name(start->type), pr_data_type_name(finish->type));
    return PR_OK;
}

enum pr_status pr_gantt_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err)
{
    struct pr_data_gantt *gantt = &frame->gantt;
    struct layout layout = {.view = view, .gantt = gantt};
    if (frame->rows && check_columns(view, frame, err) == PR_FAILED)
        return PR_FAILED;
    const size_t texts = view->texts.count + 1, spans = view->span_count + 1;
    uint32_t *colours = calloc(texts, sizeof *colours);
    gantt->left_out = view->spans_left_out;
    gantt->untimed = view->untimed;
    gantt->reversed = view->reversed;
    gantt->open = view->open;
    find_ends(view, gantt);
    layout.order = malloc(spans * sizeof *layout.order);
    layout.lanes = calloc(spans, sizeof *layout.lanes);
    gantt->spans = pr_arena_array(&frame->arena, spans, sizeof *gantt->spans);
    gantt->groups = pr_arena_array(&frame->arena, texts, sizeof *gantt->groups);
    const bool done = colours && layout.order && layout.lanes && gantt->spans && gantt->groups &&
                      place_all(&layout) && finish_bars(&layout, frame, colours);
    free(colours);
    free(layout.order);
    free(layout.lanes);
    return done ? PR_OK : pr_fail_memory(err);
}
