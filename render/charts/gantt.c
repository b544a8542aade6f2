/* SPDX-License-Identifier: Apache-2.0 */
#include "render/charts/gantt.h"

#include "render/html/html.h"
#include "render/words/data_words.h"

#include <math.h>

enum { LABEL_CHARACTERS = 80 };

/* In percent: what took no time is still a bar. */
#define LEAST_WIDTH 0.05

void pr_gantt_span_words(struct pr_buf *out, const struct pr_data_column *start_column, double start,
                         const struct pr_data_column *finish_column, double finish)
{
    if (isnan(start))
        pr_html(out, "start not known, to %s", pr_data_figure(finish_column, finish).text);
    else if (isnan(finish))
        pr_html(out, "%s, finish not known", pr_data_figure(start_column, start).text);
    else
        pr_html(out, "%s to %s, %s", pr_data_figure(start_column, start).text,
                pr_data_figure(finish_column, finish).text, pr_data_distance(start_column, finish - start).text);
}

void pr_gantt_key(const char *style, struct pr_buf *out)
{
    pr_html(out, "<li><svg aria-hidden='true'><rect class='%s' width='10' height='10'/></svg>", style);
}

static void bar_title(const struct pr_gantt *gantt, size_t at, struct pr_buf *out)
{
    pr_buf_text(out, "<title>");
    pr_html_cut(out, gantt->bar(gantt->context, at).name, LABEL_CHARACTERS);
    pr_buf_text(out, ": ");
    gantt->words(gantt->context, at, out);
    pr_buf_text(out, "</title>");
}

static void draw_bar(const struct pr_gantt *gantt, size_t at, struct pr_buf *out)
{
    const struct pr_gantt_bar bar = gantt->bar(gantt->context, at);
    const double from = isnan(bar.start) ? 0 : pr_chart_percent(&gantt->scale, bar.start),
                 to = isnan(bar.finish) ? 100 : pr_chart_percent(&gantt->scale, bar.finish);
    const double width = to - from > LEAST_WIDTH ? to - from : LEAST_WIDTH;
    const bool is_open = isnan(bar.start) || isnan(bar.finish);
    if (bar.address) { /* the table has these links too, where they can be reached by keys */
        pr_html(out, "<a href='%s' tabindex='-1'>", bar.address);
        bar_title(gantt, at, out);
    }
    pr_html(out, "<rect class='%s%s'", bar.style, is_open ? " open" : "");
    pr_buf_printf(out, " x='%.3f%%' y='4' width='%.3f%%' height='16'>", from, width);
    if (!bar.address)
        bar_title(gantt, at, out);
    pr_buf_text(out, "</rect>");
    if (bar.mark)
        pr_buf_printf(out, "<text class='mark' x='%.3f%%' y='17' text-anchor='middle'>%s</text>", (from + to) / 2,
                      bar.mark);
    pr_buf_text(out, bar.address ? "</a>" : "");
}

/* Links are within a group: what is within a picture is hidden from who hears the page. */
static bool has_links(const struct pr_gantt *gantt, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (gantt->bar(gantt->context, i).address)
            return true;
    return false;
}

static void draw_lane(const struct pr_gantt *gantt, size_t first, size_t end, struct pr_buf *out)
{
    const struct pr_text name = gantt->bar(gantt->context, first).name;
    const bool continues = first && pr_text_compare(gantt->bar(gantt->context, first - 1).name, name) == 0;
    pr_buf_text(out, "<div class='lane'><span class='label'>");
    if (!continues && name.length)
        pr_html_cut(out, name, LABEL_CHARACTERS);
    else if (!continues)
        pr_buf_text(out, "<em>no name</em>");
    pr_html(out, "</span><svg class='strip' role='%s' aria-label='", has_links(gantt, first, end) ? "group" : "img");
    pr_html_cut(out, name, LABEL_CHARACTERS);
    pr_buf_text(out, ": ");
    if (end - first > 1)
        pr_html(out, "%s, the first ", pr_units_counted(pr_units_signed(end - first), "bars").text);
    gantt->words(gantt->context, first, out);
    pr_buf_text(out, "'>");
    for (size_t i = first; i < end; i++)
        draw_bar(gantt, i, out);
    pr_buf_text(out, "</svg></div>\n");
}

struct pr_gantt_drawn pr_gantt_draw(const struct pr_gantt *gantt, struct pr_buf *out)
{
    struct pr_gantt_drawn drawn = {0, 0};
    pr_buf_text(out, "<div class='plot'>");
    if (gantt->count)
        pr_chart_axis(out, &gantt->scale);
    for (size_t end; drawn.bars < gantt->count && drawn.lanes < PR_GANTT_LANES && drawn.bars < PR_GANTT_BARS;
         drawn.bars = end, drawn.lanes++) {
        const uint32_t lane = gantt->bar(gantt->context, drawn.bars).lane;
        for (end = drawn.bars + 1; end < gantt->count && gantt->bar(gantt->context, end).lane == lane; end++)
            continue;
        draw_lane(gantt, drawn.bars, end, out);
    }
    pr_buf_text(out, "</div>\n");
    return drawn;
}
