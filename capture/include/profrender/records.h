/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of one metric as records: one for each (stack, hybrid stack, allocator, and thread if split), summed.
 * This is what `profrender export --format json` writes; it compares with memray's own records.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_RECORDS_H
#define PR_API_RECORDS_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

struct pr_record {
    pr_node_id leaf, hybrid; /* hybrid is PR_NO_NODE where the profile has no hybrid stacks */
    uint32_t thread;         /* index into profile->threads; UINT32_MAX when merged */
    uint8_t allocator;       /* enum pr_allocator */
    int64_t value, count;
};

struct pr_records {
    /* [count], largest value first, then count, then stack (function, file, line from the leaf) */
    struct pr_record *record;
    size_t count;
    int64_t total_value, total_count;
};

/* Owner: pr_records_clear. Records whose value and count are both 0 are left out. PR_FAILED: out of memory. */
PR_API enum pr_status pr_records_make(const struct pr_profile *profile, unsigned metric, bool split_threads,
                                      struct pr_records *records, struct pr_error *err);
PR_API void pr_records_clear(struct pr_records *records);

PR_DECLS_END

#endif
