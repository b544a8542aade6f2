/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/phases_report.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"
#include "render/words/phase_figures.h"

#include <string.h>

enum { NAME_COLUMNS = 20, FIGURE_COLUMNS = 11, SECONDS_PLACES = 3, NANO_PLACES = 9 };

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void write_phase(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_phase *phase,
                        int64_t start_ms)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "name");
    if (phase->name)
        pr_document_string(json, profile, phase->name);
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "from_seconds");
    pr_json_put_fixed(json, pr_subtract_saturated(phase->from_ms, start_ms), SECONDS_PLACES);
    pr_json_put_key(json, "to_seconds");
    pr_json_put_fixed(json, pr_subtract_saturated(phase->to_ms, start_ms), SECONDS_PLACES);
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++) {
        const struct pr_maybe value = pr_phase_figure_of(phase, i);
        pr_json_put_key(json, pr_phase_figures[i].key);
        if (!value.known)
            pr_json_put_null(json);
        else if (pr_phase_figures[i].unit == PR_UNIT_NANOSECONDS)
            pr_json_put_fixed(json, value.value, NANO_PLACES);
        else
            pr_json_put_int(json, value.value);
    }
    pr_json_put_close(json, '}');
}

void pr_phases_json(struct pr_json_writer *json, const struct pr_profile *profile)
{
    struct pr_phases phases;
    const bool any = pr_phases_make(profile, &phases, NULL) != PR_FAILED && phases.count;
    if (any) {
        pr_json_put_key(json, "phases");
        pr_json_put_lines(json, '[');
    }
    for (uint32_t i = 0; i < phases.count; i++)
        write_phase(json, profile, &phases.at[i], phases.at[0].from_ms);
    if (any)
        pr_json_put_close(json, ']');
    pr_phases_clear(&phases);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void add_cell(struct pr_buf *line, const char *text)
{
    const size_t columns = pr_text_columns(text, strlen(text));
    pr_buf_printf(line, "%*s%s", columns < FIGURE_COLUMNS ? (int)(FIGURE_COLUMNS - columns) : 1, "", text);
}

static void add_name(struct pr_buf *line, struct pr_text name)
{
    const size_t before = line->length;
    pr_text_cut_end(line, name, NAME_COLUMNS);
    const size_t columns = line->failed ? NAME_COLUMNS : pr_text_columns(line->bytes + before, line->length - before);
    pr_buf_printf(line, "%*s", columns < NAME_COLUMNS ? (int)(NAME_COLUMNS - columns) : 0, "");
}

/* Which figures have a column. */
static void choose(const struct pr_report *report, const struct pr_phases *phases, bool shown[PR_PHASE_FIGURES])
{
    size_t room = report->term.columns > 2 + NAME_COLUMNS + 2 * FIGURE_COLUMNS
                      ? (report->term.columns - 2 - NAME_COLUMNS - 2 * FIGURE_COLUMNS) / FIGURE_COLUMNS
                      : 0;
    for (size_t k = 0; k < PR_PHASE_FIGURES; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < phases->count && !is_known; i++)
            is_known = pr_phase_figure_of(&phases->at[i], k).known;
        shown[k] = is_known && room;
        room -= shown[k];
    }
}

static void add_time(struct pr_buf *line, int64_t ms)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS;
    add_cell(line, pr_units_duration((ms < most_ms ? ms : most_ms) * PR_NS_PER_MS).text);
}

static void report_phase(struct pr_report *report, const struct pr_profile *profile, const struct pr_phase *phase,
                         int64_t start_ms, const bool shown[PR_PHASE_FIGURES])
{
    struct pr_buf line = {0};
    pr_buf_text(&line, "  ");
    add_name(&line, phase->name ? pr_profile_text(profile, phase->name) : pr_text_of("(before the first)"));
    add_time(&line, pr_subtract_saturated(phase->from_ms, start_ms));
    add_time(&line, pr_subtract_saturated(phase->to_ms, phase->from_ms));
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++) {
        const struct pr_maybe value = pr_phase_figure_of(phase, i);
        if (shown[i])
            add_cell(&line, value.known ? pr_units_value(pr_phase_figures[i].unit, value.value).text : "-");
    }
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

static void report_titles(struct pr_report *report, const bool shown[PR_PHASE_FIGURES])
{
    struct pr_buf line = {0};
    pr_report_heading(report, "Phases");
    pr_buf_text(&line, "  ");
    add_name(&line, pr_text_of("Name"));
    add_cell(&line, "From");
    add_cell(&line, "Time");
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++)
        if (shown[i])
            add_cell(&line, pr_phase_figures[i].title);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_phases_report(struct pr_report *report, const struct pr_profile *profile)
{
    struct pr_phases phases;
    bool shown[PR_PHASE_FIGURES];
    if (pr_phases_make(profile, &phases, NULL) != PR_FAILED && phases.count) {
        choose(report, &phases, shown);
        report_titles(report, shown);
    }
    for (uint32_t i = 0; i < phases.count; i++)
        report_phase(report, profile, &phases.at[i], phases.at[0].from_ms, shown);
    pr_phases_clear(&phases);
}
