/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown as HTML: raw HTML in it is shown as text; links lead to http, https, mailto and into the page, others become
 * text; images are shown if they are in the text itself (data:). Headings begin with h3.
 */
#ifndef PR_RENDER_SECTIONS_MARKDOWN_H
#define PR_RENDER_SECTIONS_MARKDOWN_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

#include <cmark.h>

/* Appends MARKDOWN as HTML. False: no memory. */
bool pr_markdown(struct pr_buf *out, struct pr_text markdown);

/* The same of what is parsed already, in memory of pr_notes_try (notes_memory.h). */
void pr_markdown_write(struct pr_buf *out, cmark_node *document);

#endif
