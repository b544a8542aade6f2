/* SPDX-License-Identifier: Apache-2.0 */
/* Where those to blame grew: the paths on which they were called, and their lines. */
#include "cli/check/judge.h"

#include <stdlib.h>

struct pr_diff_path *pr_judge_paths(struct pr_judge *j, int metric, const struct pr_diff_table *table)
{
    struct pr_diff_path *path = calloc(table->count + 1, sizeof *path);
    struct pr_error err = {0};
    if (!path || !j->chosen_count || !pr_judge_has_stacks(j, metric) ||
        pr_diff_paths(j->verdict->diff, (unsigned)metric, pr_judge_usual(j, metric), PR_DIFF_APART, table, path,
                      &err) != PR_FAILED)
        return path;
    free(path);
    return NULL;
}

bool pr_judge_grown_lines(struct pr_judge *j, int metric, uint32_t before, struct pr_diff_table *table)
{
    struct pr_error err = {0};
    return !pr_judge_has_stacks(j, metric) ||
           pr_diff_grown_lines(j->verdict->diff, (unsigned)metric, before, table, &err) != PR_FAILED;
}

void pr_finding_take_paths(struct pr_finding *finding, const struct pr_diff_table *table,
                           const struct pr_diff_path *paths)
{
    for (size_t k = 0; k < finding->culprit_count; k++) {
        struct pr_culprit *culprit = &finding->culprit[k];
        for (size_t i = 0; i < table->count; i++)
            if (table->row[i].code == culprit->code)
                culprit->path = paths[i];
    }
}
