/* SPDX-License-Identifier: Apache-2.0 */
/* A profile with fewer time bins: what loading it with that many would have given. */
#ifndef PR_CAPTURE_DIGEST_DIGEST_COARSEN_H
#define PR_CAPTURE_DIGEST_DIGEST_COARSEN_H

#include "profrender/profile.h"

/*
 * Merges neighbouring bins until there are at most MAX_BINS, which is not 0. PR_FAILED: out of memory; the profile can
 * only be freed then.
 */
enum pr_status pr_profile_coarsen(struct pr_profile *profile, uint32_t max_bins, struct pr_error *err);

#endif
