/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates are ours: nothing of the table but numbers that were checked is in them. */
#include "render/frame/frame_parts.h"
#include "render/words/data_ticks.h"
#include "render/words/data_words.h"

#include <math.h>

enum { WIDTH = 1000, HEIGHT = 100, MINI_WIDTH = 132, MINI_HEIGHT = 22, BOX_HEIGHT = 26, TICKS = 6, COUNT_TICKS = 4 };

static uint64_t highest_bin(const struct pr_data_column *column)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < column->bin_count; i++)
        most = column->bins[i] > most ? column->bins[i] : most;
    return most;
}

/* The ends of a bar, as people read them: of whole numbers, the number itself. */
static void bar_words(struct pr_buf *out, const struct pr_data_column *column, uint32_t bin)
{
    const double width = (column->bin_to - column->bin_from) / column->bin_count;
    const double from = column->bin_from + width * bin,
                 to = bin + 1 == column->bin_count ? column->bin_to : from + width;
    if (!isnan(from) && column->type == PR_TYPE_INTEGER && width == 1)
        pr_html(out, "%s: ", pr_data_figure(column, from + 0.5).text);
    else if (!isnan(from))
        pr_html(out, "%s to %s: ", pr_data_figure(column, from).text, pr_data_figure(column, to).text);
    pr_html(out, "%s%s", column->rank_error > 0 ? "about " : "", pr_data_count_text(column->bins[bin]).text);
}

static void bars(struct pr_buf *out, const struct pr_data_column *column, double width, double height, bool labelled)
{
    const uint64_t most = highest_bin(column);
    const double step = width / column->bin_count, gap = step > 6 ? step * 0.06 : 0;
    for (uint32_t i = 0; i < column->bin_count; i++) {
        if (!column->bins[i])
            continue;
        const double share = (double)column->bins[i] / (double)most * height, tall = share < 1 ? 1 : share;
        pr_buf_printf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'%s", step * i + gap / 2, height - tall,
                      step - gap, tall, labelled ? "><title>" : "/>");
        if (labelled) {
            bar_words(out, column, i);
            pr_buf_text(out, "</title></rect>");
        }
    }
}

/* From the 5th to the 95th percentile, with a box for the middle half. */
static void box(struct pr_buf *out, const struct pr_data_column *column)
{
    const double *q = column->quantiles, span = column->bin_to - column->bin_from;
    double x[5];
    if (!(span > 0) || !isfinite(span) || column->number_count < 5)
        return;
    for (unsigned i = 0; i < 5; i++)
        x[i] = (q[2 + i] - column->bin_from) / span * WIDTH;
    pr_html(out,
            "<svg class='box' viewBox='0 0 %d %d' preserveAspectRatio='none' role='img' aria-label='Box plot: 5th, "
            "25th, 50th, 75th and 95th percentile'>",
            WIDTH, BOX_HEIGHT);
    pr_buf_printf(out, "<path d='M%.1f 13H%.1fM%.1f 13H%.1fM%.1f 7v12M%.1f 7v12'/>", x[0], x[1], x[3], x[4], x[0],
                  x[4]);
    pr_buf_printf(out, "<rect x='%.1f' y='4' width='%.1f' height='18'/><path class='median' d='M%.1f 4v18'/></svg>",
                  x[1], x[3] - x[1], x[2]);
}

void pr_frame_ticks(struct pr_buf *out, const struct pr_data_column *column, double from, double to, unsigned most,
                    bool upwards)
{
    const struct pr_data_ticks all = pr_data_ticks_of(column, from, to, most);
    pr_html(out, "<svg class='%s' aria-hidden='true'>", upwards ? "up" : "across");
    for (unsigned i = 0; i < all.count; i++) {
        const double place = (all.at[i] - from) / (to - from) * 100;
        const struct pr_figure text = pr_data_tick_text(column, &all, i);
        if (upwards)
            pr_buf_printf(out, "<line x1='66' x2='70' y1='%.2f%%' y2='%.2f%%'/><text x='62' y='%.2f%%' dy='%s'",
                          100 - place, 100 - place, 100 - place, place > 96 ? "9" : place < 4 ? "0" : "4");
        else
            pr_buf_printf(out, "<line x1='%.2f%%' x2='%.2f%%' y1='0' y2='4'/><text x='%.2f%%' y='17' text-anchor='%s'",
                          place, place, place, place < 6 ? "start" : place > 94 ? "end" : "middle");
        pr_html(out, ">%s</text>", text.text);
    }
    pr_buf_text(out, "</svg>");
}

void pr_frame_distribution(struct pr_buf *out, const struct pr_data_column *column)
{
    static const struct pr_data_column rows = {.type = PR_TYPE_INTEGER};
    const uint64_t most = highest_bin(column);
    if (!column->bin_count || !most)
        return;
    pr_buf_text(out, "<div class='points'>");
    pr_frame_ticks(out, &rows, 0, (double)most, most < COUNT_TICKS ? (unsigned)most + 1 : COUNT_TICKS, true);
    pr_html(out,
            "<svg class='hist' viewBox='0 0 %d %d' preserveAspectRatio='none' role='img' aria-label='Histogram in %s'>",
            WIDTH, HEIGHT, pr_units_counted(column->bin_count, "bars").text);
    bars(out, column, WIDTH, HEIGHT, true);
    pr_html(out, "<path class='base' d='M0 %dH%d'/></svg>", HEIGHT, WIDTH);
    if (!isnan(column->bin_from)) {
        pr_frame_ticks(out, column, column->bin_from, column->bin_to, TICKS, false);
        box(out, column);
    }
    pr_buf_text(out, "</div>");
}

/* A bar for each category, side by side in the order of how often they are there; all values together fill it. */
static void mini_categories(struct pr_buf *out, const struct pr_data_column *column)
{
    double x = 0;
    for (uint32_t i = 0; i < column->frequent_count; i++) {
        const double width = (double)column->frequent[i].count / (double)column->count * MINI_WIDTH;
        pr_buf_printf(out, "<rect x='%.1f' y='7' width='%.1f' height='8' class='o%u'/>", x, width, i & 1);
        x += width;
    }
}

void pr_frame_mini_histogram(struct pr_buf *out, const struct pr_data_column *column)
{
    const bool is_category =
        !column->bin_count && (column->type == PR_TYPE_CATEGORY || column->type == PR_TYPE_BOOLEAN);
    if (!column->count || (is_category ? !column->frequent_count : !column->bin_count || !highest_bin(column)))
        return;
    pr_html(out, "<svg class='mini' viewBox='0 0 %d %d' preserveAspectRatio='none' aria-hidden='true'>", MINI_WIDTH,
            MINI_HEIGHT);
    if (is_category)
        mini_categories(out, column);
    else
        bars(out, column, MINI_WIDTH, MINI_HEIGHT, false);
    pr_buf_text(out, "</svg>");
}

void pr_frame_bar(struct pr_buf *out, uint64_t part, uint64_t whole)
{
    const double share = whole ? (double)part / (double)whole * WIDTH : 0;
    pr_html(out,
            "<svg viewBox='0 0 %d 8' preserveAspectRatio='none' aria-hidden='true'><rect class='track' width='%d' "
            "height='8'/>",
            WIDTH, WIDTH);
    pr_buf_printf(out, "<rect class='fill' width='%.1f' height='8'/></svg>", part && share < 8 ? 8.0 : share);
}

void pr_frame_gaps(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_column *column)
{
    const double step = frame->part_count ? (double)WIDTH / frame->part_count : WIDTH;
    pr_html(out,
            "<svg class='gaps' viewBox='0 0 %d 14' preserveAspectRatio='none' role='img' aria-label='%s of the rows "
            "are without a value'>",
            WIDTH, pr_data_share(column->missing, frame->rows).text);
    for (uint32_t i = 0; i < frame->part_count; i++) {
        const uint64_t first = i * frame->part_rows, rest = frame->rows - first;
        const uint64_t rows = rest < frame->part_rows ? rest : frame->part_rows;
        if (!column->missing_in[i])
            continue;
        pr_buf_printf(out, "<rect class='gone' x='%.1f' width='%.1f' height='14' fill-opacity='%.2f'>", step * i, step,
                      0.1 + 0.9 * (double)column->missing_in[i] / (double)rows);
        pr_html(out, "<title>rows %s to %s: %s missing</title></rect>", pr_data_count_text(first + 1).text,
                pr_data_count_text(first + rows).text, pr_data_count_text(column->missing_in[i]).text);
    }
    pr_html(out, "<rect class='frame' width='%d' height='14'/></svg>", WIDTH);
}
