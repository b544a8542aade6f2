/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a report on a table of data. */
#ifndef PR_CLI_FRAME_FRAME_LINES_H
#define PR_CLI_FRAME_FRAME_LINES_H

#include "cli/reports/report.h"
#include "profrender/data_frame.h"

struct pr_text pr_frame_text_of(const struct pr_buf *buf);

/* TEXT, which is cleared, on as many lines as it needs, four at most: its last words are often its figures. */
void pr_frame_line(struct pr_report *report, size_t indent, struct pr_buf *text);

/* Appends TEXT in WIDTH columns, at the right end for figures, and a gap. */
void pr_frame_cell(struct pr_buf *line, struct pr_text text, size_t width, bool is_figure);

/* Writes LINE without the blanks at its end, in no colour from there on; it is empty then. */
void pr_frame_end_line(struct pr_report *report, struct pr_buf *line);

/* The rows, boxes or bars that FRAME has instead of a profile. */
void pr_frame_view_text(struct pr_report *report, const struct pr_data_frame *frame);

#endif
