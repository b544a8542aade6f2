/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/builder/mark_list.h"

#include <string.h>

bool pr_mark_list_add(struct pr_mark_list *list, int64_t at, pr_str name)
{
    uint32_t place = list->count;
    if (place == PR_MARKS_MAX) {
        list->left_out++;
        return false;
    }
    for (; place > 0 && list->at[place - 1].at_ms > at; place--)
        list->at[place] = list->at[place - 1];
    list->at[place] = (struct pr_mark){at, name};
    list->count++;
    return true;
}

enum pr_status pr_mark_list_finish(const struct pr_mark_list *list, struct pr_profile *profile, struct pr_error *err)
{
    struct pr_mark *marks = pr_arena_array(&profile->arena, list->count, sizeof *marks);
    if (!marks)
        return pr_fail_memory(err);
    memcpy(marks, list->at, list->count * sizeof *marks);
    profile->run.marks = marks;
    profile->run.mark_count = list->count;
    return PR_OK;
}
