/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the end of a long text while it streams by. */
#ifndef PR_CAPTURE_RUN_STDERR_TAIL_H
#define PR_CAPTURE_RUN_STDERR_TAIL_H

#include "profrender/buf.h"
#include "capture/run/traceback.h"

/* Appends a line; what is more than twice PR_LAST_WORDS_BYTES back is dropped, at the end of a line. */
void pr_last_words_add(struct pr_buf *words, struct pr_text line);

/* pr_traceback_read on what was kept; frees it. */
enum pr_status pr_last_words_read(struct pr_buf *words, struct pr_profile *profile, struct pr_failure *failure,
                                  struct pr_error *err);

#endif
