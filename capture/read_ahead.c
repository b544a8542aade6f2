/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for each job takes the next input; where there is one job, inputs are read when they are asked for. */
#include "capture/read_ahead.h"

#include "capture/base/processors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { PROGRESS_NS = 100 * 1000 * 1000, NS_PER_S = 1000 * 1000 * 1000, USUAL_JOBS = 8 };

/* An input, and what came of it. */
struct one {
    struct pr_read_ahead *ahead;
    _Atomic uint64_t done_bytes, size_bytes;
    bool is_read;
    bool is_left; /* to be read when its turn comes */
    enum pr_status status;
    struct pr_profile *profile;
    struct pr_error err;
};

struct pr_read_ahead {
    struct pr_read_ahead_inputs inputs;
    const struct pr_load_options *options;
    size_t jobs;
    size_t heaviest; /* the input that is larger than all others together; their count: none is */
    struct one *all; /* [inputs.count] */
    pthread_t *threads;
    size_t thread_count;
    size_t begun, given; /* inputs, with the lock */
    atomic_bool stopped;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* For pr_load_options.progress, on the thread that reads. */
static bool note_progress(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
    struct one *one = context;
    atomic_store_explicit(&one->done_bytes, done_bytes, memory_order_relaxed);
    atomic_store_explicit(&one->size_bytes, size_bytes, memory_order_relaxed);
    return !atomic_load_explicit(&one->ahead->stopped, memory_order_relaxed);
}

/* Which inputs are left until their turn, and which one is the heaviest. */
static void weigh(struct pr_read_ahead *ahead)
{
    size_t heaviest = ahead->inputs.count;
    double most = 0, all = 0; /* bytes */
    for (size_t i = 0; i < ahead->inputs.count; i++) {
        const double size = ahead->inputs.size(ahead->inputs.context, i);
        ahead->all[i].is_left = size < 0;
        all += size > 0 ? size : 0;
        if (size > most) {
            most = size;
            heaviest = i;
        }
    }
    ahead->heaviest = most > all - most ? heaviest : ahead->inputs.count;
}

static void read_one(struct pr_read_ahead *ahead, size_t i)
{
    struct one *one = &ahead->all[i];
    if (one->is_left)
        return;
    struct pr_load_options options = *ahead->options;
    if (i != ahead->heaviest)
        options.threads = 1; /* the others have inputs of their own */
    options.progress = note_progress;
    options.progress_context = one;
    one->status = ahead->inputs.read(ahead->inputs.context, i, &options, &one->profile, &one->err);
}

static void *read_some(void *context)
{
    struct pr_read_ahead *ahead = context;
    pthread_mutex_lock(&ahead->lock);
    for (;;) {
        while (!ahead->stopped && ahead->begun < ahead->inputs.count && ahead->begun >= ahead->given + ahead->jobs)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        if (ahead->stopped || ahead->begun == ahead->inputs.count)
            break;
        const size_t i = ahead->begun++;
        pthread_mutex_unlock(&ahead->lock);
        read_one(ahead, i);
        pthread_mutex_lock(&ahead->lock);
        ahead->all[i].is_read = true;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

size_t pr_read_ahead_usual_jobs(void)
{
    const unsigned processors = pr_processors();
    return processors < USUAL_JOBS ? processors : USUAL_JOBS;
}

struct pr_read_ahead *pr_read_ahead_new(const struct pr_read_ahead_inputs *inputs, size_t jobs,
                                        const struct pr_load_options *options)
{
    const size_t count = inputs->count;
    struct pr_read_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->inputs = *inputs;
    ahead->options = options;
    ahead->jobs = jobs < count ? jobs : count;
    ahead->all = calloc(count + 1, sizeof *ahead->all);
    ahead->threads = calloc(ahead->jobs + 1, sizeof *ahead->threads);
    if (!ahead->all || !ahead->threads) {
        pr_read_ahead_free(ahead);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        ahead->all[i].ahead = ahead;
    if (ahead->jobs > 1)
        weigh(ahead);
    while (ahead->jobs > 1 && ahead->thread_count < ahead->jobs &&
           !pthread_create(&ahead->threads[ahead->thread_count], NULL, read_some, ahead))
        ahead->thread_count++; /* with fewer it only takes longer */
    return ahead;
}

/* Until ONE, the next, is read; if the load is stopped before that has begun, it is left. */
static void wait_for(struct pr_read_ahead *ahead, struct one *one)
{
    const struct pr_load_options *options = ahead->options;
    pthread_mutex_lock(&ahead->lock);
    while (!one->is_read && !(ahead->stopped && ahead->begun <= ahead->given)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_NS;
        until.tv_sec += until.tv_nsec / NS_PER_S;
        until.tv_nsec %= NS_PER_S;
        pthread_cond_timedwait(&ahead->changed, &ahead->lock, &until);
        if (options->progress && !options->progress(options->progress_context, one->done_bytes, one->size_bytes))
            ahead->stopped = true;
    }
    one->is_left = one->is_left || !one->is_read;
    ahead->given++;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err)
{
    const size_t index = ahead->given;
    struct one *one = &ahead->all[index];
    if (ahead->thread_count)
        wait_for(ahead, one);
    else
        ahead->given++;
    if (!ahead->thread_count || one->is_left)
        return ahead->inputs.read(ahead->inputs.context, index, ahead->options, profile, err);
    *profile = one->profile;
    one->profile = NULL;
    if (err && err->code == PR_ERR_NONE)
        *err = one->err;
    return one->status;
}

void pr_read_ahead_free(struct pr_read_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stopped = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->thread_count; i++)
        pthread_join(ahead->threads[i], NULL);
    for (size_t i = 0; ahead->all && i < ahead->inputs.count; i++)
        pr_profile_free(ahead->all[i].profile);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->threads);
    free(ahead->all);
    free(ahead);
}
