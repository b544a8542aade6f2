/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker takes the next item with one exchange of a number that has the job in its high half: who still has an old
 * job in mind takes nothing of the new one. So a job ends when its items are done, whether or not each thread woke.
 */
#include "capture/base/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_WORKERS = 256 };

struct job {
    uint32_t number; /* from 1; 0: none so far */
    uint32_t count;
    pr_crew_work *work;
    void *context;
};

struct worker {
    struct pr_crew *crew;
    unsigned number;
    pthread_t thread;
};

struct pr_crew {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    struct job job; /* with the lock */
    bool stopped;
    _Atomic uint64_t next; /* number of the job << 32 | item */
    _Atomic uint32_t left; /* items that are not done */
    atomic_bool failed;
    unsigned thread_count;
    struct worker workers[];
};

static bool take(struct pr_crew *crew, const struct job *job, uint32_t *item)
{
    uint64_t next = atomic_load(&crew->next);
    do {
        if ((uint32_t)(next >> 32) != job->number || (uint32_t)next >= job->count)
            return false;
    } while (!atomic_compare_exchange_weak(&crew->next, &next, next + 1));
    *item = (uint32_t)next;
    return true;
}

static void work_on(struct pr_crew *crew, const struct job *job, unsigned worker)
{
    uint32_t item;
    while (take(crew, job, &item)) {
        if (!atomic_load(&crew->failed) && !job->work(job->context, worker, item))
            atomic_store(&crew->failed, true);
        if (atomic_fetch_sub(&crew->left, 1) != 1)
            continue;
        pthread_mutex_lock(&crew->lock);
        pthread_cond_signal(&crew->ended);
        pthread_mutex_unlock(&crew->lock);
    }
}

static void *worker_main(void *argument)
{
    const struct worker *worker = argument;
    struct pr_crew *crew = worker->crew;
    uint32_t seen = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->stopped && crew->job.number == seen)
            pthread_cond_wait(&crew->begun, &crew->lock);
        if (crew->stopped)
            break;
        const struct job job = crew->job;
        seen = job.number;
        pthread_mutex_unlock(&crew->lock);
        work_on(crew, &job, worker->number);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

struct pr_crew *pr_crew_new(unsigned size)
{
    const unsigned most = size < MOST_WORKERS ? size : MOST_WORKERS;
    if (most < 2)
        return NULL;
    struct pr_crew *crew = calloc(1, sizeof *crew + most * sizeof *crew->workers);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->ended, NULL);
    for (unsigned i = 1; i < most; i++) {
        struct worker *worker = &crew->workers[crew->thread_count];
        *worker = (struct worker){.crew = crew, .number = i};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            break;
        crew->thread_count++;
    }
    return crew;
}

unsigned pr_crew_size(const struct pr_crew *crew)
{
    return crew ? crew->thread_count + 1 : 1;
}

void pr_crew_begin(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context)
{
    pthread_mutex_lock(&crew->lock);
    crew->job = (struct job){crew->job.number + 1, (uint32_t)count, work, context};
    crew->job.number += !crew->job.number;
    atomic_store(&crew->failed, false);
    atomic_store(&crew->left, (uint32_t)count);
    atomic_store(&crew->next, (uint64_t)crew->job.number << 32);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
}

bool pr_crew_end(struct pr_crew *crew)
{
    work_on(crew, &crew->job, 0);
    pthread_mutex_lock(&crew->lock);
    while (atomic_load(&crew->left))
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return !atomic_load(&crew->failed);
}

bool pr_crew_run(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context)
{
    if (crew) {
        pr_crew_begin(crew, count, work, context);
        return pr_crew_end(crew);
    }
    for (size_t i = 0; i < count; i++)
        if (!work(context, 0, i))
            return false;
    return true;
}

void pr_crew_free(struct pr_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->stopped = true;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->thread_count; i++)
        pthread_join(crew->workers[i].thread, NULL);
    pthread_cond_destroy(&crew->begun);
    pthread_cond_destroy(&crew->ended);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}
