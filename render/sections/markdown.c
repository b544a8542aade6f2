/* SPDX-License-Identifier: Apache-2.0 */
/* What people write, by cmark's tree and our own rules. */
#include "render/sections/markdown.h"

#include "capture/base/text.h"
#include "render/html/html.h"
#include "render/sections/notes_memory.h"

#include <string.h>
#include <strings.h>

enum { HEADINGS_BELOW = 2, LOWEST_HEADING = 6 };

struct writer {
    struct pr_buf *out;
    unsigned in_image; /* number of images whose description this is in: text goes into an attribute */
};

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

void pr_markdown_write(struct pr_buf *out, cmark_node *document)
{
    struct writer w = {.out = out};
    cmark_iter *iter = cmark_iter_new(document);
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        if (!write_leaf(&w, node, type))
            write_around(&w, node, type, event == CMARK_EVENT_ENTER);
    }
}

struct text {
    struct pr_text markdown;
    struct pr_buf *out;
};

static void write_markdown(cmark_mem *memory, void *context)
{
    struct text *text = context;
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, memory);
    cmark_parser_feed(parser, text->markdown.bytes, text->markdown.length);
    pr_markdown_write(text->out, cmark_parser_finish(parser));
}

bool pr_markdown(struct pr_buf *out, struct pr_text markdown)
{
    struct text both = {markdown, out};
    return pr_notes_try(write_markdown, &both);
}
