/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a profile as records: for each (stack, hybrid stack, allocator, and thread if split) what it held in
 * which bins, or what was allocated in which bin and freed in which. This is what `profrender export --view
 * temporal-peak` and `temporal-leaks` write; it compares with memray's own temporal records.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_TEMPORAL_RECORDS_H
#define PR_API_TEMPORAL_RECORDS_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_temporal_kind {
    /* held at the high-water marks of bins `from` to `to` - 1; bin number bin_count is the end of the run */
    PR_TEMPORAL_PEAK,
    PR_TEMPORAL_LEAKS /* allocated in bin `from`, freed in `to` */
};

struct pr_interval {
    uint32_t from, to; /* PR_NEVER: to the end */
    int64_t bytes, count;
};

struct pr_temporal_record {
    pr_node_id leaf, hybrid; /* hybrid is PR_NO_NODE where the profile has no hybrid stacks */
    uint32_t thread;         /* index into profile->threads; UINT32_MAX when merged */
    uint8_t allocator;
    size_t first, count;     /* its intervals, by `from`, then `to` */
};

struct pr_temporal {
    struct pr_temporal_record *record; /* [count] by stack (function, file, line from the leaf), allocator, thread */
    size_t count;
    struct pr_interval *interval; /* [interval_count] */
    size_t interval_count;
};

/*
 * Owner:  pr_temporal_clear, even after an error.
 * Errors: PR_FAILED: out of memory, or PR_ERR_ABSENT: the profile has no history.
 */
PR_API enum pr_status pr_temporal_make(const struct pr_profile *profile, enum pr_temporal_kind kind, bool split_threads,
                                       struct pr_temporal *temporal, struct pr_error *err);
PR_API void pr_temporal_clear(struct pr_temporal *temporal);

PR_DECLS_END

#endif
