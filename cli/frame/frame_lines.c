/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/frame/frame_lines.h"

#include "capture/base/text.h"
#include "cli/io/terminal_names.h"

struct pr_text pr_frame_text_of(const struct pr_buf *buf)
{
    return (struct pr_text){buf->length ? buf->bytes : "", (uint32_t)buf->length};
}

void pr_frame_line(struct pr_report *report, size_t indent, struct pr_buf *text)
{
    struct pr_buf line = {.failed = text->failed};
    const size_t columns = report->term.columns;
    pr_buf_printf(&line, "%*s", (int)indent, "");
    pr_text_cut_end(&line, pr_frame_text_of(text), columns > indent + 20 ? columns - indent : 20);
    pr_buf_byte(&line, '\n');
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
