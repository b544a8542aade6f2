/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/heap/pipeline.c: WASI has no threads, so each batch is consumed where it was filled. */
#include "capture/heap/pipeline.h"

#include <stdlib.h>

struct pr_belt {
    struct pr_batch batch;
    const struct pr_pipeline *pipeline;
    enum pr_status consumed;
    struct pr_error consume_error;
};

struct pr_batch *pr_belt_first(struct pr_belt *belt)
{
    return &belt->batch;
}

struct pr_batch *pr_belt_next(struct pr_belt *belt)
{
    const struct pr_pipeline *pipeline = belt->pipeline;
    if (belt->batch.count && belt->consumed == PR_OK)
        belt->consumed = pipeline->consume(pipeline->consumer, &belt->batch, &belt->consume_error);
    belt->batch.count = 0;
    return belt->consumed == PR_OK ? &belt->batch : NULL;
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
        status = belt->consumed;
    if (err && err->code == PR_ERR_NONE)
        *err = failed ? belt->consume_error : produce_error;
    free(belt);
    return status;
}
