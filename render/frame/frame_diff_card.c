/* SPDX-License-Identifier: Apache-2.0 */
/* Two tables of data on a page: what changed, then all columns side by side. */
#include "assets/assets.h"
#include "profrender/load.h"
#include "render/frame/frame_card.h"
#include "render/frame/frame_parts.h"
#include "render/html/template.h"
#include "render/words/data_diff_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHOWN_CHANGES = 300, SHOWN_COLUMNS = 400, NAME_CHARACTERS = 60, BINS = 20, BIN_WIDTH = 7, BIN_HEIGHT = 22 };

struct diff_page {
    const struct pr_data_diff *diff;
    const struct pr_frame_card_options *options;
};

static void header(const struct diff_page *page, struct pr_buf *out)
{
    pr_buf_text(out, "<div><h1>");
    pr_html_name(out, (struct pr_text){page->options->title, (uint32_t)strlen(page->options->title)});
    pr_buf_text(out, "</h1>\n<p class='facts'><span>Difference of two tables</span>");
    if (page->diff->after->is_redacted)
        pr_buf_text(out, "<span>Values are left out</span>");
    pr_buf_text(out, "</p></div>\n");
}

static void estimate_figure(struct pr_buf *out, const char *label, struct pr_data_count before,
                            struct pr_data_count after)
{
    struct pr_buf note = {0};
    pr_data_before_words(&note, before, after);
    pr_frame_figure(out, label, pr_data_about(after).text, note.failed ? "" : note.bytes);
    out->failed |= note.failed;
    pr_buf_clear(&note);
}

static void count_figure(struct pr_buf *out, const char *label, uint64_t before, uint64_t after)
{
    estimate_figure(out, label, pr_data_exactly(before), pr_data_exactly(after));
}

static void overview(const struct pr_data_diff *diff, struct pr_buf *out)
{
    const struct pr_data_frame *before = diff->before, *after = diff->after;
    pr_frame_warning(before, out);
    pr_frame_warning(after, out);
    pr_buf_text(out, "<section class='panel'><dl class='figures'>");
    count_figure(out, "Rows", before->rows, after->rows);
    count_figure(out, "Columns", before->column_count, after->column_count);
    count_figure(out, "Missing cells", before->missing, after->missing);
    estimate_figure(out, "Repeated rows", before->duplicates, after->duplicates);
    pr_frame_figure(out, "Changes", pr_data_count_text(diff->change_count).text, "");
    pr_buf_text(out, "</dl></section>\n");
}

static const char *class_of(enum pr_data_change_kind kind)
{
    return kind <= PR_CHANGE_RETYPED && kind != PR_CHANGE_ADDED ? "grave" : kind == PR_CHANGE_ADDED ? "note" : "";
}

static void changes(const struct pr_data_diff *diff, struct pr_buf *out)
{
    pr_html(out,
            "<section class='panel'><div class='head'><h2>What changed</h2><span class='muted'>%s</span></div>\n<ul "
            "class='found'>",
            pr_data_count_text(diff->change_count).text);
    struct pr_buf note = {0};
    pr_data_diff_note(&note, diff);
    if (note.length) {
        pr_buf_text(out, "<li class='note'>");
        pr_frame_add_text(out, &note);
        pr_buf_text(out, "</li>\n");
    }
    for (uint32_t i = 0; i < diff->change_count && i < SHOWN_CHANGES; i++) {
        struct pr_buf words = {0};
        pr_html(out, "<li class='%s'><b>", class_of(diff->changes[i].kind));
        pr_frame_name(out, pr_data_diff_column(diff, diff->changes[i].column), NAME_CHARACTERS);
        pr_buf_text(out, "</b> ");
        pr_data_change_words(&words, diff, &diff->changes[i]);
        pr_frame_add_text(out, &words);
        pr_buf_text(out, "</li>\n");
    }
    pr_buf_text(out, "</ul>");
    if (diff->change_count > SHOWN_CHANGES)
        pr_html(out, "<p class='caption'>The first %d of %" PRIu32 ".</p>", SHOWN_CHANGES, diff->change_count);
    pr_buf_text(out, "</section>\n");
}

/* ---- side by side ----------------------------------------------------------------------------------------------- */

/* Both distributions in the same bins, the earlier one as a line. */
static void shapes(struct pr_buf *out, const struct pr_data_column *a, const struct pr_data_column *b)
{
    double bins[2][BINS] = {{0}}, most = 0;
    const double from = fmin(a->minimum, b->minimum), span = fmax(a->maximum, b->maximum) - from;
    const struct pr_data_column *const both[] = {a, b};
    if (!(span > 0) || !isfinite(span))
        return;
    for (int k = 0; k < 2; k++)
        for (uint64_t i = 0; i < both[k]->point_count; i++) {
            const size_t bin = (size_t)((both[k]->points[i].value - from) / span * BINS);
            double *at = &bins[k][bin < BINS ? bin : BINS - 1];
            *at += (double)both[k]->points[i].count / (double)both[k]->number_count;
            most = fmax(most, *at);
        }
    pr_html(out, "<svg class='mini' viewBox='0 0 %d %d' preserveAspectRatio='none' aria-hidden='true'>",
            BINS * BIN_WIDTH, BIN_HEIGHT);
    for (int i = 0; i < BINS; i++)
        pr_buf_printf(out, "<rect x='%d' y='%.1f' width='%d' height='%.1f'/>", i * BIN_WIDTH,
                      BIN_HEIGHT - bins[1][i] / most * BIN_HEIGHT, BIN_WIDTH - 1, bins[1][i] / most * BIN_HEIGHT);
    pr_buf_text(out, "<path class='was' d='M0 22");
    for (int i = 0; i < BINS; i++)
        pr_buf_printf(out, "V%.1fH%d", BIN_HEIGHT - bins[0][i] / most * BIN_HEIGHT, (i + 1) * BIN_WIDTH);
    pr_buf_text(out, "V22'/></svg>");
}

static void pair(struct pr_buf *out, const struct pr_data_column *a, const struct pr_data_column *b, bool is_share,
                 uint64_t rows_a, uint64_t rows_b)
{
    for (int k = 0; k < 2; k++) {
        const struct pr_data_column *column = k ? b : a;
        pr_buf_text(out, "<td class='r'>");
        if (column && is_share && column->missing)
            pr_html(out, "%s", pr_data_share(column->missing, k ? rows_b : rows_a).text);
        else if (column && !is_share && column->has_numbers && !isnan(column->mean))
            pr_html(out, "%s", pr_data_figure(column, column->mean).text);
        pr_buf_text(out, "</td>");
    }
}

static void column_row(const struct pr_data_diff *diff, const struct pr_data_column_diff *one, struct pr_buf *out)
{
    const struct pr_data_column *a = one->before != PR_DATA_NONE ? &diff->before->columns[one->before] : NULL;
    const struct pr_data_column *b = one->after != PR_DATA_NONE ? &diff->after->columns[one->after] : NULL;
    pr_buf_text(out, "<tr><th scope='row'>");
    pr_frame_name(out, b ? b : a, NAME_CHARACTERS);
    pr_html(out, "</th><td class='type'>%s</td><td class='type'>%s</td>", a ? pr_data_type_words(a->type) : "",
            b ? pr_data_type_words(b->type) : "");
    pair(out, a, b, true, diff->before->rows, diff->after->rows);
    pair(out, a, b, false, 0, 0);
    if (one->measure == PR_MEASURE_NONE)
        pr_buf_text(out, "<td class='r'></td><td></td>");
    else
        pr_html(out, "<td class='r%s'>%s</td><td class='type'>%s</td>", one->has_moved ? " cut" : "",
                pr_data_distance_text(one).text, one->measure == PR_MEASURE_JENSEN ? "Jensen-Shannon" : "Kolmogorov");
    pr_buf_text(out, "<td>");
    if (one->measure == PR_MEASURE_KOLMOGOROV && !diff->after->is_redacted)
        shapes(out, a, b);
    pr_buf_text(out, "</td></tr>\n");
}

static void columns(const struct pr_data_diff *diff, struct pr_buf *out)
{
    pr_buf_text(out, "<section class='panel' id='columns'><div class='head'><h2>Columns</h2><span class='muted'>before "
                     "and now</span></div>\n<div class='scroll' tabindex='0' role='group' aria-label='Columns'><table "
                     "class='list'><thead><tr><th>Name</th><th>Type before</th><th>Type now</th><th class='r'>Missing "
                     "before</th><th class='r'>now</th><th class='r'>Mean before</th><th class='r'>now</th><th "
                     "class='r'>Distance</th><th>Measure</th><th>Shape now, before as a line</th></tr></thead>"
                     "<tbody>\n");
    for (uint32_t c = 0; c < diff->column_count && c < SHOWN_COLUMNS; c++)
        column_row(diff, &diff->columns[c], out);
    pr_buf_text(out, "</tbody></table></div><p class='caption'>Distances run from 0, the same, to 1. For numbers and "
                     "dates: Kolmogorov-Smirnov, the greatest distance between the cumulative distributions. For "
                     "categories: Jensen-Shannon, with logarithms to base 2. A distribution has moved if its distance "
                     "is 0.1 or more, and more than two samples of one distribution have once in 1,000 "
                     "times.</p>");
    if (diff->column_count > SHOWN_COLUMNS)
        pr_html(out, "<p class='caption'>The first %d columns of %" PRIu32 ".</p>", SHOWN_COLUMNS, diff->column_count);
    pr_buf_text(out, "</section>\n");
}

static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    const struct diff_page *page = context;
    (void)err;
    if (pr_frame_slot(name, page->options, out))
        return PR_OK;
    if (!strcmp(name, "header"))
        header(page, out);
    else if (!strcmp(name, "overview"))
        overview(page->diff, out);
    else if (!strcmp(name, "findings"))
        changes(page->diff, out);
    else if (!strcmp(name, "columns"))
        columns(page->diff, out);
    else if (!strcmp(name, "footer"))
        pr_html(out, "profrender %s", pr_version());
    return PR_OK;
}

enum pr_status pr_render_frame_diff(const struct pr_data_diff *diff, const struct pr_frame_card_options *options,
                                    struct pr_buf *page, struct pr_error *err)
{
    const struct diff_page content = {diff, options};
    return pr_template_fill(pr_template_frame, pr_template_frame_size, fill, &content, page, err);
}
