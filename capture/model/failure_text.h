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

/*
 * The code of FRAME as FAILURE's traceback quotes it, without its indentation; empty if it quotes none. Of a line that
 * was passed several times, any: its code is the same. Borrowed from PROFILE.
 */
struct pr_text pr_failure_code(const struct pr_profile *profile, const struct pr_failure *failure,
                               const struct pr_trace_frame *frame);

#endif
