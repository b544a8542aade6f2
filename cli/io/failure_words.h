/* SPDX-License-Identifier: Apache-2.0 */
/* How a run failed, in a line of a terminal or of a verdict. */
#ifndef PR_CLI_IO_FAILURE_WORDS_H
#define PR_CLI_IO_FAILURE_WORDS_H

#include "profrender/buf.h"
#include "profrender/profile.h"

/*
 * Appends "exit status 1, ValueError: no rows (load.py:6)": what ended the run, whether memory had run out, and the
 * exception. Nothing where PROFILE's run did not fail. No memory: OUT has failed.
 */
void pr_failure_words(const struct pr_profile *profile, struct pr_buf *out);

/* Appends the last line that the run wrote to stderr, where it is known and no traceback. */
void pr_failure_last_line(const struct pr_profile *profile, struct pr_buf *out);

#endif
