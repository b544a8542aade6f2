/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from the rows of a digest to a profile: checks, the columns, what the options ask for. */
#ifndef PR_CAPTURE_DIGEST_DIGEST_SETTLE_H
#define PR_CAPTURE_DIGEST_DIGEST_SETTLE_H

#include "capture/digest/digest_to_profile.h"

struct pr_settle {
    const struct pr_digest_rows *rows;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_error *err;
};

static inline size_t pr_settle_count(const struct pr_settle *s, enum pr_digest_array array)
{
    return s->rows->count[array];
}

/* The rows named WHAT cannot be, and WHY. Returns PR_FAILED. */
enum pr_status pr_settle_wrong(const struct pr_settle *s, const char *what, const char *why);

/* PR_FAILED: ARRAY, whose column is NAME, has other than COUNT rows. */
enum pr_status pr_settle_check_count(const struct pr_settle *s, enum pr_digest_array array, const char *name,
                                     size_t count);

/* Limits, ranges of numbers, the tree, the columns of facts: before anything is moved into the profile. */
enum pr_status pr_settle_check(const struct pr_settle *s);

/* Once the profile is complete: gives it the bins and native stacks that the options insist on, or refuses. */
enum pr_status pr_settle_options(const struct pr_settle *s);

#endif
