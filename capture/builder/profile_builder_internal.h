/* SPDX-License-Identifier: Apache-2.0 */
/* What filling and finishing a profile builder share. */
#ifndef PR_CAPTURE_BUILDER_PROFILE_BUILDER_INTERNAL_H
#define PR_CAPTURE_BUILDER_PROFILE_BUILDER_INTERNAL_H

#include "capture/builder/profile_builder.h"

/* Second word of the key of a forward frame, which no frame of a place has: its line would be below 0. */
#define PR_FORWARD_KEY UINT64_MAX

/* Extends the columns of METRIC to FACTS facts. False: out of memory, which C then knows. */
bool pr_build_reach(struct pr_profile_builder *c, struct pr_built_metric *metric, uint32_t facts);

/* The thread of FACT in a struct pr_stack_table; for pr_slices_thin and pr_slices_finish. */
static inline uint32_t pr_build_thread_of(const void *stacks, uint32_t fact)
{
    return pr_stacks_fact_thread(stacks, fact);
}

#endif
