/* SPDX-License-Identifier: Apache-2.0 */
/* Which function grew, from the largest holders of two runs: what is not among those of the earlier one held less. */
#include "render/index/index_internal.h"

#include "capture/base/checked.h"

#include <string.h>

/* At most this much of the function in RUN: as much as its smallest holder where the function is none of them. */
static int64_t most_of(const struct pr_index_run *run, const struct pr_index_holder *function)
{
    for (size_t i = 0; i < run->holder_count; i++)
        if (!strcmp(run->holder[i].function, function->function) && !strcmp(run->holder[i].file, function->file))
            return run->holder[i].bytes;
    return run->holder_count == PR_INDEX_HOLDERS ? run->holder[PR_INDEX_HOLDERS - 1].bytes : 0;
}

const char *pr_index_grown_function(const struct pr_index_job *job)
{
    const struct pr_index_run *now = job->runs[job->memory.latest], *before = job->runs[job->memory.last_before];
    const int64_t more = pr_subtract_saturated(now->heap_bytes.value, before->heap_bytes.value);
    if (!now->heap_bytes.known || !before->heap_bytes.known || more <= 0 || !before->holder_count)
        return NULL;
    for (size_t i = 0; i < now->holder_count; i++)
        if (pr_subtract_saturated(now->holder[i].bytes, most_of(before, &now->holder[i])) > more / 2)
            return now->holder[i].function;
    return NULL;
}
