/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The belt: a ring of batches with one producer and one consumer.
 *
 * Both count the batches they are done with. A side with nothing to do spins for a moment, as a batch takes only about
 * 25 microseconds, then sleeps on a condition variable.
 */
#include "capture/heap/pipeline.h"

#include "capture/base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 4, SPINS = 200 };

struct pr_belt {
    struct pr_batch batch[BATCHES];
    const struct pr_pipeline *pipeline;
    bool threaded;
    _Alignas(PR_APART) _Atomic uint64_t filled;   /* batches handed over */
    _Alignas(PR_APART) _Atomic uint64_t consumed; /* batches taken */
    _Alignas(PR_APART) _Atomic bool finished;     /* the producer is done */
    _Atomic bool stopped;      /* the consumer wants no more */
    _Atomic int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    enum pr_status produced; /* of the producer, once finished */
    struct pr_error produce_error, consume_error;
    enum pr_status consumed_status;
};

static void clear_batch(struct pr_batch *batch)
{
    batch->count = 0;
}

static void wake(struct pr_belt *belt)
{
    if (atomic_load(&belt->sleepers)) {
        pthread_mutex_lock(&belt->lock);
        pthread_cond_broadcast(&belt->moved);
        pthread_mutex_unlock(&belt->lock);
    }
}

/* Waits until READY. A sleeper announces itself before it looks again, so a wake cannot be lost. */
static void wait_until(struct pr_belt *belt, bool (*ready)(struct pr_belt *))
{
    for (int i = 0; i < SPINS; i++) {
        if (ready(belt))
            return;
        if (i > SPINS / 2)
            sched_yield();
    }
    pthread_mutex_lock(&belt->lock);
    atomic_fetch_add(&belt->sleepers, 1);
    while (!ready(belt))
        pthread_cond_wait(&belt->moved, &belt->lock);
    atomic_fetch_sub(&belt->sleepers, 1);
    pthread_mutex_unlock(&belt->lock);
}

static bool has_room(struct pr_belt *belt)
{
    return atomic_load(&belt->stopped) || atomic_load(&belt->filled) - atomic_load(&belt->consumed) < BATCHES;
}

static bool has_batch(struct pr_belt *belt)
{
    return atomic_load(&belt->finished) || atomic_load(&belt->filled) > atomic_load(&belt->consumed);
}

static enum pr_status consume_one(struct pr_belt *belt, const struct pr_batch *batch)
{
    if (!batch->count)
        return PR_OK;
    return belt->pipeline->consume(belt->pipeline->consumer, batch, &belt->consume_error);
}

struct pr_batch *pr_belt_first(struct pr_belt *belt)
{
    return &belt->batch[0];
}

struct pr_batch *pr_belt_next(struct pr_belt *belt)
{
    uint64_t filled = atomic_load(&belt->filled);
    if (!belt->threaded) {
        struct pr_batch *batch = &belt->batch[0];
        belt->consumed_status = consume_one(belt, batch);
        clear_batch(batch);
        return belt->consumed_status == PR_OK ? batch : NULL;
    }
    atomic_store(&belt->filled, ++filled);
    wake(belt);
    wait_until(belt, has_room);
    if (atomic_load(&belt->stopped))
        return NULL;
    struct pr_batch *batch = &belt->batch[filled % BATCHES];
    clear_batch(batch);
    return batch;
}

static void *producer_main(void *argument)
{
    struct pr_belt *belt = argument;
    belt->produced = belt->pipeline->produce(belt->pipeline->producer, belt, &belt->produce_error);
    if (!atomic_load(&belt->stopped))
        atomic_fetch_add(&belt->filled, 1); /* the batch that was being filled */
    atomic_store(&belt->finished, true);
    wake(belt);
    return NULL;
}

static void consume_all(struct pr_belt *belt)
{
    for (;;) {
        wait_until(belt, has_batch);
        uint64_t consumed = atomic_load(&belt->consumed);
        if (atomic_load(&belt->filled) == consumed)
            return; /* finished, and nothing left */
        enum pr_status status = consume_one(belt, &belt->batch[consumed % BATCHES]);
        if (status != PR_OK) {
            belt->consumed_status = status;
            atomic_store(&belt->stopped, true);
            wake(belt);
            return;
        }
        atomic_store(&belt->consumed, consumed + 1);
        wake(belt);
    }
}

enum pr_status pr_pipeline_run(const struct pr_pipeline *pipeline, struct pr_error *err)
{
    void *memory;
    if (posix_memalign(&memory, PR_APART, sizeof(struct pr_belt)))
        return pr_fail_memory(err);
    struct pr_belt *belt = memset(memory, 0, sizeof *belt);
    belt->pipeline = pipeline;
    pthread_mutex_init(&belt->lock, NULL);
    pthread_cond_init(&belt->moved, NULL);

    pthread_t thread;
    belt->threaded = pipeline->threads != 1 && pr_processors() > 1; /* before a thread exists that reads it */
    if (belt->threaded && !pthread_create(&thread, NULL, producer_main, belt)) {
        consume_all(belt);
        pthread_join(thread, NULL);
    } else {
        belt->threaded = false;
        belt->produced = pipeline->produce(pipeline->producer, belt, &belt->produce_error);
        if (belt->consumed_status == PR_OK)
            belt->consumed_status = consume_one(belt, &belt->batch[0]);
    }

    bool consumer_failed = belt->consumed_status != PR_OK;
    enum pr_status status = consumer_failed ? belt->consumed_status : belt->produced;
    const struct pr_error *cause = consumer_failed ? &belt->consume_error : &belt->produce_error;
    if (err && err->code == PR_ERR_NONE)
        *err = *cause;
    pthread_cond_destroy(&belt->moved);
    pthread_mutex_destroy(&belt->lock);
    free(belt);
    return status;
}
