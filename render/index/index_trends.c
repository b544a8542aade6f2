/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trends: for each name with several runs, how peak and duration changed from run to run. One point is one run, not one
 * moment: runs stand side by side at equal distances, the oldest left.
 */
#include "capture/base/sort.h"
#include "render/html/nonbreaking.h"
#include "render/index/index_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 200, MOST_POINTS = 60, WIDTH = 120, HEIGHT = 24 };

/* Runs of one name, the latest first. */
struct trend {
    const struct pr_index_run *const *runs;
    size_t count;
};

typedef struct pr_maybe value_of(const struct pr_index_run *run);

static struct pr_maybe heap_of(const struct pr_index_run *run)
{
    return run->heap_bytes;
}

static struct pr_maybe rss_of(const struct pr_index_run *run)
{
    return run->rss_bytes;
}

static size_t count_known(const struct pr_index_run *const *runs, size_t count, value_of *value)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        known += value(runs[i]).known;
    return known;
}

static int by_value(const void *a, const void *b, const void *context)
{
    (void)context;
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return PR_ORDER(x, y);
}

/* The middle one of the earlier runs that are drawn; unknown when there are none. */
static struct pr_maybe median_before(const struct trend *trend, value_of *value)
{
    int64_t values[MOST_POINTS];
    size_t count = 0;
    for (size_t i = 1; i < trend->count && count < MOST_POINTS; i++)
        if (value(trend->runs[i]).known)
            values[count++] = value(trend->runs[i]).value;
    if (!count || !pr_sort(values, count, sizeof *values, by_value, NULL))
        return (struct pr_maybe){0};
    return (struct pr_maybe){true, values[count / 2]};
}

/* A line through the known values, from the oldest drawn to the latest, which has a dot. */
static void emit_line(const struct trend *trend, value_of *value, struct pr_buf *out)
{
    const size_t drawn = trend->count < MOST_POINTS ? trend->count : MOST_POINTS;
    int64_t top = 0;
    size_t known = 0;
    double x = 0, y = 0;
    for (size_t i = 0; i < drawn; i++) {
        struct pr_maybe at = value(trend->runs[i]);
        top = at.known && at.value > top ? at.value : top;
        known += at.known;
    }
    if (known < 2 || !top)
        return;
    pr_html(out, "<svg class='spark' width='%d' height='%d' viewBox='0 0 %d %d' aria-hidden='true'><path class='l' "
            "fill='none' stroke='#7b7f88' d='", WIDTH, HEIGHT, WIDTH, HEIGHT);
    const char *step = "M";
    for (size_t i = drawn; i-- > 0;) {
        struct pr_maybe at = value(trend->runs[i]);
        if (!at.known)
            continue;
        x = 2 + (double)(drawn - 1 - i) / (double)(drawn - 1) * (WIDTH - 4);
        y = 2 + (1 - (double)(at.value < 0 ? 0 : at.value) / (double)top) * (HEIGHT - 4);
        pr_buf_printf(out, "%s%.1f %.1f", step, x, y);
        step = "L";
    }
    pr_buf_printf(out, "'/><circle cx='%.1f' cy='%.1f' r='2'/></svg>", x, y);
}

/* The latest value, its KIND, how it differs from the median of those before, the line. */
static void emit_values(const struct trend *trend, value_of *value, enum pr_unit unit, const char *kind,
                        struct pr_buf *out)
{
    const struct pr_maybe latest = value(trend->runs[0]), median = median_before(trend, value);
    pr_buf_text(out, "<td class='r'>");
    pr_index_value(latest, unit, out);
    if (latest.known && *kind)
        pr_html(out, "<span class='kind'> %s</span>", kind);
    pr_buf_text(out, "</td><td class='change'>");
    if (latest.known && median.known && median.value > 0) {
        const struct pr_figure change = pr_units_growth(median.value, latest.value);
        pr_html(out, "<span title='%s; the median of the runs before is %s'>", pr_units_exact(unit, latest.value).text,
                pr_units_exact(unit, median.value).text);
        pr_together_add(out, change.text, strlen(change.text));
        pr_buf_text(out, *change.text ? "</span>" : "no change</span>");
    }
    pr_buf_text(out, "</td><td class='line'>");
    emit_line(trend, value, out);
    pr_buf_text(out, "</td>");
}

static void emit_trend(const struct trend *trend, struct pr_buf *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < trend->count; i++)
        failed += trend->runs[i]->status == PR_RUN_FAILED;
    pr_buf_text(out, "<tr><td>");
    pr_index_status(trend->runs[0]->status, out);
    pr_buf_text(out, "</td><th scope='row'>");
    pr_index_link(trend->runs[0], trend->runs[0]->name, out);
    pr_html(out, "</th><td class='r' title='%s'>%s", pr_units_counted((int64_t)trend->count, "runs").text,
            pr_units_count((int64_t)trend->count).text);
    if (failed)
        pr_html(out, "<span class='why'>%s failed</span>", pr_units_count((int64_t)failed).text);
    pr_buf_text(out, "</td>");
    /* Like is compared with like: the heap, which says more about the program, or what the latest has. */
    const bool is_heap = count_known(trend->runs, trend->count, heap_of) > 1 &&
                         (trend->runs[0]->heap_bytes.known || count_known(trend->runs, trend->count, rss_of) < 2);
    emit_values(trend, is_heap ? heap_of : rss_of, PR_UNIT_BYTES, is_heap ? "heap" : "RSS", out);
    emit_values(trend, pr_index_duration_ns, PR_UNIT_NANOSECONDS, "", out);
    pr_buf_text(out, "</tr>\n");
}

/* ---- grouping --------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b, const void *context)
{
    (void)context; /* the sort keeps the time order within a name */
    return strcmp((*(const struct pr_index_run *const *)a)->name, (*(const struct pr_index_run *const *)b)->name);
}

/* Names whose latest run is later come first; without times, in order of name. */
static int by_latest(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct pr_index_run *x = ((const struct trend *)a)->runs[0], *y = ((const struct trend *)b)->runs[0];
    const int64_t start_x = x->start_ms.known ? x->start_ms.value : INT64_MIN;
    const int64_t start_y = y->start_ms.known ? y->start_ms.value : INT64_MIN;
    return PR_ORDER(start_y, start_x);
}

/* True if there is more than one value to compare. */
static bool has_values(const struct pr_index_run *const *runs, size_t count)
{
    return count_known(runs, count, heap_of) > 1 || count_known(runs, count, rss_of) > 1 ||
           count_known(runs, count, pr_index_duration_ns) > 1;
}

/* Fills TRENDS with the names of several runs. */
static size_t group(const struct pr_index_run *const *sorted, size_t count, struct trend *trends)
{
    size_t found = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(sorted[end]->name, sorted[first]->name) == 0; end++)
            ;
        if (has_values(sorted + first, end - first))
            trends[found++] = (struct trend){sorted + first, end - first};
    }
    return found;
}

static void emit_trends(const struct trend *trends, size_t count, struct pr_buf *out)
{
    const size_t shown = count < MOST_NAMES ? count : MOST_NAMES;
    pr_html(out, "<section class='panel' aria-labelledby='trends'>\n<div class='head'><h2 id='trends'>Trends</h2>"
                 "<p class='muted'>Jobs with several runs: the latest compared with the median of earlier runs, "
                 "up to %d runs as a line</p></div>\n"
                 "<div class='rows' tabindex='0'>\n<table class='list trends'>\n"
                 "<thead><tr><th scope='col'>Latest</th><th scope='col'>Name</th><th scope='col' class='r'>Runs</th>"
                 "<th scope='col' class='r'>Peak memory</th><th scope='col' class='change'>Change</th>"
                 "<th scope='col' class='line'>Trend</th><th scope='col' class='r'>Duration</th>"
                 "<th scope='col' class='change'>Change</th><th scope='col' class='line'>Trend</th>"
                 "</tr></thead>\n<tbody>\n", MOST_POINTS);
    for (size_t i = 0; i < shown; i++)
        emit_trend(&trends[i], out);
    pr_buf_text(out, "</tbody>\n</table>\n</div>\n");
    if (shown < count)
        pr_html(out, "<p class='nothing'>%s with older runs are in the table of all runs only.</p>\n",
                pr_units_counted((int64_t)(count - shown), "names").text);
    pr_buf_text(out, "</section>\n");
}

void pr_index_trends(const struct pr_index_run *const *runs, size_t count, struct pr_buf *out)
{
    if (count < 2)
        return;
    const struct pr_index_run **sorted = malloc(count * sizeof *sorted);
    struct trend *trends = malloc(count / 2 * sizeof *trends);
    size_t found = 0;
    if (sorted && trends) {
        memcpy(sorted, runs, count * sizeof *sorted);
        out->failed |= !pr_sort(sorted, count, sizeof *sorted, by_name, NULL);
        found = group(sorted, count, trends);
        out->failed |= !pr_sort(trends, found, sizeof *trends, by_latest, NULL);
    } else {
        out->failed = true;
    }
    if (found)
        emit_trends(trends, found, out);
    free(sorted);
    free(trends);
}
