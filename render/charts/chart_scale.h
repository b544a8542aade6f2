/* SPDX-License-Identifier: Apache-2.0 */
/* A range of values across a chart, in percent of its width, so that it fits any; and its axis. */
#ifndef PR_RENDER_CHARTS_CHART_SCALE_H
#define PR_RENDER_CHARTS_CHART_SCALE_H

#include "profrender/buf.h"
#include "profrender/data_frame.h"

struct pr_chart_scale {
    const struct pr_data_column *column; /* its type decides where the axis has labels, and their words */
    double from, to;
};

/* Where VALUE is; the middle if the range is empty. */
double pr_chart_percent(const struct pr_chart_scale *scale, double value);

/* A lane with labels; nothing if the range is empty. */
void pr_chart_axis(struct pr_buf *out, const struct pr_chart_scale *scale);

#endif
