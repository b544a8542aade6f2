/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of two runs side by side: the first "epoch" with the first, the second with the second. */
#include "profrender/diff.h"

#include <stdlib.h>

/* The phase of RUN that has the name of phase NUMBER of OTHER, and comes after as many of that name; NULL: none. */
static const struct pr_phase *same_of(const struct pr_diff_run *run, const struct pr_diff_run *other, uint32_t number)
{
    const pr_str name = other->phases.at[number].name;
    uint32_t before = 0;
    for (uint32_t i = 0; i < number; i++)
        before += other->phases.at[i].name == name;
    for (uint32_t i = 0; i < run->phases.count; i++)
        if (run->phases.at[i].name == name && !before--)
            return &run->phases.at[i];
    return NULL;
}

enum pr_status pr_diff_phases(const struct pr_diff_run *before, const struct pr_diff_run *after,
                              struct pr_diff_phases *phases, struct pr_error *err)
{
    const size_t most = (size_t)before->phases.count + after->phases.count;
    *phases = (struct pr_diff_phases){.at = calloc(most + 1, sizeof *phases->at)};
    if (!phases->at)
        return pr_fail_memory(err);
    for (uint32_t i = 0; i < after->phases.count; i++)
        phases->at[phases->count++] = (struct pr_diff_phase){same_of(before, after, i), &after->phases.at[i]};
    for (uint32_t i = 0; i < before->phases.count; i++)
        if (!same_of(after, before, i))
            phases->at[phases->count++] = (struct pr_diff_phase){&before->phases.at[i], NULL};
    return PR_OK;
}

void pr_diff_phases_clear(struct pr_diff_phases *phases)
{
    free(phases->at);
    *phases = (struct pr_diff_phases){.count = 0};
}
