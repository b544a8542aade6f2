/* SPDX-License-Identifier: Apache-2.0 */
/* What changed from one profile to the next, as figures: of the runs, as the recorder measured them, and of metrics. */
#include "capture/base/time.h"
#include "profrender/diff.h"
#include "render/sections/difference_mark.h"
#include "render/sections/total_cell.h"

#include <string.h>

/* "1.42 → 2.51 GiB", "879 KiB → 1.09 MiB": a unit that both have is there once. */
static struct pr_figure from_to(struct pr_figure before, struct pr_figure after)
{
    struct pr_figure figure;
    const size_t number = strcspn(before.text, " ");
    const bool is_one = !strcmp(before.text + number, after.text + strcspn(after.text, " ")) &&
                        !strchr(before.text + number + (before.text[number] != 0), ' ');
    snprintf(figure.text, sizeof figure.text, "%.*s \xE2\x86\x92 %.20s", is_one ? (int)number : 20, before.text,
             after.text);
    return figure;
}

static void add_change(const struct pr_page *page, const char *name, enum pr_total_rank rank,
                       const struct pr_metric *metric, struct pr_growth all, struct pr_totals *totals)
{
    const int64_t change = pr_growth_change(&all);
    struct pr_total_cell cell = {.name = name, .rank = rank};
    cell.value = from_to(pr_units_metric(metric, all.before), pr_units_metric(metric, all.after));
    cell.exact = from_to(pr_units_metric_exact(metric, all.before), pr_units_metric_exact(metric, all.after));
    if (pr_change_is_news(all.before, all.after))
        cell.kind = pr_difference_class(change);
    if (!change)
        PR_CELL_NOTE(&cell, "no change");
    else
        PR_CELL_NOTE(&cell, "%s, %s", pr_difference_figure(metric, change).text, pr_growth_percent(&all).text);
    PR_CELL_NOTE_EXACT(&cell, "%s of %s", pr_units_metric_exact(metric, change).text,
                       pr_units_metric_exact(metric, all.before).text);
    pr_total_cell_add(page, &cell, totals);
}

/* What both runs have. */
static bool add_known(const struct pr_page *page, const char *name, enum pr_total_rank rank, enum pr_unit unit,
                      struct pr_maybe before, struct pr_maybe after, struct pr_totals *totals)
{
    if (before.known && after.known)
        add_change(page, name, rank, &(struct pr_metric){.unit = unit},
                   (struct pr_growth){PR_NO_NODE, before.value, after.value}, totals);
    return before.known && after.known;
}

static void add_runs(const struct pr_page *page, struct pr_totals *totals)
{
    static const struct pr_diff_run unknown = {.complete = true};
    const bool is_known = page->options.runs && page->options.source_count == 2;
    const struct pr_diff_run *before = is_known ? &page->options.runs[0] : &unknown,
                             *after = is_known ? &page->options.runs[1] : &unknown;
    if (!add_known(page, "Wall time", PR_RANK_FIRST, PR_UNIT_NANOSECONDS, before->wall_ns, after->wall_ns, totals))
        add_known(page, "Duration", PR_RANK_REST, PR_UNIT_NANOSECONDS,
                  pr_maybe_times(page->profile->meta.before_span_ms, PR_NS_PER_MS),
                  pr_maybe_times(pr_times_span_ms(page->profile), PR_NS_PER_MS), totals);
    add_known(page, "CPU time", PR_RANK_LATE, PR_UNIT_NANOSECONDS, before->cpu_ns, after->cpu_ns, totals);
    add_known(page, "Peak RSS", PR_RANK_FIRST, PR_UNIT_BYTES, before->peak_rss_bytes, after->peak_rss_bytes, totals);
}

void pr_growth_stats_add(const struct pr_page *page, struct pr_totals *totals)
{
    add_runs(page, totals);
    for (uint32_t i = 0; i < page->views.count && pr_view_is_static(&page->views, &page->views.view[i]); i++) {
        const struct pr_view *view = &page->views.view[i];
        const struct pr_metric *after = &page->profile->metrics[view->metric];
        if (after->base)
            add_change(page, view->heading, PR_RANK_FIRST, after,
                       (struct pr_growth){PR_NO_NODE, page->profile->metrics[after->base - 1].total_value,
                                          after->total_value},
                       totals);
    }
}
