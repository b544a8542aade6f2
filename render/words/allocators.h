/* SPDX-License-Identifier: Apache-2.0 */
/* The allocators of a profile in the order in which people read them. */
#ifndef PR_RENDER_WORDS_ALLOCATORS_H
#define PR_RENDER_WORDS_ALLOCATORS_H

#include "profrender/profile.h"

/* Fills ORDER with the allocators that were used, as far as they are known, the most used first; returns how many. */
unsigned pr_allocators_order(const struct pr_alloc_stats *stats, unsigned order[PR_ALLOC_COUNT]);

#endif
