/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of a table beside its figures, batch by batch: the rows of a sheet, the numbers of boxes by category,
 * the bars of a Gantt chart. Each is bounded, and what is beyond its bound is counted.
 */
#ifndef PR_CAPTURE_FRAME_VIEW_BUILD_H
#define PR_CAPTURE_FRAME_VIEW_BUILD_H

#include "capture/frame/data_build.h"

/* A row of a sheet, and what it is sorted by. */
struct pr_sheet_row {
    struct pr_kept_row row;
    enum pr_data_kind kind;
    double number;
    char *text; /* owned */
    uint32_t length;
};

/* The numbers of a category: one for each row, or in the sketch. */
struct pr_box_group {
    pr_str label;
    uint64_t rows;
    double *values;
    size_t count, capacity;
    struct pr_quantile_sketch sketch;
    double minimum, maximum;
};

enum { PR_BOX_GROUPS = 1000, PR_BOX_SLOTS = 4096 };

struct pr_view_build {
    struct pr_data_wanted wanted;
    uint64_t exact_values;
    struct pr_strings texts; /* categories, names and groups */
    bool has_texts;

    struct pr_sheet_row **sheet; /* [sheet_count] */
    size_t sheet_count, sheet_capacity;

    struct pr_box_group *groups;
    uint16_t group_slots[PR_BOX_SLOTS]; /* number of a group + 1; 0 = free */
    size_t group_count, group_capacity;
    uint64_t values_kept, rows_left_out;
    bool in_sketch;

    struct pr_data_span *spans; /* texts are numbers in `names`, until they are finished */
    struct {
        pr_str name, group;
    } *names;
    size_t span_count, span_capacity, name_capacity;
    uint64_t spans_left_out, untimed, reversed, open;
};

/* Adds the batch that BUILD has to the view CONTEXT. False: no memory. */
bool pr_view_add(void *context, const struct pr_data_build *build);

/* Fills what FRAME, which is finished otherwise, has for the view. PR_FAILED: no such column, or no memory. */
enum pr_status pr_view_finish(struct pr_view_build *view, const struct pr_data_build *build,
                              struct pr_data_frame *frame, struct pr_error *err);

void pr_view_clear(struct pr_view_build *view);

/* The column of that name, the first if several have it; PR_DATA_NONE: there is none, or NAME is NULL. */
uint32_t pr_view_column(const struct pr_data_build *build, const char *name);

/* What the cell of ROW of the batch, in COLUMN, is. */
void pr_view_value(const struct pr_data_build *build, uint32_t column, uint32_t row, struct pr_cell_value *value);

/* A text of the table, as FRAME keeps it. */
struct pr_text pr_view_text(struct pr_data_frame *frame, struct pr_text text, bool *failed);

/* One of each for a kind of view; what they return is as above. */
bool pr_sheet_add(struct pr_view_build *view, const struct pr_data_build *build);
enum pr_status pr_sheet_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err);
void pr_sheet_clear(struct pr_view_build *view);

bool pr_boxes_add(struct pr_view_build *view, const struct pr_data_build *build);
enum pr_status pr_boxes_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err);
void pr_boxes_clear(struct pr_view_build *view);

bool pr_gantt_add(struct pr_view_build *view, const struct pr_data_build *build);
enum pr_status pr_gantt_finish(struct pr_view_build *view, struct pr_data_frame *frame, struct pr_error *err);

#endif
