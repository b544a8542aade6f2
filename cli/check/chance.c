/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/chance.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_SHARE = 100, /* one part in this many of all that is counted */
    TASKS = 4,         /* that overlap, where this is not known */
    MOST_AT_ONCE = 8   /* of more than that, some will be at their highest and some at their lowest */
};

/* The loop that lets tasks take turns, by the end of its file. */
static const struct {
    const char *library, *file, *function;
} loops[] = {{"asyncio", "/asyncio/base_events.py", "_run_once"},
             {"asyncio", "/uvloop/__init__.py", "run"},
             {"trio", "/trio/_core/_run.py", "unrolled_run"},
             {"gevent", "/gevent/greenlet.py", "run"},
             {"gevent", "/gevent/hub.py", "run"},
             {"eventlet", "/eventlet/hubs/hub.py", "run"},
             {"Twisted", "/twisted/internet/base.py", "mainLoop"}};

static bool ends_with(struct pr_text text, const char *end)
{
    const size_t length = strlen(end);
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

static const char *tasks_of(const struct pr_profile *profile)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        struct pr_text file = pr_profile_text(profile, profile->frames[i].file);
        struct pr_text function = pr_profile_text(profile, profile->frames[i].function);
        for (size_t k = 0; k < sizeof loops / sizeof *loops; k++)
            if (ends_with(file, loops[k].file) && function.length == strlen(loops[k].function) &&
                memcmp(function.bytes, loops[k].function, function.length) == 0)
                return loops[k].library;
    }
    return NULL;
}

/* How many of the COUNT sums are a part of their whole that counts. */
static uint32_t counted(const int64_t *sums, uint32_t count)
{
    int64_t all = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        all = pr_add_saturated(all, sums[i]);
    for (uint32_t i = 0; i < count; i++)
        found += sums[i] > 0 && sums[i] >= all / LEAST_SHARE;
    return found;
}

struct pr_chance pr_chance_of(const struct pr_profile *profile)
{
    struct pr_chance chance = {.tasks = tasks_of(profile)};
    const int allocated = pr_profile_metric(profile, "allocated");
    int64_t *threads = calloc(profile->thread_count + (size_t)1, sizeof *threads);
    int64_t *processes = calloc(profile->process_count + (size_t)1, sizeof *processes);
    const struct pr_metric *metric = profile->metric_count ? &profile->metrics[allocated < 0 ? 0 : allocated] : NULL;
    for (size_t i = 0; metric && threads && processes && i < profile->fact_count; i++) {
        const uint32_t thread = profile->fact_thread[i];
        const uint32_t process = profile->threads[thread].process;
        threads[thread] = pr_add_saturated(threads[thread], metric->value[i]);
        processes[process] = pr_add_saturated(processes[process], metric->value[i]);
    }
    if (threads && processes) {
        chance.threads = counted(threads, profile->thread_count);
        chance.processes = counted(processes, profile->process_count);
    }
    if (profile->origin.runs > chance.processes) /* a sum: it contains the peak of each */
        chance.processes = profile->origin.runs < UINT32_MAX ? (uint32_t)profile->origin.runs : UINT32_MAX;
    free(threads);
    free(processes);
    return chance;
}

struct pr_chance pr_chance_both(struct pr_chance a, struct pr_chance b)
{
    return (struct pr_chance){a.threads > b.threads ? a.threads : b.threads,
                              a.processes > b.processes ? a.processes : b.processes, a.tasks ? a.tasks : b.tasks};
}

double pr_chance_share(const struct pr_chance *chance)
{
    uint32_t most = chance->threads > chance->processes ? chance->threads : chance->processes;
    if (chance->tasks && most < TASKS)
        most = TASKS;
    return most > MOST_AT_ONCE ? MOST_AT_ONCE - 1 : most > 1 ? most - 1 : 0;
}

void pr_chance_words(const struct pr_chance *chance, struct pr_buf *out)
{
    if (chance->processes > 1)
        pr_buf_printf(out, "%u processes allocate", (unsigned)chance->processes);
    else if (chance->threads > 1)
        pr_buf_printf(out, "%u threads allocate", (unsigned)chance->threads);
    else if (chance->tasks)
        pr_buf_printf(out, "tasks of %s take turns", chance->tasks);
}
