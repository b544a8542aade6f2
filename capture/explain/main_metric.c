/* SPDX-License-Identifier: Apache-2.0 */
/* Known metrics have words of their own; the others keep the profile's names. */
#include "capture/explain/main_metric.h"

#include "capture/base/ascii.h"
#include "capture/model/run_times.h"

#include <string.h>

/* Of a recording's length: 5 ms of waiting in a minute is no answer to where the time went. */
static bool is_negligible(const struct pr_profile *profile, const struct pr_metric *metric)
{
    enum { PARTS = 100, NS_PER_MS = 1000000 };
    const struct pr_maybe span_ms = pr_times_span_ms(profile);
    return span_ms.known && metric->total_value / NS_PER_MS < span_ms.value / PARTS;
}

/* jdk.MethodTiming and jdk.MethodTrace; formats have no other time in calls of such a name. */
bool pr_metric_is_nested(const struct pr_metric *metric)
{
    return metric->unit == PR_UNIT_NANOSECONDS && metric->count_name && !strcmp(metric->count_name, "calls") &&
           (!strcmp(metric->name, "timed") || !strcmp(metric->name, "traced"));
}

/* What a profile counted, and the first time that it has, nested or not; NULL: it has none. */
struct candidates {
    const struct pr_metric *counted, *time, *nested;
};

/* In a difference, what a metric is compared with is not one of its own. */
static struct candidates find_candidates(const struct pr_profile *profile)
{
    struct candidates found = {NULL, NULL, NULL};
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        if (pr_metric_is_of_heap(profile, metric) || pr_metric_is_of_objects(metric) ||
            pr_metric_is_of_spans(metric) || metric->total_value <= 0)
            continue;
        const struct pr_metric **place = pr_metric_is_nested(metric)           ? &found.nested
                                         : metric->unit == PR_UNIT_NANOSECONDS ? &found.time
                                                                               : &found.counted;
        *place = *place ? *place : metric;
    }
    return found;
}

/* A profiler of the processor has no samples of a thread that waits: the time from one sample to the next has both. */
static bool is_time_between_samples(struct candidates found)
{
    return found.counted && found.counted < found.time && !strcmp(found.counted->name, "samples") &&
           !strcmp(found.time->name, "time");
}

const struct pr_metric *pr_main_metric(const struct pr_profile *profile)
{
    const struct candidates found = find_candidates(profile);
    if (!found.time && !found.counted)
        return found.nested;
    if (!found.time || is_time_between_samples(found))
        return found.counted ? found.counted : found.time;
    return found.counted && is_negligible(profile, found.time) ? found.counted : found.time;
}

static const char *known_whole(const struct pr_metric *metric)
{
    static const struct {
        const char *metric;
        const char *whole;
    } known[] = {{"allocated", "memory allocated"},
                 {"allocations", "allocations"},
                 {"inuse_space", "memory in use"},
                 {"inuse_objects", "objects in use"},
                 {"alloc_space", "memory allocated"},
                 {"alloc_objects", "objects allocated"},
                 {"leaked", "memory not freed"},
                 {"temporary", "temporary allocations"},
                 {"cpu", "CPU time"},
                 {"wall", "wall time"},
                 {"contentions", "contentions"},
                 {"goroutine", "goroutines"},
                 {"threadcreate", "threads created"},
                 {"delay", "delay"},
                 {"cpu-clock", "cpu-clock time"},
                 {"task-clock", "task-clock time"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const bool is_bare = !strcmp(metric->title, metric->name); /* else the file's own words are better */
        const bool is_memory = metric->unit == PR_UNIT_BYTES || metric->unit == PR_UNIT_COUNT;
        if ((is_bare || is_memory) && !strcmp(metric->name, known[i].metric))
            return known[i].whole;
    }
    return NULL;
}

/* "Wall time" becomes "wall time"; "CPU time" and "IPC" stay what they are. */
const char *pr_main_whole(struct pr_inquiry *inquiry, const struct pr_metric *metric)
{
    const char *known = strcmp(metric->name, "peak") ? known_whole(metric) : pr_heap_words(inquiry->profile)->at_peak;
    if (known)
        return known;
    char *title = pr_arena_copy(&inquiry->explanation->arena, metric->title, strlen(metric->title));
    if (!title) {
        inquiry->failed = true;
        return "";
    }
    if (title[0] && pr_is_lower(title[1]))
        title[0] = pr_ascii_lower(title[0]);
    return title;
}

const struct pr_metric *pr_main_time(const struct pr_profile *profile)
{
    const struct candidates found = find_candidates(profile);
    const struct pr_metric *metric = is_time_between_samples(found) ? found.time : pr_main_metric(profile);
    return metric && pr_metric_is_time(metric) && !pr_metric_is_nested(metric) ? metric : NULL;
}

const char *pr_main_no_time(const struct pr_profile *profile)
{
    const struct pr_metric *metric = pr_main_metric(profile);
    return metric && pr_metric_is_nested(metric) ? "the times of timed methods include each other"
                                                 : "no time was recorded by call stack";
}
