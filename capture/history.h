/* SPDX-License-Identifier: Apache-2.0 */
/* From the bins, steps and moves of the analysis to those of the profile, whose facts are merged ones. */
#ifndef PR_HISTORY_H
#define PR_HISTORY_H

#include "capture/builder.h"
#include "capture/memory.h"

/*
 * Fills bins, steps and moves of the builder's profile. After pr_builder_finish and pr_memory_end.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_history_finish(const struct pr_builder *builder, const struct pr_memory *memory, struct pr_error *err);

#endif
