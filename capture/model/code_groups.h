/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of frames that people leave out of a profile, as in the card's menu "Hide": what such a frame held counts for
 * the frame that called it, so the total of a profile stays.
 */
#ifndef PR_CAPTURE_MODEL_CODE_GROUPS_H
#define PR_CAPTURE_MODEL_CODE_GROUPS_H

#include "profrender/profile.h"

/* Bits. Those of libraries leave out what starts the user's code, which has a choice of its own on a card. */
enum pr_code_group {
    PR_GROUP_IMPORTS = 1, /* the import system */
    PR_GROUP_LIBRARY = 2,
    PR_GROUP_STDLIB = 4,
    PR_GROUP_NATIVE = 8,
    PR_GROUP_KERNEL = 16
};

/*
 * Leaves frames of GROUPS out of PROFILE, with the recorded figures of their functions. Their nodes stay, and have
 * nothing; others may be one of several children of one frame: for tables only. Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_profile_leave_out(struct pr_profile *profile, unsigned groups, struct pr_error *err);

#endif
