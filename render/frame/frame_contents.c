/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile has, as links: beside it on a wide screen, with its columns; on a narrow one a line above it. */
#include "render/frame/frame_parts.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_CHARACTERS = 60 };

static void columns(const struct pr_data_frame *frame, struct pr_buf *out)
{
    pr_buf_text(out, "<ol>\n");
    for (uint32_t c = 0; c < frame->column_count && c < PR_FRAME_DETAILED; c++) {
        pr_html(out, "<li><a href='#%sc%" PRIu32 "'>", pr_frame_prefix_of(frame).text, c + 1);
        pr_frame_name(out, &frame->columns[c], NAME_CHARACTERS);
        pr_buf_text(out, "</a></li>\n");
    }
    pr_buf_text(out, "</ol>");
}

void pr_frame_with_contents(const struct pr_data_frame *frame, const struct pr_frame_part *parts, size_t count,
                            struct pr_buf *out)
{
    const struct pr_frame_prefix prefix = pr_frame_prefix_of(frame);
    struct pr_buf body = {0};
    pr_buf_text(out, "<div class='profile'>\n<nav class='contents' aria-label='Contents");
    if (*prefix.text) /* "s3-": several profiles are on the page */
        pr_html(out, " of section %.*s", (int)strcspn(prefix.text + 1, "-"), prefix.text + 1);
    pr_buf_text(out, "'><ul>\n");
    for (size_t i = 0; i < count; i++) {
        const size_t before = body.length;
        parts[i].draw(frame, &body);
        if (body.length == before || !parts[i].id)
            continue;
        pr_html(out, "<li><a href='#%s%s'>%s</a>", prefix.text, parts[i].id, parts[i].name);
        if (parts[i].draw == pr_frame_columns)
            columns(frame, out);
        pr_buf_text(out, "</li>\n");
    }
    pr_buf_text(out, "</ul></nav>\n<div class='parts-of'>\n");
    pr_buf_add(out, body.bytes, body.length);
    pr_buf_text(out, "</div></div>\n");
    out->failed |= body.failed;
    pr_buf_clear(&body);
}
