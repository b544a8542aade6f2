/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for each job takes the next input; where there is one job, inputs are read when they are asked for. */
#include "cli/args/read_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { PROGRESS_NS = 100 * 1000 * 1000, NS_PER_S = 1000 * 1000 * 1000 };

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
    const char *const *paths;
    const struct pr_load_options *options;
    size_t count, jobs;
    size_t heaviest; /* the input that is larger than all others together; `count`: none is */
    struct one *all; /* [count] */
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

/* A pipe or a terminal: reading it may wait for someone who waits for us. */
static bool may_wait(const char *path)
{
    struct stat found;
    return strcmp(path, "-") == 0 ||
           (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode));
}

/* The file that is larger than all others together; COUNT: none is. */
static size_t find_heaviest(const char *const *paths, size_t count)
{
    size_t heaviest = count;
    double most = 0, all = 0; /* bytes */
    for (size_t i = 0; i < count; i++) {
        struct stat found;
        if (stat(paths[i], &found) != 0 || !S_ISREG(found.st_mode))
            continue;
        all += (double)found.st_size;
        if ((double)found.st_size > most) {
            most = (double)found.st_size;
            heaviest = i;
        }
    }
    return most > all - most ? heaviest : count;
}

static void read_one(struct pr_read_ahead *ahead, size_t i)
{
    struct one *one = &ahead->all[i];
    one->is_left = may_wait(ahead->paths[i]);
    if (one->is_left)
        return;
    struct pr_load_options options = *ahead->options;
    if (i != ahead->heaviest)
        options.threads = 1; /* the others have inputs of their own */
    options.progress = note_progress;
    options.progress_context = one;
    one->status = pr_load(ahead->paths[i], &options, &one->profile, &one->err);
}

static void *read_some(void *context)
{
    struct pr_read_ahead *ahead = context;
    pthread_mutex_lock(&ahead->lock);
    for (;;) {
        while (!ahead->stopped && ahead->begun < ahead->count && ahead->begun >= ahead->given + ahead->jobs)
            pthread_cond_wait(&ahead->changed, &ahead->lock);
        if (ahead->stopped || ahead->begun == ahead->count)
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

struct pr_read_ahead *pr_read_ahead_new(const char *const *paths, size_t count, size_t jobs,
                                        const struct pr_load_options *options)
{
    struct pr_read_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->paths = paths;
    ahead->options = options;
    ahead->count = count;
    ahead->jobs = jobs < count ? jobs : count;
    ahead->heaviest = ahead->jobs > 1 ? find_heaviest(paths, count) : count;
    ahead->all = calloc(count + 1, sizeof *ahead->all);
    ahead->threads = calloc(ahead->jobs + 1, sizeof *ahead->threads);
    if (!ahead->all || !ahead->threads) {
        pr_read_ahead_free(ahead);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        ahead->all[i].ahead = ahead;
    while (ahead->jobs > 1 && ahead->thread_count < ahead->jobs &&
           !pthread_create(&ahead->threads[ahead->thread_count], NULL, read_some, ahead))
        ahead->thread_count++; /* with fewer it only takes longer */
    return ahead;
}

/* Until ONE is read. */
static void wait_for(struct pr_read_ahead *ahead, const struct one *one)
{
    const struct pr_load_options *options = ahead->options;
    pthread_mutex_lock(&ahead->lock);
    while (!one->is_read) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_NS;
        until.tv_sec += until.tv_nsec / NS_PER_S;
        until.tv_nsec %= NS_PER_S;
        pthread_cond_timedwait(&ahead->changed, &ahead->lock, &until);
        if (options->progress)
            options->progress(options->progress_context, one->done_bytes, one->size_bytes);
    }
    ahead->given++;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err)
{
    const char *path = ahead->paths[ahead->given];
    struct one *one = &ahead->all[ahead->given];
    if (ahead->thread_count)
        wait_for(ahead, one);
    else
        ahead->given++;
    if (!ahead->thread_count || one->is_left)
        return pr_load(path, ahead->options, profile, err);
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
    for (size_t i = 0; ahead->all && i < ahead->count; i++)
        pr_profile_free(ahead->all[i].profile);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->threads);
    free(ahead->all);
    free(ahead);
}
