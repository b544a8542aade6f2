/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines in a site of `profrender publish`, by branch: SITE/baselines/main/2026-11-22T04:05:06Z-0123456789ab.prz. A
 * site may come from a bucket, a cache or a branch of pages, so what is in it was chosen by strangers: only regular
 * files of that folder with names that --update-baseline gives are opened, and no link is followed.
 */
#ifndef PR_CLI_CHECK_SITE_BASELINES_H
#define PR_CLI_CHECK_SITE_BASELINES_H

#include "cli/check/baselines.h"

#include <limits.h>

/* Whether FOLDER has a list of `publish`, runs.json. */
bool pr_site_baselines_is_site(const char *folder);

/* "baselines/main": "feature/x" is one folder, "feature%2Fx". False: too long, or empty. */
bool pr_site_baselines_folder(char name[NAME_MAX], const char *branch);

/* Adds those of BRANCH. NONE: it has none; FAILED: with the reason reported. */
enum pr_baseline_status pr_site_baselines_add(struct pr_baselines *baselines, const char *site, const char *branch);

/* Makes the folder of BRANCH; PATH is where it is. Returns 0, or PR_EXIT_OUTPUT with the reason reported. */
int pr_site_baselines_make(char path[PATH_MAX], const char *site, const char *branch);

#endif
