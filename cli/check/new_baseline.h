/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a check as a baseline for later ones, unless it is unfit. */
#ifndef PR_CLI_CHECK_NEW_BASELINE_H
#define PR_CLI_CHECK_NEW_BASELINE_H

#include "cli/args/options.h"
#include "cli/check/verdict.h"

/* What is kept of the input until the verdict decides. */
struct pr_new_baseline {
    struct pr_buf digest;
    char name[64];   /* "2026-11-22T04:05:06Z-0123456789ab.prz", in a folder; runs without a date have only the hash */
    const char *why; /* it is no measure for later runs, whatever the verdict; NULL: it is one */
};

/*
 * Refuses what cannot work before anything is read: an output that cannot be written. PATH NULL: nothing was asked for.
 * Returns 0, or an exit status with the reason reported.
 */
int pr_new_baseline_check(const struct pr_common *common, const char *path);

/*
 * Keeps a digest of PROFILE, the input, which gets the commit that the pipeline runs if it has none. Returns 0, or an
 * exit status with the reason reported.
 */
int pr_new_baseline_take(struct pr_new_baseline *kept, const struct pr_common *common, const char *input,
                         struct pr_profile *profile);

/*
 * Saves what was kept as PATH; with a BRANCH, among its baselines in the site or at the address PATH; in another folder
 * under a name that begins with the start of the run and ends with a hash of the digest, so that the same run is there
 * once. A run that breaks a rule, that failed or that is incomplete is never saved: why is reported, and the status is
 * 0. Returns 0, or an exit status with the reason reported.
 */
int pr_new_baseline_save(const struct pr_new_baseline *kept, const struct pr_verdict *verdict, const char *path,
                         const char *branch);

void pr_new_baseline_clear(struct pr_new_baseline *kept);

#endif
