/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/phases_report.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"
#include "render/words/phase_figures.h"

#include <string.h>

enum { NAME_COLUMNS = 20, FIGURE_COLUMNS = 11, SECONDS_PLACES = 3, NANO_PLACES = 9, CODE_COLUMNS = 80 };

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void write_figure(struct pr_json_writer *json, size_t number, struct pr_maybe value)
{
    pr_json_put_key(json, pr_phase_figures[number].key);
    if (!value.known)
        pr_json_put_null(json);
    else if (pr_phase_figures[number].unit == PR_UNIT_NANOSECONDS)
        pr_json_put_fixed(json, value.value, NANO_PLACES);
    else
        pr_json_put_int(json, value.value);
}

static void write_name(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_phase *phase)
{
    pr_json_put_key(json, "name");
    if (phase->name)
        pr_document_string(json, profile, phase->name);
    else
        pr_json_put_null(json);
}

/* The members of a phase but its name. */
static void write_figures(struct pr_json_writer *json, const struct pr_phase *phase, int64_t start_ms)
{
    pr_json_put_key(json, "from_seconds");
    pr_json_put_fixed(json, pr_subtract_saturated(phase->from_ms, start_ms), SECONDS_PLACES);
    pr_json_put_key(json, "to_seconds");
    pr_json_put_fixed(json, pr_subtract_saturated(phase->to_ms, start_ms), SECONDS_PLACES);
    for (size_t i = 0; i < PR_PHASE_FIGURES; i++)
        write_figure(json, i, pr_phase_figure_of(phase, i));
}

static void write_phase(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_phase *phase,
                        int64_t start_ms)
{
    pr_json_put_open(json, '{');
    write_name(json, profile, phase);
    write_figures(json, phase, start_ms);
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

/* ---- of two runs ------------------------------------------------------------------------------------------------ */

/* The most telling first: a line has room for few of both runs. TIME is no figure of the table. */
enum { TIME = PR_PHASE_FIGURES, COLUMNS = PR_PHASE_FIGURES + 1 };

static const size_t by_telling[COLUMNS] = {
    TIME,            PR_PHASE_HEAP, PR_PHASE_RETAINED, PR_PHASE_CPU,      PR_PHASE_RSS,
    PR_PHASE_GROWTH, PR_PHASE_READ, PR_PHASE_WRITTEN,  PR_PHASE_RECEIVED, PR_PHASE_SENT};

static struct pr_maybe value_of(const struct pr_phase *phase, size_t column)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS;
    if (!phase)
        return (struct pr_maybe){.known = false};
    if (column != TIME)
        return pr_phase_figure_of(phase, column);
    const int64_t ms = pr_subtract_saturated(phase->to_ms, phase->from_ms);
    return (struct pr_maybe){true, (ms < most_ms ? ms : most_ms) * PR_NS_PER_MS};
}

static struct pr_metric metric_of(size_t column)
{
    return (struct pr_metric){.title = column == TIME ? "Time" : pr_phase_figures[column].title,
                              .unit = column == TIME ? PR_UNIT_NANOSECONDS : pr_phase_figures[column].unit};
}

/* The change of a figure, which both have to have. */
static struct pr_maybe change_of(const struct pr_diff_phase *phase, size_t column)
{
    const struct pr_maybe before = value_of(phase->before, column), after = value_of(phase->after, column);
    return (struct pr_maybe){before.known && after.known, pr_subtract_saturated(after.value, before.value)};
}

static bool says_something(const struct pr_diff_phases *phases, size_t column)
{
    for (size_t i = 0; i < phases->count; i++) {
        const struct pr_maybe before = value_of(phases->at[i].before, column);
        const struct pr_maybe after = value_of(phases->at[i].after, column);
        if ((before.known && before.value) || (after.known && after.value))
            return true;
    }
    return false;
}

static struct pr_text name_of(const struct pr_diff *diff, const struct pr_diff_phase *phase)
{
    const struct pr_phase *any = phase->after ? phase->after : phase->before;
    return any->name ? pr_profile_text(diff->profile, any->name) : pr_text_of("(before the first)");
}

/* "+2.00 MiB"; "new" and "gone" once, with the time. */
static struct pr_figure change_text(const struct pr_diff_phase *phase, size_t column)
{
    const struct pr_metric metric = metric_of(column);
    const struct pr_maybe change = change_of(phase, column);
    if (change.known)
        return pr_units_metric_change(&metric, false, change.value);
    if (column != TIME)
        return (struct pr_figure){"-"};
    return phase->after ? (struct pr_figure){"new"} : (struct pr_figure){"gone"};
}

static struct pr_figure after_text(const struct pr_diff_phase *phase, size_t column)
{
    const struct pr_maybe value = value_of(phase->after, column);
    return value.known ? pr_units_value(metric_of(column).unit, value.value) : (struct pr_figure){"-"};
}

static bool make_phases(const struct pr_diff *diff, struct pr_diff_phases *phases)
{
    return pr_diff_phases(&diff->runs[diff->count - 1], &diff->runs[0], phases, NULL) != PR_FAILED && phases->count;
}

static void write_side(struct pr_json_writer *json, const char *key, const struct pr_phase *phase,
                       const struct pr_diff_run *run)
{
    pr_json_put_key(json, key);
    if (!phase) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    write_figures(json, phase, run->phases.at[0].from_ms);
    pr_json_put_close(json, '}');
}

void pr_diff_phases_json(struct pr_json_writer *json, const struct pr_diff *diff)
{
    struct pr_diff_phases phases;
    const bool any = make_phases(diff, &phases);
    if (any) {
        pr_json_put_key(json, "phases");
        pr_json_put_lines(json, '[');
    }
    for (size_t i = 0; i < phases.count; i++) {
        const struct pr_diff_phase *phase = &phases.at[i];
        pr_json_put_open(json, '{');
        write_name(json, diff->profile, phase->after ? phase->after : phase->before);
        write_side(json, "before", phase->before, &diff->runs[diff->count - 1]);
        write_side(json, "after", phase->after, &diff->runs[0]);
        pr_json_put_key(json, "change");
        pr_json_put_open(json, '{');
        for (size_t k = 0; k < PR_PHASE_FIGURES; k++)
            write_figure(json, k, change_of(phase, k));
        pr_json_put_close(json, '}');
        pr_json_put_close(json, '}');
    }
    if (any)
        pr_json_put_close(json, ']');
    pr_diff_phases_clear(&phases);
}

/* The first columns that say something, as many as there is room for; returns how many. */
static size_t choose_columns(const struct pr_diff_phases *phases, size_t most, size_t columns[COLUMNS])
{
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS && count < most; i++)
        if (says_something(phases, by_telling[i]))
            columns[count++] = by_telling[i];
    return count;
}

static void report_sides(struct pr_report *report, const struct pr_diff *diff, const struct pr_diff_phases *phases)
{
    const size_t taken = 2 + NAME_COLUMNS, room = report->term.columns > taken ? report->term.columns - taken : 0;
    size_t columns[COLUMNS];
    const size_t count = choose_columns(phases, room / (2 * FIGURE_COLUMNS) + !(room / (2 * FIGURE_COLUMNS)), columns);
    struct pr_buf line = {0};
    pr_report_heading(report, "Phases");
    pr_buf_text(&line, "  ");
    add_name(&line, pr_text_of("Name"));
    for (size_t i = 0; i < count; i++) {
        add_cell(&line, metric_of(columns[i]).title);
        add_cell(&line, "Change");
    }
    for (size_t i = 0; i < phases->count; i++) {
        pr_buf_text(&line, "\n  ");
        add_name(&line, name_of(diff, &phases->at[i]));
        for (size_t k = 0; k < count; k++) {
            add_cell(&line, after_text(&phases->at[i], columns[k]).text);
            add_cell(&line, change_text(&phases->at[i], columns[k]).text);
        }
    }
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_diff_phases_report(struct pr_report *report, const struct pr_diff *diff)
{
    struct pr_diff_phases phases;
    if (make_phases(diff, &phases))
        report_sides(report, diff, &phases);
    pr_diff_phases_clear(&phases);
}

static void add_markdown_phases(struct pr_buf *line, const struct pr_diff *diff, const struct pr_diff_phases *phases)
{
    size_t columns[COLUMNS];
    const size_t count = choose_columns(phases, COLUMNS, columns);
    pr_buf_text(line, "\n**Phases**\n\n| phase |");
    for (size_t i = 0; i < count; i++)
        pr_buf_printf(line, " %s | change |", metric_of(columns[i]).title);
    pr_buf_text(line, "\n| --- |");
    for (size_t i = 0; i < count; i++)
        pr_buf_text(line, " ---: | ---: |");
    for (size_t i = 0; i < phases->count; i++) {
        pr_buf_text(line, "\n| ");
        pr_markdown_code(line, name_of(diff, &phases->at[i]), CODE_COLUMNS);
        for (size_t k = 0; k < count; k++)
            pr_buf_printf(line, " | %s | %s", after_text(&phases->at[i], columns[k]).text,
                          change_text(&phases->at[i], columns[k]).text);
        pr_buf_text(line, " |");
    }
    pr_buf_byte(line, '\n');
}

void pr_diff_phases_markdown(struct pr_output *out, const struct pr_diff *diff)
{
    struct pr_diff_phases phases;
    struct pr_buf line = {0};
    if (make_phases(diff, &phases))
        add_markdown_phases(&line, diff, &phases);
    pr_diff_phases_clear(&phases);
    pr_output_buf(out, &line);
}
