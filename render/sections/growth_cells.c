/* SPDX-License-Identifier: Apache-2.0 */
/* What changed from one profile to the next, as figures: of the runs, as the recorder measured them, and of metrics. */
#include "profrender/diff.h"
#include "render/sections/difference_mark.h"
#include "render/sections/total_cell.h"
#include "render/words/usual_words.h"

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

/* "; usual 9.80 to 10.3 MiB": in earlier runs. */
static void add_usual(const struct pr_page *page, const struct pr_metric *metric, struct pr_total_cell *cell)
{
    const struct pr_usual *usual = pr_usual_named(page->options.usuals, metric->name);
    const size_t length = strlen(cell->note), exact = strlen(cell->note_exact);
    if (!usual)
        return;
    snprintf(cell->note + length, sizeof cell->note - length, "; usual %s",
             pr_usual_range_text(&usual->metric, &usual->range, false).text);
    snprintf(cell->note_exact + exact, sizeof cell->note_exact - exact, "; usual %s",
             pr_usual_range_text(&usual->metric, &usual->range, true).text);
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
    add_usual(page, metric, &cell);
    pr_total_cell_add(page, &cell, totals);
}

/* Which of the figures of both runs are among the first. */
static enum pr_total_rank rank_of(const struct pr_diff_figure *figure)
{
    return !strcmp(figure->metric.name, "cpu_time") ? PR_RANK_LATE
           : !strcmp(figure->metric.name, "span")   ? PR_RANK_REST
                                                    : PR_RANK_FIRST;
}

static void add_runs(const struct pr_page *page, struct pr_totals *totals)
{
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    const size_t count = pr_growth_figures(page, figures);
    for (size_t i = 0; i < count; i++) {
        const struct pr_diff_figure *figure = &figures[i];
        add_change(page, figure->metric.title, rank_of(figure), &figure->metric,
                   (struct pr_growth){PR_NO_NODE, figure->before, figure->after}, totals);
    }
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
