/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/base/crew.c: WASI has no threads, so there is never a crew, and its caller works alone. */
#include "capture/base/crew.h"

struct pr_crew *pr_crew_new(unsigned size)
{
    (void)size;
    return NULL;
}

unsigned pr_crew_size(const struct pr_crew *crew)
{
    (void)crew;
    return 1;
}

void pr_crew_begin(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context)
{
    (void)crew;
    (void)count;
    (void)work;
    (void)context;
}

bool pr_crew_end(struct pr_crew *crew)
{
    (void)crew;
    return true;
}

bool pr_crew_run(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context)
{
    (void)crew;
    for (size_t i = 0; i < count; i++)
        if (!work(context, 0, i))
            return false;
    return true;
}

void pr_crew_free(struct pr_crew *crew)
{
    (void)crew;
}
