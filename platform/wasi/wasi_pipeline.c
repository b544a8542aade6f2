/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/heap/pipeline.c: WASI has no threads, so all stages work on a batch where it was filled. */
#include "capture/heap/pipeline.h"

#include <stdlib.h>

struct pr_belt {
    struct pr_batch batch;
    const struct pr_pipeline *pipeline;
    enum pr_status worked;
    struct pr_error work_error;
};

struct pr_batch *pr_belt_first(struct pr_belt *belt)
{
    return &belt->batch;
}

struct pr_batch *pr_belt_next(struct pr_belt *belt)
{
    const struct pr_pipeline *pipeline = belt->pipeline;
    const struct pr_stage *stage = pipeline->stage, *end = stage + pipeline->stage_count;
    for (; belt->batch.count && belt->worked == PR_OK && stage < end; stage++)
        belt->worked = stage->work(stage->context, &belt->batch, &belt->work_error);
    belt->batch.count = 0;
    return belt->worked == PR_OK ? &belt->batch : NULL;
}

unsigned pr_pipeline_threads(unsigned asked)
{
    (void)asked;
    return 1;
}

enum pr_status pr_pipeline_run(const struct pr_pipeline *pipeline, struct pr_error *err)
{
    struct pr_belt *belt = calloc(1, sizeof *belt);
    struct pr_error produce_error = {0};
    if (!belt)
        return pr_fail_memory(err);
    belt->pipeline = pipeline;
    enum pr_status status = pipeline->produce(pipeline->producer, belt, &produce_error);
    const bool failed = !pr_belt_next(belt);
    if (failed)
        status = belt->worked;
    if (err && err->code == PR_ERR_NONE)
        *err = failed ? belt->work_error : produce_error;
    free(belt);
    return status;
}
