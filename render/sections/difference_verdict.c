/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict of a difference, one sentence: what rose or fell, by how much, and in which functions.
 *
 *     Peak memory rose 77 % (25.6 -> 45.2 MiB), all of it in transform and load.
 */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "profrender/diff.h"
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/sections/difference_mark.h"
#include "render/words/program_name.h"
#include "render/words/usual_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMED = 2,     /* functions in the sentence */
    ALL = 99,      /* percent of a growth that are all of it, nearly all of it, and most of it */
    NEARLY_ALL = 90,
    MOST = 60,
    TENTH = 10     /* what has less of the change is not named; nor is what moved, of the whole */
};

static bool wants_verdict(const struct pr_profile *profile)
{
    return profile->is_difference;
}

/* "Peak memory"; "Time", "CPU time". */
static const char *name_of(const struct pr_view *view, const struct pr_metric *metric)
{
    return strcmp(metric->name, "peak") ? view->heading : "Peak memory";
}

/* "77 %", "8.4 %"; "99.9 %" as long as it is not all. */
static struct pr_figure short_percent(double percent)
{
    enum { LESS_THAN_ALL = 999 }; /* tenths */
    struct pr_figure figure;
    const bool is_nearly_all = percent >= 99.5 && percent < 100;
    const int rounded = (int)(percent * 10 + 0.5);
    const int tenths = is_nearly_all && rounded > LESS_THAN_ALL ? LESS_THAN_ALL : rounded;
    if (percent >= 9.95 && !is_nearly_all)
        snprintf(figure.text, sizeof figure.text, "%d %%", (int)(percent + 0.5));
    else
        snprintf(figure.text, sizeof figure.text, "%d.%d %%", tenths / 10, tenths % 10);
    return figure;
}

/* "12", "3.2" */
static struct pr_figure short_times(double ratio)
{
    struct pr_figure figure;
    if (ratio >= 10)
        return pr_units_count((int64_t)(ratio + 0.5));
    snprintf(figure.text, sizeof figure.text, "%d.%d", (int)(ratio * 10 + 0.5) / 10, (int)(ratio * 10 + 0.5) % 10);
    return figure;
}

/* "rose 77 %", "fell 8.4 %", "is 3.2 times what it was", "is new", "is gone"; the number has a hover. */
static void emit_how(const struct pr_growth_sides *sides, struct pr_buf *out)
{
    enum { FEW = 3 }; /* from so many times on it is no percentage */
    const int64_t before = sides->all.before, after = sides->all.after;
    const struct pr_figure was = pr_units_metric_exact(sides->before, before);
    const double ratio = before > 0 ? (double)after / (double)before : 0;
    const double percent = (ratio < 1 ? 1 - ratio : ratio - 1) * 100;
    if (!before || !after) {
        pr_buf_text(out, before ? "is gone" : "is new");
    } else if (ratio >= FEW) {
        pr_buf_text(out, "is ");
        pr_hover_part(out, short_times(ratio), pr_units_metric_exact(sides->after, after), was);
        pr_buf_text(out, " times what it was");
    } else {
        const int64_t change = pr_growth_change(&sides->all);
        pr_buf_text(out, change > 0 ? "rose " : "fell ");
        pr_hover_part(out, short_percent(percent), pr_units_metric_exact(sides->after, change), was);
    }
}

/* The functions that went the way of the whole, largest first, and those that did not. */
struct way {
    const struct pr_growth *first, *other;
    size_t count, other_count;
    int64_t all, other_all;
};

static struct way way_of(const struct pr_growth_sides *sides, bool rose)
{
    const struct pr_growth *grown = sides->growth, *shrunk = &sides->growth[sides->grown_count];
    const size_t less = sides->count - sides->grown_count;
    return rose ? (struct way){grown, shrunk, sides->grown_count, less, sides->grown, sides->shrunk}
                : (struct way){shrunk, grown, less, sides->grown_count, sides->shrunk, sides->grown};
}

static int percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)((double)part / (double)whole * 100) : 0;
}

/* Whether a function has so much of the change that the sentence names it, as the list below names it. */
static bool is_worth_a_name(const struct way *way, size_t index)
{
    return !index || pr_growth_size(pr_growth_change(&way->first[index])) >= way->all / TENTH;
}

/* ", all of it in transform and load", ", most of it in save", ", spread over 12 functions". */
static void emit_where(const struct pr_page *page, const struct pr_growth_sides *sides, const struct way *way,
                       struct pr_buf *out)
{
    int64_t sum = 0;
    size_t named = 0;
    while (named < NAMED && named < way->count && percent_of(sum, way->all) < ALL && is_worth_a_name(way, named))
        sum = pr_add_saturated(sum, pr_growth_size(pr_growth_change(&way->first[named++])));
    const int share = percent_of(sum, way->all);
    if (!named)
        return;
    if (share < MOST) {
        const char *what = pr_metric_is_of_objects(sides->after) ? "classes" : "functions";
        pr_html(out, ", spread over %s, most in ", pr_units_counted((int64_t)way->count, what).text);
        pr_growth_name(page, way->first->frame, out);
        return;
    }
    pr_buf_text(out, share >= ALL          ? ", all of it in "
                      : share >= NEARLY_ALL ? ", nearly all of it in "
                                            : ", most of it in ");
    for (size_t i = 0; i < named; i++) {
        pr_buf_text(out, i ? " and " : "");
        pr_growth_name(page, way->first[i].frame, out);
    }
}

static bool is_own(const struct pr_page *page, const struct pr_growth *growth)
{
    return growth->frame != PR_NO_NODE && pr_traits_is_own(&page->traits, growth->frame);
}

/* "; dedupe is gone (11.5 MiB less)"; not of start-up and imports, where your own code went the way of the whole. */
static void emit_other_way(const struct pr_page *page, const struct pr_growth_sides *sides, const struct way *way,
                           struct pr_buf *out)
{
    if (!way->other_count || way->other_all < way->all / TENTH)
        return;
    const struct pr_growth *most = way->other;
    if (way->count && is_own(page, way->first) && !is_own(page, most))
        return;
    const int64_t change = pr_growth_change(most);
    pr_buf_text(out, "; ");
    pr_growth_name(page, most->frame, out);
    pr_buf_text(out, !most->after ? " is gone (" : !most->before ? " is new (" : change < 0 ? " fell (" : " rose (");
    pr_difference_mark(out, sides->after, change);
    pr_buf_byte(out, ')');
}

/* "; 11.5 MiB moved from load to load_rows" */
static void emit_moved(const struct pr_page *page, const struct pr_growth_sides *sides, struct pr_buf *out)
{
    const struct pr_growth *most = sides->moved_count ? pr_growth_moved(sides) : NULL;
    const struct pr_growth *other = most ? pr_growth_counterpart(sides, most) : NULL;
    const int64_t size = most ? pr_growth_size(pr_growth_change(most)) : 0;
    if (!other || size < sides->all.before / TENTH)
        return;
    const bool came = pr_growth_change(most) > 0;
    pr_buf_text(out, "; ");
    pr_hover_metric(out, sides->after, size);
    pr_buf_text(out, " moved from ");
    pr_growth_name(page, came ? other->frame : most->frame, out);
    pr_buf_text(out, " to ");
    pr_growth_name(page, came ? most->frame : other->frame, out);
}

/* "47.0 to 111 MiB", as an arrow. */
static void emit_amounts(const struct pr_growth_sides *sides, struct pr_buf *out)
{
    pr_buf_text(out, " (");
    pr_hover_metric(out, sides->before, sides->all.before);
    pr_buf_text(out, " \xE2\x86\x92 ");
    pr_hover_metric(out, sides->after, sides->all.after);
    pr_buf_byte(out, ')');
}

/* What two programs have in common is chance: a change of one into the other is no change. */
static void emit_programs(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_diff_run *runs = page->options.runs;
    struct pr_text names[2];
    if (!runs || page->options.source_count != 2 ||
        !pr_programs_differ(page->profile, runs[0].command_line, runs[1].command_line, names))
        return;
    pr_buf_text(out, " The programs differ.");
}

/*
 * " That is within what the last 8 runs had, 9.80 to 10.3 MiB." Of the figure that the sentence is about.
 */
static void emit_usual(const struct pr_page *page, const char *metric, struct pr_buf *out)
{
    const struct pr_usual *usual = pr_usual_named(page->options.usuals, metric);
    if (!usual)
        return;
    const struct pr_usual_range *range = &usual->range;
    const char *place = pr_usual_place(range, usual->after);
    const bool inside = usual->after >= range->lowest && usual->after <= range->highest;
    pr_html(out, " That is %s what ", inside ? "within" : place);
    if (range->runs == 1)
        pr_buf_text(out, "the last run");
    else
        pr_html(out, "the last %s", pr_units_counted((int64_t)range->runs, "runs").text);
    pr_html(out, " had, <span title='%s'>%s</span>", pr_usual_range_text(&usual->metric, range, true).text,
            pr_usual_range_text(&usual->metric, range, false).text);
    pr_html(out, "%s", usual->is_apart ? " without arenas of pymalloc" : "");
    pr_usual_judgement(out, usual, false);
    pr_buf_byte(out, '.');
}

/* "▲ Peak memory rose 77 % (25.6 -> 45.2 MiB)"; BETWEEN: HTML after the arrow. */
static void emit_change(const char *name, const struct pr_growth_sides *sides, bool is_same, const char *between,
                        struct pr_buf *out)
{
    const int64_t change = pr_growth_change(&sides->all);
    pr_html(out, "<b class='%s' aria-hidden='true'>%s</b>", is_same ? "" : pr_difference_class(change),
            is_same      ? "\xC2\xB1"
            : change > 0 ? "\xE2\x96\xB2"
                         : "\xE2\x96\xBC");
    pr_buf_text(out, between);
    pr_html_name(out, pr_text_of(name));
    pr_buf_byte(out, ' ');
    if (!change)
        pr_buf_text(out, "is the same");
    else
        emit_how(sides, out);
    emit_amounts(sides, out);
}

/* How far it is from what it was, whichever way. */
static double distance(const struct pr_diff_figure *figure)
{
    const double before = (double)figure->before, after = (double)figure->after;
    const double larger = before > after ? before : after, smaller = before > after ? after : before;
    return larger > 0 ? 1 - smaller / larger : 0;
}

/* A figure of whole runs as a change of stacks without any. FIGURE is borrowed. */
static struct pr_growth_sides sides_of(const struct pr_diff_figure *figure)
{
    return (struct pr_growth_sides){.before = &figure->metric,
                                    .after = &figure->metric,
                                    .all = {PR_NO_NODE, figure->before, figure->after}};
}

/* The figure that changed most, in proportion; NULL: there is none. */
static const struct pr_diff_figure *largest_of(const struct pr_diff_figure *figures, size_t count)
{
    const struct pr_diff_figure *most = count ? figures : NULL;
    for (size_t i = 1; i < count; i++)
        most = distance(&figures[i]) > distance(most) ? &figures[i] : most;
    return most;
}

/* What the run as a whole took may have changed more than its stacks did. How long a profiler ran is a figure only. */
static void emit_larger_figure(const struct pr_page *page, const struct pr_growth_sides *stacks, struct pr_buf *out)
{
    const struct pr_diff_figure told = {.before = stacks->all.before, .after = stacks->all.after};
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    size_t count = 0;
    for (size_t i = 0, all = pr_growth_figures(page, figures); i < all; i++)
        if (strcmp(figures[i].metric.name, "span"))
            figures[count++] = figures[i];
    const struct pr_diff_figure *news = largest_of(figures, count);
    if (!news || distance(news) <= distance(&told) || !pr_change_is_news(news->before, news->after))
        return;
    const struct pr_growth_sides sides = sides_of(news);
    pr_buf_byte(out, ' ');
    emit_change(news->metric.title, &sides, false, " ", out);
    pr_buf_byte(out, '.');
}

static void emit_note(const char *what, const char *note, struct pr_buf *out)
{
    pr_html(out, "<p class='legend'>%s: %s</p>\n", what, note);
}

/*
 * Functions that `check` calls a regression, and what to know of the earlier runs: they name files, which a page that
 * shows no folders leaves to the terminal.
 */
static void emit_usual_notes(const struct pr_page *page, struct pr_buf *out)
{
    static const char in_terminal[] = "the command at the end of this page has them in a terminal.";
    const struct pr_usuals *usuals = page->options.usuals;
    const bool shows = !page->options.redact_paths;
    for (size_t i = 0; usuals && shows && i < usuals->sentence_count; i++)
        emit_note("A regression", usuals->sentence[i], out);
    for (size_t i = 0; usuals && shows && i < usuals->note_count; i++)
        emit_note("Earlier runs", usuals->note[i], out);
    if (usuals && !shows && usuals->sentence_count)
        pr_html(out, "<p class='legend'>%s of single functions: %s</p>\n",
                pr_units_counted((int64_t)usuals->sentence_count, "regressions").text, in_terminal);
    if (usuals && !shows && usuals->note_count)
        pr_html(out, "<p class='legend'>%s on earlier runs: %s</p>\n",
                pr_units_counted((int64_t)usuals->note_count, "notes").text, in_terminal);
}

static void emit_sentence(const struct pr_page *page, const struct pr_view *view, const struct pr_growth_sides *sides,
                          struct pr_buf *out)
{
    const bool is_same = !pr_view_is_news(page->profile, sides->after);
    pr_buf_text(out, "<p class='verdict'>");
    emit_change(name_of(view, sides->after), sides, is_same, "<span>", out);
    const struct way way = way_of(sides, pr_growth_change(&sides->all) > 0);
    if (!is_same)
        emit_where(page, sides, &way, out);
    if (!is_same)
        emit_other_way(page, sides, &way, out);
    emit_moved(page, sides, out);
    pr_buf_byte(out, '.');
    emit_usual(page, sides->after->name, out);
    emit_larger_figure(page, sides, out);
    emit_programs(page, out);
    pr_buf_text(out, "</span></p>\n");
    emit_usual_notes(page, out);
}

static const char head[] = "<section class='panel joined' aria-labelledby='h-verdict'>\n"
                           "<h2 class='vh' id='h-verdict'>The difference</h2>\n";

/* Of runs without stacks the figure that changed most; the others are among the figures. */
static void emit_figure(const struct pr_page *page, struct pr_buf *out)
{
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    const struct pr_diff_figure *news = largest_of(figures, pr_growth_figures(page, figures));
    if (!news)
        return;
    const struct pr_growth_sides sides = sides_of(news);
    pr_buf_text(out, head);
    pr_buf_text(out, "<p class='verdict'>");
    emit_change(news->metric.title, &sides, !pr_change_is_news(news->before, news->after), "<span>", out);
    pr_buf_byte(out, '.');
    emit_usual(page, news->metric.name, out);
    emit_programs(page, out);
    pr_buf_text(out, "</span></p>\n");
    emit_usual_notes(page, out);
    pr_buf_text(out, "</section>\n");
}

static enum pr_status emit_verdict(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_view *news = page->views.count ? page->views.view : NULL;
    struct pr_growth_sides sides = {0};
    if (!page->profile->metric_count)
        emit_figure(page, out);
    if (!news || !page->profile->metrics[news->metric].base)
        return PR_OK;
    pr_node_id *own = pr_growth_find_own(page);
    if (!own)
        return pr_fail_memory(err);
    const enum pr_status status = pr_growth_sides_make(page, news->metric, own, &sides, err);
    if (status != PR_FAILED) {
        pr_buf_text(out, head);
        emit_sentence(page, news, &sides, out);
        pr_buf_text(out, "</section>\n");
    }
    pr_growth_sides_clear(&sides);
    free(own);
    return status;
}

const struct pr_section pr_section_verdict = {"verdict", "main", wants_verdict, emit_verdict};
