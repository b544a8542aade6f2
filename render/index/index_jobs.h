/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs by job: those of one step of one flow, or of one name, so that like is compared with like. What grew is judged
 * as `profrender check` does it, with the earlier runs as baselines.
 *
 *     struct pr_index_jobs jobs;
 *     if (pr_index_jobs_make(&jobs, &index, runs))
 *         for (size_t i = 0; i < jobs.count; i++) show(&jobs.job[i]);
 *     pr_index_jobs_clear(&jobs);
 */
#ifndef PR_RENDER_INDEX_INDEX_JOBS_H
#define PR_RENDER_INDEX_INDEX_JOBS_H

#include "capture/base/bounds.h"
#include "render/index/index.h"

/* So many runs of a job, the latest, are drawn and compared. */
enum { PR_INDEX_RUNS = 60 };

/* A value of a run: peak heap, peak RSS, duration. */
typedef struct pr_maybe pr_index_value_of(const struct pr_index_run *run);

/* Where the level of a value changed for good, by more than `check` ignores. */
struct pr_index_level {
    size_t first, last_before; /* numbers of runs among the job's */
    int64_t before, after;     /* means of both levels */
};

/* Levels last for three runs or more (capture/base/change_points.h). */
enum { PR_INDEX_LEVELS = PR_INDEX_RUNS / 3 };

/* How a value of a job changed. Runs that failed or are not complete do not count: they show a part. */
struct pr_index_change {
    pr_index_value_of *value;
    struct pr_tolerance tolerance;
    bool is_known;      /* there is a latest value, and a median of others before it */
    bool grew;          /* beyond what `check` allows */
    bool fell;          /* the same distance on the other side */
    size_t count;       /* of the runs of that median */
    size_t latest;      /* number of the run in question among the job's */
    size_t since;       /* the first run that has more; LATEST unless it grew */
    size_t last_before; /* the last one before that */
    int64_t now;        /* its value */
    int64_t before;     /* median of the runs before SINCE */
    int64_t limit;      /* more than this is what `check` reports */
    struct pr_index_level level[PR_INDEX_LEVELS]; /* [level_count] the latest first, as `check --history` finds them */
    size_t level_count;
};

/* Runs of a job, the latest first. Borrows RUNS. */
struct pr_index_job {
    const struct pr_index_run *const *runs;
    size_t count;
    struct pr_index_change memory, time;
    bool is_heap; /* MEMORY is of the heap; else of RSS */
    const char *commit_url; /* borrowed from the index */
};

/* Where a run is: its number among those of its job. */
struct pr_index_place {
    const struct pr_index_job *job;
    size_t number;
};

struct pr_index_jobs {
    struct pr_index_job *job; /* [count] those that grew or failed first, then by their latest run */
    size_t count;
    const struct pr_index_run **sorted;
    const struct pr_index_run *runs;
    struct pr_index_place *place; /* [runs of the index] */
    bool *grew; /* [runs of the index] */
    const struct pr_index_run **before; /* [runs of the index] the one to compare with; NULL: none is */
};

/* RUNS are those of INDEX, the latest first. False: no memory; pr_index_jobs_clear also then. */
bool pr_index_jobs_make(struct pr_index_jobs *jobs, const struct pr_index *index,
                        const struct pr_index_run *const *runs);
void pr_index_jobs_clear(struct pr_index_jobs *jobs);

/* CHANGE of a job as it was when run number AT was the latest. */
struct pr_index_change pr_index_change_at(const struct pr_index_job *job, const struct pr_index_change *change,
                                          size_t at);

/* From start to end; unknown where that is before the start, or does not fit in nanoseconds. */
struct pr_maybe pr_index_duration_ns(const struct pr_index_run *run);

/* Whether the runs are steps of a flow, so that its name and theirs say what they are; else it is a run's name. */
bool pr_index_is_step(const struct pr_index_run *run);

/* Whether a run is compared: it is complete and did not fail. */
bool pr_index_counts(const struct pr_index_run *run);

/* Whether the latest run of a job failed. */
bool pr_index_fails(const struct pr_index_job *job);

/*
 * The run before RUN of its job that counts and has a card; of one that grew, the last before it did. NULL: there is
 * none.
 */
const struct pr_index_run *pr_index_before(const struct pr_index_jobs *jobs, const struct pr_index_run *run);

/* How many of its runs, the latest, are drawn. */
size_t pr_index_drawn(const struct pr_index_job *job);

/* The job of RUN, and its number there. */
struct pr_index_place pr_index_place(const struct pr_index_jobs *jobs, const struct pr_index_run *run);

/* Whether RUN is one of those that grew. */
bool pr_index_grew(const struct pr_index_jobs *jobs, const struct pr_index_run *run);

#endif
