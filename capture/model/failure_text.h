/* SPDX-License-Identifier: Apache-2.0 */
/* What a program said when it failed. */
#ifndef PR_CAPTURE_MODEL_FAILURE_TEXT_H
#define PR_CAPTURE_MODEL_FAILURE_TEXT_H

#include "profrender/profile.h"

/*
 * The text of FAILURE's traceback after the line of the final exception: further lines of its message, and its notes.
 * Empty without any, or where members of a group follow. Borrowed from PROFILE.
 */
struct pr_text pr_failure_said(const struct pr_profile *profile, const struct pr_failure *failure);

#endif
