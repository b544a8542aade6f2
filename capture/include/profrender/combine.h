/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of different kinds as one: what a run allocated, and where its time went.
 *
 *     const struct pr_profile *inputs[] = {memory, cpu};
 *     const char *names[] = {"run.bin", "run.pstats"};
 *     pr_combine(inputs, names, 2, &combined, &err);             // and free the inputs
 *
 * The trees become one, frame by frame; a fact has a value in the metrics of its own input only. Threads with the same
 * process, number and name are one. All that is known of time is kept: bins and windows are those of the first input
 * that has them, the order of time that of the first one with slices, series are those of all that have a date, or
 * none. What is known of the recording is that of the first memory capture, else of the first input; pr_profile.run
 * stays empty: see profrender/assemble.h.
 *
 * Profiles of one kind are added up instead: profrender/merge.h. pr_is_same_kind tells which. A whole run with all its
 * files: profrender/assemble.h.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_COMBINE_H
#define PR_API_COMBINE_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

/*
 * Whether both measure the same thing and can be added up: two memory captures do, and two profiles of one format with
 * the same main metric in the same unit. Two tools that timed the same run measured it twice: not to be summed.
 */
PR_API bool pr_is_same_kind(const struct pr_profile *a, const struct pr_profile *b);

/*
 * Metrics keep their order, those of the first input come first; one whose name is taken is called "name-format".
 * PROFILES and NAMES have COUNT elements; a name may be NULL. Combined profiles may be combined again.
 *
 * Owner:  *COMBINED is the caller's: pr_profile_free. It borrows nothing from PROFILES.
 * Errors: PR_FAILED: out of memory, or nothing to combine.
 */
PR_API enum pr_status pr_combine(const struct pr_profile *const *profiles, const char *const *names, size_t count,
                                 struct pr_profile **combined, struct pr_error *err);

PR_DECLS_END

#endif
