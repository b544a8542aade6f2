/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/allocators.h"

unsigned pr_allocators_order(const struct pr_alloc_stats *stats, unsigned order[PR_ALLOC_COUNT])
{
    unsigned count = 0;
    for (unsigned i = PR_ALLOC_NONE + 1; i < PR_ALLOC_COUNT; i++) {
        unsigned at = count;
        if (!stats->count_by_allocator[i])
            continue;
        for (; at && stats->count_by_allocator[order[at - 1]] < stats->count_by_allocator[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}
