/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view in the formats of other tools: what `export --format` writes besides JSON and CSV. Each is read by the reader
 * of its format, and gives the same stacks, threads and values, as far as the format has room for them.
 */
#ifndef PR_CLI_EXPORT_EXPORT_FORMATS_H
#define PR_CLI_EXPORT_EXPORT_FORMATS_H

#include "profrender/records.h"
#include "cli/io/output.h"

struct pr_exchange {
    const struct pr_profile *profile;
    const struct pr_metric *metric; /* of the profile */
    const struct pr_records *records; /* of the metric */
    const struct pr_records *all; /* [profile->metric_count] of each metric; NULL: of this one only. pprof */
    bool split_threads;
    bool whole;     /* all of the run, and no window of it */
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
 * speedscope's JSON, a profile for each thread if they are split. In the order of time where that is known exactly and
 * without gaps for the threads that are kept apart; else a sample for each stack, the heaviest first. Stacks with
 * values below 0 are left out: speedscope refuses a file that has one.
 */
enum pr_status pr_exchange_speedscope(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

/*
 * The processed format of profiler.firefox.com, a thread for each thread if they are split: times as "tracing-ms",
 * bytes as "bytes", all else as "samples". In the order of time where speedscope's would be; else each stack follows
 * the one before it, the heaviest first, on an axis that is no time.
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

/*
 * For these files: whether these are all that the metric has, to the nanosecond, one right after another: not if
 * they had to be thinned out, or if the file has other times too. *FAILED: out of memory.
 */
bool pr_exchange_knows_order(const struct pr_exchange *what, struct pr_error *err, bool *failed);

#endif
