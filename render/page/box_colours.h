/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of a picture of boxes without a script: whose code each is, or where all is one owner's, its package. */
#ifndef PR_RENDER_PAGE_BOX_COLOURS_H
#define PR_RENDER_PAGE_BOX_COLOURS_H

#include "render/page/page.h"

enum pr_box_colours {
    PR_BOXES_BY_OWNER,   /* m: the user's, l: a library's, s: the language's, n: native, x: none of these */
    PR_BOXES_BY_PACKAGE, /* a to f: the largest packages, or kinds of objects, x: all others */
};

/*
 * Fills LETTERS[frame_count of the page's profile], by what METRIC has in each package. Errors: PR_FAILED: out of
 * memory.
 */
enum pr_status pr_box_colours_choose(const struct pr_page *page, const struct pr_metric *metric, char *letters,
                                     enum pr_box_colours *by, struct pr_error *err);

#endif
