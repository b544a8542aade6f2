/* SPDX-License-Identifier: Apache-2.0 */
/* Whose each frame of a profile is, found once: it takes the whole profile, as languages show together. */
#ifndef PR_CAPTURE_MODEL_OWNER_SETTLE_H
#define PR_CAPTURE_MODEL_OWNER_SETTLE_H

#include "profrender/profile.h"

#include <stdbool.h>

/*
 * Sets profile->code, for pr_owner_of and pr_role_of: once frames, tree and meta are complete, and again when they
 * change. PR_FAILED: out of memory.
 */
enum pr_status pr_owner_settle(struct pr_profile *profile, struct pr_error *err);

/*
 * Marks in IS_START[tree.count] what a profiler called and imported before it ran the program. False: no memory.
 */
bool pr_owner_mark_start(const struct pr_profile *profile, bool *is_start);

#endif
