/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts of two columns: numbers against numbers as bins that are darker the more rows they have, numbers by category
 * as box plots, categories against categories as a table. What only the eye can read is in a table too, of fewer bins.
 */
#include "render/frame/frame_parts.h"
#include "render/words/data_words.h"

#include <math.h>

enum { NAME_CHARACTERS = 40, LABEL_CHARACTERS = 24, LEVELS = 6, LISTED = 6, TICKS = 7 };

/* ---- points ----------------------------------------------------------------------------------------------------- */

static uint32_t highest(const struct pr_data_pair *pair)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < pair->width * pair->height; i++)
        most = pair->counts[i] > most ? pair->counts[i] : most;
    return most;
}

/* From 1 to LEVELS, by the logarithm, as a few bins may have most rows. */
static unsigned level_of(uint32_t count, uint32_t most)
{
    if (most < 2)
        return LEVELS;
    return 1 + (unsigned)((LEVELS - 1) * log((double)count) / log((double)most) + 0.5);
}

/* A path for each level: runs of bins in a row are one bar. */
static void bins(struct pr_buf *out, const struct pr_data_pair *pair)
{
    const uint32_t most = highest(pair);
    for (unsigned level = 1; level <= LEVELS; level++) {
        bool any = false;
        for (uint32_t y = 0; y < pair->height; y++)
            for (uint32_t x = 0, end; x < pair->width; x = end) {
                const uint32_t *row = pair->counts + (size_t)y * pair->width;
                end = x + 1;
                if (!row[x] || level_of(row[x], most) != level)
                    continue;
                while (end < pair->width && row[end] && level_of(row[end], most) == level)
                    end++;
                if (!any)
                    pr_buf_printf(out, "<path class='l%u' d='", level);
                any = true;
                pr_buf_printf(out, "M%u %uh%uv1h-%uz", x, pair->height - 1 - y, end - x, end - x);
            }
        if (any)
            pr_buf_text(out, "'/>");
    }
}

static void range(struct pr_buf *out, const struct pr_data_column *column, double from, double to)
{
    pr_html(out, "%s to %s", pr_data_figure(column, from).text, pr_data_figure(column, to).text);
}

/* The rows of the bins of PAIR that part ACROSS and UP of LISTED has. */
static uint64_t sum_of_part(const struct pr_data_pair *pair, uint32_t across, uint32_t up, uint32_t columns,
                            uint32_t rows)
{
    uint64_t sum = 0;
    for (uint32_t y = up * pair->height / rows; y < (up + 1) * pair->height / rows; y++)
        for (uint32_t x = across * pair->width / columns; x < (across + 1) * pair->width / columns; x++)
            sum += pair->counts[y * pair->width + x];
    return sum;
}

static double edge(double from, double to, uint32_t bin, uint32_t count)
{
    return from + (to - from) * bin / count;
}

/* The same in a few numbers. */
static void listed(struct pr_buf *out, const struct pr_data_pair *pair, const struct pr_data_column *x,
                   const struct pr_data_column *y)
{
    const uint32_t columns = pair->width < LISTED ? pair->width : LISTED,
                   rows = pair->height < LISTED ? pair->height : LISTED;
    pr_buf_text(out, "<details class='rest'><summary>The same in numbers</summary><div class='scroll' tabindex='0' "
                     "role='group' aria-label='Rows by both columns'><table class='list'><thead><tr><th>");
    pr_frame_name(out, y, LABEL_CHARACTERS);
    pr_buf_text(out, " by ");
    pr_frame_name(out, x, LABEL_CHARACTERS);
    pr_buf_text(out, "</th>");
    for (uint32_t i = 0; i < columns; i++) {
        pr_buf_text(out, "<th scope='col' class='r'>");
        range(out, x, edge(pair->x_from, pair->x_to, i * pair->width / columns, pair->width),
              edge(pair->x_from, pair->x_to, (i + 1) * pair->width / columns, pair->width));
        pr_buf_text(out, "</th>");
    }
    pr_buf_text(out, "</tr></thead><tbody>");
    for (uint32_t k = rows; k-- > 0;) {
        pr_buf_text(out, "<tr><th scope='row'>");
        range(out, y, edge(pair->y_from, pair->y_to, k * pair->height / rows, pair->height),
              edge(pair->y_from, pair->y_to, (k + 1) * pair->height / rows, pair->height));
        pr_buf_text(out, "</th>");
        for (uint32_t i = 0; i < columns; i++)
            pr_html(out, "<td class='r'>%s</td>", pr_data_count_text(sum_of_part(pair, i, k, columns, rows)).text);
        pr_buf_text(out, "</tr>");
    }
    pr_buf_text(out, "</tbody></table></div></details>");
}

static void points(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_pair *pair)
{
    const struct pr_data_column *x = &frame->columns[pair->x], *y = &frame->columns[pair->y];
    const bool has_axes = !isnan(pair->x_from);
    pr_buf_text(out, "<div class='points'>");
    pr_frame_ticks(out, y, pair->y_from, pair->y_to, TICKS, true);
    pr_html(out, "<svg class='bins' viewBox='0 0 %u %u' preserveAspectRatio='none' role='img' aria-label='",
            pair->width, pair->height);
    pr_frame_name(out, y, LABEL_CHARACTERS);
    pr_buf_text(out, ", upwards, against ");
    pr_frame_name(out, x, LABEL_CHARACTERS);
    pr_html(out, ", to the right: %s in %u by %u bins, at most %s in one'>",
            pr_units_counted(pr_units_signed(pair->rows), "rows").text, pair->width, pair->height,
            pr_data_count_text(highest(pair)).text);
    bins(out, pair);
    pr_buf_text(out, "</svg>");
    pr_frame_ticks(out, x, pair->x_from, pair->x_to, TICKS, false);
    pr_buf_text(out, "</div>");
    if (has_axes)
        listed(out, pair, x, y);
}

/* ---- categories ------------------------------------------------------------------------------------------------- */

static void categories(struct pr_buf *out, const struct pr_data_pair *pair)
{
    static const char *const shades[] = {"", "p1", "p2", "p3"};
    const uint32_t most = highest(pair);
    pr_buf_text(out, "<div class='scroll' tabindex='0' role='group' aria-label='Rows by both columns'><table "
                     "class='matrix'><thead><tr><td></td>");
    for (uint32_t x = 0; x < pair->width; x++) {
        pr_buf_text(out, "<th scope='col'>");
        pr_html_cut(out, pair->x_labels[x], LABEL_CHARACTERS);
        pr_buf_text(out, "</th>");
    }
    pr_buf_text(out, "</tr></thead><tbody>");
    for (uint32_t y = 0; y < pair->height; y++) {
        pr_buf_text(out, "<tr><th scope='row'>");
        pr_html_cut(out, pair->y_labels[y], LABEL_CHARACTERS);
        pr_buf_text(out, "</th>");
        for (uint32_t x = 0; x < pair->width; x++) {
            const uint32_t count = pair->counts[y * pair->width + x];
            const unsigned shade = most ? (unsigned)(3.0 * count / most + 0.5) : 0;
            pr_html(out, "<td class='%s'>%s</td>", shades[shade], pr_data_count_text(count).text);
        }
        pr_buf_text(out, "</tr>");
    }
    pr_buf_text(out, "</tbody></table></div>");
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void caption(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_pair *pair)
{
    uint32_t first, second;
    const char *between = pr_data_pair_words(pair, &first, &second);
    pr_buf_text(out, "<h3>");
    pr_frame_name(out, &frame->columns[first], NAME_CHARACTERS);
    pr_buf_text(out, between);
    pr_frame_name(out, &frame->columns[second], NAME_CHARACTERS);
    pr_html(out, "</h3><p class='facts'><span>%s</span>",
            pr_units_counted(pr_units_signed(pair->rows), "rows").text);
    if (!isnan(pair->pearson))
        pr_html(out, "<span>Pearson %s</span>", pr_data_measure(pair->pearson).text);
    if (!isnan(pair->phi_k))
        pr_html(out, "<span>phi-k %s</span>", pr_data_measure(pair->phi_k).text);
    if (pair->kind == PR_PAIR_POINTS)
        pr_html(out, "<span>darkest: %s in a bin</span>", pr_units_counted(highest(pair), "rows").text);
    pr_buf_text(out, "</p>");
}

static void chart(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_pair *pair)
{
    pr_buf_text(out, "<div class='pair'>");
    caption(out, frame, pair);
    if (pair->kind == PR_PAIR_POINTS)
        points(out, frame, pair);
    else if (pair->kind == PR_PAIR_BOXES)
        pr_frame_box_lanes(out, &frame->columns[pair->x], &pair->boxes);
    else
        categories(out, pair);
    if (pair->rows_left_out)
        pr_html(out, "<p class='estimate'>The %d most frequent categories; %s of others left out.</p>",
                PR_DATA_PAIR_LABELS, pr_units_counted(pr_units_signed(pair->rows_left_out), "rows").text);
    pr_buf_text(out, "</div>\n");
}

void pr_frame_pairs(const struct pr_data_frame *frame, struct pr_buf *out)
{
    if (!frame->pair_count && !frame->pairs_left_out)
        return;
    pr_html(out,
            "<section class='panel' id='%spairs'><div class='head'><h2>Pairs of columns</h2><span class='muted'>%s%s"
            "</span></div>\n<div class='charts'>",
            pr_frame_prefix_of(frame).text,
            frame->pair_count && !frame->pairs[0].is_asked
                ? "those that depend on one another most; --pairs A,B chooses others"
                : "",
            frame->paired_rows < frame->rows ? " (a sample of the rows)" : "");
    for (uint32_t i = 0; i < frame->pair_count; i++)
        chart(out, frame, &frame->pairs[i]);
    pr_buf_text(out, "</div>\n");
    if (frame->pairs_left_out)
        pr_html(out, "<p class='caption'>%s left out: the numbers of a table this large are not all in memory.</p>",
                pr_units_counted(frame->pairs_left_out, "pairs").text);
    pr_buf_text(out, "</section>\n");
}
