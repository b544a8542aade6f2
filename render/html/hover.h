/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounded numbers of the page: a hover shows them exactly.
 *
 *     pr_hover_share(out, PR_UNIT_BYTES, part, whole);  //  <span title='1,126 bytes of 2,000 bytes'>56.3 %</span>
 *
 * Where there is nothing to show, nothing is written; a number of digits alone that is exact has no hover.
 */
#ifndef PR_RENDER_HTML_HOVER_H
#define PR_RENDER_HTML_HOVER_H

#include "render/html/html.h"
#include "render/words/units.h"

void pr_hover(struct pr_buf *out, struct pr_figure shown, struct pr_figure exact);

void pr_hover_value(struct pr_buf *out, enum pr_unit unit, int64_t value);
void pr_hover_metric(struct pr_buf *out, const struct pr_metric *metric, int64_t value);

/* SHOWN is PART of WHOLE in some other words; the hover has both. */
void pr_hover_part(struct pr_buf *out, struct pr_figure shown, struct pr_figure part, struct pr_figure whole);

/* PART as a percentage of WHOLE; the hover has both. */
void pr_hover_share(struct pr_buf *out, enum pr_unit unit, int64_t part, int64_t whole);
void pr_hover_metric_share(struct pr_buf *out, const struct pr_metric *metric, int64_t part, int64_t whole);

#endif
