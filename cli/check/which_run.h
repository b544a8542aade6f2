/* SPDX-License-Identifier: Apache-2.0 */
/* Which run a profile is of: two files may be of one, and a folder of baselines may hold those of another program. */
#ifndef PR_CLI_CHECK_WHICH_RUN_H
#define PR_CLI_CHECK_WHICH_RUN_H

#include "profrender/profile.h"

struct pr_which_run {
    struct pr_maybe start_ms, pid;
    int64_t total;    /* of its metrics: processes that one program forks may start at the same time */
    char program[64]; /* its name, cut; "" = unknown */
};

struct pr_which_run pr_which_run_of(const struct pr_profile *profile);

/* Both are of one run. False where that is not known. */
bool pr_which_run_is_same(const struct pr_which_run *a, const struct pr_which_run *b);

/* They ran different programs. False where that is not known. */
bool pr_which_run_is_other(const struct pr_which_run *a, const struct pr_which_run *b);

#endif
