/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginnings of phases as a reader meets them, in any order: at most PR_MARKS_MAX, by time.
 *
 *     struct pr_mark_list list = {0};
 *     pr_mark_list_add(&list, at, name);          // for each
 *     pr_mark_list_finish(&list, profile, err);   // when all are known
 */
#ifndef PR_CAPTURE_BUILDER_MARK_LIST_H
#define PR_CAPTURE_BUILDER_MARK_LIST_H

#include "profrender/profile.h"

struct pr_mark_list {
    struct pr_mark at[PR_MARKS_MAX]; /* at_ms is in the unit of the caller until pr_mark_list_finish */
    uint32_t count;
    uint64_t left_out; /* that did not fit */
};

/* Of one moment in the order in which they are added. False: the list is full. */
bool pr_mark_list_add(struct pr_mark_list *list, int64_t at, pr_str name);

/* Makes them the marks of the profile's run; their times are milliseconds now. PR_FAILED: out of memory. */
enum pr_status pr_mark_list_finish(const struct pr_mark_list *list, struct pr_profile *profile, struct pr_error *err);

#endif
