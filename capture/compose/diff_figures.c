/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of two runs side by side. */
#include "profrender/diff.h"

#include "capture/base/time.h"
#include "capture/model/run_times.h"

static size_t add(struct pr_diff_figure *figures, size_t count, const char *name, const char *title, enum pr_unit unit,
                  struct pr_maybe before, struct pr_maybe after)
{
    if (!before.known || !after.known)
        return count;
    figures[count] = (struct pr_diff_figure){
        .metric = {.name = name, .title = title, .unit = unit}, .before = before.value, .after = after.value};
    return count + 1;
}

size_t pr_diff_figures(const struct pr_profile *made, const struct pr_diff_run *before, const struct pr_diff_run *after,
                       struct pr_diff_figure figures[PR_DIFF_FIGURES])
{
    size_t count = add(figures, 0, "duration", "Wall time", PR_UNIT_NANOSECONDS, before->wall_ns, after->wall_ns);
    if (!count)
        count = add(figures, 0, "span", "Duration", PR_UNIT_NANOSECONDS,
                    pr_maybe_times(made->meta.before_span_ms, PR_NS_PER_MS),
                    pr_maybe_times(pr_times_span_ms(made), PR_NS_PER_MS));
    count = add(figures, count, "cpu_time", "CPU time", PR_UNIT_NANOSECONDS, before->cpu_ns, after->cpu_ns);
    return add(figures, count, "rss", "Peak RSS", PR_UNIT_BYTES, before->peak_rss_bytes, after->peak_rss_bytes);
}
