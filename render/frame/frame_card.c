/* SPDX-License-Identifier: Apache-2.0 */
/* The page: templates/frame.html, with its slots filled. */
#include "render/frame/frame_card.h"

#include "assets/assets.h"
#include "profrender/load.h"
#include "render/frame/frame_parts.h"
#include "render/html/template.h"
#include "render/words/data_words.h"
#include "render/words/shell_word.h"

#include <inttypes.h>
#include <string.h>

enum { TITLE_CHARACTERS = 120 };

struct frame_page {
    const struct pr_data_frame *frame;
    const struct pr_frame_card_options *options;
};

static void header(const struct frame_page *page, struct pr_buf *out)
{
    struct pr_buf words = {0};
    pr_buf_text(out, "<div><h1>");
    pr_html_name(out, (struct pr_text){page->options->title, (uint32_t)strlen(page->options->title)});
    pr_buf_text(out, "</h1>\n<p class='facts'><span>");
    pr_data_format_words(&words, page->frame);
    pr_frame_add_text(out, &words);
    pr_html(out, "</span><span>%s</span>", pr_units_bytes(pr_units_signed(page->frame->bytes)).text);
    if (page->frame->is_redacted)
        pr_buf_text(out, "<span>Values are left out</span>");
    pr_buf_text(out, "</p></div>\n");
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

void pr_frame_figure(struct pr_buf *out, const char *label, const char *value, const char *note)
{
    pr_html(out, "<div><dt>%s</dt><dd class='v'>%s</dd><dd class='s'>%s</dd></div>", label, value, note);
}

static void types(const struct pr_data_frame *frame, struct pr_buf *out)
{
    uint32_t counts[PR_TYPE_COUNT] = {0};
    bool any = false;
    for (uint32_t c = 0; c < frame->column_count; c++)
        counts[frame->columns[c].type]++;
    for (enum pr_data_type type = 0; type < PR_TYPE_COUNT; type++) {
        if (!counts[type])
            continue;
        pr_html(out, "%s%s (%" PRIu32 ")", any ? ", " : "", pr_data_type_words(type), counts[type]);
        any = true;
    }
}

void pr_frame_warning(const struct pr_data_frame *frame, struct pr_buf *out)
{
    bool any = frame->problem.code != PR_ERR_NONE;
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++)
        any |= frame->damage[damage].count > 0;
    if (!any)
        return;
    pr_buf_text(out, "<section class='panel warning'><h2>Problems in the data</h2><ul>");
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++) {
        struct pr_buf words = {0};
        if (!pr_data_damage_words(&words, frame, damage))
            continue;
        pr_buf_text(out, "<li>");
        pr_frame_add_text(out, &words);
        pr_buf_text(out, "</li>");
    }
    if (frame->problem.code != PR_ERR_NONE)
        pr_html(out, "<li>The input ends early: %s</li>", frame->problem.text);
    pr_buf_text(out, "</ul></section>\n");
}

static void overview(const struct pr_data_frame *frame, struct pr_buf *out)
{
    const struct pr_data_count *repeated = &frame->duplicates;
    const bool is_estimate = repeated->low != repeated->high;
    struct pr_buf note = {0};
    pr_frame_warning(frame, out);
    pr_buf_text(out, "<section class='panel'><dl class='figures'>");
    pr_frame_figure(out, "Rows", pr_data_count_text(frame->rows).text,
                    frame->is_exact ? "" : "some figures are estimates");
    pr_frame_figure(out, "Columns", pr_data_count_text(frame->column_count).text, "");
    pr_frame_figure(out, "Missing cells", frame->missing ? pr_data_share(frame->missing, frame->cells).text : "0",
           frame->missing ? pr_data_count_text(frame->missing).text : "");
    if (is_estimate)
        pr_buf_printf(&note, "%s to %s", pr_data_count_text(repeated->low).text,
                      pr_data_count_text(repeated->high).text);
    else if (repeated->value)
        pr_buf_printf(&note, "%s of all", pr_data_share(repeated->value, frame->rows).text);
    pr_html(out, "<div><dt>Repeated rows</dt><dd class='v'>%s</dd><dd class='s'>", pr_data_about(*repeated).text);
    pr_frame_add_text(out, &note);
    pr_buf_text(out, "</dd></div><div><dt>Types</dt><dd class='s'>");
    types(frame, out);
    pr_buf_text(out, "</dd></div></dl></section>\n");
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static void footer(const struct frame_page *page, struct pr_buf *out)
{
    struct pr_buf command = {0};
    pr_html(out, "profrender %s. ", pr_version());
    if (page->options->source && page->frame->view == PR_VIEW_PROFILE) {
        pr_buf_text(&command, "profrender frame --json ");
        pr_shell_word(page->options->source, &command);
        pr_buf_text(out, "The same figures for programs: <code>");
        pr_frame_add_text(out, &command);
        pr_buf_text(out, "</code>");
    }
}

/* A section of its own instead of the profile, under what does not fit. */
static void view(const struct pr_data_frame *frame, struct pr_buf *out)
{
    pr_frame_warning(frame, out);
    if (frame->view == PR_VIEW_TABLE)
        pr_frame_sheet(frame, out);
    else if (frame->view == PR_VIEW_BOX)
        pr_frame_boxes(frame, out);
    else
        pr_frame_gantt(frame, out);
}

bool pr_frame_slot(const char *name, const struct pr_frame_card_options *options, struct pr_buf *out)
{
    if (pr_template_shared(name, options->theme, out))
        return true;
    if (!strcmp(name, "skip"))
        pr_buf_text(out, "<a class=\"skip\" href=\"#columns\">Skip to the columns</a>");
    else if (!strcmp(name, "style"))
        pr_buf_add(out, pr_asset_frame_style, pr_asset_frame_style_size);
    else if (!strcmp(name, "style-hash"))
        pr_html(out, "%s", pr_asset_frame_style_sha256);
    else if (!strcmp(name, "title"))
        pr_html_cut(out, (struct pr_text){options->title, (uint32_t)strlen(options->title)}, TITLE_CHARACTERS);
    else
        return false;
    return true;
}

void pr_frame_sections(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (frame->view != PR_VIEW_PROFILE) {
        view(frame, out);
        return;
    }
    static const struct pr_frame_part parts[] = {
        {NULL, NULL, overview},
        {"findings", "Findings", pr_frame_findings},
        {"columns", "Columns", pr_frame_columns},
        {NULL, NULL, pr_frame_details},
        {"correlations", "Correlations", pr_frame_related},
        {"pairs", "Pairs", pr_frame_pairs},
        {"missing", "Missing values", pr_frame_missing},
        {"repeated", "Repeated rows", pr_frame_groups},
        {"rows", "Rows", pr_frame_rows},
    };
    pr_frame_with_contents(frame, parts, sizeof parts / sizeof *parts, out);
}

static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    const struct frame_page *page = context;
    const struct pr_data_frame *frame = page->frame;
    (void)err;
    if (pr_frame_slot(name, page->options, out))
        return PR_OK;
    if (!strcmp(name, "header"))
        header(page, out);
    else if (!strcmp(name, "footer"))
        footer(page, out);
    else if (!strcmp(name, "overview"))
        pr_frame_sections(frame, out);
    return PR_OK;
}

enum pr_status pr_render_frame(const struct pr_data_frame *frame, const struct pr_frame_card_options *options,
                               struct pr_buf *page, struct pr_error *err)
{
    const struct frame_page content = {frame, options};
    return pr_template_fill(pr_template_frame, pr_template_frame_size, fill, &content, page, err);
}
