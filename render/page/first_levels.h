/* SPDX-License-Identifier: Apache-2.0 */
/* The first levels of the call tree as a picture that needs no script: for comments and mail. */
#ifndef PR_RENDER_PAGE_FIRST_LEVELS_H
#define PR_RENDER_PAGE_FIRST_LEVELS_H

#include "render/page/page.h"

/*
 * Appends an SVG of the functions that hold METRIC, callers above what they called, in at most MOST_BYTES: boxes go by
 * level, so what is left out is the deepest. Start-up and imports are left out, and what is too narrow to be seen.
 * Nothing without stacks. The class of a box is one of COLOURS[frame_count], as pr_box_colours_choose fills them.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_first_levels(const struct pr_page *page, const struct pr_metric *metric, const char *colours,
                               size_t most_bytes, struct pr_buf *out, struct pr_error *err);

#endif
