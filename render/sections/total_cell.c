/* SPDX-License-Identifier: Apache-2.0 */
/* A cell: its name, its value, a small picture, a note. */
#include "render/sections/total_cell.h"

#include "capture/base/ascii.h"
#include "render/sections/series_path.h"

#include <string.h>

/* "6 min 28 s": numbers are large, units small, and on the line of their number. */
static void emit_value(const char *text, struct pr_buf *out)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        bool is_number = pr_is_digit(*text) || *text == '-';
        pr_html(out, is_number ? "%.*s" : "<small>%.*s</small>", (int)length, text);
        text += length;
        if (*text) {
            pr_buf_text(out, is_number ? "\xC2\xA0" : " ");
            text++;
        }
    }
}

static void emit_spark(const struct pr_page *page, const struct pr_series *series, struct pr_buf *out)
{
    enum { COLUMNS = 48, WIDTH = 72, HEIGHT = 24 };
    struct pr_curve curve;
    if (!series || series->count < 2)
        return;
    int64_t end_ms = series->at_ms[series->count - 1];
    if (page->profile->meta.end_ms.known && page->profile->meta.end_ms.value > end_ms)
        end_ms = page->profile->meta.end_ms.value;
    pr_curve_make(series, series->at_ms[0], end_ms, COLUMNS, &curve);
    if (!curve.known)
        return;
    pr_html(out,
            "<svg class='spark' width='%d' height='%d' viewBox='0 0 %d %d' preserveAspectRatio='none' "
            "aria-hidden='true'>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    pr_curve_emit(&curve, curve.peak, WIDTH, HEIGHT, out);
    pr_buf_text(out, "</svg>");
}

static void emit_cell(const struct pr_page *page, const struct pr_total_cell *cell, struct pr_buf *out)
{
    pr_html(out, "<div class='stat'><dt>%s</dt>", cell->name);
    if (*cell->value.text) {
        const struct pr_view *view = cell->view;
        pr_html(out, "<dd class='v' title='%s%s%s%s'>", cell->exact.text, cell->source ? "; " : "",
                cell->source ? cell->source : "", view ? "; click for the functions" : "");
        if (view)
            pr_html(out, "<a href='#%s%s' data-view='%s' data-node='0'>", pr_view_prefix(view), view->id, view->id);
        emit_value(cell->value.text, out);
        pr_buf_text(out, view ? "</a></dd>" : "</dd>");
    } else {
        pr_html(out, "<dd class='v none'>%s</dd>", cell->none ? cell->none : "not recorded");
    }
    pr_buf_text(out, "<dd>");
    emit_spark(page, cell->series, out);
    pr_html(out, "</dd><dd class='s %s'", cell->kind ? cell->kind : "");
    if (*cell->note_exact)
        pr_html(out, " title='%s'", cell->note_exact);
    pr_html(out, ">%s</dd>", cell->note);
    if (page->options.index && cell->before)
        pr_html(out, PR_CARD_BEFORE PR_CARD_BEFORE_END, pr_before_name(cell->before));
    pr_buf_text(out, "</div>\n");
}

void pr_total_cell_add(const struct pr_page *page, const struct pr_total_cell *cell, struct pr_totals *totals)
{
    if (!cell->name || totals->count == PR_MAX_TOTALS)
        return;
    emit_cell(page, cell, &totals->markup);
    totals->cell[totals->count].end = totals->markup.length;
    totals->cell[totals->count++].rank = cell->rank;
}

/* Marks the cells of the first line: of the highest rank, the first ones. Returns their number. */
static unsigned choose_keys(const struct pr_totals *totals, bool is_key[PR_MAX_TOTALS])
{
    unsigned keys = 0;
    for (int rank = PR_RANK_FIRST; rank >= PR_RANK_REST; rank--) {
        for (unsigned i = 0; i < totals->count && keys < PR_KEY_TOTALS; i++) {
            if ((int)totals->cell[i].rank != rank)
                continue;
            is_key[i] = true;
            keys++;
        }
    }
    return keys;
}

static void emit_line(const struct pr_totals *totals, const bool *is_key, bool wanted, struct pr_buf *out)
{
    pr_buf_text(out, "<dl class='stats'>\n");
    for (unsigned i = 0; i < totals->count; i++) {
        const size_t start = i ? totals->cell[i - 1].end : 0;
        if (is_key[i] == wanted)
            pr_buf_add(out, totals->markup.bytes + start, totals->cell[i].end - start);
    }
    pr_buf_text(out, "</dl>\n");
}

void pr_totals_emit(struct pr_totals *totals, struct pr_buf *out)
{
    bool is_key[PR_MAX_TOTALS] = {false};
    const unsigned keys = choose_keys(totals, is_key);
    if (totals->markup.failed) {
        out->failed = true;
    } else {
        emit_line(totals, is_key, true, out);
        if (keys < totals->count) {
            pr_html(out, "<details class='more'><summary>%u more</summary>\n", totals->count - keys);
            emit_line(totals, is_key, false, out);
            pr_buf_text(out, "</details>\n");
        }
    }
    pr_buf_clear(&totals->markup);
    totals->count = 0;
}
