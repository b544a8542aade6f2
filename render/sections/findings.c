/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the profile shows by itself, in plain sentences with their numbers: profrender/explain.h finds and ranks them.
 * The first three are read, the others open.
 */
#include "capture/base/text.h"
#include "profrender/explain.h"
#include "render/html/hover.h"
#include "render/html/nonbreaking.h"
#include "render/page/insight_html.h"
#include "render/page/section.h"
#include "render/sections/total_cell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As many findings as a card has: who reads more of them reads the graph. */
enum { SHOWN = 3, MOST = 7 };

static bool wants_findings(const struct pr_profile *profile)
{
    if (profile->series_count)
        return true;
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value > 0)
            return true;
    }
    return false;
}

/* ---- findings */

/* The tab of the finding's metric, if it is on the page; else NULL. */
static const struct pr_view *find_view(const struct pr_page *page, const struct pr_insight *insight)
{
    for (uint32_t i = 0; i < page->views.count && pr_view_is_static(&page->views, &page->views.view[i]); i++) {
        if (page->views.view[i].metric == insight->metric)
            return &page->views.view[i];
    }
    return NULL;
}

/* "saves at most 148 MiB": of the peak, the time or what stays, as the finding says. */
static void emit_saving(const struct pr_insight *insight, struct pr_buf *out)
{
    pr_buf_text(out, "<span class='saves'>saves at most ");
    pr_hover_value(out, insight->unit, insight->saving.value);
    pr_buf_text(out, "</span> ");
}

static void emit_finding(const struct pr_page *page, const struct pr_insight *insight, struct pr_buf *out)
{
    const struct pr_view *view = find_view(page, insight);
    pr_buf_text(out, "<li><p><strong>");
    pr_insight_html(page, &insight->headline, out);
    pr_buf_text(out, "</strong>");
    pr_insight_html(page, &insight->rest, out);
    pr_buf_text(out, "</p>");
    const bool is_drawn = view && insight->node != PR_NO_NODE; /* exact figures may be nowhere in an estimated tree */
    const bool saves = insight->saving.known && insight->saving.value > 0;
    if (is_drawn || saves)
        pr_buf_text(out, "\n<p class='links'>");
    if (saves)
        emit_saving(insight, out);
    if (is_drawn)
        pr_html(out, "<a href='#%s%s' data-view='%s' data-node='%" PRIu32 "'>Show in the graph</a>",
                pr_view_prefix(view), view->id, view->id, page->payload.fold.number[insight->node]);
    if (is_drawn || saves)
        pr_buf_text(out, "</p>");
    pr_buf_text(out, "</li>\n");
}

static enum pr_status emit_all(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_explanation explanation;
    const enum pr_status status = pr_insight_explain(page, &explanation, err);
    for (size_t i = 0; status == PR_OK && i < explanation.count && i < MOST; i++)
        emit_finding(page, &explanation.insight[i], out);
    pr_explanation_clear(&explanation);
    return status;
}

/* ---- the list */

/* What follows the item at AT. A name in it cannot end it: names are escaped. */
static const char *after_item(const char *at, const char *end)
{
    static const char close[] = "</li>\n";
    const char *found = memmem(at, (size_t)(end - at), close, sizeof close - 1);
    return found ? found + sizeof close - 1 : end;
}

static void emit_list(const char *items, const char *end, struct pr_buf *out)
{
    pr_buf_text(out, "<ol class='findings'>\n");
    pr_together_add(out, items, (size_t)(end - items));
    pr_buf_text(out, "</ol>\n");
}

/* The first few are read; the others open. */
static void emit_items(const struct pr_buf *items, struct pr_buf *out)
{
    const char *end = items->bytes + items->length, *rest = items->bytes;
    unsigned more = 0;
    for (int i = 0; i < SHOWN && rest < end; i++)
        rest = after_item(rest, end);
    for (const char *at = rest; at < end; at = after_item(at, end))
        more++;
    pr_buf_text(out, "<section class='panel told' aria-labelledby='h-find'>\n"
                     "<h2 class='vh' id='h-find'>Findings</h2>\n");
    emit_list(items->bytes, rest, out);
    if (more) {
        pr_html(out, "<details class='more'><summary>%u more</summary>\n", more);
        emit_list(rest, end, out);
        pr_buf_text(out, "</details>\n");
    }
    pr_buf_text(out, "</section>\n");
}

static enum pr_status emit_findings(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_buf items = {0};
    const bool differs = page->profile->is_difference;
    const enum pr_status status = differs ? pr_growth_findings_emit(page, &items, err) : emit_all(page, &items, err);
    if (status != PR_FAILED && items.length)
        emit_items(&items, out);
    out->failed |= items.failed;
    pr_buf_clear(&items);
    return status;
}

const struct pr_section pr_section_findings = {"findings", "main", wants_findings, emit_findings};
