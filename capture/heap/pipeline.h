/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ends of a short belt of batches: `produce` fills them on a thread of its own, `consume` gets them on the
 * caller's. Where there is only one processor or no thread can be started, both run on the caller's.
 */
#ifndef PR_CAPTURE_HEAP_PIPELINE_H
#define PR_CAPTURE_HEAP_PIPELINE_H

#include "profrender/error.h"
#include "capture/heap/batch.h"

struct pr_belt;

struct pr_pipeline {
    /* Fills batches, and calls pr_belt_next for each further one; what it returns ends the work. */
    enum pr_status (*produce)(void *producer, struct pr_belt *belt, struct pr_error *err);
    void *producer;
    /* Takes one batch. Anything but PR_OK stops both ends. */
    enum pr_status (*consume)(void *consumer, const struct pr_batch *batch, struct pr_error *err);
    void *consumer;
    unsigned threads; /* at most; 0: two, where there are two processors */
};

/* The first batch to fill: empty, owned by the belt. */
struct pr_batch *pr_belt_first(struct pr_belt *belt);

/* Hands the current batch over and returns the next one, empty; NULL when the consumer has stopped. */
struct pr_batch *pr_belt_next(struct pr_belt *belt);

/*
 * Runs both ends until the producer is done and all its batches are consumed. The batch being filled when the producer
 * returns is consumed too.
 *
 * Returns what the consumer returned if that was not PR_OK, else what the producer returned; ERR is from the same side.
 */
enum pr_status pr_pipeline_run(const struct pr_pipeline *pipeline, struct pr_error *err);

#endif
