/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of one run as one profile: captures, timelines, how it ended, notes.
 *
 *     struct pr_assemble *join;
 *     pr_assemble_new(&join, &err);
 *     while (...)
 *         pr_assemble_add(join, profile, "run/capture.bin", &err);     // takes the profile
 *     pr_assemble_finish(join, &profile, &err);
 *     pr_assemble_free(join);
 *
 * What has stacks of one kind is merged as processes of one run (profrender/merge.h); of several kinds, what each
 * measured stands beside the others (profrender/combine.h); one capture stays as it is. What has none gives its series,
 * what it knows of the run, its notes. Times are put together by the dates that the files have: series without a date
 * have no place among those that have one, and are left out, which is said. The first that knows something is believed,
 * and what a capture says of its own process stays beside what was seen of the whole tree.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_ASSEMBLE_H
#define PR_API_ASSEMBLE_H

#include "profrender/merge.h"

PR_DECLS_BEGIN

struct pr_assemble;

/* Owner: *JOIN is the caller's: pr_assemble_free. Errors of all: PR_FAILED, out of memory, unless they say more. */
PR_API enum pr_status pr_assemble_new(struct pr_assemble **join, struct pr_error *err);

/* Takes PROFILE, also when it fails. NAME, of the file, is for messages and tells processes apart; may be NULL. */
PR_API enum pr_status pr_assemble_add(struct pr_assemble *join, struct pr_profile *profile, const char *name,
                                      struct pr_error *err);

/* Says of the result, in its notes, that the file NAME is not part of it, and WHY. */
PR_API enum pr_status pr_assemble_leave_out(struct pr_assemble *join, const char *name, const char *why,
                                            struct pr_error *err);

/* Owner: *PROFILE is the caller's. Errors: PR_FAILED: nothing was added; as of pr_merger_finish. */
PR_API enum pr_status pr_assemble_finish(struct pr_assemble *join, struct pr_profile **profile, struct pr_error *err);

/* As pr_merger_left_out. */
PR_API const char *pr_assemble_left_out(const struct pr_assemble *join, size_t index);

PR_API void pr_assemble_free(struct pr_assemble *join);

PR_DECLS_END

#endif
