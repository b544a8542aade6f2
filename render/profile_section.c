/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where: the mounts of the interactive views with their tabs, and beside them the same views as pictures and tables for
 * pages without scripts. The markup is a contract with the script: render/payload.md, "Mount points".
 */
#include "render/section.h"

#include <inttypes.h>

static int64_t total_of(const struct pr_page *page, const struct pr_view *view)
{
    int metric = pr_page_metric(page, view);
    return metric < 0 ? 0 : page->profile->metrics[metric].total_value;
}

static bool has_anything(const struct pr_page *page)
{
    for (const struct pr_view *view = pr_views; view->metric; view++) {
        if (total_of(page, view))
            return true;
    }
    return false;
}

static void emit_tab(const struct pr_page *page, const struct pr_view *view, bool is_first, struct pr_buf *out)
{
    const int number = pr_page_metric(page, view);
    const struct pr_metric *metric = &page->profile->metrics[number];
    pr_html(out,
            "<button type='button' role='tab' id='t-%s' data-tab='%s' data-metric='%d' "
            "aria-controls='panel-graph' aria-selected='%s'",
            view->id, view->id, number, is_first ? "true" : "false");
    if (!is_first)
        pr_buf_text(out, " tabindex='-1'");
    pr_html(out, ">%s<span title='%s'>%s</span></button>\n", view->tab,
            pr_units_exact(metric->unit, metric->total_value).text,
            pr_units_value(metric->unit, metric->total_value).text);
}

static void emit_mounts(const struct pr_page *page, struct pr_buf *out)
{
    const char *first = NULL;
    pr_buf_text(out, "<div data-live hidden>\n<div class='tabs' role='tablist' aria-label='Views of the profile' "
                     "data-mount='tabs'>\n");
    for (const struct pr_view *view = pr_views; view->metric; view++) {
        if (pr_page_metric(page, view) < 0)
            continue;
        emit_tab(page, view, !first, out);
        first = first ? first : view->id;
    }
    pr_html(out,
            "<button type='button' role='tab' id='t-table' data-tab='table' aria-controls='panel-table' "
            "aria-selected='false' tabindex='-1'>Table</button>\n</div>\n"
            "<div class='tabname' aria-hidden='true'></div>\n"
            "<div class='bar' role='toolbar' aria-label='What the views show' data-mount='toolbar'></div>\n"
            "<div role='tabpanel' id='panel-graph' aria-labelledby='t-%s' tabindex='0'>\n"
            "<div class='crumbs' data-mount='crumbs'></div>\n"
            "<div class='split'><div class='left'><div class='graph' data-mount='graph'></div>"
            "<div class='mini' data-mount='mini'></div></div>"
            "<section class='side' aria-label='Selected frame' data-mount='side'></section></div>\n</div>\n"
            "<div role='tabpanel' id='panel-table' aria-labelledby='t-table' tabindex='0' data-mount='table' "
            "hidden></div>\n</div>\n",
            first ? first : "table");
}

static enum pr_status emit_view(const struct pr_page *page, const struct pr_view *view, struct pr_buf *out,
                                struct pr_error *err)
{
    const int number = pr_page_metric(page, view);
    if (number < 0)
        return PR_OK;
    const struct pr_metric *metric = &page->profile->metrics[number];
    pr_html(
        out,
        "<section class='view' id='%s' aria-labelledby='h-%s'>\n<h3 id='h-%s'>%s: <span title='%s'>%s</span></h3>\n",
        view->id, view->id, view->id, view->heading, pr_units_exact(metric->unit, metric->total_value).text,
        pr_units_value(metric->unit, metric->total_value).text);
    if (!metric->total_value) {
        pr_html(out, "<p class='lead'>%s</p>\n</section>\n", view->nothing);
        return PR_OK;
    }
    pr_html(out,
            "<p class='lead'>%s. A box is a function, below it are those that it called; its width is its "
            "share.</p>\n",
            metric->count ? pr_units_counted(metric->total_count, metric->count_name).text : metric->title);
    if (pr_flamegraph_emit(page, (unsigned)number, out, err) == PR_FAILED ||
        pr_alloctable_emit(page, (unsigned)number, out, err) == PR_FAILED)
        return PR_FAILED;
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

static void emit_nothing(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_meta *meta = &page->profile->meta;
    pr_html(out,
            "<div class='empty'><svg class='i' width='24' height='24' viewBox='0 0 16 16' fill='none' "
            "stroke='currentColor' aria-hidden='true'><rect x='2.5' y='2.5' width='11' height='11' rx='2'/>"
            "<path d='M5.5 8h5'/></svg><h3>No allocations in this capture</h3>"
            "<p>The file is a %s with a valid header, and no allocation is recorded in it%s.</p></div>\n",
            meta->format_title ? meta->format_title : "capture",
            page->profile->complete ? ": the tracker was opened and closed without running anything"
                                    : " before it ends");
}

static enum pr_status emit_profile(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    pr_buf_text(out, "<section class='panel' id='profile' aria-labelledby='h-prof'>\n"
                     "<h2 class='vh' id='h-prof'>Profile</h2>\n");
    if (has_anything(page)) {
        emit_mounts(page, out);
        pr_buf_text(out, "<div data-static>\n");
        for (const struct pr_view *view = pr_views; view->metric; view++) {
            if (emit_view(page, view, out, err) == PR_FAILED)
                return PR_FAILED;
        }
        pr_buf_text(out, "</div>\n");
    } else {
        emit_nothing(page, out);
    }
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_profile = {"profile", "main", pr_section_always, emit_profile};
