/* SPDX-License-Identifier: Apache-2.0 */
/* What each phase of two runs used, and how that changed. */
#include "profrender/diff.h"
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/sections/difference_mark.h"
#include "render/words/phase_figures.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"

enum { MANY = 12 }; /* more than that open on a click */

static bool wants_phases(const struct pr_profile *profile)
{
    return profile->is_difference;
}

/* A figure on both sides; not known of a phase that one of them does not have. */
struct sides {
    struct pr_maybe before, after;
};

static struct sides sides_of(const struct pr_diff_phase *phase, size_t figure)
{
    struct sides sides = {.before = {.known = false}};
    if (phase->before)
        sides.before = pr_phase_figure_of(phase->before, figure);
    if (phase->after)
        sides.after = pr_phase_figure_of(phase->after, figure);
    return sides;
}

static struct pr_maybe time_of(const struct pr_phase *phase)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS;
    const int64_t ms = phase ? pr_subtract_saturated(phase->to_ms, phase->from_ms) : 0;
    return (struct pr_maybe){phase != NULL, (ms < most_ms ? ms : most_ms) * PR_NS_PER_MS};
}

/* Which figures have a column: those that say something of some phase. */
static void choose(const struct pr_diff_phases *phases, bool shown[PR_PHASE_FIGURES])
{
    for (size_t k = 0; k < PR_PHASE_FIGURES; k++) {
        shown[k] = false;
        for (size_t i = 0; i < phases->count; i++) {
            const struct sides sides = sides_of(&phases->at[i], k);
            shown[k] |= (sides.before.known && sides.before.value) || (sides.after.known && sides.after.value);
        }
    }
}

static void emit_value(enum pr_unit unit, struct pr_maybe value, struct pr_buf *out)
{
    if (value.known)
        pr_hover(out, pr_units_value(unit, value.value), pr_units_exact(unit, value.value));
    else
        pr_buf_text(out, "-");
}

/* "10.0 MiB → 12.0 MiB", and below it "▲ 2.00 MiB". On a phone only what is MAIN has room. */
static void emit_sides(enum pr_unit unit, const struct sides *sides, bool is_main, struct pr_buf *out)
{
    const struct pr_metric metric = {.unit = unit};
    pr_buf_text(out, is_main ? "<td class='r'>" : "<td class='r hide-s'>");
    emit_value(unit, sides->before, out);
    pr_buf_text(out, " \xE2\x86\x92 ");
    emit_value(unit, sides->after, out);
    if (sides->before.known && sides->after.known) {
        pr_buf_text(out, "<br>");
        pr_difference_mark(out, &metric, pr_subtract_saturated(sides->after.value, sides->before.value));
    }
    pr_buf_text(out, "</td>");
}

/* The heap where there is one, else what the system counts. */
static bool is_main(const bool shown[PR_PHASE_FIGURES], size_t figure)
{
    return figure == (shown[PR_PHASE_HEAP] ? PR_PHASE_HEAP : PR_PHASE_RSS);
}

static void emit_row(const struct pr_page *page, const struct pr_diff_phase *phase, const bool shown[PR_PHASE_FIGURES],
                     struct pr_buf *out)
{
    const pr_str name = phase->after ? phase->after->name : phase->before->name;
    const struct sides time = {time_of(phase->before), time_of(phase->after)};
    pr_buf_text(out, "<tr><th scope='row'>");
    if (name)
        pr_html_name(out, pr_profile_text(page->profile, name));
    else
        pr_buf_text(out, PR_PHASE_FIRST);
    pr_buf_text(out, !phase->before ? " <b>new</b>" : !phase->after ? " <b>gone</b>" : "");
    pr_buf_text(out, "</th>");
    emit_sides(PR_UNIT_NANOSECONDS, &time, false, out);
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++) {
        const struct sides sides = sides_of(phase, i);
        if (shown[i])
            emit_sides(pr_phase_figures[i].unit, &sides, is_main(shown, i), out);
    }
    pr_buf_text(out, "</tr>\n");
}

static void emit_table(const struct pr_page *page, const struct pr_diff_phases *phases, struct pr_buf *out)
{
    bool shown[PR_PHASE_FIGURES];
    const bool are_many = phases->count > MANY;
    choose(phases, shown);
    pr_buf_text(out, "<section class='panel' aria-labelledby='h-phases'>\n<div class='head'><h2 id='h-phases'>Phases"
                     "</h2></div>\n");
    if (are_many)
        pr_html(out, "<details class='more'><summary>%s</summary>\n",
                pr_units_counted((int64_t)phases->count, "phases").text);
    pr_buf_text(out, "<div class='tblwrap'><table class='tbl wraps'><thead><tr><th scope='col'>Phase</th>"
                     "<th scope='col' class='r hide-s'>Time</th>");
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++)
        if (shown[i])
            pr_html(out, "<th scope='col' class='r%s' title='%s'>%s</th>", is_main(shown, i) ? "" : " hide-s",
                    pr_phase_figures[i].about, pr_phase_figures[i].title);
    pr_buf_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < phases->count; i++)
        emit_row(page, &phases->at[i], shown, out);
    pr_html(out, "</tbody></table></div>%s</section>\n", are_many ? "</details>" : "");
}

static enum pr_status emit_phases(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_diff_run *runs = page->options.runs; /* the one before first */
    struct pr_diff_phases phases;
    if (!runs || page->options.source_count != 2)
        return PR_OK;
    const enum pr_status status = pr_diff_phases(&runs[0], &runs[1], &phases, err);
    if (status != PR_FAILED && phases.count)
        emit_table(page, &phases, out);
    pr_diff_phases_clear(&phases);
    return status;
}

const struct pr_section pr_section_difference_phases = {"difference phases", "main", wants_phases, emit_phases};
