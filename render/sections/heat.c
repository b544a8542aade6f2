/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When it ran or allocated: the place of the heat map, which the script draws. Why there is none is below the graph. It
 * is above the graph, which it chooses a part for; below it where a timeline does that already.
 */
#include "render/model/heat_scale.h"
#include "render/page/section.h"

#include <string.h>

static bool is_of_allocations(const struct pr_profile *profile)
{
    return !pr_heat_has_slices(profile) &&
           !strcmp(profile->metrics[pr_profile_moment_metric(profile)].name, "allocated");
}

static bool has_timeline(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->series_count; i++) {
        if (profile->series[i].count)
            return true;
    }
    return is_of_allocations(profile);
}

static bool wants_above(const struct pr_profile *profile)
{
    return pr_payload_has_heat(profile) && !has_timeline(profile);
}

static bool wants_below(const struct pr_profile *profile)
{
    return pr_payload_has_heat(profile) && has_timeline(profile);
}

static const char *title_of(const struct pr_profile *profile)
{
    if (pr_heat_has_slices(profile))
        return "time";
    return is_of_allocations(profile) ? "allocations" : profile->metrics[pr_profile_moment_metric(profile)].title;
}

static enum pr_status emit_heat(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    if (page->payload.has_heat)
        pr_html(out, "<section class='panel heat' data-live hidden aria-labelledby='h-heat'>"
                     "<div class='head'><h2 id='h-heat'>Heat map of %s</h2></div>\n"
                     "<div data-mount='heat'></div></section>\n",
                title_of(page->profile));
    return PR_OK;
}

const struct pr_section pr_section_heat = {"heat", "main", wants_above, emit_heat};
const struct pr_section pr_section_heat_below = {"heat-below", "main", wants_below, emit_heat};
