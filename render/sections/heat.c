/* SPDX-License-Identifier: Apache-2.0 */
/* When it ran: the place of the heat map, which the script draws. Why there is none stands below the graph. */
#include "render/page/section.h"

static bool wants_heat(const struct pr_profile *profile)
{
    return pr_profile_time_metric(profile) >= 0 && !profile->slices_lack_clock && pr_payload_has_heat(profile);
}

static enum pr_status emit_heat(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    if (page->payload.has_heat)
        pr_buf_text(out, "<section class='panel heat' data-live hidden aria-labelledby='h-heat'>"
                         "<div class='head'><h2 id='h-heat'>Heat map of time</h2></div>\n"
                         "<div data-mount='heat'></div></section>\n");
    return PR_OK;
}

const struct pr_section pr_section_heat = {"heat", "main", wants_heat, emit_heat};
