/* SPDX-License-Identifier: Apache-2.0 */
/* From the dates of the metadata, else from the last point of a series. */
#include "capture/model/run_times.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"

/* The later of LAST and the last moment of a series. */
static struct pr_maybe later(struct pr_maybe last, const struct pr_series *series)
{
    for (size_t k = 0; k < series->count; k++) {
        if (!last.known || series->at_ms[k] > last.value)
            last = (struct pr_maybe){true, series->at_ms[k]};
    }
    return last;
}

/* The last moment in any series. */
static struct pr_maybe last_point(const struct pr_profile *profile)
{
    struct pr_maybe last = {false, 0};
    for (uint32_t i = 0; i < profile->series_count; i++)
        last = later(last, &profile->series[i]);
    return last;
}

/* What the first sample ends may have begun before the run. */
enum { EARLY_MS = 1000 };

static void take_earlier(struct pr_maybe *first, struct pr_maybe at_ms)
{
    if (at_ms.known && (!first->known || at_ms.value < first->value))
        *first = at_ms;
}

struct pr_maybe pr_times_origin_ms(const struct pr_profile *profile)
{
    struct pr_maybe first = {false, 0};
    if (profile->meta.no_date)
        return (struct pr_maybe){true, 0};
    take_earlier(&first, profile->meta.start_ms);
    take_earlier(&first, profile->meta.end_ms);
    for (uint32_t i = 0; i < profile->series_count; i++)
        if (profile->series[i].count)
            take_earlier(&first, (struct pr_maybe){true, profile->series[i].at_ms[0]});
    return first;
}

struct pr_maybe pr_times_of_slices_ns(const struct pr_profile *profile)
{
    const struct pr_maybe origin = pr_times_origin_ms(profile), start = profile->slices_start_ms, none = {false, 0};
    const struct pr_maybe end = profile->meta.end_ms.known ? profile->meta.end_ms : last_point(profile);
    if (!profile->series_count || profile->slices_lack_clock || profile->meta.no_date || !origin.known ||
        !start.known || pr_times_are_of_several(profile))
        return none;
    const int64_t since_ms = pr_subtract_saturated(start.value, origin.value);
    if (since_ms < -EARLY_MS || (end.known && start.value > end.value))
        return none;
    return pr_maybe_times((struct pr_maybe){true, since_ms > 0 ? since_ms : 0}, PR_NS_PER_MS);
}

struct pr_maybe pr_times_span_ms(const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    int64_t span;
    if (meta->no_date)
        return last_point(profile);
    if (!meta->start_ms.known || !meta->end_ms.known ||
        __builtin_sub_overflow(meta->end_ms.value, meta->start_ms.value, &span) || span < 0)
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, span};
}

bool pr_times_are_of_several(const struct pr_profile *profile)
{
    return profile->origin.runs > 1 && profile->process_count <= 1;
}

struct pr_maybe pr_times_duration_ns(const struct pr_profile *profile)
{
    if (pr_times_are_of_several(profile))
        return (struct pr_maybe){false, 0};
    return profile->run.wall_ns.known ? profile->run.wall_ns
                                      : pr_maybe_times(pr_times_span_ms(profile), PR_NS_PER_MS);
}

struct pr_maybe pr_times_reached_ms(const struct pr_profile *profile)
{
    const int heap = pr_profile_series(profile, "heap");
    if (profile->complete || profile->problem.code == PR_ERR_PARTIAL)
        return profile->meta.end_ms;
    if (heap < 0)
        return last_point(profile);
    /* other lanes may go on where a capture ends */
    return later((struct pr_maybe){false, 0}, &profile->series[heap]);
}

int64_t pr_times_peak_of_bin_ms(const struct pr_profile *profile, uint32_t bin)
{
    const int64_t start_ms = bin ? profile->bins[bin - 1].end_ms : INT64_MIN, end_ms = profile->bins[bin].end_ms;
    const int heap = pr_profile_series(profile, "heap");
    const struct pr_series none = {.count = 0}, *series = heap < 0 ? &none : &profile->series[heap];
    for (size_t i = 0; i < series->count && series->at_ms[i] <= end_ms; i++)
        if (series->at_ms[i] > start_ms && series->value[i] == profile->bins[bin].peak_bytes)
            return series->at_ms[i];
    return end_ms;
}

/* The peak may be known to the end of its time bin only, which in a cut capture may be after all that was read. */
struct pr_maybe pr_times_peak_ms(const struct pr_profile *profile)
{
    const struct pr_maybe reached = pr_times_reached_ms(profile), peak = profile->peak_at_ms;
    if (peak.known && !profile->complete && (!reached.known || peak.value > reached.value))
        return (struct pr_maybe){false, 0};
    return peak;
}
