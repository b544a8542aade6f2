/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes at once, as many as there are processors or as asked for; each hands its facts over as JSON. */
#include "cli/io/progress.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, USUAL_JOBS = 8, REMEMBER_S = 2 };

struct job {
    pid_t pid; /* 0 = free */
    int facts_fd;
    struct pr_publish_item *item;
};

struct pool {
    const struct pr_publish_settings *settings;
    struct job jobs[MOST_JOBS];
    size_t running;
    int status;
};

/* How a process ended badly, in words. */
static const char *bad_end(int wait_status, char text[96])
{
    if (WIFSIGNALED(wait_status))
        snprintf(text, 96, "its reader was ended by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, 96, "its reader ended without a result");
    return text;
}

/* The child: makes the card and writes the facts. */
static _Noreturn void work(const struct pr_publish_settings *settings, const struct job *job)
{
    json_t *facts = NULL;
    int status = pr_publish_make(settings, job->item, &facts);
    if (facts && json_dumpfd(facts, job->facts_fd, JSON_COMPACT))
        status = PR_EXIT_OUTPUT;
    _exit(status);
}

static bool start(struct pool *pool, struct pr_publish_item *item)
{
    struct job *job = pool->jobs;
    while (job->pid)
        job++;
    *job = (struct job){.item = item, .facts_fd = memfd_create("facts", MFD_CLOEXEC)};
    const pid_t pid = job->facts_fd < 0 ? -1 : fork();
    if (pid == 0)
        work(pool->settings, job);
    if (pid < 0) {
        pr_say("%s: no process for it: %s", item->path, strerror(errno));
        if (job->facts_fd >= 0)
            close(job->facts_fd);
        return false;
    }
    job->pid = pid;
    pool->running++;
    return true;
}

static void take(struct pool *pool, struct job *job, int wait_status)
{
    char text[96];
    lseek(job->facts_fd, 0, SEEK_SET);
    job->item->entry = json_loadfd(job->facts_fd, JSON_ALLOW_NUL, NULL);
    if (!job->item->entry)
        job->item->entry = pr_publish_unreadable(job->item, bad_end(wait_status, text));
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == PR_EXIT_OUTPUT)
        pool->status = PR_EXIT_OUTPUT; /* the child said why */
    close(job->facts_fd);
    job->pid = 0;
    pool->running--;
}

/* Waits for one to end; returns how large its input is. */
static uint64_t wait_for_one(struct pool *pool)
{
    int wait_status;
    pid_t pid;
    do
        pid = waitpid(-1, &wait_status, 0);
    while (pid < 0 && errno == EINTR);
    for (size_t i = 0; pid > 0 && i < MOST_JOBS; i++) {
        if (pool->jobs[i].pid == pid) {
            const uint64_t size_bytes = pool->jobs[i].item->size_bytes;
            take(pool, &pool->jobs[i], wait_status);
            return size_bytes;
        }
    }
    return 0;
}

static size_t job_count(const struct pr_publish_settings *settings)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (settings->jobs)
        return settings->jobs < MOST_JOBS ? (size_t)settings->jobs : MOST_JOBS;
    return processors < 1 ? 1 : processors < USUAL_JOBS ? (size_t)processors : USUAL_JOBS;
}

static time_t now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* At most every REMEMBER_S: a list of thousands takes a moment to write. LAST_S is that of the last time. */
static int remember(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known,
                    time_t *last_s)
{
    if (now_s() - *last_s < REMEMBER_S)
        return PR_EXIT_DONE;
    *last_s = now_s();
    return pr_publish_remember(settings, items, known);
}

int pr_publish_make_all(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    struct pool pool = {.settings = settings};
    struct pr_progress progress = pr_progress_start(settings->common.input, settings->common.quiet);
    const size_t most = job_count(settings);
    uint64_t all_bytes = 0, done_bytes = 0;
    time_t remembered_s = now_s();
    for (size_t i = 0; i < items->count; i++)
        all_bytes += items->items[i].entry ? 0 : items->items[i].size_bytes;
    for (size_t i = 0; i < items->count && pool.status == PR_EXIT_DONE; i++) {
        if (items->items[i].entry)
            continue;
        while (pool.running >= most)
            done_bytes += wait_for_one(&pool);
        pr_progress_step(&progress, done_bytes, all_bytes);
        if (remember(settings, items, known, &remembered_s) != PR_EXIT_DONE)
            pool.status = PR_EXIT_OUTPUT;
        else if (!start(&pool, &items->items[i]))
            pool.status = PR_EXIT_OUTPUT;
    }
    while (pool.running) {
        done_bytes += wait_for_one(&pool);
        pr_progress_step(&progress, done_bytes, all_bytes);
    }
    pr_progress_end(&progress);
    return pool.status;
}
