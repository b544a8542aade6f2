/* SPDX-License-Identifier: Apache-2.0 */
/* When a run began, ended, peaked: the moments of a profile as people read them. */
#ifndef PR_RENDER_WORDS_PROFILE_TIMES_H
#define PR_RENDER_WORDS_PROFILE_TIMES_H

#include "capture/model/run_times.h"
#include "render/words/units.h"

/* From the start of the run to a moment in it, in milliseconds; unknown when the start is. */
struct pr_maybe pr_times_offset_ms(const struct pr_profile *profile, int64_t ms);

/* A moment of the run as an offset from its start, "3:38", "218.361 s after the start"; "" when that is unknown. */
struct pr_figure pr_times_moment(const struct pr_profile *profile, int64_t ms);
struct pr_figure pr_times_moment_exact(const struct pr_profile *profile, int64_t ms);

#endif
