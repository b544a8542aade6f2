/* SPDX-License-Identifier: Apache-2.0 */
/* A card of several sections: a list of them, then each; templates/frame.html with other contents. */
#include "assets/assets.h"
#include "profrender/load.h"
#include "render/frame/frame_parts.h"
#include "render/html/pack.h"
#include "render/html/template.h"
#include "render/sections/markdown.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <string.h>

enum { TITLE_CHARACTERS = 120, SHOWN_LINES = 50000 };

struct sections_page {
    const struct pr_data_sections *sections;
    const struct pr_frame_card_options *options;
};

/* All tables are, or none. */
static bool is_redacted(const struct pr_data_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++)
        if (sections->sections[i].frame && sections->sections[i].frame->is_redacted)
            return true;
    return false;
}

static void header(const struct sections_page *page, struct pr_buf *out)
{
    pr_buf_text(out, "<div><h1>");
    pr_html_name(out, (struct pr_text){page->options->title, (uint32_t)strlen(page->options->title)});
    pr_html(out, "</h1>\n<p class='facts'><span>%s</span>",
            pr_units_counted(pr_units_signed(page->sections->count), "sections").text);
    if (is_redacted(page->sections))
        pr_buf_text(out, "<span>Values are left out</span>");
    pr_buf_text(out, "</p></div>\n");
}

static void contents(const struct pr_data_sections *sections, struct pr_buf *out)
{
    if (sections->count < 2)
        return;
    pr_buf_text(out, "<nav class='panel contents' aria-label='Sections'><ol>\n");
    for (size_t i = 0; i < sections->count; i++) {
        pr_html(out, "<li><a href='#s%zu'>", i + 1);
        pr_html_cut(out, sections->sections[i].title, TITLE_CHARACTERS);
        pr_buf_text(out, "</a></li>\n");
    }
    pr_buf_text(out, "</ol></nav>\n");
}

/* ---- a section -------------------------------------------------------------------------------------------------- */

static void source(const struct pr_data_section *section, struct pr_buf *out)
{
    const char *at = section->bytes.bytes, *end = at + section->bytes.length;
    uint64_t line = section->first_line, shown = 0;
    pr_buf_text(out, "<div class='panel code' tabindex='0' role='group' aria-label='");
    pr_html_cut(out, section->title, TITLE_CHARACTERS);
    pr_buf_text(out, "'><table role='presentation'><tbody>\n");
    for (; at < end && shown < SHOWN_LINES; shown++, line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length && at[length - 1] == '\r')
            length--;
        pr_html(out, "<tr><td class='n' data-n='%" PRIu64 "'></td><td>%.*s</td></tr>\n", line, (int)length, at);
        at = next;
    }
    pr_buf_text(out, "</tbody></table></div>\n");
    if (at < end)
        pr_html(out, "<p class='caption'>The first %d lines.</p>\n", SHOWN_LINES);
}

/* As a source of an image, even SVG runs no script and loads nothing. */
static void image(const struct pr_data_section *section, struct pr_buf *out)
{
    const struct pr_text alt = section->alt.length ? section->alt : section->title;
    pr_buf_text(out, "<div class='panel picture'><img alt='");
    pr_html(out, "%.*s", PR_TEXT(alt));
    pr_html(out, "' src='data:%s;base64,", section->media);
    pr_base64(out, (const unsigned char *)section->bytes.bytes, section->bytes.length);
    pr_buf_text(out, "'></div>\n");
}

static bool section_of(const struct pr_data_section *section, size_t number, struct pr_buf *out)
{
    bool done = true;
    pr_html(out, "<section class='part' id='s%zu'><h2 class='part'>", number);
    pr_html_name(out, section->title);
    pr_buf_text(out, "</h2>\n");
    if (section->frame) {
        pr_frame_sections(section->frame, out);
    } else if (section->kind == PR_SECTION_MARKDOWN) {
        pr_buf_text(out, "<div class='panel md'>\n");
        done = pr_markdown(out, section->bytes);
        pr_buf_text(out, "</div>\n");
    } else if (section->kind == PR_SECTION_SOURCE) {
        source(section, out);
    } else {
        image(section, out);
    }
    pr_buf_text(out, "</section>\n");
    return done;
}

static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    const struct sections_page *page = context;
    if (!strcmp(name, "skip"))
        pr_buf_text(out, "<a class='skip' href='#s1'>Skip to the first section</a>");
    else if (!strcmp(name, "header"))
        header(page, out);
    else if (!strcmp(name, "footer"))
        pr_html(out, "profrender %s", pr_version());
    else if (strcmp(name, "overview") != 0)
        pr_frame_slot(name, page->options, out);
    else {
        contents(page->sections, out);
        for (size_t i = 0; i < page->sections->count; i++)
            if (!section_of(&page->sections->sections[i], i + 1, out))
                return pr_fail_memory(err);
    }
    return PR_OK;
}

enum pr_status pr_render_sections(const struct pr_data_sections *sections, const struct pr_frame_card_options *options,
                                  struct pr_buf *page, struct pr_error *err)
{
    const struct sections_page content = {sections, options};
    return pr_template_fill(pr_template_frame, pr_template_frame_size, fill, &content, page, err);
}
