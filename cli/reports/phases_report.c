/* SPDX-License-Identifier: Apache-2.0 */
/* One table of figures serves both: what they are called, and where they are in a phase. */
#include "cli/reports/phases_report.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"
#include "profrender/phases.h"

#include <string.h>

enum { NAME_COLUMNS = 20, FIGURE_COLUMNS = 11, SECONDS_PLACES = 3, NANO_PLACES = 9 };

static const struct figure {
    const char *key, *title;
    enum pr_unit unit;
    size_t offset;
} figures[] = {
#define FIGURE(key, title, unit, member) {key, title, unit, offsetof(struct pr_phase, member)}
    FIGURE("peak_bytes", "Peak RSS", PR_UNIT_BYTES, peak_bytes),
    FIGURE("growth_bytes", "Growth", PR_UNIT_BYTES, growth_bytes),
    FIGURE("heap_bytes", "Peak heap", PR_UNIT_BYTES, heap_bytes),
    FIGURE("retained_bytes", "Retained", PR_UNIT_BYTES, retained_bytes),
    FIGURE("cpu_seconds", "CPU", PR_UNIT_NANOSECONDS, cpu_ns),
    FIGURE("read_bytes", "Read", PR_UNIT_BYTES, read_bytes),
    FIGURE("written_bytes", "Written", PR_UNIT_BYTES, written_bytes),
    FIGURE("received_bytes", "Received", PR_UNIT_BYTES, received_bytes),
    FIGURE("sent_bytes", "Sent", PR_UNIT_BYTES, sent_bytes),
#undef FIGURE
};
enum { FIGURES = sizeof figures / sizeof *figures };

static struct pr_maybe figure_of(const struct pr_phase *phase, const struct figure *figure)
{
    struct pr_maybe value;
    memcpy(&value, (const char *)phase + figure->offset, sizeof value);
    return value;
}

/* The run begins where its first phase does. */
static int64_t start_of(const struct pr_profile *profile)
{
    return pr_phase_at(profile, 0).from_ms;
}

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
    for (size_t i = 0; i < FIGURES; i++) {
        const struct pr_maybe value = figure_of(phase, &figures[i]);
        pr_json_put_key(json, figures[i].key);
        if (!value.known)
            pr_json_put_null(json);
        else if (figures[i].unit == PR_UNIT_NANOSECONDS)
            pr_json_put_fixed(json, value.value, NANO_PLACES);
        else
            pr_json_put_int(json, value.value);
    }
    pr_json_put_close(json, '}');
}

void pr_phases_json(struct pr_json_writer *json, const struct pr_profile *profile)
{
    const uint32_t count = pr_phase_count(profile);
    if (!count)
        return;
    const int64_t start_ms = start_of(profile);
    pr_json_put_key(json, "phases");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_phase phase = pr_phase_at(profile, i);
        write_phase(json, profile, &phase, start_ms);
    }
    pr_json_put_close(json, ']');
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
static void choose(const struct pr_report *report, const struct pr_profile *profile, bool shown[FIGURES])
{
    size_t room = report->term.columns > 2 + NAME_COLUMNS + 2 * FIGURE_COLUMNS
                      ? (report->term.columns - 2 - NAME_COLUMNS - 2 * FIGURE_COLUMNS) / FIGURE_COLUMNS
                      : 0;
    const uint32_t count = pr_phase_count(profile);
    for (size_t k = 0; k < FIGURES; k++) {
        bool is_known = false;
        for (uint32_t i = 0; i < count && !is_known; i++) {
            const struct pr_phase phase = pr_phase_at(profile, i);
            is_known = figure_of(&phase, &figures[k]).known;
        }
        shown[k] = is_known && room;
        room -= shown[k];
    }
}

static void report_phase(struct pr_report *report, const struct pr_profile *profile, const struct pr_phase *phase,
                         int64_t start_ms, const bool shown[FIGURES])
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS, length_ms = pr_subtract_saturated(phase->to_ms, phase->from_ms);
    const int64_t at_ms = pr_subtract_saturated(phase->from_ms, start_ms);
    struct pr_buf line = {0};
    pr_buf_text(&line, "  ");
    add_name(&line, phase->name ? pr_profile_text(profile, phase->name) : pr_text_of("(before the first)"));
    add_cell(&line, pr_units_duration((at_ms < most_ms ? at_ms : most_ms) * PR_NS_PER_MS).text);
    add_cell(&line, pr_units_duration((length_ms < most_ms ? length_ms : most_ms) * PR_NS_PER_MS).text);
    for (size_t i = 0; i < FIGURES; i++) {
        const struct pr_maybe value = figure_of(phase, &figures[i]);
        if (shown[i])
            add_cell(&line, value.known ? pr_units_value(figures[i].unit, value.value).text : "-");
    }
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_phases_report(struct pr_report *report, const struct pr_profile *profile)
{
    const uint32_t count = pr_phase_count(profile);
    bool shown[FIGURES];
    struct pr_buf line = {0};
    if (!count)
        return;
    choose(report, profile, shown);
    pr_report_heading(report, "Phases");
    pr_buf_text(&line, "  ");
    add_name(&line, pr_text_of("Name"));
    add_cell(&line, "From");
    add_cell(&line, "Time");
    for (size_t i = 0; i < FIGURES; i++)
        if (shown[i])
            add_cell(&line, figures[i].title);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_phase phase = pr_phase_at(profile, i);
        report_phase(report, profile, &phase, start_of(profile), shown);
    }
}
