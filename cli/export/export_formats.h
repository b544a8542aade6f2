/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view in the formats of other tools: what `export --format` writes besides JSON and CSV. Each is read by the reader
 * of its format, and gives the same stacks, threads and values, as far as the format has room for them.
 */
#ifndef PR_CLI_EXPORT_EXPORT_FORMATS_H
#define PR_CLI_EXPORT_EXPORT_FORMATS_H

#include "profrender/records.h"
#include "cli/io/output.h"

/* How far the times of samples reach a file. */
enum pr_exchange_times {
    PR_TIMES_NONE,    /* the metric has none, or only an order */
    PR_TIMES_KEPT,    /* the file has all of them */
    PR_TIMES_WINDOW,  /* a window of the run is written */
    PR_TIMES_MERGED,  /* several threads are written as one */
    PR_TIMES_SOME,    /* not all that the metric has came with a time, or there were too many to keep each */
    PR_TIMES_GAPS     /* speedscope: there are gaps between samples, or samples without a stack */
};

struct pr_exchange {
    const struct pr_profile *profile;
    const struct pr_metric *metric; /* of the profile */
    const struct pr_records *records; /* of the metric */
    const struct pr_records *all; /* [profile->metric_count] of each metric; NULL: of this one only. pprof */
    bool split_threads;
    bool whole;     /* all of the run, and no window of it */
    bool in_order;  /* slices or moments are written, each at its time: see pr_exchange_order */
    bool raw;       /* text: names as they were recorded, whatever a log makes of them */
    bool raw_names; /* bytes that are not UTF-8 stay, as \udcXX */
};

/* The leaf of a record's stack, with native frames where there are some. */
static inline pr_node_id pr_exchange_leaf(const struct pr_record *record)
{
    return record->hybrid == PR_NO_NODE ? record->leaf : record->hybrid;
}

/*
 * Collapsed stacks: values are nanoseconds, bytes, counts. The line after a function is the one that ran. The format
 * cannot hold a `;` or a line feed in a name: it becomes a `:` or a space.
 *
 * Errors for all: PR_FAILED, out of memory; what was written to OUT is then of no use.
 */
enum pr_status pr_exchange_collapsed(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

/*
 * speedscope's JSON, a profile for each thread if they are split. In the order of time, or else a sample for each
 * stack, the heaviest first. Stacks with values below 0 are left out: speedscope refuses a file that has one.
 */
enum pr_status pr_exchange_speedscope(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

/*
 * The processed format of profiler.firefox.com, a thread for each thread if they are split: times as "tracing-ms",
 * bytes as "bytes", all else as "samples". In the order of time, or else each stack follows the one before it, the
 * heaviest first. Where the axis is not a clock, meta.sampleTimes says so to our reader and meta.extra to people.
 */
enum pr_status pr_exchange_firefox(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

/*
 * pprof's protocol buffer, packed by gzip. Counts are a sample type of their own, before that of the values: where all
 * metrics are written "peak_allocations", or the metric that has the same numbers (inuse_objects). The metric is the
 * default one.
 */
enum pr_status pr_exchange_pprof(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

/* The slices of the metric that is exported. */
struct pr_slices pr_exchange_slices(const struct pr_exchange *what);

/* The moments of the metric that is exported: all of the profile's, or 0. *COUNT is their number. */
const struct pr_moment *pr_exchange_moments(const struct pr_exchange *what, size_t *count);

/*
 * Sets WHAT->in_order, for speedscope or for Firefox: whether the metric's slices or moments are all that it has, as
 * recorded. speedscope has no room for gaps between slices, nor for moments. *TIMES is for the user.
 *
 * Errors: PR_FAILED, out of memory.
 */
enum pr_status pr_exchange_order(struct pr_exchange *what, bool for_speedscope, enum pr_exchange_times *times,
                                 struct pr_error *err);

#endif
