/* SPDX-License-Identifier: Apache-2.0 */
#include "render/sections/difference_mark.h"

#include "render/html/hover.h"

#include <stdio.h>

const char *pr_difference_class(int64_t change)
{
    return change > 0 ? "up" : change < 0 ? "down" : "";
}

struct pr_figure pr_difference_figure(const struct pr_metric *metric, int64_t change)
{
    struct pr_figure figure;
    const struct pr_figure amount = pr_units_metric(metric, pr_growth_size(change));
    snprintf(figure.text, sizeof figure.text, "%s%.40s",
             change > 0   ? "\xE2\x96\xB2 "
             : change < 0 ? "\xE2\x96\xBC "
                          : "\xC2\xB1",
             change ? amount.text : "0");
    return figure;
}

void pr_difference_mark(struct pr_buf *out, const struct pr_metric *metric, int64_t change)
{
    pr_html(out, "<span class='%s'>", pr_difference_class(change));
    pr_hover(out, pr_difference_figure(metric, change), pr_units_metric_exact(metric, change));
    pr_buf_text(out, "</span>");
}
