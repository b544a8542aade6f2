/* SPDX-License-Identifier: Apache-2.0 */
/* The scale of a heat map. */
#include "render/model/heat_scale.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/model/run_times.h"
#include "capture/model/time_moments.h"

/* With fewer columns there is nothing to see. */
enum { LEAST_COLUMNS = 20 };

/*
 * Cells, the widest first; each is a multiple of the grids up to its own length. Of a run whose cells cannot be short,
 * and of one that is short for the shortest, a column has fewer.
 */
static const int64_t cells_ns[] = {PR_HEAT_CELL_NS, PR_HEAT_CELL_NS / 4, PR_HEAT_CELL_NS / 20};
static const unsigned rows[] = {50, 25, 10, 5};
enum { CELLS = sizeof cells_ns / sizeof *cells_ns, ROWS = sizeof rows / sizeof *rows };

/*
 * memray's records have no times, its samples of memory have, all 10 ms. Cells of one or two of them would have one
 * more or less as their edges fall; of three and more that is no longer a pattern.
 */
enum { MOMENTS_IN_CELL = 3 };

/* What was allocated begins with the time bins, where there are any. */
static void find_starts(const struct pr_profile *profile, struct pr_heat_scale *scale)
{
    const struct pr_maybe origin = pr_times_origin_ms(profile), slices = pr_times_of_slices_ns(profile);
    scale->is_of_run = slices.known;
    scale->slices_ns = scale->moments_ns = slices.value;
    if (pr_heat_has_slices(profile) || !profile->bin_count || !origin.known)
        return;
    const int64_t since_ms = pr_subtract_saturated(profile->bins[0].start_ms, origin.value);
    scale->is_of_run = since_ms >= 0 && since_ms < INT64_MAX / PR_NS_PER_MS / 2;
    scale->moments_ns = scale->is_of_run ? since_ms * PR_NS_PER_MS : 0;
}

static int64_t end_of_all(const struct pr_profile *profile, const struct pr_heat_scale *scale)
{
    int64_t end_ns = 0;
    for (size_t i = 0; pr_heat_has_slices(profile) && i < profile->slice_count; i++) {
        const int64_t end = pr_add_saturated(profile->slices[i].start_ns, profile->slices[i].duration_ns);
        end_ns = end > end_ns ? end : end_ns;
    }
    end_ns = pr_add_saturated(end_ns, scale->slices_ns);
    const int64_t last_ns = pr_heat_has_moments(profile)
                                ? pr_add_saturated(profile->moments[profile->moment_count - 1].at_ns, scale->moments_ns)
                                : 0;
    return end_ns > last_ns ? end_ns : pr_add_saturated(last_ns, profile->moment_resolution_ns);
}

/* What a cell must be as long as. */
static int64_t resolution_of(const struct pr_profile *profile)
{
    const int64_t of_slices = pr_heat_has_slices(profile) ? profile->slice_resolution_ns : 0;
    int64_t of_moments = 0;
    if (pr_heat_has_moments(profile) &&
        __builtin_mul_overflow(profile->moment_resolution_ns, MOMENTS_IN_CELL, &of_moments))
        of_moments = INT64_MAX;
    return of_slices > of_moments ? of_slices : of_moments;
}

static bool makes_columns(int64_t end_ns, int64_t cell_ns, unsigned cells)
{
    return end_ns / cell_ns / cells >= LEAST_COLUMNS;
}

int64_t pr_heat_cell_on(const struct pr_heat_scale *scale, int64_t grid_ns)
{
    int64_t cell_ns = scale->cell_ns;
    while ((cell_ns < grid_ns || scale->end_ns / cell_ns >= PR_HEAT_MOST_CELLS) && cell_ns < INT64_MAX / 2)
        cell_ns = pr_time_moments_coarser(cell_ns);
    return cell_ns;
}

bool pr_heat_scale_of(const struct pr_profile *profile, struct pr_heat_scale *scale)
{
    *scale = (struct pr_heat_scale){.rows = rows[0]};
    find_starts(profile, scale);
    scale->end_ns = end_of_all(profile, scale);
    /* what is empty before the first of them makes no map worth a look */
    const int64_t first_ns = pr_heat_has_slices(profile) ? scale->slices_ns : scale->moments_ns;
    const int64_t known_ns = pr_subtract_saturated(scale->end_ns, first_ns);
    for (size_t i = 0; i < CELLS && !scale->cell_ns; i++)
        if (makes_columns(known_ns, cells_ns[i], i + 1 < CELLS ? rows[0] : rows[ROWS - 1]))
            scale->cell_ns = cells_ns[i];
    if (!scale->cell_ns)
        return false;
    const int64_t resolution_ns = resolution_of(profile);
    scale->cell_ns = pr_heat_cell_on(scale, resolution_ns);
    for (size_t i = 0; i < ROWS; i++) {
        if (makes_columns(known_ns, scale->cell_ns, rows[i])) {
            scale->rows = rows[i];
            return true;
        }
    }
    return pr_heat_has_slices(profile);
}
