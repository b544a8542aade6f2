/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people wrote about the run: Markdown, by cmark's tree and our own rules. Raw HTML is shown as text; links lead
 * to http, https, mailto and into the page, others become text; images are shown if they are in the notes themselves
 * (data:), others become their description.
 */
#include "capture/base/text.h"
#include "render/page/section.h"
#include "render/sections/notes_memory.h"

#include <cmark.h>
#include <string.h>
#include <strings.h>

enum { HEADINGS_BELOW = 2, LOWEST_HEADING = 6 };

struct writer {
    struct pr_buf *out;
    unsigned in_image; /* number of images whose description this is in: text goes into an attribute */
};

static bool wants_notes(const struct pr_profile *profile)
{
    return profile->run.notes != 0;
}

static bool starts(const char *text, const char *beginning)
{
    return !strncasecmp(text, beginning, strlen(beginning));
}

static bool is_good_link(const char *url)
{
    return starts(url, "https://") || starts(url, "http://") || starts(url, "mailto:") || *url == '#';
}

static bool is_good_image(const char *url)
{
    return starts(url, "data:image/");
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* Paragraphs of tight lists have no tags. */
static bool is_in_tight_list(cmark_node *node)
{
    cmark_node *item = cmark_node_parent(node), *list = item ? cmark_node_parent(item) : NULL;
    return list && cmark_node_get_type(list) == CMARK_NODE_LIST && cmark_node_get_list_tight(list);
}

static void write_list(struct writer *w, cmark_node *node, bool enter)
{
    const bool ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    const int start = cmark_node_get_list_start(node);
    if (!enter)
        pr_buf_text(w->out, ordered ? "</ol>\n" : "</ul>\n");
    else if (ordered && start != 1)
        pr_html(w->out, "<ol start='%d'>\n", start);
    else
        pr_buf_text(w->out, ordered ? "<ol>\n" : "<ul>\n");
}

static void write_heading(struct writer *w, cmark_node *node, bool enter)
{
    const int below = cmark_node_get_heading_level(node) + HEADINGS_BELOW;
    const int level = below < LOWEST_HEADING ? below : LOWEST_HEADING;
    if (enter)
        pr_html(w->out, "<h%d>", level);
    else
        pr_html(w->out, "</h%d>\n", level);
}

static void write_link(struct writer *w, cmark_node *node, bool enter)
{
    const char *url = text_of(cmark_node_get_url(node));
    if (!is_good_link(url))
        return;
    if (!enter)
        pr_buf_text(w->out, "</a>");
    else if (*url == '#')
        pr_html(w->out, "<a href='%s'>", url);
    else
        pr_html(w->out, "<a href='%s' rel='noopener noreferrer'>", url);
}

static void write_image(struct writer *w, cmark_node *node, bool enter)
{
    const char *url = text_of(cmark_node_get_url(node));
    if (!is_good_image(url))
        return;
    if (enter && !w->in_image)
        pr_buf_text(w->out, "<img alt='");
    w->in_image += enter;
    if (!enter && !--w->in_image)
        pr_html(w->out, "' src='%s'>", url);
}

/* What has no child nodes. */
static bool write_leaf(struct writer *w, cmark_node *node, cmark_node_type type)
{
    const char *literal = text_of(cmark_node_get_literal(node));
    switch ((int)type) {
    case CMARK_NODE_TEXT:
    case CMARK_NODE_HTML_INLINE:
        pr_html(w->out, "%s", literal);
        return true;
    case CMARK_NODE_CODE:
        pr_html(w->out, w->in_image ? "%s" : "<code>%s</code>", literal);
        return true;
    case CMARK_NODE_SOFTBREAK:
        pr_buf_text(w->out, "\n");
        return true;
    case CMARK_NODE_LINEBREAK:
        pr_buf_text(w->out, w->in_image ? " " : "<br>\n");
        return true;
    case CMARK_NODE_THEMATIC_BREAK:
        pr_buf_text(w->out, "<hr>\n");
        return true;
    case CMARK_NODE_CODE_BLOCK:
    case CMARK_NODE_HTML_BLOCK:
        pr_buf_text(w->out, "<pre tabindex='0' role='group' aria-label='Text as it is'>");
        for (const char *line = literal, *end; *line; line = end + (*end == '\n')) {
            end = strchrnul(line, '\n');
            pr_html(w->out, "%.*s\n", (int)(end - line), line);
        }
        pr_buf_text(w->out, "</pre>\n");
        return true;
    default:
        return false;
    }
}

static void write_around(struct writer *w, cmark_node *node, cmark_node_type type, bool enter)
{
    static const struct {
        cmark_node_type type;
        const char *open, *close;
    } plain[] = {
        {CMARK_NODE_BLOCK_QUOTE, "<blockquote>\n", "</blockquote>\n"},
        {CMARK_NODE_ITEM, "<li>", "</li>\n"},
        {CMARK_NODE_PARAGRAPH, "<p>", "</p>\n"},
        {CMARK_NODE_EMPH, "<em>", "</em>"},
        {CMARK_NODE_STRONG, "<strong>", "</strong>"},
    };
    if (type == CMARK_NODE_LIST)
        write_list(w, node, enter);
    else if (type == CMARK_NODE_HEADING)
        write_heading(w, node, enter);
    else if (type == CMARK_NODE_IMAGE)
        write_image(w, node, enter);
    else if (w->in_image || (type == CMARK_NODE_PARAGRAPH && is_in_tight_list(node)))
        return;
    else if (type == CMARK_NODE_LINK)
        write_link(w, node, enter);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].type == type)
            pr_buf_text(w->out, enter ? plain[i].open : plain[i].close);
}

static void write_document(struct pr_buf *out, cmark_iter *iter)
{
    struct writer w = {.out = out};
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        if (!write_leaf(&w, node, type))
            write_around(&w, node, type, event == CMARK_EVENT_ENTER);
    }
}

/* The first words, on one line, for notes that are closed. */
static void write_teaser(struct pr_buf *out, cmark_iter *iter)
{
    enum { TEASER_LENGTH = 240 };
    const size_t before = out->length;
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        if (out->length - before > TEASER_LENGTH)
            break;
        if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
            pr_html_cut(out, pr_text_of(text_of(cmark_node_get_literal(node))), TEASER_LENGTH);
        else if (event == CMARK_EVENT_EXIT && type == CMARK_NODE_HEADING)
            pr_buf_text(out, ": ");
        else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK ||
                 (event == CMARK_EVENT_EXIT && type == CMARK_NODE_PARAGRAPH))
            pr_buf_byte(out, ' ');
    }
}

struct notes {
    struct pr_text text;
    struct pr_buf *out;
};

static void write_notes(cmark_mem *memory, void *context)
{
    struct notes *notes = context;
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, memory);
    cmark_parser_feed(parser, notes->text.bytes, notes->text.length);
    cmark_node *document = cmark_parser_finish(parser);
    pr_buf_text(notes->out, "<section class='panel notes' aria-labelledby='h-notes'>\n<details><summary>"
                            "<h2 id='h-notes'>Notes</h2> <span class='teaser'>");
    write_teaser(notes->out, cmark_iter_new(document));
    pr_buf_text(notes->out, "</span></summary>\n<div class='md'>\n");
    write_document(notes->out, cmark_iter_new(document));
    pr_buf_text(notes->out, "</div>\n</details>\n</section>\n");
}

static enum pr_status emit_notes(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct notes notes = {pr_profile_text(page->profile, page->profile->run.notes), out};
    return pr_notes_try(write_notes, &notes) ? PR_OK : pr_fail_memory(err);
}

const struct pr_section pr_section_notes = {"notes", "main", wants_notes, emit_notes};
