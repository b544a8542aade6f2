/* SPDX-License-Identifier: Apache-2.0 */
/* When a run began, ended, peaked: what a profile knows of it. */
#ifndef PR_CAPTURE_MODEL_RUN_TIMES_H
#define PR_CAPTURE_MODEL_RUN_TIMES_H

#include "profrender/profile.h"

/* Milliseconds from start to end of the run; unknown when one of them is. */
struct pr_maybe pr_times_span_ms(const struct pr_profile *profile);

/* Whether it is of runs that were added up, not of the processes of one: their times are unrelated. */
bool pr_times_are_of_several(const struct pr_profile *profile);

/*
 * Where the run begins, in milliseconds since the epoch: at its start or at the first point in time that is known of
 * it. This is where the timeline of a card begins, and from where the seconds of a window count. A run without a date
 * begins at 0; unknown where nothing has points in time.
 */
struct pr_maybe pr_times_origin_ms(const struct pr_profile *profile);

/*
 * From there to the first slice, in nanoseconds: what the run's timeline and the samples have in common. Unknown where
 * there is no timeline, or the samples have a clock of their own or are not of this run.
 */
struct pr_maybe pr_times_of_slices_ns(const struct pr_profile *profile);

/* How long the run took: as its recorder measured it, else its span. Unknown of several. */
struct pr_maybe pr_times_duration_ns(const struct pr_profile *profile);

/* How far the capture could be read, in milliseconds since the epoch: to its end, else to its last sample. */
struct pr_maybe pr_times_reached_ms(const struct pr_profile *profile);

/*
 * When the heap was at the peak of a time bin, in milliseconds since the epoch: at the first sample in it that has all
 * of the peak, else by the end of the bin.
 */
int64_t pr_times_peak_of_bin_ms(const struct pr_profile *profile, uint32_t bin);

/* When the heap was at its peak, in milliseconds since the epoch. */
struct pr_maybe pr_times_peak_ms(const struct pr_profile *profile);

#endif
