/* SPDX-License-Identifier: Apache-2.0 */
/* What is worth a look: all findings at the top of a page, and those about a column in its section. */
#include "render/frame/frame_parts.h"

#include "capture/base/ascii.h"
#include "render/words/data_words.h"

#include <inttypes.h>

enum { SHOWN_FINDINGS = 12 };

static const char *class_of(enum pr_data_finding_kind kind)
{
    switch (kind) {
    case PR_FOUND_MAILS:
    case PR_FOUND_ADDRESSES:
    case PR_FOUND_CARDS:
    case PR_FOUND_PERSONAL_NAME:
    case PR_FOUND_MIXED:
    case PR_FOUND_NOT_UNIQUE:
    case PR_FOUND_SAME_NAME:
    case PR_FOUND_EMPTY:
    case PR_FOUND_MOSTLY_MISSING:
        return "grave";
    case PR_FOUND_UNIQUE:
    case PR_FOUND_HIGH_CARDINALITY:
    case PR_FOUND_ZEROS:
    case PR_FOUND_IMBALANCE:
    case PR_FOUND_PADDED:
        return "note";
    default:
        return "";
    }
}

static void finding(const struct pr_data_frame *frame, const struct pr_data_finding *found, struct pr_buf *out)
{
    struct pr_buf words = {0};
    pr_html(out, "<li class='%s'>", class_of(found->kind));
    if (found->column != PR_DATA_NONE) {
        if (found->column < PR_FRAME_DETAILED)
            pr_html(out, "<a href='#%sc%" PRIu32 "'>", pr_frame_prefix_of(frame).text, found->column + 1);
        else
            pr_buf_text(out, "<b>");
        pr_html_cut(out, frame->columns[found->column].name, 60);
        pr_buf_text(out, found->column < PR_FRAME_DETAILED ? "</a> " : "</b> ");
    }
    pr_data_finding_words(&words, frame, found);
    pr_frame_add_text(out, &words);
    pr_buf_text(out, "</li>\n");
}

void pr_frame_findings_of(const struct pr_data_frame *frame, uint32_t column, struct pr_buf *out)
{
    bool any = false;
    for (uint32_t i = 0; i < frame->finding_count; i++) {
        struct pr_buf words = {0};
        if (frame->findings[i].column != column)
            continue;
        pr_data_finding_words(&words, frame, &frame->findings[i]);
        if (words.length)
            words.bytes[0] = pr_ascii_upper(words.bytes[0]);
        pr_buf_text(out, any ? "" : "<ul class='found'>");
        pr_html(out, "<li class='%s'>", class_of(frame->findings[i].kind));
        pr_frame_add_text(out, &words);
        pr_buf_text(out, "</li>");
        any = true;
    }
    pr_buf_text(out, any ? "</ul>" : "");
}

void pr_frame_findings(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const uint32_t count = frame->finding_count;
    if (!count)
        return;
    pr_html(out,
            "<section class='panel' id='%sfindings'><div class='head'><h2>Findings</h2><span class='muted'>%s</span>"
            "</div>\n<ul class='found'>",
            pr_frame_prefix_of(frame).text, pr_data_count_text(count).text);
    for (uint32_t i = 0; i < count && i < SHOWN_FINDINGS; i++)
        finding(frame, &frame->findings[i], out);
    pr_buf_text(out, "</ul>");
    if (count > SHOWN_FINDINGS) {
        pr_html(out, "<details class='rest'><summary>%" PRIu32 " more</summary><ul class='found'>",
                count - SHOWN_FINDINGS);
        for (uint32_t i = SHOWN_FINDINGS; i < count && i < 200; i++)
            finding(frame, &frame->findings[i], out);
        pr_buf_text(out, "</ul></details>");
    }
    pr_buf_text(out, "</section>\n");
}
