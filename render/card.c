/* SPDX-License-Identifier: Apache-2.0 */
/* The page: templates/card.html, with its slots filled. */
#include "render/card.h"

#include "render/page/parts.h"
#include "render/page/section.h"
#include "render/page/source_links.h"
#include "render/html/template.h"
#include "capture/base/processors.h"

#include <string.h>

static bool is_empty(const struct pr_profile *profile)
{
    for (unsigned i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value)
            return false;
    }
    return true;
}

/* A page while it is written, and those of its sections that need not wait for the payload to be packed. */
struct drawing {
    struct pr_page page;
    struct pr_crew *crew; /* NULL: no thread but the caller's */
    struct pr_buf section[PR_PAGE_SECTIONS];
    enum pr_status status[PR_PAGE_SECTIONS + 1]; /* the last one: of the payload */
    struct pr_error err[PR_PAGE_SECTIONS + 1];
};

static bool wants(const struct pr_page *page, const struct pr_section *section)
{
    return !section->wants || section->wants(page->profile);
}

/* Number NUMBER of what can be done at once: the payload, then each section. */
static bool draw(void *context, unsigned worker, size_t number)
{
    struct drawing *drawing = context;
    const struct pr_page *page = &drawing->page;
    const size_t at = number ? number - 1 : PR_PAGE_SECTIONS;
    (void)worker;
    if (!number)
        drawing->status[at] =
            pr_payload_prepare(page->profile, &page->traits, &drawing->page.payload, &drawing->err[at]);
    else if (!pr_section_is_last(pr_sections[at]) && wants(page, pr_sections[at]))
        drawing->status[at] = pr_sections[at]->emit(page, &drawing->section[at], &drawing->err[at]);
    return drawing->status[at] != PR_FAILED;
}

static enum pr_status draw_all(struct drawing *drawing, struct pr_error *err)
{
    size_t sections = 0;
    while (pr_sections[sections])
        sections++;
    if (pr_crew_run(drawing->crew, 1 + sections, draw, drawing))
        return PR_OK;
    for (size_t i = 0; i <= PR_PAGE_SECTIONS && err; i++)
        if (drawing->status[i] == PR_FAILED)
            *err = drawing->err[i];
    return PR_FAILED;
}

static enum pr_status emit_sections(const struct drawing *drawing, const char *slot, struct pr_buf *out,
                                    struct pr_error *err)
{
    const struct pr_page *page = &drawing->page;
    for (size_t i = 0; pr_sections[i]; i++) {
        if (strcmp(pr_sections[i]->slot, slot) || !wants(page, pr_sections[i]))
            continue;
        out->failed |= drawing->section[i].failed;
        pr_buf_add(out, drawing->section[i].bytes, drawing->section[i].length);
        if (pr_section_is_last(pr_sections[i]) && pr_sections[i]->emit(page, out, err) == PR_FAILED)
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

static bool has_first(const struct pr_page *page)
{
    return page->first.fold.count > 0;
}

static const struct pr_buf *first_text(const struct pr_page *page)
{
    return has_first(page) ? &page->first.text : &page->payload.text;
}

/*
 * After the script, a large payload in elements that a browser reads one by one, so that it draws and listens in
 * between. Each has whole bytes of one pack, which a space ends.
 */
static void add_rest(const struct pr_page *page, struct pr_buf *out)
{
    enum { PIECE = 1 << 19 };
    const char *text = page->payload.text.bytes, *end = text + page->payload.text.length;
    while (has_first(page) && text < end) {
        const char *stop = memchr(text, ' ', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop + 1 : end) - text);
        length = length > PIECE + 1 ? PIECE : length;
        pr_buf_text(out, "<script type=\"application/octet-stream\" class=\"rest\">");
        pr_buf_add(out, text, length);
        pr_buf_text(out, "</script>\n");
        text += length;
    }
}

/* What replaces {{NAME}}: a part of ours that is HTML already, or a text that is escaped here. */
static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    enum { TITLE_LENGTH = 120 }; /* of a tab or a bookmark */
    const struct drawing *drawing = context;
    const struct pr_page *page = &drawing->page;
    if (pr_template_shared(name, page->options.theme, out))
        return PR_OK;
    if (!strcmp(name, "style"))
        add_style(page, out);
    else if (!strcmp(name, "script"))
        add_script(page, out);
    else if (!strcmp(name, "payload"))
        pr_buf_add(out, first_text(page)->bytes, first_text(page)->length);
    else if (!strcmp(name, "rest"))
        add_rest(page, out);
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
        return emit_sections(drawing, name, out, err);
    return PR_OK;
}

static enum pr_status emit_page(const struct drawing *drawing, struct pr_buf *out, struct pr_error *err)
{
    if (drawing->page.options.fragment)
        return pr_template_fill(pr_template_fragment, pr_template_fragment_size, fill, drawing, out, err);
    return pr_template_fill(pr_template_card, pr_template_card_size, fill, drawing, out, err);
}

/* Packs what the page shows first, if it is not all, after all else is packed: little memory is taken at once. */
static enum pr_status pack_first(struct pr_page *page, struct pr_error *err)
{
    if (!has_first(page))
        return PR_OK;
    if (!page->first.encoder && pr_payload_prepare(page->profile, &page->traits, &page->first, err) == PR_FAILED)
        return PR_FAILED;
    return pr_payload_pack_first(&page->first, &page->payload, err);
}

/* How much room there is for the payload is known when the rest is written. */
static enum pr_status emit_within(struct drawing *drawing, struct pr_buf *out, struct pr_error *err)
{
    struct pr_payload *payload = &drawing->page.payload;
    const size_t before = out->length, most = drawing->page.options.max_size_bytes;
    enum pr_status status = pr_payload_pack(payload, most, drawing->crew, err);
    if (status != PR_FAILED)
        status = pack_first(&drawing->page, err);
    if (status != PR_FAILED)
        status = emit_page(drawing, out, err);
    while (status != PR_FAILED && out->length - before > most && (payload->bin_count || payload->has_heat)) {
        const size_t rest = out->length - before - payload->text.length;
        out->length = before;
        status = pr_payload_pack(payload, most > rest ? most - rest : 0, drawing->crew, err);
        if (status != PR_FAILED)
            status = pack_first(&drawing->page, err);
        if (status != PR_FAILED)
            status = emit_page(drawing, out, err);
    }
    return status;
}

/* Threads that pay: a small card is written before they would have started. */
static unsigned threads_for(const struct pr_profile *profile, const struct pr_card_options *options)
{
    enum { SMALL = 10000, MOST = 4 };
    const unsigned wanted = options && options->threads ? options->threads : options ? pr_processors() : 1;
    const bool is_small = profile->tree.count + profile->fact_count + profile->moment_count < SMALL;
    return is_small ? 1 : wanted < MOST ? wanted : MOST;
}

static void drawing_clear(struct drawing *drawing)
{
    pr_page_clear(&drawing->page);
    for (size_t i = 0; i < PR_PAGE_SECTIONS; i++)
        pr_buf_clear(&drawing->section[i]);
    pr_crew_free(drawing->crew);
}

enum pr_status pr_render_card(const struct pr_profile *profile, const struct pr_card_options *options,
                              struct pr_buf *page, struct pr_error *err)
{
    const size_t before = page->length;
    if (page->failed)
        return pr_fail_memory(err);
    struct drawing drawing = {.crew = pr_crew_new(threads_for(profile, options))};
    enum pr_status status = pr_page_make(&drawing.page, profile, options, err);
    if (status != PR_FAILED)
        status = draw_all(&drawing, err);
    if (status != PR_FAILED)
        status = emit_within(&drawing, page, err);
    if (status == PR_FAILED) {
        page->failed = false;
        page->length = before;
        if (page->bytes)
            page->bytes[before] = '\0';
    }
    drawing_clear(&drawing);
    return status == PR_FAILED ? PR_FAILED : PR_OK;
}
