/* SPDX-License-Identifier: Apache-2.0 */
/* What each phase of the run used, as a table that opens; with a script, a phase is a link to its part of the run. */
#include "render/html/hover.h"
#include "render/page/section.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "render/words/phase_figures.h"

#include <inttypes.h>

/* The phases, and which figures have a column: those that say something of some phase. */
struct table {
    struct pr_phases phases;
    bool shown[PR_PHASE_FIGURES];
};

static bool wants_phases(const struct pr_profile *profile)
{
    return pr_phase_count(profile) > 0;
}

static void choose_figures(struct table *table)
{
    for (uint32_t i = 0; i < table->phases.count; i++) {
        for (size_t k = 0; k < PR_PHASE_FIGURES; k++) {
            const struct pr_maybe value = pr_phase_figure_of(&table->phases.at[i], k);
            table->shown[k] |= value.known && value.value != 0;
        }
    }
}

static void emit_name(const struct pr_page *page, const struct pr_phase *phase, uint32_t number, struct pr_buf *out)
{
    pr_html(out, "<tr><th scope='row'><span data-phase='%" PRIu32 "'>", number);
    if (phase->name)
        pr_html_name(out, pr_profile_text(page->profile, phase->name));
    else
        pr_buf_text(out, PR_PHASE_FIRST);
    pr_buf_text(out, "</span></th>");
}

static void emit_time(int64_t ms, struct pr_buf *out)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS, ns = (ms < most_ms ? ms : most_ms) * PR_NS_PER_MS;
    pr_html(out, "<td class='r' title='%s'>%s</td>", pr_units_exact(PR_UNIT_NANOSECONDS, ns).text,
            pr_units_duration(ns).text);
}

static void emit_row(const struct pr_page *page, const struct table *table, uint32_t number, struct pr_buf *out)
{
    const struct pr_phase *phase = &table->phases.at[number];
    emit_name(page, phase, number, out);
    emit_time(pr_subtract_saturated(phase->from_ms, table->phases.at[0].from_ms), out);
    emit_time(pr_subtract_saturated(phase->to_ms, phase->from_ms), out);
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++) {
        const struct pr_maybe value = pr_phase_figure_of(phase, i);
        const enum pr_unit unit = pr_phase_figures[i].unit;
        if (!table->shown[i])
            continue;
        if (value.known)
            pr_html(out, "<td class='r' title='%s'>%s</td>", pr_units_exact(unit, value.value).text,
                    pr_units_value(unit, value.value).text);
        else
            pr_buf_text(out, "<td class='r muted' title='not recorded'>-</td>");
    }
    pr_buf_text(out, "</tr>\n");
}

static void emit_table(const struct pr_page *page, const struct table *table, struct pr_buf *out)
{
    pr_html(out, "<details class='panel phases'%s><summary class='head'><h2>%s</h2></summary>\n<div class='tblwrap'>"
                 "<table class='tbl'><thead><tr><th scope='col'>Phase</th><th scope='col' class='r'>From</th>"
                 "<th scope='col' class='r'>Time</th>",
            page->views.count ? "" : " open", pr_units_counted(table->phases.count, "phases").text);
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++)
        if (table->shown[i])
            pr_html(out, "<th scope='col' class='r' title='%s'>%s</th>", pr_phase_figures[i].about,
                    pr_phase_figures[i].title);
    pr_buf_text(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < table->phases.count; i++)
        emit_row(page, table, i, out);
    pr_buf_text(out, "</tbody></table></div></details>\n");
}

static enum pr_status emit_phases(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct table table = {.shown = {false}};
    const enum pr_status status = pr_phases_make(page->profile, &table.phases, err);
    choose_figures(&table);
    if (status != PR_FAILED)
        emit_table(page, &table, out);
    pr_phases_clear(&table.phases);
    return status;
}

const struct pr_section pr_section_phases = {"phases", "main", wants_phases, emit_phases};
