/* SPDX-License-Identifier: Apache-2.0 */
/* How long a cell and a column of a profile's heat map are, and whether it has one at all. */
#ifndef PR_RENDER_MODEL_HEAT_SCALE_H
#define PR_RENDER_MODEL_HEAT_SCALE_H

#include "profrender/profile.h"

enum { PR_HEAT_CELL_NS = 20000000, PR_HEAT_MOST_CELLS = 1 << 23 };

struct pr_heat_scale {
    int64_t slices_ns, moments_ns;  /* when the first of each may begin, where 0 is the start of the run */
    bool is_of_run;  /* the map begins with the run, not with what it shows: they have one clock */
    int64_t end_ns;  /* of the last slice, or after the last moment */
    int64_t cell_ns; /* 20 ms, shorter ones in a short run, or as long as what is distinguished */
    unsigned rows;   /* cells of a column */
};

/* Whether the slices are on a clock. */
static inline bool pr_heat_has_slices(const struct pr_profile *profile)
{
    return pr_profile_time_metric(profile) >= 0 && !profile->slices_lack_clock && profile->slice_count > 1;
}

/* Inputs of several kinds have a start each, so what was allocated is not on the clock of what ran. */
static inline bool pr_heat_has_moments(const struct pr_profile *profile)
{
    return pr_profile_moment_metric(profile) >= 0 && profile->moment_count > 1 &&
           !(profile->part_count && profile->slice_count);
}

/* False: the profile does not know what was when, or there would be too few columns to see anything. */
bool pr_heat_scale_of(const struct pr_profile *profile, struct pr_heat_scale *scale);

/* The next longer cell that is as long as GRID_NS, which all before divide, and makes at most PR_HEAT_MOST_CELLS. */
int64_t pr_heat_cell_on(const struct pr_heat_scale *scale, int64_t grid_ns);

#endif
