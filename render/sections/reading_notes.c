/* SPDX-License-Identifier: Apache-2.0 */
/* What to know about how the input was read or recorded: the notes of the profile, and what is an estimate. */
#include "capture/base/text.h"
#include "capture/base/ascii.h"
#include "render/page/section.h"

#include <string.h>

static bool wants_remarks(const struct pr_profile *profile)
{
    return profile->note_count || profile->tree_estimated;
}

/* A sentence that begins with a small letter and has no full stop. */
static void emit_note(const char *note, struct pr_buf *out)
{
    pr_buf_text(out, "<p>");
    if (pr_is_lower(*note))
        pr_buf_byte(out, (unsigned char)(*note++ - 'a' + 'A'));
    pr_html_name(out, pr_text_of(note));
    pr_buf_text(out, ".</p>\n");
}

/* With other inputs it is the tree of only some metrics; the first one is named. */
static void emit_estimate(const struct pr_profile *profile, struct pr_buf *out)
{
    unsigned metric = 0;
    while (metric + 1 < profile->metric_count && !profile->metrics[metric].exact)
        metric++;
    pr_buf_text(out, "<h2>The call tree ");
    if (profile->part_count) {
        const char *heading = pr_view_heading(&profile->metrics[metric]);
        pr_buf_text(out, "by ");
        pr_html_name(out, pr_text_of(heading));
        pr_buf_byte(out, ' ');
    }
    pr_buf_text(out, "is estimated, the table is exact</h2>\n<p>The file records who called whom but no full stacks, "
                     "so what a function took is divided among its callers in proportion.</p>\n");
}

static enum pr_status emit_remarks(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    (void)err;
    pr_buf_text(out, "<section class='banner note' role='note'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><circle cx='8' cy='8' r='6'/><path d='M8 7.2V11M8 5v.1'/></svg>\n");
    if (profile->tree_estimated)
        emit_estimate(profile, out);
    else
        pr_buf_text(out, "<h2>About this profile</h2>\n");
    for (uint32_t i = 0; i < profile->note_count; i++) {
        if (*profile->notes[i])
            emit_note(profile->notes[i], out);
    }
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_reading_notes = {"remarks", "main", wants_remarks, emit_remarks};
