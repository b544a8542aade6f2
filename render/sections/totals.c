/* SPDX-License-Identifier: Apache-2.0 */
/* The totals: how long, how much, how many. Each with its unit, all digits on hover, "not recorded" when unknown. */
#include "render/sections/series_path.h"
#include "capture/base/time.h"
#include "capture/model/run_figures.h"
#include "profrender/heap_words.h"
#include "render/page/section.h"
#include "render/sections/total_cell.h"
#include "render/words/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pr_metric *find_metric(const struct pr_page *page, const char *name)
{
    int index = pr_profile_metric(page->profile, name);
    return index < 0 ? NULL : &page->profile->metrics[index];
}

/* The view of a metric that has something to show, in the page without scripts as well; NULL = none. */
static const struct pr_view *find_view(const struct pr_page *page, const char *name)
{
    for (uint32_t i = 0; i < page->views.count; i++) {
        const struct pr_view *view = &page->views.view[i];
        const struct pr_metric *metric = &page->profile->metrics[view->metric];
        if (pr_view_is_static(&page->views, view) && metric->total_value > 0 && !strcmp(metric->name, name))
            return view;
    }
    return NULL;
}

static void set_value(struct pr_total_cell *cell, enum pr_unit unit, int64_t value)
{
    cell->value = pr_units_value(unit, value);
    cell->exact = pr_units_exact(unit, value);
}

/* Why a figure of the history is missing. */
static const char *why_no_history(const struct pr_page *page)
{
    return page->profile->meta.aggregated ? "the capture has totals only" : "not in this capture";
}

static struct pr_total_cell longest_duration(const struct pr_profile *profile)
{
    struct pr_total_cell cell = {.name = "Longest run", .rank = PR_RANK_FIRST};
    if (profile->origin.longest_ms <= INT64_MAX / PR_NS_PER_MS)
        set_value(&cell, PR_UNIT_NANOSECONDS, profile->origin.longest_ms * PR_NS_PER_MS);
    PR_CELL_NOTE(&cell, "of %s", pr_units_runs(profile).text);
    return cell;
}

static struct pr_total_cell duration(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = "Duration", .rank = PR_RANK_FIRST};
    if (pr_times_are_of_several(page->profile))
        return longest_duration(page->profile);
    const struct pr_maybe took = pr_times_duration_ns(page->profile);
    cell.before = PR_BEFORE_TIME;
    if (took.known)
        set_value(&cell, PR_UNIT_NANOSECONDS, took.value);
    if (page->profile->run.wall_ns.known) {
        cell.name = "Wall time";
        cell.source = "measured by the recorder";
        PR_CELL_NOTE(&cell, "of the whole run");
    } else if (took.known) {
        PR_CELL_NOTE(&cell, "%s",
                     page->profile->meta.end_is_last_sample ? "until the last memory sample" : "of recording");
    } else if (pr_profile_has_allocations(page->profile)) {
        PR_CELL_NOTE(&cell, "the end is not in the capture");
    } else { /* few formats of other tools know it */
        cell.name = NULL;
    }
    return cell;
}

/* A moment for the note; the hover has it exactly. */
static struct pr_figure note_moment(struct pr_total_cell *cell, const struct pr_profile *profile, int64_t ms)
{
    PR_CELL_NOTE_EXACT(cell, "%s", pr_times_moment_exact(profile, ms).text);
    return pr_times_moment(profile, ms);
}

static struct pr_total_cell peak_heap(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = pr_heap_words(page->profile)->title_of_peak,
                                 .rank = PR_RANK_FIRST,
                                 .series = pr_run_series(page->profile, "heap")};
    const struct pr_metric *metric = find_metric(page, "peak");
    if (!metric)
        return cell;
    cell.before = PR_BEFORE_HEAP;
    cell.view = find_view(page, "peak");
    set_value(&cell, metric->unit, metric->total_value);
    const struct pr_maybe peak_ms = pr_times_peak_ms(page->profile);
    struct pr_figure moment = {""};
    if (peak_ms.known)
        moment = note_moment(&cell, page->profile, peak_ms.value);
    if (page->profile->origin.runs > 1) {
        const int64_t highest = page->profile->origin.highest_peak_bytes;
        PR_CELL_NOTE(&cell, "the peaks of %s together, the highest %s", pr_units_runs(page->profile).text,
                     pr_units_value(metric->unit, highest).text);
        PR_CELL_NOTE_EXACT(&cell, "%s", pr_units_exact(metric->unit, highest).text);
    } else if (!page->profile->complete)
        PR_CELL_NOTE(&cell, "%s%shighest in the part read", moment.text, *moment.text ? ", " : "");
    else if (*moment.text)
        PR_CELL_NOTE(&cell, "at %s", moment.text);
    else if (metric->count)
        PR_CELL_NOTE(&cell, "%s", pr_units_counted(metric->total_count, "allocations").text);
    return cell;
}

/* Of the process; of a device, what PyTorch's allocator had reserved. */
static struct pr_total_cell peak_rss(const struct pr_page *page)
{
    struct pr_total_cell cell = {
        .name = "Peak reserved", .rank = PR_RANK_EARLY, .series = pr_run_series(page->profile, "reserved")};
    if (!cell.series) {
        cell.name = "Peak RSS";
        cell.before = PR_BEFORE_RSS;
        cell.series = pr_run_series(page->profile, "rss");
    }
    struct pr_curve curve;
    if (!cell.series) {
        PR_CELL_NOTE(&cell, "no memory sample in the capture");
        return cell;
    }
    pr_curve_make(cell.series, 0, 0, 1, &curve);
    const struct pr_maybe most = pr_run_peak_rss(page->profile);
    if (!strcmp(cell.series->name, "rss") && most.known && most.value > curve.peak) { /* between two samples */
        set_value(&cell, PR_UNIT_BYTES, most.value);
        PR_CELL_NOTE(&cell, "of the largest process");
        return cell;
    }
    set_value(&cell, cell.series->unit, curve.peak);
    const struct pr_figure moment = note_moment(&cell, page->profile, curve.peak_at_ms);
    if (*moment.text)
        PR_CELL_NOTE(&cell, "at %s", moment.text);
    return cell;
}

static struct pr_total_cell leaked(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = "Not freed at the end", .rank = PR_RANK_EARLY};
    const struct pr_metric *metric = find_metric(page, "leaked"), *peak = find_metric(page, "peak");
    if (!metric)
        return cell;
    if (pr_failure_is_one(&page->profile->run.failure))
        cell.name = pr_ending_metric(page->profile, metric);
    if (!page->profile->complete) {
        cell.none = "unknown";
        PR_CELL_NOTE(&cell, "%s was held when the capture ended",
                     pr_units_value(metric->unit, metric->total_value).text);
        PR_CELL_NOTE_EXACT(&cell, "%s", pr_units_exact(metric->unit, metric->total_value).text);
        return cell;
    }
    cell.view = find_view(page, "leaked");
    set_value(&cell, metric->unit, metric->total_value);
    if (peak && peak->total_value) {
        PR_CELL_NOTE(&cell, "%s of the peak%s%s", pr_units_percent(metric->total_value, peak->total_value).text,
                     metric->count ? ", " : "",
                     metric->count ? pr_units_counted(metric->total_count, "allocations").text : "");
        PR_CELL_NOTE_EXACT(&cell, "%s of %s", cell.exact.text, pr_units_exact(peak->unit, peak->total_value).text);
    }
    return cell;
}

static struct pr_total_cell temporary(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = "Temporary", .rank = PR_RANK_LATE};
    const struct pr_metric *metric = find_metric(page, "temporary");
    if (metric) {
        cell.view = find_view(page, "temporary");
        set_value(&cell, metric->unit, metric->total_value);
        if (metric->count)
            PR_CELL_NOTE(&cell, "%s, freed before the next one",
                         pr_units_counted(metric->total_count, "allocations").text);
    } else {
        PR_CELL_NOTE(&cell, "%s", why_no_history(page));
    }
    return cell;
}

static struct pr_total_cell allocated(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = "Allocated in total"};
    const struct pr_alloc_stats *stats = &page->profile->stats;
    const struct pr_metric *peak = find_metric(page, "peak");
    if (!stats->known) {
        PR_CELL_NOTE(&cell, "%s", why_no_history(page));
        return cell;
    }
    cell.view = find_view(page, "allocated");
    set_value(&cell, PR_UNIT_BYTES, pr_units_signed(stats->allocated_bytes));
    if (!stats->allocation_count)
        return cell;
    const struct pr_figure mean = pr_units_bytes(pr_units_signed(stats->allocated_bytes / stats->allocation_count));
    if (peak && peak->total_value > 0 && stats->allocated_bytes / 10 >= (uint64_t)peak->total_value)
        PR_CELL_NOTE(&cell, "%s times the peak, %s each",
                     pr_units_count(pr_units_signed(stats->allocated_bytes) / peak->total_value).text, mean.text);
    else
        PR_CELL_NOTE(&cell, "%s each on average", mean.text);
    PR_CELL_NOTE_EXACT(&cell, "%s, in %s", cell.exact.text,
                       pr_units_counted(pr_units_signed(stats->allocation_count), "allocations").text);
    return cell;
}

static struct pr_total_cell allocations(const struct pr_page *page)
{
    struct pr_total_cell cell = {.name = "Allocations"};
    const struct pr_alloc_stats *stats = &page->profile->stats;
    const struct pr_maybe took = pr_times_duration_ns(page->profile);
    const int64_t took_ms = pr_nearest_ms(took.value);
    if (!stats->known) {
        PR_CELL_NOTE(&cell, "%s", why_no_history(page));
        return cell;
    }
    int64_t count = pr_units_signed(stats->allocation_count);
    cell.value = pr_units_count(count);
    cell.exact = pr_units_counted(count, "allocations");
    if (pr_times_are_of_several(page->profile))
        PR_CELL_NOTE(&cell, "in %s", pr_units_runs(page->profile).text);
    else if (count && took.known && took_ms > 0 && count <= INT64_MAX / 1000) {
        PR_CELL_NOTE(&cell, "%s per second", pr_units_count(count * 1000 / took_ms).text);
        PR_CELL_NOTE_EXACT(&cell, "%s in %s", cell.exact.text, pr_units_milliseconds(took_ms).text);
    }
    return cell;
}

/* The list for allocations has a cell for it, which knows more. */
static bool has_own_cell(const struct pr_page *page, const struct pr_view *view)
{
    return pr_profile_has_allocations(page->profile) &&
           (view->is_heap || !strcmp(page->profile->metrics[view->metric].name, "allocated"));
}

/* Facts of metrics that have no cell of their own in the list for allocations. */
static bool has_only_allocations(const struct pr_page *page)
{
    for (uint32_t i = 0; i < page->views.count; i++) {
        if (!page->views.view[i].is_heap && !has_own_cell(page, &page->views.view[i]))
            return false;
    }
    return true;
}

/* Whether time is that of several threads, which may add up to more than the run took. */
static bool is_sum_of_threads(const struct pr_profile *profile, const struct pr_metric *metric)
{
    const uint32_t *thread = profile->fact_thread, *first = NULL;
    for (size_t i = 0; metric->unit == PR_UNIT_NANOSECONDS && i < profile->fact_count; i++) {
        if (!metric->value[i])
            continue;
        first = first ? first : &thread[i];
        if (thread[i] != *first)
            return true;
    }
    return false;
}

/* The total of a metric, with how many samples or calls it consists of. */
static struct pr_total_cell metric(const struct pr_page *page, const struct pr_view *view)
{
    const struct pr_metric *measured = &page->profile->metrics[view->metric];
    struct pr_total_cell cell = {.name = view->heading, .rank = PR_RANK_LATE};
    cell.view = find_view(page, measured->name);
    cell.value = pr_units_metric(measured, measured->total_value);
    cell.exact = pr_units_metric_exact(measured, measured->total_value);
    const char *of = is_sum_of_threads(page->profile, measured) ? "all threads" : "";
    if (measured->count)
        PR_CELL_NOTE(&cell, "%s%s%s", pr_units_counted(measured->total_count, measured->count_name).text,
                     *of ? ", " : "", of);
    else
        PR_CELL_NOTE(&cell, "%s", of);
    return cell;
}

/* Lanes of asynchronous spans look like threads, but no thread ran them. Without memory none is left out. */
static void count_threads(const struct pr_profile *profile, uint32_t *count, uint32_t *named)
{
    bool *is_lane = pr_profile_find_lanes(profile);
    *count = *named = 0;
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        if (is_lane && is_lane[i])
            continue;
        ++*count;
        *named += profile->threads[i].name != 0;
    }
    free(is_lane);
}

static struct pr_total_cell threads(const struct pr_page *page, uint32_t count, uint32_t named)
{
    struct pr_total_cell cell = {.name = "Threads"};
    cell.value = pr_units_count(count);
    cell.exact = pr_units_counted(count, "threads");
    const char *what = has_only_allocations(page) ? "that allocated" : "recorded";
    if (named)
        PR_CELL_NOTE(&cell, "%s, %s named", what, pr_units_count(named).text);
    else
        PR_CELL_NOTE(&cell, "%s", what);
    return cell;
}

/*
 * Those of the threads. A timeline has one of its own, though it is that of a profile in the same run. Without memory
 * MARKUP has failed.
 */
static uint32_t count_processes(const struct pr_profile *profile, struct pr_buf *markup)
{
    if (profile->process_count <= 1)
        return profile->process_count;
    bool *has_thread = calloc(profile->process_count, sizeof *has_thread);
    uint32_t count = 0;
    markup->failed |= !has_thread;
    for (uint32_t i = 0; has_thread && i < profile->thread_count; i++) {
        const uint32_t process = profile->threads[i].process;
        if (process >= profile->process_count || has_thread[process])
            continue;
        has_thread[process] = true;
        count++;
    }
    free(has_thread);
    return count;
}

static struct pr_total_cell processes(uint32_t count)
{
    struct pr_total_cell cell = {.name = "Processes"};
    cell.value = pr_units_count(count);
    cell.exact = pr_units_counted(count, "processes");
    PR_CELL_NOTE(&cell, "recorded");
    return cell;
}

/* Each metric that can be seen at once. */
static void add_metrics(const struct pr_page *page, struct pr_totals *totals)
{
    for (uint32_t i = 0; i < page->views.count && i < PR_MAX_SECTIONS; i++) {
        const struct pr_view *view = &page->views.view[i];
        const struct pr_total_cell cell = metric(page, view);
        if (!has_own_cell(page, view))
            pr_total_cell_add(page, &cell, totals);
    }
}

static void add_all(const struct pr_page *page, struct pr_totals *totals)
{
    static struct pr_total_cell (*const memory[])(const struct pr_page *) = {peak_heap, peak_rss,  leaked,
                                                                             temporary, allocated, allocations};
    const bool differs = page->profile->is_difference;
    struct pr_total_cell cell = differs ? (struct pr_total_cell){0} : duration(page);
    pr_total_cell_add(page, &cell, totals);
    pr_run_stats_add(page, totals);
    if (differs)
        pr_growth_stats_add(page, totals);
    else
        add_metrics(page, totals);
    for (size_t i = 0; pr_profile_has_allocations(page->profile) && i < sizeof memory / sizeof *memory; i++) {
        cell = memory[i](page);
        pr_total_cell_add(page, &cell, totals);
    }
    const uint32_t process_count = count_processes(page->profile, &totals->markup);
    if (process_count > 1) {
        cell = processes(process_count);
        pr_total_cell_add(page, &cell, totals);
    }
    uint32_t thread_count, named;
    count_threads(page->profile, &thread_count, &named);
    if (page->profile->metric_count && thread_count > 1 && !differs) {
        cell = threads(page, thread_count, named);
        pr_total_cell_add(page, &cell, totals);
    }
}

/* The link that skips to the profile leads here if there is no profile. */
static const char *id_of(const struct pr_page *page)
{
    const bool has_profile = page->profile->metric_count || pr_profile_has_allocations(page->profile);
    return has_profile ? "" : " id='profile'";
}

static enum pr_status emit_stats(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_totals totals = {0};
    (void)err;
    add_all(page, &totals);
    if (pr_totals_are_few(&totals)) { /* they are in the header */
        out->failed |= totals.markup.failed;
        pr_buf_clear(&totals.markup);
        return PR_OK;
    }
    pr_buf_text(out, "<section class='panel totals'");
    pr_buf_text(out, id_of(page));
    pr_buf_text(out, " aria-labelledby='h-stats'>\n<h2 class='vh' id='h-stats'>Totals</h2>\n");
    pr_totals_emit(&totals, out);
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

static enum pr_status emit_few(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_totals totals = {0};
    (void)err;
    add_all(page, &totals);
    if (!pr_totals_are_few(&totals)) {
        out->failed |= totals.markup.failed;
        pr_buf_clear(&totals.markup);
        return PR_OK;
    }
    pr_buf_text(out, "<div class='few'");
    pr_buf_text(out, id_of(page));
    pr_buf_text(out, ">\n");
    pr_totals_emit(&totals, out);
    pr_buf_text(out, "</div>\n");
    return PR_OK;
}

const struct pr_section pr_section_few_totals = {"figures", "header", NULL, emit_few};
const struct pr_section pr_section_totals = {"statgrid", "main", NULL, emit_stats};
