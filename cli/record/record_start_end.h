/* SPDX-License-Identifier: Apache-2.0 */
/* The first and the last line of a timeline: what is started, and how it ended. */
#ifndef PR_CLI_RECORD_RECORD_START_END_H
#define PR_CLI_RECORD_RECORD_START_END_H

#include "cli/record/record_evidence.h"
#include "cli/record/record_log.h"

/* What is known at the start. */
struct pr_marks_start {
    int64_t at_ms; /* since the epoch */
    const char *const *argv;
    int32_t pid;
    int64_t interval_ns;
    const struct pr_sampler *sampler;
    const struct pr_gpu_device *gpus;
    uint32_t gpu_count;
};

/* What is known at the end. */
struct pr_marks_end {
    int64_t at_ms, wall_ns;
    const char *command;
    const struct pr_child *child;
    int start_error; /* errno of a command that could not be started, or 0 */
    const struct pr_sampler *sampler;
    const struct pr_evidence *evidence;
    const struct pr_buf *stderr_text; /* NULL: it was not kept */
    uint64_t marks_left_out, lines_lost;
};

void pr_marks_write_start(struct pr_log *log, const struct pr_marks_start *start);
void pr_marks_write_end(struct pr_log *log, const struct pr_marks_end *end);

#endif
