/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that PyTorch's profiler names, "ProfilerStep#3" in cat user_annotation: phases of the run. Marks are dates,
 * so only where the times are: since the epoch (to PyTorch 2.2), or from `baseTimeNanoseconds` in the file (since 2.3).
 *
 * Source: torch/profiler/profiler.py (`_transit_action`); kineto/libkineto/src/output_json.cpp.
 */
#ifndef PR_CAPTURE_READERS_TRACE_STEPS_H
#define PR_CAPTURE_READERS_TRACE_STEPS_H

#include "capture/builder/mark_list.h"
#include "capture/builder/profile_builder.h"

struct pr_trace_steps {
    struct pr_mark_list marks; /* in nanoseconds */
    bool has_time;
    int64_t first_ns, last_ns; /* of all calls */
};

/* A call of the file. */
void pr_trace_steps_time(struct pr_trace_steps *steps, int64_t start_ns, int64_t duration_ns);

/* An annotation, by what the file calls it. */
void pr_trace_steps_take(struct pr_trace_steps *steps, struct pr_profile_builder *c, struct pr_text name,
                         int64_t start_ns);

/* Once all is read; BASE_NS: what the file's times begin at, 0 = the epoch. Sets the marks, and when the run was. */
void pr_trace_steps_finish(struct pr_trace_steps *steps, struct pr_profile_builder *c, int64_t base_ns);

#endif
