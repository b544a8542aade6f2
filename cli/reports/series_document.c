/* SPDX-License-Identifier: Apache-2.0 */
/* Values are written in the unit named next to them: cores, not thousandths of a core. */
#include "cli/reports/series_document.h"

#include "capture/base/text.h"
#include "cli/io/csv_writer.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"
#include "render/words/units.h"

#include <stdio.h>

enum { THOUSANDTHS = 3, NANOSECONDS = 9 };

static const char *unit_of(const struct pr_series *series)
{
    switch (series->unit) {
    case PR_UNIT_PERCENT: return "percent";
    case PR_UNIT_CORES: return "cores";
    default: return pr_document_unit(&(struct pr_metric){.unit = series->unit});
    }
}

static unsigned places_of(const struct pr_series *series)
{
    switch (series->unit) {
    case PR_UNIT_PERCENT:
    case PR_UNIT_CORES: return THOUSANDTHS;
    case PR_UNIT_NANOSECONDS: return NANOSECONDS;
    default: return 0;
    }
}

static void write_points(struct pr_json_writer *json, const struct pr_series *series)
{
    pr_json_put_key(json, "points");
    pr_json_put_open(json, '[');
    for (size_t i = 0; i < series->count; i++) {
        pr_json_put_open(json, '[');
        pr_json_put_int(json, series->at_ms[i]);
        pr_json_put_fixed(json, series->value[i], places_of(series));
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}

void pr_series_json(struct pr_output *out, const struct pr_profile *profile)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/series/1");
    pr_json_put_key(&json, "source");
    pr_json_put_text(&json, profile->meta.format);
    pr_json_put_key(&json, "clock");
    pr_json_put_text(&json, profile->meta.no_date ? "start" : "epoch");
    pr_document_state(&json, profile);
    pr_json_put_key(&json, "series");
    pr_json_put_lines(&json, '[');
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        pr_json_put_open(&json, '{');
        pr_json_put_key(&json, "name");
        pr_json_put_text(&json, series->name);
        pr_json_put_key(&json, "title");
        pr_json_put_text(&json, series->title);
        pr_json_put_key(&json, "unit");
        pr_json_put_text(&json, unit_of(series));
        write_points(&json, series);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

void pr_series_csv(struct pr_output *out, const struct pr_profile *profile, bool raw)
{
    struct pr_csv csv = pr_csv_start(out, raw);
    static const char *const head[] = {"series", "unit", "ms", "value"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        pr_csv_text(&csv, head[i]);
    pr_csv_end_line(&csv);
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        for (size_t k = 0; k < series->count; k++) {
            char value[PR_FIXED_SIZE];
            pr_csv_name(&csv, pr_text_of(series->name));
            pr_csv_text(&csv, unit_of(series));
            pr_csv_int(&csv, series->at_ms[k]);
            pr_csv_text(&csv, pr_fixed_text(value, series->value[k], places_of(series)));
            pr_csv_end_line(&csv);
        }
    }
}

static void find_ends(const struct pr_series *series, int64_t *lowest, int64_t *highest)
{
    *lowest = *highest = series->count ? series->value[0] : 0;
    for (size_t i = 1; i < series->count; i++) {
        *lowest = series->value[i] < *lowest ? series->value[i] : *lowest;
        *highest = series->value[i] > *highest ? series->value[i] : *highest;
    }
}

void pr_series_list(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "series");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        int64_t lowest, highest;
        find_ends(series, &lowest, &highest);
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "name");
        pr_json_put_text(json, series->name);
        pr_json_put_key(json, "unit");
        pr_json_put_text(json, unit_of(series));
        pr_json_put_key(json, "points");
        pr_json_put_uint(json, series->count);
        pr_json_put_key(json, "min");
        pr_json_put_fixed(json, lowest, places_of(series));
        pr_json_put_key(json, "max");
        pr_json_put_fixed(json, highest, places_of(series));
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

void pr_series_report(struct pr_report *report, const struct pr_profile *profile)
{
    if (profile->series_count)
        pr_report_heading(report, "Series");
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        char note[80];
        int64_t lowest, highest;
        find_ends(series, &lowest, &highest);
        snprintf(note, sizeof note, "highest of %s", pr_units_counted((int64_t)series->count, "points").text);
        pr_report_field(report, series->title, pr_units_value(series->unit, highest).text, note);
    }
}
