/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is a code span, in which nothing but a backquote means anything. In a table a `|` ends the cell even there, so
 * a name with either of them is in <code>, where all but letters, digits and a few harmless signs becomes a character
 * reference, which no rule of Markdown looks into.
 */
#include "cli/io/markdown.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "cli/io/terminal_names.h"

#include <string.h>

static void add_escaped(struct pr_buf *buf, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x80 || pr_is_alphanumeric(c) || strchr(" .,-+/()=%;", c) ||
            (c == ':' && i + 1 < length && bytes[i + 1] == ' '))
            pr_buf_byte(buf, c);
        else
            pr_buf_printf(buf, "&#%u;", c);
    }
}

/* Spaces at its ends are not kept in a code span, and one of spaces only has rules of its own. */
static bool fits_span(const struct pr_buf *name)
{
    return !memchr(name->bytes, '`', name->length) && !memchr(name->bytes, '|', name->length) &&
           !memchr(name->bytes, '\n', name->length) && *name->bytes != ' ' && name->bytes[name->length - 1] != ' ';
}

static void add_code(struct pr_buf *buf, struct pr_buf *visible)
{
    if (visible->length && fits_span(visible)) {
        pr_buf_byte(buf, '`');
        pr_buf_add(buf, visible->bytes, visible->length);
        pr_buf_byte(buf, '`');
    } else if (visible->length) {
        pr_buf_text(buf, "<code>");
        add_escaped(buf, visible->bytes, visible->length);
        pr_buf_text(buf, "</code>");
    }
    buf->failed |= visible->failed;
    pr_buf_clear(visible);
}

void pr_markdown_code(struct pr_buf *buf, struct pr_text name, size_t columns)
{
    struct pr_buf visible = {0};
    pr_text_cut_end(&visible, name, columns);
    add_code(buf, &visible);
}

void pr_markdown_place(struct pr_buf *buf, struct pr_text file, int32_t line, size_t columns)
{
    struct pr_buf visible = {0};
    if (file.length)
        pr_text_cut_path(&visible, file, columns);
    if (file.length && line > 0)
        pr_buf_printf(&visible, ":%d", (int)line);
    add_code(buf, &visible);
}

void pr_markdown_file(struct pr_buf *buf, const char *path, size_t columns)
{
    const char *name = *path == '/' ? pr_path_last_part(path) : path;
    pr_markdown_code(buf, pr_text_of(*name ? name : path), columns);
}

void pr_markdown_text(struct pr_buf *buf, struct pr_text text)
{
    struct pr_buf visible = {0};
    pr_text_add(&visible, text);
    if (visible.length)
        add_escaped(buf, visible.bytes, visible.length);
    buf->failed |= visible.failed;
    pr_buf_clear(&visible);
}

void pr_markdown_pre(struct pr_buf *buf, struct pr_text lines)
{
    for (uint32_t i = 0; i < lines.length; i++) {
        const char c = lines.bytes[i];
        if (c == '<' || c == '>' || c == '&')
            pr_buf_printf(buf, "&#%u;", (unsigned)c);
        else
            pr_buf_byte(buf, (unsigned char)c);
    }
}

void pr_markdown_lines(struct pr_buf *buf, struct pr_text lines)
{
    const char *rest = lines.bytes, *end = rest + lines.length;
    while (rest < end) {
        const char *line_end = memchr(rest, '\n', (size_t)(end - rest));
        add_escaped(buf, rest, (size_t)((line_end ? line_end : end) - rest));
        if (line_end)
            pr_buf_byte(buf, '\n');
        rest = line_end ? line_end + 1 : end;
    }
}
