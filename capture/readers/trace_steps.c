/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/readers/trace_steps.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"

#include <inttypes.h>

void pr_trace_steps_time(struct pr_trace_steps *steps, int64_t start_ns, int64_t duration_ns)
{
    const int64_t end_ns = pr_add_saturated(start_ns, duration_ns);
    steps->first_ns = !steps->has_time || start_ns < steps->first_ns ? start_ns : steps->first_ns;
    steps->last_ns = !steps->has_time || end_ns > steps->last_ns ? end_ns : steps->last_ns;
    steps->has_time = true;
}

void pr_trace_steps_take(struct pr_trace_steps *steps, struct pr_profile_builder *c, struct pr_text name,
                         int64_t start_ns)
{
    if (!pr_text_starts(name, "ProfilerStep#"))
        return;
    if (steps->count == PR_MARKS_MAX) {
        steps->left_out++;
        return;
    }
    uint32_t at = steps->count++;
    for (; at > 0 && steps->at[at - 1].at_ns > start_ns; at--)
        steps->at[at] = steps->at[at - 1];
    steps->at[at].at_ns = start_ns;
    steps->at[at].name = pr_build_string(c, name.bytes, name.length);
}

static int64_t ms_of(int64_t base_ns, int64_t ns)
{
    return pr_add_saturated(base_ns, ns) / PR_NS_PER_MS;
}

/* Between 2001 and 2096: else the times count from something else, such as the start of the machine. */
static bool is_date(int64_t ms)
{
    return ms > INT64_C(1000000000000) && ms < INT64_C(4000000000000);
}

void pr_trace_steps_finish(struct pr_trace_steps *steps, struct pr_profile_builder *c, int64_t base_ns)
{
    struct pr_profile *profile = c->profile;
    const int64_t first_ms = ms_of(base_ns, steps->first_ns), last_ms = ms_of(base_ns, steps->last_ns);
    if (!steps->count || !is_date(first_ms) || !is_date(last_ms))
        return;
    struct pr_mark *marks = pr_arena_array(&profile->arena, steps->count, sizeof *marks);
    if (!marks) {
        pr_build_no_memory(c);
        return;
    }
    for (uint32_t i = 0; i < steps->count; i++)
        marks[i] = (struct pr_mark){ms_of(base_ns, steps->at[i].at_ns), steps->at[i].name};
    profile->run.marks = marks;
    profile->run.mark_count = steps->count;
    profile->meta.start_ms = (struct pr_maybe){true, first_ms};
    profile->meta.end_ms = (struct pr_maybe){true, last_ms};
    if (steps->left_out)
        pr_build_note(c, "%" PRIu64 " steps after the first %d are not phases of their own.", steps->left_out,
                      (int)PR_MARKS_MAX);
}
