/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the index. Each appends a section, or nothing where there is nothing to show. */
#ifndef PR_RENDER_INDEX_INDEX_INTERNAL_H
#define PR_RENDER_INDEX_INDEX_INTERNAL_H

#include "render/html/html.h"
#include "render/index/index.h"
#include "render/words/units.h"

/* All runs, the latest first; those without a time last, by their source. False: no memory. */
bool pr_index_order(const struct pr_index *index, const struct pr_index_run ***runs);

/* Names with several runs: how peak and duration changed. RUNS are in that order. */
void pr_index_trends(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out);

/* The steps of each run of a flow on one axis of time. */
void pr_index_flows(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out);

/* The table of all runs. */
void pr_index_table(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out);

/* The name of a run, linked to its card where there is one. */
void pr_index_link(const struct pr_index_run *run, const char *text, struct pr_buf *out);

/* The CSS class for how a run ended: of its word, its bar. */
const char *pr_index_class(enum pr_run_status status);

/* How it ended, as a word with a sign before it. */
void pr_index_status(enum pr_run_status status, struct pr_buf *out);

/* From start to end; unknown where that is before the start, or does not fit in nanoseconds. */
struct pr_maybe pr_index_duration_ns(const struct pr_index_run *run);

/* The peak memory of a run, and how it was measured: of several figures the one that says more about the program. */
struct pr_index_peak {
    struct pr_maybe bytes;
    const char *kind; /* "heap" or "RSS" */
};
struct pr_index_peak pr_index_peak(const struct pr_index_run *run);

/* VALUE (bytes or nanoseconds) for people, "not recorded" if unknown. */
void pr_index_value(struct pr_maybe value, enum pr_unit unit, struct pr_buf *out);

#endif
