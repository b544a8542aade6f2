/* SPDX-License-Identifier: Apache-2.0 */
/* What each phase of the run used, as a table that opens; with a script, a phase is a link to its part of the run. */
#include "render/html/hover.h"
#include "render/page/section.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "profrender/phases.h"

#include <inttypes.h>
#include <string.h>

static const struct figure {
    const char *title, *about;
    enum pr_unit unit;
    size_t offset;
} figures[] = {
#define FIGURE(title, about, unit, member) {title, about, unit, offsetof(struct pr_phase, member)}
    FIGURE("Peak RSS", "resident memory, the highest sample", PR_UNIT_BYTES, peak_bytes),
    FIGURE("Growth", "of resident memory, from its beginning to its end", PR_UNIT_BYTES, growth_bytes),
    FIGURE("Peak heap", "the highest heap", PR_UNIT_BYTES, heap_bytes),
    FIGURE("Retained", "allocated in it and not freed by its end", PR_UNIT_BYTES, retained_bytes),
    FIGURE("CPU", "CPU time", PR_UNIT_NANOSECONDS, cpu_ns),
    FIGURE("Read", "from disk", PR_UNIT_BYTES, read_bytes),
    FIGURE("Written", "to disk", PR_UNIT_BYTES, written_bytes),
    FIGURE("Received", "from the network, all of the machine's or the container's", PR_UNIT_BYTES, received_bytes),
    FIGURE("Sent", "to the network, all of the machine's or the container's", PR_UNIT_BYTES, sent_bytes),
#undef FIGURE
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Which figures have a column: those that say something of some phase. */
struct shown {
    bool figure[FIGURES];
    int64_t start_ms;
};

static struct pr_maybe figure_of(const struct pr_phase *phase, const struct figure *figure)
{
    struct pr_maybe value;
    memcpy(&value, (const char *)phase + figure->offset, sizeof value);
    return value;
}

static bool wants_phases(const struct pr_profile *profile)
{
    return pr_phase_count(profile) > 0;
}

static struct shown choose(const struct pr_profile *profile, uint32_t count)
{
    struct shown shown = {.start_ms = pr_phase_at(profile, 0).from_ms};
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_phase phase = pr_phase_at(profile, i);
        for (size_t k = 0; k < FIGURES; k++) {
            const struct pr_maybe value = figure_of(&phase, &figures[k]);
            shown.figure[k] |= value.known && value.value != 0;
        }
    }
    return shown;
}

static void emit_name(const struct pr_page *page, const struct pr_phase *phase, uint32_t number, struct pr_buf *out)
{
    pr_html(out, "<tr><th scope='row'><span data-phase='%" PRIu32 "'>", number);
    if (phase->name)
        pr_html_name(out, pr_profile_text(page->profile, phase->name));
    else
        pr_buf_text(out, "before the first mark");
    pr_buf_text(out, "</span></th>");
}

static void emit_time(int64_t ms, struct pr_buf *out)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS, ns = (ms < most_ms ? ms : most_ms) * PR_NS_PER_MS;
    pr_html(out, "<td class='r' title='%s'>%s</td>", pr_units_exact(PR_UNIT_NANOSECONDS, ns).text,
            pr_units_duration(ns).text);
}

static void emit_row(const struct pr_page *page, const struct shown *shown, uint32_t number, struct pr_buf *out)
{
    const struct pr_phase phase = pr_phase_at(page->profile, number);
    emit_name(page, &phase, number, out);
    emit_time(pr_subtract_saturated(phase.from_ms, shown->start_ms), out);
    emit_time(pr_subtract_saturated(phase.to_ms, phase.from_ms), out);
    for (size_t i = 0; i < FIGURES; i++) {
        const struct pr_maybe value = figure_of(&phase, &figures[i]);
        if (!shown->figure[i])
            continue;
        if (value.known)
            pr_html(out, "<td class='r' title='%s'>%s</td>", pr_units_exact(figures[i].unit, value.value).text,
                    pr_units_value(figures[i].unit, value.value).text);
        else
            pr_buf_text(out, "<td class='r muted' title='not recorded'>-</td>");
    }
    pr_buf_text(out, "</tr>\n");
}

static enum pr_status emit_phases(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const uint32_t count = pr_phase_count(page->profile);
    const struct shown shown = choose(page->profile, count);
    (void)err;
    pr_html(out, "<details class='panel phases'%s><summary class='head'><h2>%s</h2></summary>\n<div class='tblwrap'>"
                 "<table class='tbl'><thead><tr><th scope='col'>Phase</th><th scope='col' class='r'>From</th>"
                 "<th scope='col' class='r'>Time</th>",
            page->views.count ? "" : " open", pr_units_counted(count, "phases").text);
    for (size_t i = 0; i < FIGURES; i++)
        if (shown.figure[i])
            pr_html(out, "<th scope='col' class='r' title='%s'>%s</th>", figures[i].about, figures[i].title);
    pr_buf_text(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < count; i++)
        emit_row(page, &shown, i, out);
    pr_buf_text(out, "</tbody></table></div></details>\n");
    return PR_OK;
}

const struct pr_section pr_section_phases = {"phases", "main", wants_phases, emit_phases};
