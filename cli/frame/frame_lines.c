/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/frame/frame_lines.h"

#include "capture/base/text.h"
#include "cli/io/terminal_names.h"

struct pr_text pr_frame_text_of(const struct pr_buf *buf)
{
    return (struct pr_text){buf->length ? buf->bytes : "", (uint32_t)buf->length};
}

/* How much of TEXT fits in WIDTH columns, to the end of a word; all of it if its first word does not fit. */
static uint32_t that_fits(struct pr_text text, size_t width)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i <= text.length; i++) {
        if (i < text.length && text.bytes[i] != ' ')
            continue;
        if (pr_text_columns(text.bytes, i) > width)
            break;
        end = i;
    }
    return end ? end : text.length;
}

void pr_frame_line(struct pr_report *report, size_t indent, struct pr_buf *text)
{
    enum { MOST_LINES = 4, FURTHER = 2 };
    struct pr_buf line = {.failed = text->failed};
    struct pr_text rest = pr_frame_text_of(text);
    for (unsigned i = 0; i < MOST_LINES && (!i || rest.length); i++, indent += i == 1 ? FURTHER : 0) {
        const size_t columns = report->term.columns, width = columns > indent + 20 ? columns - indent : 20;
        const uint32_t size = i + 1 < MOST_LINES ? that_fits(rest, width) : rest.length;
        pr_buf_printf(&line, "%*s", (int)indent, "");
        pr_text_cut_end(&line, (struct pr_text){rest.bytes, size}, width);
        pr_buf_byte(&line, '\n');
        const uint32_t space = size < rest.length;
        rest = (struct pr_text){rest.bytes + size + space, rest.length - size - space};
    }
    pr_buf_clear(text);
    pr_report_flush(report, &line);
}

void pr_frame_cell(struct pr_buf *line, struct pr_text text, size_t width, bool is_figure)
{
    struct pr_buf cell = {0};
    pr_text_cut_end(&cell, text, width);
    const size_t used = pr_text_columns(cell.length ? cell.bytes : "", cell.length);
    const int gap = used < width ? (int)(width - used) : 0;
    pr_buf_printf(line, "%*s", is_figure ? gap : 0, "");
    pr_buf_add(line, cell.length ? cell.bytes : "", cell.length);
    pr_buf_printf(line, "%*s  ", is_figure ? 0 : gap, "");
    line->failed |= cell.failed;
    pr_buf_clear(&cell);
}

void pr_frame_end_line(struct pr_report *report, struct pr_buf *line)
{
    while (line->length && line->bytes[line->length - 1] == ' ')
        line->length--;
    pr_buf_printf(line, "%s\n", report->style.off);
    pr_report_flush(report, line);
}
