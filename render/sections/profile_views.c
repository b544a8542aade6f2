/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where: the mounts of the interactive views with their tabs, and next to them the same views as pictures and tables
 * for pages without scripts. The markup is a contract with the script: doc/formats/payload.md, "Mount points".
 */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "render/html/hover.h"
#include "render/model/heat_scale.h"
#include "render/page/section.h"
#include "render/sections/difference_mark.h"

#include <string.h>

enum { TAB_LENGTH = 40 };

static const struct pr_metric *metric_of(const struct pr_page *page, const struct pr_view *view)
{
    return &page->profile->metrics[view->metric];
}

static bool has_anything(const struct pr_page *page)
{
    for (uint32_t i = 0; i < page->views.count; i++) {
        const struct pr_metric *metric = metric_of(page, &page->views.view[i]);
        if (metric->total_value || metric->total_count)
            return true;
    }
    return false;
}

/* How much it is; of a difference, by how much it changed. */
static void emit_tab_total(const struct pr_profile *profile, const struct pr_metric *metric, struct pr_buf *out)
{
    if (!metric->base) {
        pr_html(out, " title='%s'>%s", pr_units_metric_exact(metric, metric->total_value).text,
                pr_units_metric(metric, metric->total_value).text);
        return;
    }
    const int64_t before = profile->metrics[metric->base - 1].total_value;
    const int64_t change = pr_subtract_saturated(metric->total_value, before);
    pr_html(out, " title='%s \xE2\x86\x92 %s'>%s",
            pr_units_metric_exact(metric, before).text, pr_units_metric_exact(metric, metric->total_value).text,
            pr_difference_figure(metric, change).text);
}

static void emit_tab(const struct pr_page *page, const struct pr_view *view, struct pr_buf *out)
{
    const struct pr_metric *metric = metric_of(page, view);
    const bool is_first = view == page->views.view;
    pr_html(out,
            "<button type='button' role='tab' id='t-%s' data-tab='%s' data-metric='%u' "
            "aria-controls='panel-graph' aria-selected='%s'",
            view->id, view->id, view->metric, is_first ? "true" : "false");
    if (!is_first)
        pr_buf_text(out, " tabindex='-1'");
    pr_buf_byte(out, '>');
    pr_html_cut(out, pr_text_of(view->tab), TAB_LENGTH);
    pr_buf_text(out, "<span");
    emit_tab_total(page->profile, metric, out);
    pr_buf_text(out, "</span></button>\n");
}

/* A part of less than one in this many is not worth a word. */
enum { WORTH_A_WORD = 100 };

/* The first metric of time of which a profiler's own start has its share; -1: none. */
static int find_start_up(const struct pr_profile *profile, int64_t *took, const char **name)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        *took = metric->unit == PR_UNIT_NANOSECONDS ? pr_profiler_start_up(profile, i, name) : 0;
        if (*took > 0 && *took >= metric->total_value / WORTH_A_WORD)
            return (int)i;
    }
    return -1;
}

/* What no finding counts, right where the graph has it. */
static void emit_start_up(const struct pr_profile *profile, struct pr_buf *out)
{
    const char *name = NULL;
    int64_t took;
    const int metric = find_start_up(profile, &took, &name);
    if (metric < 0)
        return;
    pr_html(out, "<p class='aside'>%s’s own start-up took ", name);
    pr_hover_value(out, PR_UNIT_NANOSECONDS, took);
    pr_buf_text(out, " of ");
    pr_hover_value(out, PR_UNIT_NANOSECONDS, profile->metrics[metric].total_value);
    pr_buf_text(out, "; it is excluded from the findings.</p>\n");
}

static void emit_why_no_heat(const struct pr_profile *profile, struct pr_buf *out)
{
    struct pr_heat_scale scale;
    if (profile->slices_lack_clock && pr_profile_time_metric(profile) >= 0) {
        pr_buf_text(out, "<p class='aside'>No heat map: the samples have an order but no timestamps.</p>\n");
    } else if (pr_heat_has_slices(profile) && !pr_heat_scale_of(profile, &scale)) {
        pr_buf_text(out, "<p class='aside'>No heat map: ");
        pr_hover_value(out, PR_UNIT_NANOSECONDS, pr_subtract_saturated(scale.end_ns, scale.slices_ns));
        pr_buf_text(out, " is too short for one.</p>\n");
    }
}

static void emit_mounts(const struct pr_page *page, struct pr_buf *out)
{
    pr_buf_text(out, "<div data-live hidden>\n<div class='tabline'><div class='tabs' role='tablist' "
                     "aria-label='Metrics' data-mount='tabs'>\n");
    for (uint32_t i = 0; i < page->views.count; i++)
        emit_tab(page, &page->views.view[i], out);
    pr_html(out,
            "</div>\n</div>\n"
            "<div class='tabname' aria-hidden='true'></div>\n"
            "<div class='bar' role='toolbar' aria-label='What the views show' data-mount='toolbar'></div>\n"
            "<div role='tabpanel' id='panel-graph' aria-labelledby='t-%s' tabindex='0'>\n"
            "<div class='crumbs' data-mount='crumbs'></div>\n"
            "<div class='split'><div class='left'><div class='graph' data-mount='graph'></div>"
            "<div class='mini' data-mount='mini'></div>",
            page->views.view[0].id);
    emit_start_up(page->profile, out);
    emit_why_no_heat(page->profile, out);
    pr_html(out, "</div><section class='side' aria-label='Selected frame' data-mount='side'></section></div>\n</div>\n"
                 "<div role='tabpanel' id='panel-table' aria-labelledby='t-%s' tabindex='0' data-mount='table' "
                 "hidden></div>\n</div>\n", page->views.view[0].id);
}

/* What a box is, and what the picture adds up to. */
static void emit_lead(const struct pr_metric *metric, struct pr_buf *out)
{
    pr_buf_text(out, "<p class='lead'>");
    if (metric->count)
        pr_html(out, "%s. ", pr_units_counted(metric->total_count, metric->count_name).text);
    pr_buf_text(out, pr_metric_is_of_objects(metric)
                         ? "Each box is a class or a field; below it is what it retains. Its width is its share."
                         : "Each box is a function; below it are the functions that it called. Its width is its "
                           "share.");
    if (metric->exact)
        pr_buf_text(out, " The call tree is estimated, the table is exact.");
    pr_buf_text(out, "</p>\n");
}

static enum pr_status emit_view(const struct pr_page *page, const struct pr_view *view, struct pr_buf *out,
                                struct pr_error *err)
{
    const struct pr_metric *metric = metric_of(page, view);
    pr_html(out, "<section class='view' id='%s%s' aria-labelledby='h-v-%s'>\n<h3 id='h-v-%s'>", pr_view_prefix(view),
            view->id, view->id, view->id);
    pr_html_name(out, pr_text_of(view->heading));
    pr_html(out, ": <span title='%s'>%s</span></h3>\n", pr_units_metric_exact(metric, metric->total_value).text,
            pr_units_metric(metric, metric->total_value).text);
    if (!metric->total_value) {
        pr_html(out, "<p class='lead'>%s</p>\n</section>\n", view->nothing);
        return PR_OK;
    }
    emit_lead(metric, out);
    if (pr_flamegraph_emit(page, view->metric, out, err) == PR_FAILED ||
        pr_top_places_emit(page, view->metric, out, err) == PR_FAILED)
        return PR_FAILED;
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

static enum pr_status emit_views(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const uint32_t shown = page->views.count < PR_MAX_SECTIONS ? page->views.count : (uint32_t)PR_MAX_SECTIONS;
    pr_buf_text(out, "<div data-static>\n");
    for (uint32_t i = 0; i < shown; i++) {
        if (emit_view(page, &page->views.view[i], out, err) == PR_FAILED)
            return PR_FAILED;
    }
    if (shown < page->views.count)
        pr_html(out,
                "<p class='lead'>This page shows %s with JavaScript enabled; "
                "<code>profrender table --metric NAME</code> prints them.</p>\n",
                pr_units_counted(page->views.count - shown, "more metrics").text);
    pr_buf_text(out, "</div>\n");
    return PR_OK;
}

static void emit_nothing(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const bool is_memory = !page->views.count || page->views.view[0].is_heap;
    const char *why = !profile->complete ? " before it breaks off"
                      : is_memory        ? ": the tracker was opened and closed without running anything"
                                         : "";
    pr_html(out,
            "<div class='empty'><svg class='i' width='24' height='24' viewBox='0 0 16 16' fill='none' "
            "stroke='currentColor' aria-hidden='true'><rect x='2.5' y='2.5' width='11' height='11' rx='2'/>"
            "<path d='M5.5 8h5'/></svg><h3>%s</h3>"
            "<p>This file (%s) contains %s%s.</p></div>\n",
            is_memory ? "No allocations in this capture" : "Nothing was measured in this profile",
            profile->meta.format_title ? profile->meta.format_title : "capture",
            is_memory ? "no allocations" : "no measurements", why);
}

static enum pr_status emit_profile(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    pr_buf_text(out, "<section class='panel' id='profile' aria-labelledby='h-prof'>\n"
                     "<h2 class='vh' id='h-prof'>Profile</h2>\n");
    if (has_anything(page)) {
        emit_mounts(page, out);
        if (emit_views(page, out, err) == PR_FAILED)
            return PR_FAILED;
    } else {
        emit_nothing(page, out);
    }
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

/* A timeline alone has no stacks, and a run may have no capture: then there is nothing to be empty. */
static bool wants_profile(const struct pr_profile *profile)
{
    return profile->metric_count || pr_profile_has_allocations(profile);
}

const struct pr_section pr_section_profile = {"profile", "main", wants_profile, emit_profile};
