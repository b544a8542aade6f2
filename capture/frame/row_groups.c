/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/row_groups.h"

static struct pr_row_group *least_of(struct pr_data_build *build)
{
    struct pr_row_group *least = &build->groups[0];
    for (uint32_t i = 1; i < build->group_count; i++)
        if (build->groups[i].count < least->count)
            least = &build->groups[i];
    return least;
}

static void note_least(struct pr_data_build *build)
{
    build->least_group = build->group_count < PR_DATA_ROWS ? 0 : least_of(build)->count;
}

/* One that left the sample is counted on. */
static void count_again(struct pr_data_build *build, uint64_t hash)
{
    for (uint32_t i = 0; i < build->group_count; i++)
        if (build->groups[i].hash == hash) {
            build->groups[i].count++;
            note_least(build);
            return;
        }
}

bool pr_row_groups_add(struct pr_data_build *build, uint32_t row, uint64_t hash, uint32_t count)
{
    struct pr_row_group *group = NULL;
    if (!count)
        count_again(build, hash);
    if (count < 2 || count <= build->least_group)
        return true;
    for (uint32_t i = 0; i < build->group_count && !group; i++)
        if (build->groups[i].hash == hash)
            group = &build->groups[i];
    if (!group) {
        group = build->group_count < PR_DATA_ROWS ? &build->groups[build->group_count++] : least_of(build);
        if (build->show)
            build->show(build->reader, row);
        pr_keep_row(build, row, &group->row);
        group->hash = hash;
    }
    group->count = count;
    note_least(build);
    return !group->row.bytes.failed;
}

void pr_row_groups_sort(struct pr_data_build *build)
{
    for (uint32_t i = 1; i < build->group_count; i++) {
        const struct pr_row_group group = build->groups[i];
        uint32_t at = i;
        for (; at > 0 && (build->groups[at - 1].count < group.count ||
                          (build->groups[at - 1].count == group.count &&
                           build->groups[at - 1].row.number > group.row.number));
             at--)
            build->groups[at] = build->groups[at - 1];
        build->groups[at] = group;
    }
}
