/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short belt of batches: `produce` fills them, then one stage after another works on each, in order. Each has a
 * thread of its own, but the last stage, which runs on the caller's. On one processor, or where no thread can be
 * started, all run on the caller's.
 */
#ifndef PR_CAPTURE_HEAP_PIPELINE_H
#define PR_CAPTURE_HEAP_PIPELINE_H

#include "profrender/error.h"
#include "capture/heap/batch.h"

/* More threads than this made no capture faster (doc/pace.md). */
enum { PR_MOST_STAGES = 2, PR_MOST_THREADS = PR_MOST_STAGES + 1 };

struct pr_belt;

/* Works on one batch, which it may change for the next stage. Anything but PR_OK stops all. */
struct pr_stage {
    enum pr_status (*work)(void *context, struct pr_batch *batch, struct pr_error *err);
    void *context;
};

struct pr_pipeline {
    /* Fills batches, and calls pr_belt_next for each further one; what it returns ends the work. */
    enum pr_status (*produce)(void *producer, struct pr_belt *belt, struct pr_error *err);
    void *producer;
    struct pr_stage stage[PR_MOST_STAGES];
    unsigned stage_count; /* 1 or more */
    bool threaded;        /* false: all of it on the caller's thread */
};

/* Threads that a pipeline is to have: at most ASKED, or by the processors if that is 0; 1 to PR_MOST_THREADS. */
unsigned pr_pipeline_threads(unsigned asked);

/* The first batch to fill: empty, owned by the belt. */
struct pr_batch *pr_belt_first(struct pr_belt *belt);

/* Hands the current batch over and returns the next one, empty; NULL when a stage has stopped. */
struct pr_batch *pr_belt_next(struct pr_belt *belt);

/*
 * Runs all until the producer is done and all its batches have passed the last stage. The batch being filled when the
 * producer returns does so too.
 *
 * Returns what a stage returned if that was not PR_OK, else what the producer returned; ERR is of the same one. If
 * several stages stopped, it is the last of them: what it stopped at came first.
 */
enum pr_status pr_pipeline_run(const struct pr_pipeline *pipeline, struct pr_error *err);

#endif
