/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets out of what a reader found: the command line, names of processes, threads and phases, and frames that are
 * command lines or addresses. Once, before anything is made of the profile: a digest, a baseline, a card, JSON.
 *
 *     if (pr_hide_secrets(profile, err) == PR_FAILED)
 *         return PR_FAILED;
 *
 * Names of functions and files are not searched otherwise: code has names such as parse_token=.
 */
#ifndef PR_CAPTURE_HIDE_SECRETS_H
#define PR_CAPTURE_HIDE_SECRETS_H

#include "profrender/error.h"
#include "profrender/profile.h"

/* PR_FAILED: out of memory. */
enum pr_status pr_hide_secrets(struct pr_profile *profile, struct pr_error *err);

#endif
