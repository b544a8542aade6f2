/* SPDX-License-Identifier: Apache-2.0 */
/* A change as a mark: an arrow, the amount, and a hover with all of its digits. */
#ifndef PR_RENDER_SECTIONS_DIFFERENCE_MARK_H
#define PR_RENDER_SECTIONS_DIFFERENCE_MARK_H

#include "render/sections/growth.h"

/* "up" for more, "down" for less, "" for neither: the class that gives a change its colour. */
const char *pr_difference_class(int64_t change);

/* "▲ 14.2 MiB", "▼ 3.00 s", or "±0". */
struct pr_figure pr_difference_figure(const struct pr_metric *metric, int64_t change);

/* The same with its colour, for a hover. */
void pr_difference_mark(struct pr_buf *out, const struct pr_metric *metric, int64_t change);

#endif
