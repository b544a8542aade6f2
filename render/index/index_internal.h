/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the index. Each appends a section, or nothing where there is nothing to show. */
#ifndef PR_RENDER_INDEX_INDEX_INTERNAL_H
#define PR_RENDER_INDEX_INDEX_INTERNAL_H

#include "render/html/html.h"
#include "render/index/index_jobs.h"
#include "render/words/units.h"

/* All runs, the latest first; those without a time last, by their source. False: no memory. */
bool pr_index_order(const struct pr_index *index, const struct pr_index_run ***runs);

/* What the page is of: how many runs of how many jobs, from when to when, and how new the newest is. */
void pr_index_header(const struct pr_index *index, const struct pr_index_jobs *jobs, struct pr_buf *out);

/* How many runs ended how; each a filter of the page where scripts run. */
void pr_index_filters(const struct pr_index *index, const struct pr_index_jobs *jobs, struct pr_buf *out);

/* What wants a look: jobs that grew or fail; or that none does. */
void pr_index_news(const struct pr_index_jobs *jobs, struct pr_buf *out);

/* Jobs whose latest run came near its memory limit; nothing where none did. */
void pr_index_limits(const struct pr_index_jobs *jobs, struct pr_buf *out);

/* Earlier failures, and levels that changed without being growth; nothing where there is neither. */
void pr_index_also(const struct pr_index_jobs *jobs, struct pr_buf *out);

/* How the latest runs of each job ended. */
void pr_index_grid(const struct pr_index_jobs *jobs, struct pr_buf *out);

/* Jobs with several runs: how peak and duration changed. */
void pr_index_trends(const struct pr_index_jobs *jobs, struct pr_buf *out);

/* The steps of each run of a flow on one axis of time. */
void pr_index_flows(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out);

/* The table of all runs: of RUNS, and which of them grew. */
void pr_index_table(const struct pr_index_run *const *runs, size_t count, const struct pr_index_jobs *jobs,
                    struct pr_buf *out);

/* The name of a run, linked to its card where there is one. */
void pr_index_link(const struct pr_index_run *run, const char *text, struct pr_buf *out);

/* What tells a run from others of its job: its number, or the file it was made from. */
const char *pr_index_run_name(const struct pr_index_run *run);

/* The beginning of the commit of a run of JOB, whole on hover, linked where that is known; nothing without a commit. */
void pr_index_commit(const struct pr_index_job *job, const struct pr_index_run *run, struct pr_buf *out);

/*
 * A link to the difference of RUN and one BEFORE it, which the card of RUN makes: "with 1840"; where it IS_ALONE, not
 * in the row of RUN, "1841 with 1840".
 */
void pr_index_compare_link(const struct pr_index_run *run, const struct pr_index_run *before, bool is_alone,
                           struct pr_buf *out);

/* What a job is called, linked to the card of RUN: its flow and step, or its name. */
void pr_index_job_link(const struct pr_index_run *run, struct pr_buf *out);

/* The same without a link, whole: what tells jobs apart. */
void pr_index_job_name(const struct pr_index_run *run, struct pr_buf *out);

/* The same with the run that it is of: "sales / load 049"; of no flow, its name alone. */
void pr_index_run_link(const struct pr_index_run *run, struct pr_buf *out);

/* When it began, exactly on hover; nothing where that is not known. */
bool pr_index_start(const struct pr_index_run *run, struct pr_buf *out);

/* A sign for a heading. */
enum pr_index_sign { PR_INDEX_GREW, PR_INDEX_FAILED };
void pr_index_sign(enum pr_index_sign sign, struct pr_buf *out);

/*
 * After the name of a figure, CHANGE as of the run number AT of JOB: " +49.6 % against the median of the 13 runs
 * before", " 62 s less than the median of ...", " as in the 13 runs before".
 */
void pr_index_against(const struct pr_index_job *job, const struct pr_index_change *change, size_t at,
                      enum pr_unit unit, struct pr_buf *out);

/* A job's CHANGE from run to run, drawn; nothing of fewer than two runs. */
void pr_index_chart(const struct pr_index_job *job, const struct pr_index_change *change, enum pr_unit unit,
                    struct pr_buf *out);

/*
 * The function with at least half of what the heap of JOB, which grew, has more in its latest run than in the last one
 * before it grew. NULL: no function has, or what they hold is not known.
 */
const char *pr_index_grown_function(const struct pr_index_job *job);

/* By how much the latest value differs from the median before: "+31.0 %", "× 29"; with both exactly. */
void pr_index_growth(const struct pr_index_change *change, enum pr_unit unit, struct pr_buf *out);

/* The CSS class for how a run ended: of its word, its bar. */
const char *pr_index_class(enum pr_run_status status);

/* How it ended, as a word, and with a sign before it. */
const char *pr_index_word(enum pr_run_status status);
void pr_index_status(enum pr_run_status status, struct pr_buf *out);

/* The peak memory of a run, and how it was measured: of several figures the one that says more about the program. */
struct pr_index_peak {
    struct pr_maybe bytes;
    const char *kind; /* "heap" or "RSS" */
};
struct pr_index_peak pr_index_peak(const struct pr_index_run *run);

/* VALUE (bytes or nanoseconds) for people, "not recorded" if unknown. */
void pr_index_value(struct pr_maybe value, enum pr_unit unit, struct pr_buf *out);

#endif
