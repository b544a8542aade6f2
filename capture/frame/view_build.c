/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/view_build.h"

#include "capture/frame/table_reader.h"

#include <stdlib.h>
#include <string.h>

bool pr_view_add(void *context, const struct pr_data_build *build)
{
    struct pr_view_build *view = context;
    struct pr_error err;
    if (!view->has_texts && pr_strings_init(&view->texts, &err) == PR_FAILED)
        return false;
    view->has_texts = true;
    switch (view->wanted.view) {
    case PR_VIEW_TABLE:
        return pr_sheet_add(view, build);
    case PR_VIEW_BOX:
        return pr_boxes_add(view, build);
    case PR_VIEW_GANTT:
        return pr_gantt_add(view, build);
    default:
        return true;
    }
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* The number of the column called NAME, if it is not NULL. PR_FAILED: there is none. */
static enum pr_status find_column(const struct pr_data_build *build, const char *name, uint32_t *column,
                                  struct pr_error *err)
{
    *column = pr_view_column(build, name);
    if (!name || *column != PR_DATA_NONE)
        return PR_OK;
    return pr_table_lacks(build, (struct pr_text){name, (uint32_t)strlen(name)}, err);
}

static enum pr_status find_columns(struct pr_view_build *view, const struct pr_data_build *build,
                                   struct pr_data_frame *frame, struct pr_error *err)
{
    const struct pr_data_wanted *wanted = &view->wanted;
    const struct {
        const char *name;
        uint32_t *column;
    } all[] = {{wanted->sort, &frame->sheet.sort},     {wanted->value, &frame->boxes.value},
               {wanted->by, &frame->boxes.by},         {wanted->start, &frame->gantt.start},
               {wanted->finish, &frame->gantt.finish}, {wanted->name, &frame->gantt.name},
               {wanted->group, &frame->gantt.group}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (find_column(build, all[i].name, all[i].column, err) == PR_FAILED)
            return PR_FAILED;
    return PR_OK;
}

enum pr_status pr_view_finish(struct pr_view_build *view, const struct pr_data_build *build,
                              struct pr_data_frame *frame, struct pr_error *err)
{
    frame->view = view->wanted.view;
    if (find_columns(view, build, frame, err) == PR_FAILED)
        return PR_FAILED;
    switch (view->wanted.view) {
    case PR_VIEW_TABLE:
        return pr_sheet_finish(view, frame, err);
    case PR_VIEW_BOX:
        return pr_boxes_finish(view, frame, err);
    case PR_VIEW_GANTT:
        return pr_gantt_finish(view, frame, err);
    default:
        return PR_OK;
    }
}

void pr_view_clear(struct pr_view_build *view)
{
    if (view->has_texts)
        pr_strings_clear(&view->texts);
    pr_sheet_clear(view);
    pr_boxes_clear(view);
    free(view->spans);
    free(view->names);
    *view = (struct pr_view_build){0};
}
