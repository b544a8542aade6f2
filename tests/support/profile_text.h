/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as lines of text, for comparison: what was read, without details of how the file was written. */
#ifndef TESTS_SUPPORT_PROFILE_TEXT_H
#define TESTS_SUPPORT_PROFILE_TEXT_H

#include "profrender/buf.h"
#include "profrender/profile.h"

/*
 * Appends threads, facts with their stacks and values, series, peak and statistics. Running out of memory ends the
 * test.
 */
void profile_text(const struct pr_profile *profile, struct pr_buf *out);

#endif
