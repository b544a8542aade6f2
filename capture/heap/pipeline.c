/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The belt: a ring of batches that go from hand to hand. The first hand is the producer's, the others those of stages.
 *
 * Each hand counts the batches it is done with. One with nothing to do spins for a moment, as a batch takes only about
 * 20 microseconds, then sleeps on a condition variable.
 */
#include "capture/heap/pipeline.h"

#include "capture/base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES_A_HAND = 2, SPINS = 200 };

struct hand {
    _Alignas(PR_APART) _Atomic uint64_t done; /* batches handed on */
    _Atomic bool ended;                       /* there will be no more */
    struct pr_belt *belt;
    unsigned first_stage, stages; /* what it works; a producer among several: none */
    enum pr_status status;        /* of its stages */
    struct pr_error err;
    pthread_t thread;
};

struct pr_belt {
    const struct pr_pipeline *pipeline;
    struct hand hand[PR_MOST_THREADS];
    unsigned hands; /* 1: no thread but the caller's */
    size_t batches;
    enum pr_status produced; /* of the producer */
    struct pr_error produce_error;
    _Alignas(PR_APART) _Atomic bool stopped; /* a stage wants no more */
    _Atomic int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct pr_batch batch[]; /* [batches] */
};

unsigned pr_pipeline_threads(unsigned asked)
{
    const unsigned wanted = asked ? asked : pr_processors();
    return wanted < PR_MOST_THREADS ? wanted : PR_MOST_THREADS;
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
static void wait_until(const struct hand *hand, bool (*ready)(const struct hand *))
{
    struct pr_belt *belt = hand->belt;
    for (int i = 0; i < SPINS; i++) {
        if (ready(hand))
            return;
        if (i > SPINS / 2)
            sched_yield();
    }
    pthread_mutex_lock(&belt->lock);
    atomic_fetch_add(&belt->sleepers, 1);
    while (!ready(hand))
        pthread_cond_wait(&belt->moved, &belt->lock);
    atomic_fetch_sub(&belt->sleepers, 1);
    pthread_mutex_unlock(&belt->lock);
}

/* For the producer: the last hand is done with the batch to be filled next. */
static bool has_room(const struct hand *producer)
{
    struct pr_belt *belt = producer->belt;
    const struct hand *last = &belt->hand[belt->hands - 1];
    return atomic_load(&belt->stopped) || atomic_load(&producer->done) - atomic_load(&last->done) < belt->batches;
}

/* For the others: the hand before is done with another batch, or with all. */
static bool has_batch(const struct hand *hand)
{
    return atomic_load(&hand[-1].ended) || atomic_load(&hand[-1].done) > atomic_load(&hand->done);
}

/* All stages of HAND on BATCH. False: one stopped. */
static bool work(struct hand *hand, struct pr_batch *batch)
{
    const struct pr_stage *stage = &hand->belt->pipeline->stage[hand->first_stage];
    for (unsigned i = 0; batch->count && hand->status == PR_OK && i < hand->stages; i++)
        hand->status = stage[i].work(stage[i].context, batch, &hand->err);
    return hand->status == PR_OK;
}

struct pr_batch *pr_belt_first(struct pr_belt *belt)
{
    return &belt->batch[0];
}

struct pr_batch *pr_belt_next(struct pr_belt *belt)
{
    struct hand *producer = &belt->hand[0];
    struct pr_batch *batch = &belt->batch[0];
    if (belt->hands == 1) {
        const bool goes_on = work(producer, batch);
        batch->count = batch->replaced_count = 0;
        return goes_on ? batch : NULL;
    }
    const uint64_t done = atomic_fetch_add(&producer->done, 1) + 1;
    wake(belt);
    wait_until(producer, has_room);
    if (atomic_load(&belt->stopped))
        return NULL;
    batch = &belt->batch[done % belt->batches];
    batch->count = batch->replaced_count = 0;
    return batch;
}

static void end(struct hand *hand)
{
    atomic_store(&hand->ended, true);
    wake(hand->belt);
}

/* Threads begin when it is known how many there are: until then, the one that starts them has the lock. */
static void wait_for_all(struct pr_belt *belt)
{
    pthread_mutex_lock(&belt->lock);
    pthread_mutex_unlock(&belt->lock);
}

static void produce(struct pr_belt *belt)
{
    belt->produced = belt->pipeline->produce(belt->pipeline->producer, belt, &belt->produce_error);
}

static void *producer_main(void *argument)
{
    struct hand *producer = argument;
    struct pr_belt *belt = producer->belt;
    wait_for_all(belt);
    produce(belt);
    if (!atomic_load(&belt->stopped))
        atomic_fetch_add(&producer->done, 1); /* the batch that was being filled */
    end(producer);
    return NULL;
}

/* What comes is worked even when a later hand has stopped: the producer sees that, and then there is no more. */
static void work_all(struct hand *hand)
{
    struct pr_belt *belt = hand->belt;
    for (;;) {
        wait_until(hand, has_batch);
        const uint64_t done = atomic_load(&hand->done);
        if (atomic_load(&hand[-1].done) == done)
            break; /* ended, and nothing left */
        if (!work(hand, &belt->batch[done % belt->batches])) {
            atomic_store(&belt->stopped, true);
            break;
        }
        atomic_store(&hand->done, done + 1);
        wake(belt);
    }
    end(hand);
}

static void *stage_main(void *argument)
{
    struct hand *hand = argument;
    wait_for_all(hand->belt);
    work_all(hand);
    return NULL;
}

/* A thread for the producer and for each stage but the last; stages that get none are the caller's. */
static void run_threads(struct pr_belt *belt)
{
    const unsigned stages = belt->pipeline->stage_count;
    unsigned started = 0;
    for (unsigned i = 0; i <= stages; i++) {
        belt->hand[i].belt = belt;
        belt->hand[i].first_stage = i ? i - 1 : 0;
        belt->hand[i].stages = i ? 1 : 0;
    }
    pthread_mutex_lock(&belt->lock);
    while (belt->pipeline->threaded && started < stages &&
           !pthread_create(&belt->hand[started].thread, NULL, started ? stage_main : producer_main,
                           &belt->hand[started]))
        started++;
    struct hand *mine = &belt->hand[started];
    mine->stages = stages - mine->first_stage;
    belt->hands = started + 1;
    pthread_mutex_unlock(&belt->lock);
    if (started)
        work_all(mine);
    while (started)
        pthread_join(belt->hand[--started].thread, NULL);
}

enum pr_status pr_pipeline_run(const struct pr_pipeline *pipeline, struct pr_error *err)
{
    const size_t batches = pipeline->threaded ? BATCHES_A_HAND * (pipeline->stage_count + (size_t)1) : 1;
    const size_t bytes = sizeof(struct pr_belt) + batches * sizeof(struct pr_batch);
    void *memory;
    if (posix_memalign(&memory, PR_APART, bytes))
        return pr_fail_memory(err);
    struct pr_belt *belt = memset(memory, 0, bytes);
    belt->pipeline = pipeline;
    belt->batches = batches;
    pthread_mutex_init(&belt->lock, NULL);
    pthread_cond_init(&belt->moved, NULL);

    run_threads(belt);
    if (belt->hands == 1) {
        produce(belt);
        work(&belt->hand[0], &belt->batch[0]);
    }
    enum pr_status status = belt->produced;
    const struct pr_error *cause = &belt->produce_error;
    for (unsigned i = 0; i < belt->hands; i++) {
        if (belt->hand[i].status != PR_OK) {
            status = belt->hand[i].status;
            cause = &belt->hand[i].err;
        }
    }
    if (err && err->code == PR_ERR_NONE)
        *err = *cause;
    pthread_cond_destroy(&belt->moved);
    pthread_mutex_destroy(&belt->lock);
    free(belt);
    return status;
}
