/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a check as a baseline for later ones, unless it is unfit. */
#ifndef PR_CLI_CHECK_NEW_BASELINE_H
#define PR_CLI_CHECK_NEW_BASELINE_H

#include "cli/args/options.h"
#include "cli/check/verdict.h"

/*
 * Refuses what cannot work before anything is read: standard input, which is read once, and an output that cannot be
 * written. PATH NULL: nothing was asked for. Returns 0, or an exit status with the reason reported.
 */
int pr_new_baseline_check(const struct pr_command *command, const struct pr_common *common, const char *path);

/*
 * Saves a digest of the input of COMMON as PATH; in a folder under a name that begins with the start of the run and
 * ends with a hash of the digest, so that the same run is there once. A run that breaks a rule, that failed or that is
 * incomplete is never saved: why is reported, and the status is 0. Returns 0, or an exit status with the reason
 * reported.
 */
int pr_new_baseline_save(const struct pr_common *common, const struct pr_verdict *verdict, const char *path);

#endif
