/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a table's card: each appends its HTML, or nothing where there is nothing to show. */
#ifndef PR_RENDER_FRAME_FRAME_PARTS_H
#define PR_RENDER_FRAME_FRAME_PARTS_H

#include "profrender/data_frame.h"
#include "render/frame/frame_card.h"
#include "render/html/html.h"

/* Columns with a row in the overview, and with a section of their own. A wider table is larger than anyone reads. */
enum { PR_FRAME_LISTED = 400, PR_FRAME_DETAILED = 100, PR_FRAME_OPEN = 24 };

/* The overview: a row for each column. */
void pr_frame_columns(const struct pr_data_frame *frame, struct pr_buf *out);

/* What is worth a look in the table; and about a column, in its section. */
void pr_frame_findings(const struct pr_data_frame *frame, struct pr_buf *out);
void pr_frame_findings_of(const struct pr_data_frame *frame, uint32_t column, struct pr_buf *out);

/* A section for each column. */
void pr_frame_details(const struct pr_data_frame *frame, struct pr_buf *out);

void pr_frame_related(const struct pr_data_frame *frame, struct pr_buf *out);
/* Charts of two columns. */
void pr_frame_pairs(const struct pr_data_frame *frame, struct pr_buf *out);

void pr_frame_missing(const struct pr_data_frame *frame, struct pr_buf *out);
/* The rows that are there most often; the first and the last ones. */
void pr_frame_groups(const struct pr_data_frame *frame, struct pr_buf *out);
void pr_frame_rows(const struct pr_data_frame *frame, struct pr_buf *out);

/* A part of a profile: its id and the name by which the list of contents has it, NULL: it does not. */
struct pr_frame_part {
    const char *id, *name;
    void (*draw)(const struct pr_data_frame *frame, struct pr_buf *out);
};

/* The parts that are not empty, beside a list of them and of the columns: links, which need no script. */
void pr_frame_with_contents(const struct pr_data_frame *frame, const struct pr_frame_part *parts, size_t count,
                            struct pr_buf *out);

/* All of a table's page: its profile, or what else it shows. */
void pr_frame_sections(const struct pr_data_frame *frame, struct pr_buf *out);

/* What the ids of its parts begin with: "" on a page of its own, else "s3-". */
struct pr_frame_prefix {
    char text[16];
};
struct pr_frame_prefix pr_frame_prefix_of(const struct pr_data_frame *frame);

/* ---- what pages share ------------------------------------------------------------------------------------------- */

/* The slots that are the same on each page of tables. False: NAME is not one of them. */
bool pr_frame_slot(const char *name, const struct pr_frame_card_options *options, struct pr_buf *out);

/* What of the input does not fit. */
void pr_frame_warning(const struct pr_data_frame *frame, struct pr_buf *out);

void pr_frame_figure(struct pr_buf *out, const char *label, const char *value, const char *note);

/* TEXT, escaped; it is cleared. */
static inline void pr_frame_add_text(struct pr_buf *out, struct pr_buf *text)
{
    pr_html(out, "%.*s", (int)text->length, text->length ? text->bytes : "");
    out->failed |= text->failed;
    pr_buf_clear(text);
}

/* Instead of a profile, by frame->view. */
void pr_frame_sheet(const struct pr_data_frame *frame, struct pr_buf *out);
void pr_frame_boxes(const struct pr_data_frame *frame, struct pr_buf *out);
void pr_frame_gantt(const struct pr_data_frame *frame, struct pr_buf *out);

/* A box with its category for each, of the numbers of COLUMN, and their axis. */
void pr_frame_box_lanes(struct pr_buf *out, const struct pr_data_column *column, const struct pr_data_boxes *boxes);

/* COUNT rows with the names and types of their columns; and a note if columns are left out. */
void pr_frame_row_table(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_row *rows,
                        uint32_t count, const char *label, const char *number);
void pr_frame_columns_left_out(struct pr_buf *out, const struct pr_data_frame *frame);

/* The name of a column, cut to MOST characters. */
void pr_frame_name(struct pr_buf *out, const struct pr_data_column *column, size_t most);

/* A value, at most MOST bytes of a text; a hidden one by its place, NUMBER from 1. */
void pr_frame_value(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_column *column,
                    const struct pr_data_value *value, unsigned number, size_t most);

/* ---- charts: SVG, coloured by the stylesheet -------------------------------------------------------------------- */

/* An axis of values of COLUMN, with at most MOST labels at round numbers; UPWARDS: beside the chart, else below it. */
void pr_frame_ticks(struct pr_buf *out, const struct pr_data_column *column, double from, double to, unsigned most,
                    bool upwards);

/* The histogram with its axes, a title for each bar, and a box plot below; and as a few pixels, or of a category
 * how its values divide the rows. */
void pr_frame_distribution(struct pr_buf *out, const struct pr_data_column *column);
void pr_frame_mini_histogram(struct pr_buf *out, const struct pr_data_column *column);

/* PART of WHOLE. */
void pr_frame_bar(struct pr_buf *out, uint64_t part, uint64_t whole);

/* Where in the table values are missing. */
void pr_frame_gaps(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_column *column);

#endif
