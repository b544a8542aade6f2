/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card of a table: one HTML page without a script, which opens offline and loads nothing.
 *
 *     struct pr_frame_card_options how = {.title = "sales.csv"};
 *     struct pr_buf page = {0};
 *     if (pr_render_frame(frame, &how, &page, &err) == PR_FAILED) ...
 *     pr_buf_clear(&page);
 *
 * Same table and options, same bytes. Names and values are a stranger's bytes, and are shown as text.
 */
#ifndef PR_RENDER_FRAME_FRAME_CARD_H
#define PR_RENDER_FRAME_FRAME_CARD_H

#include "profrender/buf.h"
#include "profrender/data_diff.h"
#include "profrender/data_sections.h"
#include "render/card_options.h"

struct pr_frame_card_options {
    const char *title;
    const char *source; /* name of the input, for the command at the end; NULL: none */
    enum pr_theme theme;
};

/* Appends the page. PR_FAILED: out of memory. */
enum pr_status pr_render_frame(const struct pr_data_frame *frame, const struct pr_frame_card_options *options,
                               struct pr_buf *page, struct pr_error *err);

/* The same of a difference: what changed, then all columns side by side. Its options have no source. */
enum pr_status pr_render_frame_diff(const struct pr_data_diff *diff, const struct pr_frame_card_options *options,
                                    struct pr_buf *page, struct pr_error *err);

/* The same of several sections, one below the other. Its options have no source. */
enum pr_status pr_render_sections(const struct pr_data_sections *sections, const struct pr_frame_card_options *options,
                                  struct pr_buf *page, struct pr_error *err);

#endif
