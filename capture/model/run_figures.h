/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of a run as a whole, from its time series and from what the system counted for it. Each knows where it comes
 * from; what was not measured is absent.
 */
#ifndef PR_CAPTURE_MODEL_RUN_FIGURES_H
#define PR_CAPTURE_MODEL_RUN_FIGURES_H

#include "profrender/profile.h"

/* A figure and, for the hover, where it comes from. */
struct pr_run_figure {
    bool known;
    int64_t value;
    const char *source;
};

/* The series called NAME, if it has a point; else NULL. */
const struct pr_series *pr_run_series(const struct pr_profile *profile, const char *name);

/* How long, in ns: as the recorder measured it. */
struct pr_run_figure pr_run_wall(const struct pr_profile *profile);

/* CPU time in ns: what the system counted, else the samples of `cpu` over their time. */
struct pr_run_figure pr_run_cpu_time(const struct pr_profile *profile);

/* Busy cores on average, and cores that the run could use, in thousandths. */
struct pr_run_figure pr_run_busy_cores(const struct pr_profile *profile);
struct pr_run_figure pr_run_usable_cores(const struct pr_profile *profile);

/*
 * Whether the samples of busy cores miss a part of BUSY, the average: none of them is as high. A process that ends
 * between two samples is counted by the system alone.
 */
bool pr_run_cpu_is_missed(const struct pr_profile *profile, struct pr_run_figure busy);
#define PR_CPU_IS_MISSED "more than any sample: what ran between two of them is missing there"

/*
 * The series that shows how much memory the run used; NULL = none. Its cgroup's counts against the limit, if there is
 * one; else the cgroup may hold other programs too, and RSS is the run's own, or what its largest process had: the
 * cgroup's is taken only where nothing else is known.
 */
const struct pr_series *pr_run_memory_series(const struct pr_profile *profile);

/*
 * The maximum memory known to have been in use, in bytes; *AT_MS is when it was sampled, or PR_NO_MOMENT: one
 * process alone had more between two samples.
 */
#define PR_NO_MOMENT INT64_MIN
struct pr_run_figure pr_run_peak_memory(const struct pr_profile *profile, int64_t *at_ms);

/*
 * The maximum RSS in bytes, as `check`, card and site show it: the highest sample, or what the system counted of the
 * largest process, if that is more: it misses nothing between two samples. Where each process is sampled by itself, the
 * highest of any.
 */
struct pr_maybe pr_run_peak_rss(const struct pr_profile *profile);

/* Bytes in all of a series of bytes a second, such as disk_read; ns in all of a pressure in percent. */
struct pr_run_figure pr_run_sum(const struct pr_profile *profile, const char *series);

/* For how long threads of the run were ready and had no core, all together. */
struct pr_run_figure pr_run_waited(const struct pr_profile *profile);

/* The place of the highest value, the first of several; 0 for a series without points. */
static inline size_t pr_series_highest(const struct pr_series *series)
{
    size_t best = 0;
    for (size_t i = 1; i < series->count; i++)
        best = series->value[i] > series->value[best] ? i : best;
    return best;
}

/* The highest value of a series that has points. */
static inline int64_t pr_series_most(const struct pr_series *series)
{
    return series->value[pr_series_highest(series)];
}

#endif
