/* SPDX-License-Identifier: Apache-2.0 */
/* The page: templates/card.html, with its slots filled. */
#include "render/card.h"

#include "render/page/parts.h"
#include "render/page/section.h"
#include "render/page/source_links.h"
#include "render/html/template.h"

#include <string.h>

static bool is_empty(const struct pr_profile *profile)
{
    for (unsigned i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value)
            return false;
    }
    return true;
}

static enum pr_status emit_sections(const struct pr_page *page, const char *slot, struct pr_buf *out,
                                    struct pr_error *err)
{
    for (const struct pr_section *const *section = pr_sections; *section; section++) {
        if (strcmp((*section)->slot, slot) || ((*section)->wants && !(*section)->wants(page->profile)))
            continue;
        if ((*section)->emit(page, out, err) == PR_FAILED)
            return PR_FAILED;
    }
    return PR_OK;
}

void pr_card_assets(struct pr_asset assets[2])
{
    assets[0] = (struct pr_asset){pr_asset_style_name, pr_asset_style, pr_asset_style_size};
    assets[1] = (struct pr_asset){pr_asset_script_name, pr_asset_script, pr_asset_script_size};
}

static void add_style(const struct pr_page *page, struct pr_buf *out)
{
    if (page->options.split) {
        pr_html(out, "<link rel=\"stylesheet\" href=\"%s\">", pr_asset_style_name);
        return;
    }
    const struct pr_pieces style = pr_parts_style();
    pr_buf_text(out, "<style>");
    pr_parts_add(&style, pr_parts_of(page), out);
    pr_buf_text(out, "</style>");
}

static void add_script(const struct pr_page *page, struct pr_buf *out)
{
    if (page->options.split) {
        pr_html(out, "<script src=\"%s\"></script>", pr_asset_script_name);
        return;
    }
    const struct pr_pieces script = pr_parts_script();
    pr_buf_text(out, "<script>");
    pr_parts_add(&script, pr_parts_of(page), out);
    pr_buf_text(out, "</script>");
}

static void add_policy(const struct pr_page *page, struct pr_pieces pieces, struct pr_buf *out)
{
    if (page->options.split)
        pr_buf_text(out, "self");
    else
        pr_parts_add_hash(&pieces, pr_parts_of(page), out);
}

/* What replaces {{NAME}}: a part of ours that is HTML already, or a text that is escaped here. */
static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    enum { TITLE_LENGTH = 120 }; /* of a tab or a bookmark */
    const struct pr_page *page = context;
    if (pr_template_shared(name, page->options.theme, out))
        return PR_OK;
    if (!strcmp(name, "style"))
        add_style(page, out);
    else if (!strcmp(name, "script"))
        add_script(page, out);
    else if (!strcmp(name, "payload"))
        pr_buf_add(out, page->payload.text.bytes, page->payload.text.length);
    else if (!strcmp(name, "sources"))
        return pr_code_island(page, out, err);
    else if (!strcmp(name, "style-policy"))
        add_policy(page, pr_parts_style(), out);
    else if (!strcmp(name, "script-policy"))
        add_policy(page, pr_parts_script(), out);
    else if (!strcmp(name, "title")) {
        pr_buf_text(out, pr_failure_is_one(&page->profile->run.failure) ? "Failed: " : "");
        pr_html_cut(out, (struct pr_text){page->title.bytes, (uint32_t)page->title.length}, TITLE_LENGTH);
    }
    else if (!strcmp(name, "state"))
        pr_buf_text(out, pr_failure_is_one(&page->profile->run.failure) ? "failed"
                         : !page->profile->complete                     ? "damaged"
                         : is_empty(page->profile)                      ? "empty"
                                                                        : "ok");
    else
        return emit_sections(page, name, out, err);
    return PR_OK;
}

static enum pr_status emit_page(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    if (page->options.fragment)
        return pr_template_fill(pr_template_fragment, pr_template_fragment_size, fill, page, out, err);
    return pr_template_fill(pr_template_card, pr_template_card_size, fill, page, out, err);
}

/* How much room there is for the payload is known when the rest is written. */
static enum pr_status emit_within(struct pr_page *content, struct pr_buf *out, struct pr_error *err)
{
    const size_t before = out->length, most = content->options.max_size_bytes;
    enum pr_status status = emit_page(content, out, err);
    while (status != PR_FAILED && out->length - before > most &&
           (content->payload.bin_count || content->payload.has_heat)) {
        const size_t rest = out->length - before - content->payload.text.length;
        out->length = before;
        status = pr_payload_pack(content->profile, &content->traits, most > rest ? most - rest : 0, &content->payload,
                                 err);
        if (status != PR_FAILED)
            status = emit_page(content, out, err);
    }
    return status;
}

enum pr_status pr_render_card(const struct pr_profile *profile, const struct pr_card_options *options,
                              struct pr_buf *page, struct pr_error *err)
{
    const size_t before = page->length;
    if (page->failed)
        return pr_fail_memory(err);
    struct pr_page content;
    enum pr_status status = pr_page_make(&content, profile, options, err);
    if (status != PR_FAILED)
        status = emit_within(&content, page, err);
    if (status == PR_FAILED) {
        page->failed = false;
        page->length = before;
        if (page->bytes)
            page->bytes[before] = '\0';
    }
    pr_page_clear(&content);
    return status == PR_FAILED ? PR_FAILED : PR_OK;
}
