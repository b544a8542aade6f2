/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of one run as one profile: captures, timelines, how it ended, notes.
 *
 *     struct pr_assemble *whole;
 *     pr_assemble_new(&whole, &err);
 *     while (...)
 *         pr_assemble_add(whole, profile, "run/capture.bin", &err);     // takes the profile
 *     pr_assemble_finish(whole, &profile, &err);
 *     pr_assemble_free(whole);
 *
 * Captures with stacks of one kind are merged as processes of one run (profrender/merge.h); those of several kinds are
 * kept side by side (profrender/combine.h); a single one is unchanged. Files without stacks contribute their series,
 * facts about the run, and notes. Times are aligned by the dates in the files: series without a date cannot be placed
 * among those that have one; they are left out, and a note says so. The first file that knows something is believed,
 * and what a capture says of its own process is kept next to what was seen of the whole tree.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_ASSEMBLE_H
#define PR_API_ASSEMBLE_H

#include "profrender/merge.h"

PR_DECLS_BEGIN

struct pr_assemble;

/* Owner: *WHOLE is the caller's: pr_assemble_free. Errors of all: PR_FAILED, out of memory, unless stated otherwise. */
PR_API enum pr_status pr_assemble_new(struct pr_assemble **whole, struct pr_error *err);

/* Takes over PROFILE, even on failure. NAME, of the file, is for messages and distinguishes processes; may be NULL. */
PR_API enum pr_status pr_assemble_add(struct pr_assemble *whole, struct pr_profile *profile, const char *name,
                                      struct pr_error *err);

/* Adds a note to the result that the file NAME is not part of it, and WHY. */
PR_API enum pr_status pr_assemble_leave_out(struct pr_assemble *whole, const char *name, const char *why,
                                            struct pr_error *err);

/* Owner: *PROFILE is the caller's. Errors: PR_FAILED: nothing was added; others as of pr_merger_finish. */
PR_API enum pr_status pr_assemble_finish(struct pr_assemble *whole, struct pr_profile **profile, struct pr_error *err);

/* As pr_merger_left_out. */
PR_API const char *pr_assemble_left_out(const struct pr_assemble *whole, size_t index);

PR_API void pr_assemble_free(struct pr_assemble *whole);

PR_DECLS_END

#endif
