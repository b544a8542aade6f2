/* SPDX-License-Identifier: Apache-2.0 */
/* A figure of a run against those of its job before it, in the words of cards and of the index. */
#include "render/index/index_internal.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

enum { RUN_LENGTH = 60 };

/* Whether the figure is the earlier runs' for all that a person would say. */
static bool is_same(const struct pr_index_change *change)
{
    enum { PERCENT = 100 };
    const int64_t much = pr_subtract_saturated(change->now, change->before);
    return !change->grew && !change->fell && (much < 0 ? -much : much) <= change->before / PERCENT;
}

/* "+49.6 % against", "62 s less than" */
static void emit_change(const struct pr_index_change *change, enum pr_unit unit, struct pr_buf *out)
{
    const int64_t more = pr_subtract_saturated(change->now, change->before), much = more < 0 ? -more : more;
    const bool is_time = unit == PR_UNIT_NANOSECONDS;
    pr_html(out, " <b class='%s' title='%s%s%s, not %s'>", change->grew ? "up" : change->fell ? "down" : "",
            is_time ? pr_units_exact(unit, much).text : "", is_time ? ": " : "", pr_units_exact(unit, change->now).text,
            pr_units_exact(unit, change->before).text);
    if (is_time)
        pr_html(out, "%s %s</b> than ", pr_units_duration(much).text, more > 0 ? "more" : "less");
    else
        pr_html(out, "%s</b> against ", pr_units_growth(change->before, change->now).text);
}

/* " before"; of a level that a run before this one reached first, " before 049". */
static void emit_since(const struct pr_index_job *job, const struct pr_index_change *change, size_t at,
                       struct pr_buf *out)
{
    pr_buf_text(out, " before");
    if (!change->grew || change->since == at)
        return;
    pr_buf_byte(out, ' ');
    pr_html_cut(out, pr_text_of(pr_index_run_name(job->runs[change->since])), RUN_LENGTH);
}

void pr_index_against(const struct pr_index_job *job, const struct pr_index_change *change, size_t at,
                      enum pr_unit unit, struct pr_buf *out)
{
    const bool differs = !is_same(change);
    if (differs)
        emit_change(change, unit, out);
    else
        pr_buf_text(out, " as in ");
    if (change->count == 1)
        pr_buf_text(out, "the run");
    else
        pr_html(out, "%sthe %s", differs ? "the median of " : "",
                pr_units_counted((int64_t)change->count, "runs").text);
    emit_since(job, change, at, out);
    if (differs && !change->grew && !change->fell)
        pr_buf_text(out, ", within tolerance");
}
