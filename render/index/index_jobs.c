/* SPDX-License-Identifier: Apache-2.0 */
#include "render/index/index_jobs.h"

#include "capture/base/change_points.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/time.h"

#include <stdlib.h>
#include <string.h>

/* So many runs are news; after that the new value is the usual one. */
enum { NEWS = 20 };

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct pr_maybe pr_index_duration_ns(const struct pr_index_run *run)
{
    int64_t ms;
    if (!run->start_ms.known || !run->end_ms.known ||
        __builtin_sub_overflow(run->end_ms.value, run->start_ms.value, &ms))
        return (struct pr_maybe){false, 0};
    return pr_maybe_times((struct pr_maybe){true, ms}, PR_NS_PER_MS); /* what is below 0 is unknown */
}

static struct pr_maybe heap_of(const struct pr_index_run *run)
{
    return run->heap_bytes;
}

static struct pr_maybe rss_of(const struct pr_index_run *run)
{
    return run->rss_bytes;
}

bool pr_index_counts(const struct pr_index_run *run)
{
    return run->status == PR_RUN_OK || run->status == PR_RUN_RECORDED;
}

static size_t count_known(const struct pr_index_job *job, pr_index_value_of *value)
{
    size_t known = 0;
    for (size_t i = 0; i < job->count; i++)
        known += value(job->runs[i]).known;
    return known;
}

/* Values that count of the run FROM and those before it, the latest first, and the numbers of their runs. */
struct values {
    int64_t value[PR_INDEX_RUNS];
    size_t run[PR_INDEX_RUNS], count;
};

static struct values values_of(const struct pr_index_job *job, pr_index_value_of *value, size_t from)
{
    struct values found = {.count = 0};
    for (size_t i = from; i < job->count && found.count < PR_INDEX_RUNS; i++)
        if (pr_index_counts(job->runs[i]) && value(job->runs[i]).known) {
            found.value[found.count] = value(job->runs[i]).value;
            found.run[found.count++] = i;
        }
    return found;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* The baselines of the value that has that NUMBER: all before it. */
static struct pr_baseline_values before(const struct values *values, size_t number)
{
    int64_t copy[PR_INDEX_RUNS];
    struct pr_baseline_values history = {.count = 0};
    const size_t count = values->count - number - 1;
    memcpy(copy, values->value + number + 1, count * sizeof *copy);
    return pr_baseline_values_make(copy, count, &history) ? history : (struct pr_baseline_values){.count = 0};
}

/* The first run of those up to the latest that all have more than any before them allow; the count of values: none. */
static size_t grown_since(const struct values *values, const struct pr_tolerance *tolerance)
{
    int64_t lowest = INT64_MAX;
    for (size_t number = 0; number + 1 < values->count && number < NEWS; number++) {
        lowest = values->value[number] < lowest ? values->value[number] : lowest;
        const struct pr_baseline_values history = before(values, number);
        const struct pr_bounds bounds = pr_bounds_of(&history, tolerance);
        if (history.count && lowest > bounds.alarm)
            return number;
    }
    return values->count;
}

static void add_level(struct pr_index_change *change, const struct values *values,
                      const struct pr_change_point *point, const struct pr_tolerance *tolerance)
{
    const double away = point->after > point->before ? point->after - point->before : point->before - point->after;
    const size_t number = values->count - 1 - point->index; /* the latest is the first here */
    if (away <= tolerance->relative * point->before || away <= (double)tolerance->absolute ||
        change->level_count == PR_INDEX_LEVELS)
        return;
    change->level[change->level_count++] = (struct pr_index_level){
        values->run[number], values->run[number + 1], (int64_t)point->before, (int64_t)point->after};
}

/* False: no memory. */
static bool find_levels(struct pr_index_change *change, const struct values *values,
                        const struct pr_tolerance *tolerance)
{
    int64_t series[PR_INDEX_RUNS];
    struct pr_change_points points = {.count = 0};
    for (size_t i = 0; i < values->count; i++)
        series[i] = values->value[values->count - 1 - i];
    const bool done = pr_change_points_find(series, values->count, &points);
    for (size_t i = points.count; i-- > 0;)
        add_level(change, values, &points.at[i], tolerance);
    pr_change_points_clear(&points);
    return done;
}

/* The mirror image of growth, for one value: below the lowest by more than what may be above the highest. */
static bool has_fallen(int64_t value, const struct pr_baseline_values *history, const struct pr_tolerance *tolerance)
{
    const int64_t room = pr_subtract_saturated(pr_bounds_of(history, tolerance).alarm, history->highest);
    return history->count && pr_subtract_saturated(history->lowest, value) > room;
}

/* As it was when the run FROM was the latest; VALUES become those that it is found in. */
static struct pr_index_change change_of(const struct pr_index_job *job, pr_index_value_of *value,
                                        struct pr_tolerance tolerance, size_t from, struct values *values)
{
    *values = values_of(job, value, from);
    struct pr_index_change change = {.value = value, .tolerance = tolerance};
    const size_t since = grown_since(values, &tolerance);
    change.grew = since < values->count;
    if (!values->count)
        return change;
    const size_t number = change.grew ? since : 0;
    const struct pr_baseline_values history = before(values, number);
    change.latest = values->run[0];
    change.since = values->run[number];
    change.now = values->value[0];
    change.is_known = history.count > 0;
    change.fell = !change.grew && has_fallen(change.now, &history, &tolerance);
    change.count = history.count;
    change.before = history.median;
    change.limit = pr_bounds_of(&history, &tolerance).alarm;
    change.last_before = change.is_known ? values->run[number + 1] : change.since;
    return change;
}

/* False: no memory. */
static bool find_change(const struct pr_index_job *job, pr_index_value_of *value, struct pr_tolerance tolerance,
                        struct pr_index_change *change)
{
    struct values values;
    *change = change_of(job, value, tolerance, 0, &values);
    return !values.count || find_levels(change, &values, &tolerance);
}

/* How far chance moves the peak, as a share: as far as in any of the runs; where it was not recorded, to twice. */
static double heap_by_chance(const struct pr_index_job *job)
{
    int64_t most = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct pr_maybe percent = job->runs[i]->heap_chance_percent;
        const int64_t here = percent.known ? percent.value : 100;
        most = here > most ? here : most;
    }
    return (double)most / 100;
}

/* The heap, which says more about the program, or what the latest run has. False: no memory. */
static bool judge(struct pr_index_job *job)
{
    job->is_heap = count_known(job, heap_of) > 1 && (job->runs[0]->heap_bytes.known || count_known(job, rss_of) < 2);
    const double by_chance = job->is_heap ? heap_by_chance(job) : PR_RSS_BY_CHANCE;
    return find_change(job, job->is_heap ? heap_of : rss_of, pr_tolerance_of_bytes(by_chance), &job->memory) &&
           find_change(job, pr_index_duration_ns, pr_tolerance_of_times(PR_TIME_BY_CHANCE), &job->time);
}

struct pr_index_change pr_index_change_at(const struct pr_index_job *job, const struct pr_index_change *change,
                                          size_t at)
{
    struct values values;
    return change_of(job, change->value, change->tolerance, at, &values);
}

bool pr_index_fails(const struct pr_index_job *job)
{
    return job->runs[0]->status == PR_RUN_FAILED;
}

/* Marks the runs of a job that grew. */
static void mark(struct pr_index_jobs *jobs, const struct pr_index_job *job)
{
    const struct pr_index_change *const changes[] = {&job->memory, &job->time};
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
        for (size_t i = 0; changes[c]->grew && i <= changes[c]->since; i++)
            if (pr_index_counts(job->runs[i]))
                jobs->grew[job->runs[i] - jobs->runs] = true;
}

/* The first of those from number AT on that can be compared with, or NULL. */
static const struct pr_index_run *find_comparable(const struct pr_index_job *job, size_t at)
{
    while (at < job->count && !(pr_index_counts(job->runs[at]) && *job->runs[at]->card))
        at++;
    return at < job->count ? job->runs[at] : NULL;
}

static void find_before(struct pr_index_jobs *jobs, const struct pr_index_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        size_t at = i + 1;
        if (job->memory.grew && i <= job->memory.since)
            at = job->memory.since + 1;
        else if (job->time.grew && i <= job->time.since)
            at = job->time.since + 1;
        jobs->before[job->runs[i] - jobs->runs] = *job->runs[i]->card ? find_comparable(job, at) : NULL;
    }
}

const struct pr_index_run *pr_index_before(const struct pr_index_jobs *jobs, const struct pr_index_run *run)
{
    return jobs->before[run - jobs->runs];
}

size_t pr_index_drawn(const struct pr_index_job *job)
{
    return job->count < PR_INDEX_RUNS ? job->count : PR_INDEX_RUNS;
}

struct pr_index_place pr_index_place(const struct pr_index_jobs *jobs, const struct pr_index_run *run)
{
    return jobs->place[run - jobs->runs];
}

bool pr_index_grew(const struct pr_index_jobs *jobs, const struct pr_index_run *run)
{
    return jobs->grew[run - jobs->runs];
}

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

bool pr_index_is_step(const struct pr_index_run *run)
{
    return *run->flow && *run->step;
}

/* Steps by flow and step, other runs by name. */
static int compare_jobs(const struct pr_index_run *x, const struct pr_index_run *y)
{
    const bool is_step = pr_index_is_step(x);
    if (is_step != pr_index_is_step(y))
        return is_step ? -1 : 1;
    const int first = is_step ? strcmp(x->flow, y->flow) : strcmp(x->name, y->name);
    return first || !is_step ? first : strcmp(x->step, y->step);
}

static int by_job(const void *a, const void *b, const void *context)
{
    (void)context; /* the sort keeps the time order within a job */
    return compare_jobs(*(const struct pr_index_run *const *)a, *(const struct pr_index_run *const *)b);
}

/* What wants a look comes first. */
static int rank(const struct pr_index_job *job)
{
    return job->memory.grew ? 0 : pr_index_fails(job) ? 1 : job->time.grew ? 2 : 3;
}

/* By rank; jobs of one rank by their latest run; without times, in order of name. */
static int by_news(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct pr_index_job *x = a, *y = b;
    const int64_t start_x = x->runs[0]->start_ms.known ? x->runs[0]->start_ms.value : INT64_MIN;
    const int64_t start_y = y->runs[0]->start_ms.known ? y->runs[0]->start_ms.value : INT64_MIN;
    return rank(x) != rank(y) ? rank(x) - rank(y) : PR_ORDER(start_y, start_x);
}

/* False: no memory. */
static bool group(struct pr_index_jobs *jobs, size_t count, const char *commit_url)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_jobs(jobs->sorted[end], jobs->sorted[first]) == 0; end++)
            ;
        struct pr_index_job *job = &jobs->job[jobs->count++];
        *job = (struct pr_index_job){.runs = jobs->sorted + first, .count = end - first,
                                     .commit_url = commit_url};
        if (!judge(job))
            return false;
        mark(jobs, job);
        find_before(jobs, job);
    }
    return true;
}

/* When jobs have their places, their runs have theirs. */
static void find_places(struct pr_index_jobs *jobs)
{
    for (size_t j = 0; j < jobs->count; j++)
        for (size_t i = 0; i < jobs->job[j].count; i++)
            jobs->place[jobs->job[j].runs[i] - jobs->runs] = (struct pr_index_place){&jobs->job[j], i};
}

bool pr_index_jobs_make(struct pr_index_jobs *jobs, const struct pr_index *index,
                        const struct pr_index_run *const *runs)
{
    const size_t count = index->count;
    *jobs = (struct pr_index_jobs){.sorted = malloc((count + 1) * sizeof *jobs->sorted),
                                   .job = malloc((count + 1) * sizeof *jobs->job),
                                   .place = calloc(count + 1, sizeof *jobs->place),
                                   .grew = calloc(count + 1, sizeof *jobs->grew),
                                   .before = calloc(count + 1, sizeof *jobs->before),
                                   .runs = index->runs};
    if (!jobs->sorted || !jobs->job || !jobs->place || !jobs->grew || !jobs->before)
        return false;
    for (size_t i = 0; i < count; i++)
        jobs->sorted[i] = runs[i];
    if (!pr_sort(jobs->sorted, count, sizeof *jobs->sorted, by_job, NULL))
        return false;
    if (!group(jobs, count, index->commit_url) || !pr_sort(jobs->job, jobs->count, sizeof *jobs->job, by_news, NULL))
        return false;
    find_places(jobs);
    return true;
}

void pr_index_jobs_clear(struct pr_index_jobs *jobs)
{
    free(jobs->sorted);
    free(jobs->job);
    free(jobs->place);
    free(jobs->grew);
    free(jobs->before);
    *jobs = (struct pr_index_jobs){.count = 0};
}
