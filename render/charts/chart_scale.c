/* SPDX-License-Identifier: Apache-2.0 */
#include "render/charts/chart_scale.h"

#include "render/html/html.h"
#include "render/words/data_ticks.h"

#include <math.h>

enum { TICKS = 7 };

double pr_chart_percent(const struct pr_chart_scale *scale, double value)
{
    const double span = scale->to - scale->from;
    return span > 0 && isfinite(span) ? 1.5 + 97 * ((value - scale->from) / span) : 50;
}

void pr_chart_axis(struct pr_buf *out, const struct pr_chart_scale *scale)
{
    const struct pr_data_ticks ticks = pr_data_ticks_of(scale->column, scale->from, scale->to, TICKS);
    if (!ticks.count)
        return;
    pr_buf_text(out, "<div class='lane axis' aria-hidden='true'><span class='label'></span><svg class='strip'>");
    for (unsigned i = 0; i < ticks.count; i++) {
        const double x = pr_chart_percent(scale, ticks.at[i]);
        const char *anchor = x < 6 ? "start" : x > 94 ? "end" : "middle";
        pr_buf_printf(out, "<line x1='%.2f%%' x2='%.2f%%' y1='0' y2='5'/><text x='%.2f%%' y='18' text-anchor='%s'", x,
                      x, x, anchor);
        pr_buf_text(out, i % 2 ? " class='odd'>" : ">");
        pr_html(out, "%s</text>", pr_data_tick_text(scale->column, &ticks, i).text);
    }
    pr_buf_text(out, "</svg></div>\n");
}
