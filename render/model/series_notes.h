/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a time series next to its line: what it means, where its limit is, which lanes a run lacks. */
#ifndef PR_RENDER_MODEL_SERIES_NOTES_H
#define PR_RENDER_MODEL_SERIES_NOTES_H

#include "profrender/buf.h"
#include "profrender/profile.h"

/* A few words below the name of a lane; "" = its name says it all. */
const char *pr_series_note_note(const struct pr_series *series);

/*
 * The lane that SERIES shares with others of its kind: "CPU", "Memory", "Disk", "Network"; "" = a lane of its own,
 * which is shown after those. SHORT_NAME is its name in such a lane: "read". Both are constants.
 */
const char *pr_series_note_lane(const struct pr_series *series, const char **short_name);

/* What the run could have at most, in the unit of SERIES: memory of its cgroup, cores. */
struct pr_maybe pr_series_note_limit(const struct pr_profile *profile, const struct pr_series *series);

/* From when on a lane is unknown, in ms: its capture could be read only up to there. */
struct pr_maybe pr_series_note_unknown_from(const struct pr_profile *profile, const struct pr_series *series);

/*
 * True if there is nothing to see in SERIES: 0 at every point. Such lanes (disk, network, swap, waiting: not CPU or
 * memory, where 0 is an answer) are named in a line, not drawn, so that the graphs are not pushed off the screen.
 */
bool pr_series_note_is_quiet(const struct pr_series *series);

/* "swap, disk read": the titles of quiet lanes. */
void pr_series_notes_quiet(const struct pr_profile *profile, struct pr_buf *out);

/* "PSS, GPU, pressure": what was not measured in a recorded run. Nothing if the run was not recorded. */
void pr_series_notes_missing(const struct pr_profile *profile, struct pr_buf *out);

#endif
