/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to know about how the input was read or recorded: the notes of the profile, and what is an estimate. Long ones
 * are closed, with their first words: they are not what a reader came for.
 */
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
        const char *heading = pr_view_heading(profile, &profile->metrics[metric]);
        pr_buf_text(out, "by ");
        pr_html_name(out, pr_text_of(heading));
        pr_buf_byte(out, ' ');
    }
    pr_buf_text(out, "is estimated, the table is exact</h2>\n<p>The file records who called whom but no full stacks, "
                     "so what a function took is divided among its callers in proportion.</p>\n");
}

/* Whether the notes take more than the line that they are given where the findings come first. */
static bool are_long(const struct pr_profile *profile)
{
    enum { LINE = 150 };
    size_t length = 0;
    for (uint32_t i = 0; i < profile->note_count; i++)
        length += strlen(profile->notes[i]);
    return length > LINE;
}

static void emit_notes(const struct pr_profile *profile, struct pr_buf *out)
{
    for (uint32_t i = 0; i < profile->note_count; i++) {
        if (*profile->notes[i])
            emit_note(profile->notes[i], out);
    }
}

/* Closed, with its first words. */
static void emit_closed(const struct pr_profile *profile, struct pr_buf *out)
{
    enum { TEASER = 240 };
    pr_buf_text(out, "<section class='panel notes' role='note' aria-labelledby='h-remarks'>\n<details><summary>"
                     "<h2 id='h-remarks'>About this profile</h2> <span class='teaser'>");
    const size_t before = out->length;
    for (uint32_t i = 0; i < profile->note_count && out->length - before < TEASER; i++) {
        const char *note = profile->notes[i];
        if (pr_is_lower(*note))
            pr_buf_byte(out, (unsigned char)(*note++ - 'a' + 'A'));
        pr_html_cut(out, pr_text_of(note), TEASER);
        pr_buf_text(out, *note ? ". " : "");
    }
    pr_buf_text(out, "</span></summary>\n<div class='md'>\n");
    emit_notes(profile, out);
    pr_buf_text(out, "</div>\n</details>\n</section>\n");
}

static enum pr_status emit_remarks(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    (void)err;
    if (are_long(profile) && !profile->tree_estimated) {
        emit_closed(profile, out);
        return PR_OK;
    }
    pr_buf_text(out, "<section class='banner note' role='note'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><circle cx='8' cy='8' r='6'/><path d='M8 7.2V11M8 5v.1'/></svg>\n");
    if (profile->tree_estimated)
        emit_estimate(profile, out);
    else
        pr_buf_text(out, "<h2>About this profile</h2>\n");
    emit_notes(profile, out);
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_reading_notes = {"remarks", "main", wants_remarks, emit_remarks};
