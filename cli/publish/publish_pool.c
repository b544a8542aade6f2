/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes at once, as many as there are processors or as asked for; each hands its facts over as JSON. */
#include "cli/io/progress.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"
#include "cli/io/system.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
    struct pr_publish_items *items;
    json_t *known;
    struct pr_progress progress;
    uint64_t all_bytes, done_bytes;
    time_t remembered_s;
    size_t most; /* processes at once */
    struct job jobs[MOST_JOBS];
    size_t running;
    int status;
};

/* How a process failed, in words. */
static const char *bad_end(const struct pool *pool, int wait_status, char text[160])
{
    if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGALRM && pool->settings->time_limit_s)
        snprintf(text, 160, "not read within %" PRIu64 " s; --time-limit SECONDS allows more",
                 pool->settings->time_limit_s);
    else if (WIFSIGNALED(wait_status))
        snprintf(text, 160, "its reader was ended by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, 160, "its reader ended without a result");
    return text;
}

/* SIGALRM ends this process after LIMIT_S, whatever our parent did about that signal. */
static void limit_time(uint64_t limit_s)
{
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(limit_s < UINT_MAX ? (unsigned)limit_s : 0);
}

/* The child: makes the card and writes the facts. It ends with its parent, and leaves the lock of the site to it. */
static _Noreturn void work(const struct pool *pool, const struct job *job, pid_t parent)
{
    struct pr_publish_settings settings = *pool->settings;
    json_t *facts = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(PR_EXIT_OUTPUT);
    pr_site_leave_lock(&settings.site);
    limit_time(settings.time_limit_s);
    int status = pr_publish_make(&settings, pool->items->folder_fd, job->item, &facts);
    if (facts && json_dumpfd(facts, job->facts_fd, JSON_COMPACT))
        status = PR_EXIT_OUTPUT;
    _exit(status);
}

static bool start(struct pool *pool, struct pr_publish_item *item)
{
    struct job *job = pool->jobs;
    while (job->pid)
        job++;
    *job = (struct job){.item = item, .facts_fd = pr_system_memory_file("facts")};
    const pid_t parent = getpid(), pid = job->facts_fd < 0 ? -1 : fork();
    if (pid == 0)
        work(pool, job, parent);
    if (pid < 0) {
        pr_say("%s: cannot start a process for it: %s", item->path, strerror(errno));
        if (job->facts_fd >= 0)
            close(job->facts_fd);
        return false;
    }
    job->pid = pid;
    pool->running++;
    return true;
}

/*
 * FACTS, now owned here, become the entry of ITEM. Without a key they are not trusted next time: what this machine
 * lacked now is not a property of the file.
 */
static void set_entry(struct pr_publish_item *item, json_t *facts)
{
    const char *why;
    json_object_set_new(facts, "card", json_string(item->card));
    if (!json_is_true(json_object_get(facts, "passing")))
        json_object_set_new(facts, "key", json_string(item->key));
    item->entry = pr_publish_entry(facts, &why);
    json_decref(facts);
}

static void take(struct pool *pool, struct job *job, int wait_status)
{
    char text[160];
    lseek(job->facts_fd, 0, SEEK_SET);
    json_t *facts = json_loadfd(job->facts_fd, JSON_ALLOW_NUL, NULL);
    const bool ended = WIFEXITED(wait_status) && facts;
    if (!ended) {
        json_decref(facts);
        facts = pr_publish_unreadable(job->item, bad_end(pool, wait_status, text), true);
    }
    set_entry(job->item, facts);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == PR_EXIT_OUTPUT)
        pool->status = PR_EXIT_OUTPUT; /* the child said why */
    close(job->facts_fd);
    job->pid = 0;
    pool->running--;
}

static void wait_for_one(struct pool *pool)
{
    int wait_status;
    pid_t pid;
    do
        pid = waitpid(-1, &wait_status, 0);
    while (pid < 0 && errno == EINTR);
    for (size_t i = 0; pid > 0 && i < MOST_JOBS; i++) {
        if (pool->jobs[i].pid == pid) {
            pool->done_bytes += pool->jobs[i].item->size_bytes;
            take(pool, &pool->jobs[i], wait_status);
            break;
        }
    }
    pr_progress_step(&pool->progress, pool->done_bytes, pool->all_bytes);
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

/* At most every REMEMBER_S: a list of thousands takes a moment to write. */
static int remember(struct pool *pool)
{
    if (now_s() - pool->remembered_s < REMEMBER_S)
        return PR_EXIT_DONE;
    pool->remembered_s = now_s();
    return pr_publish_remember(pool->settings, pool->items, pool->known);
}

static void make_one(struct pool *pool, struct pr_publish_item *item)
{
    if (item->shares_card) {
        set_entry(item, pr_publish_unreadable(item, "its card would have the same name as another one; rename it",
                                              false));
        return;
    }
    while (pool->running >= pool->most)
        wait_for_one(pool);
    pr_progress_step(&pool->progress, pool->done_bytes, pool->all_bytes);
    if (remember(pool) != PR_EXIT_DONE || !start(pool, item))
        pool->status = PR_EXIT_OUTPUT;
}

static void wait_for_all(struct pool *pool)
{
    while (pool->running)
        wait_for_one(pool);
}

/* A card next to its capture is made again from that: it is not listed, and the site's version of it goes. */
static void leave_to_capture(struct pool *pool, struct pr_publish_item *item)
{
    json_decref(item->entry);
    item->entry = NULL;
    pr_site_remove(&pool->settings->site, item->card);
}

/* Captures first: only then is it known whether a page next to one is its card. */
static void make_cards(struct pool *pool)
{
    struct pr_publish_items *items = pool->items;
    for (size_t i = 0; i < items->count && pool->status == PR_EXIT_DONE; i++)
        if (!items->items[i].entry && items->items[i].kind != PR_PUBLISH_CARD)
            make_one(pool, &items->items[i]);
    wait_for_all(pool);
    for (size_t i = 0; i < items->count && pool->status == PR_EXIT_DONE; i++) {
        if (items->items[i].kind != PR_PUBLISH_CARD)
            continue;
        if (pr_publish_has_capture(items, i))
            leave_to_capture(pool, &items->items[i]);
        else if (!items->items[i].entry)
            make_one(pool, &items->items[i]);
    }
    wait_for_all(pool);
}

int pr_publish_make_all(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    struct pool pool = {.settings = settings,
                        .items = items,
                        .known = known,
                        .progress = pr_progress_start(settings->common.input, settings->common.quiet),
                        .remembered_s = now_s(),
                        .most = job_count(settings)};
    for (size_t i = 0; i < items->count; i++)
        pool.all_bytes += items->items[i].entry ? 0 : items->items[i].size_bytes;
    make_cards(&pool);
    pr_progress_end(&pool.progress);
    return pool.status;
}
