/* SPDX-License-Identifier: Apache-2.0 */
/* From the rows of a digest to a profile that follows the rules of profrender/profile.h. */
#ifndef PR_CAPTURE_DIGEST_DIGEST_TO_PROFILE_H
#define PR_CAPTURE_DIGEST_DIGEST_TO_PROFILE_H

#include "profrender/load_options.h"
#include "capture/digest/digest_format.h"

/* What was read: rows in the arena of the profile, or NULL and 0. Strings are in the profile already. */
struct pr_digest_rows {
    void *rows[PR_DIGEST_ARRAYS];
    size_t count[PR_DIGEST_ARRAYS];
    struct pr_digest_run run; /* the row of PR_DIGEST_RUN */
};

/*
 * Checks all rows and moves them into PROFILE, except whether it is complete.
 *
 * Errors: PR_FAILED: something in them is impossible, is over a limit, or is not what OPTIONS insist on; or out of
 *         memory.
 */
enum pr_status pr_digest_to_profile(const struct pr_digest_rows *rows, const struct pr_load_options *options,
                                    struct pr_profile *profile, struct pr_error *err);

#endif
