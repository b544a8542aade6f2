/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets from the start of the run. */
#include "render/words/profile_times.h"

#include "capture/model/run_figures.h"

#include <stdio.h>

struct pr_maybe pr_times_offset_ms(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe start = profile->meta.no_date ? (struct pr_maybe){true, 0} : profile->meta.start_ms;
    int64_t offset;
    if (!start.known || ms == PR_NO_MOMENT || __builtin_sub_overflow(ms, start.value, &offset))
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, offset};
}

struct pr_figure pr_times_moment(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe offset = pr_times_offset_ms(profile, ms), span = pr_times_span_ms(profile);
    if (!offset.known)
        return (struct pr_figure){""};
    return pr_units_moment(offset.value, span.known ? span.value : offset.value);
}

struct pr_figure pr_times_moment_exact(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe offset = pr_times_offset_ms(profile, ms);
    struct pr_figure figure = {""};
    if (offset.known)
        snprintf(figure.text, sizeof figure.text, "%.30s after the start", pr_units_milliseconds(offset.value).text);
    return figure;
}
