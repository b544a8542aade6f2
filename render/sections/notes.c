/* SPDX-License-Identifier: Apache-2.0 */
/* Notes on the card: closed, with their first words. */
#include "capture/base/text.h"
#include "render/page/section.h"
#include "render/sections/markdown.h"
#include "render/sections/notes_memory.h"

#include <cmark.h>

static bool wants_notes(const struct pr_profile *profile)
{
    return profile->run.notes != 0;
}

/* The first words, on one line, for notes that are closed. */
static void write_teaser(struct pr_buf *out, cmark_iter *iter)
{
    enum { TEASER_LENGTH = 240 };
    const size_t before = out->length;
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iter);
        const cmark_node_type type = cmark_node_get_type(node);
        const char *literal = cmark_node_get_literal(node);
        if (out->length - before > TEASER_LENGTH)
            break;
        if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
            pr_html_cut(out, pr_text_of(literal ? literal : ""), TEASER_LENGTH);
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
    pr_markdown_write(notes->out, document);
    pr_buf_text(notes->out, "</div>\n</details>\n</section>\n");
}

static enum pr_status emit_notes(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct notes notes = {pr_profile_text(page->profile, page->profile->run.notes), out};
    return pr_notes_try(write_notes, &notes) ? PR_OK : pr_fail_memory(err);
}

const struct pr_section pr_section_notes = {"notes", "main", wants_notes, emit_notes};
