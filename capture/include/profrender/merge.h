/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several profiles as one.
 *
 *     struct pr_merger *merger;
 *     pr_merger_new(PR_MERGE_ADD, &merger, &err);
 *     while (...)
 *         pr_merger_add(merger, profile, "run-17.prz", &err);      // and free the profile
 *     pr_merger_finish(merger, &sum, &err);
 *     pr_merger_free(merger);
 *
 * Trees are merged frame by frame, values and counts add up: "the sum of the peaks of 900 workers". What cannot be
 * added is left out rather than guessed: time bins, windows, the moment of the peak. A metric stays if all profiles
 * have it (temporary allocations also with the same threshold); what is known about a run stays where all agree. Of
 * peaks and durations, the highest and the longest are kept next to the sums. How a run went (pr_profile.run) is kept
 * if there is only one; of several, those that failed are counted.
 *
 * A sum does not depend on the order in which its profiles came, or on intermediate sums: its digest is the same to the
 * byte. So any engine that maps and reduces can make digests with one and merge with the other.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_MERGE_H
#define PR_API_MERGE_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_merge_mode {
    PR_MERGE_ADD,      /* one program, run again and again, or by many workers: the same stack is the same stack */
    PR_MERGE_PROCESSES /* one run of several processes: each tree hangs below a frame "process 1234", series add up */
};

struct pr_merger;

/* Owner: *MERGER is the caller's: pr_merger_free. Errors of all: PR_FAILED, out of memory, unless stated otherwise. */
PR_API enum pr_status pr_merger_new(enum pr_merge_mode mode, struct pr_merger **merger, struct pr_error *err);

/*
 * Adds PROFILE, which is not needed afterwards. NAME, of the file, distinguishes processes that have the same pid or
 * none; it may be NULL. After an error the merger can only be freed.
 */
PR_API enum pr_status pr_merger_add(struct pr_merger *merger, const struct pr_profile *profile, const char *name,
                                    struct pr_error *err);

/*
 * The sum of all that were added. The merger can only be freed afterwards.
 *
 * Owner:  *PROFILE is the caller's: pr_profile_free.
 * Errors: PR_FAILED: nothing was added; PR_ERR_ABSENT: no metric that all of them have.
 */
PR_API enum pr_status pr_merger_finish(struct pr_merger *merger, struct pr_profile **profile, struct pr_error *err);

/*
 * Name of the INDEXth metric that some of the profiles have, but not all; NULL past the last. Valid until it is freed.
 */
PR_API const char *pr_merger_left_out(const struct pr_merger *merger, size_t index);

PR_API void pr_merger_free(struct pr_merger *merger);

PR_DECLS_END

#endif
