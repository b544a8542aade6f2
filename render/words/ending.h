/* SPDX-License-Identifier: Apache-2.0 */
/* How a run ended, in words that are the same on the card and in the terminal. */
#ifndef PR_RENDER_WORDS_ENDING_H
#define PR_RENDER_WORDS_ENDING_H

#include "profrender/buf.h"
#include "profrender/profile.h"

/* "exit status 1", "ended by SIGKILL", "exit status 137, with which a shell ..."; "" = unknown. */
void pr_ending_words(const struct pr_failure *failure, struct pr_buf *out);

/* Whether memory ran out, a sentence with the numbers that show it; "" where that is not in question. */
void pr_ending_memory(const struct pr_failure *failure, struct pr_buf *out);

/* Whether the run ended for lack of memory: it was killed for it, or an exception of that kind was its end. */
bool pr_ending_is_of_memory(const struct pr_profile *profile);

/* The exception that ended the run, or NULL. */
const struct pr_exception *pr_ending_exception(const struct pr_failure *failure);

/*
 * What METRIC is called where it is what a run that FAILED did not free, or what was not freed in a capture that is not
 * COMPLETE, which is no leak; NULL: it is neither.
 */
const char *pr_ending_in_use(const struct pr_metric *metric, bool failed, bool complete);

/*
 * What METRIC is called: "In use when it failed" for what a run that failed did not free, "In use when the capture
 * ended" where it is not complete, else its title.
 */
const char *pr_ending_metric(const struct pr_profile *profile, const struct pr_metric *metric);

/* Whether METRIC is what a run did not free because it failed, or as far as it is known: no leak. */
bool pr_ending_is_in_use(const struct pr_profile *profile, const struct pr_metric *metric);

#endif
