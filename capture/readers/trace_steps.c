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
    if (pr_text_starts(name, "ProfilerStep#"))
        pr_mark_list_add(&steps->marks, start_ns, pr_build_string(c, name.bytes, name.length));
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
    struct pr_mark_list *list = &steps->marks;
    if (!list->count || !is_date(first_ms) || !is_date(last_ms))
        return;
    for (uint32_t i = 0; i < list->count; i++)
        list->at[i].at_ms = ms_of(base_ns, list->at[i].at_ms);
    if (pr_mark_list_finish(list, profile, c->err) == PR_FAILED) {
        pr_build_no_memory(c);
        return;
    }
    profile->meta.start_ms = (struct pr_maybe){true, first_ms};
    profile->meta.end_ms = (struct pr_maybe){true, last_ms};
    if (list->left_out)
        pr_build_note(c, "%" PRIu64 " steps after the first %d are not phases of their own.", list->left_out,
                      (int)PR_MARKS_MAX);
}
