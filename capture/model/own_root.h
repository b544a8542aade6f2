/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is, where the user says in which folder the own code is. */
#ifndef PR_CAPTURE_MODEL_OWN_ROOT_H
#define PR_CAPTURE_MODEL_OWN_ROOT_H

#include "profrender/owner.h"

#include <stdbool.h>

/*
 * What OWNER, that of FILE without a root, becomes with ROOT: below it all that is not installed is the user's, and
 * elsewhere nothing is. ROOT NULL: it stays.
 */
enum pr_owner pr_owner_below(const struct pr_profile *profile, const char *root, struct pr_text file,
                             enum pr_owner owner);

/* The same of a frame; what is no script keeps its owner. */
enum pr_owner pr_owner_with_root(const struct pr_profile *profile, const char *root, pr_frame_id frame);

/* Marks in IS_OWN[frame_count] the user's own code, except what only starts it. */
void pr_own_mark(const struct pr_profile *profile, const char *root, bool *is_own);

#endif
