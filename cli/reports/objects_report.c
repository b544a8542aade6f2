/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: one table from the library, as rows and as members. Lives that are not known are null, never 0. */
#include "cli/reports/objects_report.h"

#include "capture/base/text.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"
#include "profrender/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 10, LISTED = 100, COUNT_COLUMNS = 10, TIME_COLUMNS = 10, INDENT = 2, MIN_PLACE = 20 };

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void put_maybe(struct pr_json_writer *json, const char *key, struct pr_maybe value)
{
    pr_json_put_key(json, key);
    if (value.known)
        pr_json_put_int(json, value.value);
    else
        pr_json_put_null(json);
}

static void put_count(struct pr_json_writer *json, const char *key, bool known, uint64_t count)
{
    pr_json_put_key(json, key);
    if (known)
        pr_json_put_uint(json, count);
    else
        pr_json_put_null(json);
}

static void write_row(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_object_row *row)
{
    pr_json_put_open(json, '{');
    put_maybe(json, "created", (struct pr_maybe){true, row->created});
    put_count(json, "destroyed", profile->objects.known, row->destroyed);
    put_maybe(json, "alive", (struct pr_maybe){true, row->alive});
    put_maybe(json, "median_ms", row->median_ms);
    put_maybe(json, "longest_ms", row->longest_ms);
    pr_document_stack(json, profile, "stack", row->leaf == PR_ROOT ? PR_NO_NODE : row->leaf);
    pr_json_put_close(json, '}');
}

static int64_t total_of(const struct pr_profile *profile, const char *metric)
{
    return profile->metrics[pr_profile_metric(profile, metric)].total_value;
}

static void write_table(struct pr_json_writer *json, const struct pr_profile *profile,
                        const struct pr_object_table *table)
{
    const struct pr_objects *objects = &profile->objects;
    const size_t listed = table->count < LISTED ? table->count : LISTED;
    pr_json_put_open(json, '{');
    put_maybe(json, "created", (struct pr_maybe){true, total_of(profile, "objects")});
    put_count(json, "destroyed", objects->known, objects->destroyed);
    put_maybe(json, "alive", (struct pr_maybe){true, total_of(profile, "objects_alive")});
    put_count(json, "replaced", objects->known, objects->replaced);
    put_count(json, "older", objects->known, objects->older);
    put_count(json, "step_ms", objects->known, objects->step_ms);
    pr_json_put_key(json, "path_count");
    pr_json_put_uint(json, table->count);
    pr_json_put_key(json, "paths");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < listed; i++)
        write_row(json, profile, &table->row[i]);
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

void pr_objects_json(struct pr_json_writer *json, const struct pr_profile *profile)
{
    struct pr_object_table table;
    pr_json_put_key(json, "objects");
    if (!pr_profile_has_objects(profile) || pr_object_table_make(profile, &table, NULL) == PR_FAILED) {
        pr_json_put_null(json);
        return;
    }
    write_table(json, profile, &table);
    pr_object_table_clear(&table);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void add_cell(struct pr_buf *line, size_t width, const char *text)
{
    const size_t columns = pr_text_columns(text, strlen(text));
    pr_buf_printf(line, "%*s%s", columns < width ? (int)(width - columns) : 1, "", text);
}

static void add_life(struct pr_buf *line, const struct pr_objects *objects, struct pr_maybe ms)
{
    char text[48];
    if (!ms.known)
        add_cell(line, TIME_COLUMNS, "-");
    else if (ms.value >= (int64_t)objects->step_ms)
        add_cell(line, TIME_COLUMNS, pr_units_milliseconds(ms.value).text);
    else {
        snprintf(text, sizeof text, "< %" PRIu32 " ms", objects->step_ms);
        add_cell(line, TIME_COLUMNS, text);
    }
}

/* "keep (objects.py:31) < work < main": the place, and who called it. */
static void add_path(struct pr_buf *line, const struct pr_profile *profile, pr_node_id leaf, size_t room)
{
    struct pr_buf path = {0};
    if (leaf == PR_ROOT)
        pr_buf_text(&path, "(no Python stack)");
    for (pr_node_id node = leaf; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        const struct pr_text function = pr_profile_text(profile, frame->function);
        pr_buf_printf(&path, "%s%.*s", node == leaf ? "" : " < ", (int)function.length, function.bytes);
        if (node == leaf && frame->line)
            pr_buf_printf(&path, ":%" PRId32, frame->line);
    }
    pr_text_cut_end(line, (struct pr_text){path.bytes, (uint32_t)path.length}, room);
    line->failed |= path.failed;
    pr_buf_clear(&path);
}

static void report_row(struct pr_report *report, const struct pr_profile *profile, const struct pr_object_row *row)
{
    enum { FIGURES = INDENT + 2 * COUNT_COLUMNS + 2 * TIME_COLUMNS + 2 };
    const size_t columns = report->term.columns;
    struct pr_buf line = {0};
    pr_buf_printf(&line, "%*s", INDENT, "");
    add_cell(&line, COUNT_COLUMNS, pr_units_count(row->created).text);
    add_cell(&line, COUNT_COLUMNS, pr_units_count(row->alive).text);
    add_life(&line, &profile->objects, row->median_ms);
    add_life(&line, &profile->objects, row->longest_ms);
    pr_buf_text(&line, "  ");
    add_path(&line, profile, row->leaf, columns > FIGURES + MIN_PLACE ? columns - FIGURES : MIN_PLACE);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

static void report_titles(struct pr_report *report)
{
    struct pr_buf line = {0};
    pr_buf_printf(&line, "\n%*s%s", INDENT, "", report->style.dim);
    add_cell(&line, COUNT_COLUMNS, "Created");
    add_cell(&line, COUNT_COLUMNS, "Alive");
    add_cell(&line, TIME_COLUMNS, "Median");
    add_cell(&line, TIME_COLUMNS, "Longest");
    pr_buf_printf(&line, "  Created by%s\n", report->style.off);
    pr_report_flush(report, &line);
}

/* What the figures do not say. */
static void report_limits(struct pr_report *report, const struct pr_objects *objects)
{
    pr_output_text(report->out, "\n  Types and sizes are not recorded");
    if (objects->known && objects->step_ms)
        pr_output_printf(report->out, "; lifetimes are accurate to about %" PRIu32 " ms",
                         objects->step_ms);
    else
        pr_output_text(report->out, "; how long objects lived is not known here");
    pr_output_text(report->out, ".\n");
}

static void report_totals(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_objects *objects = &profile->objects;
    pr_report_field(report, "Created", pr_units_count(total_of(profile, "objects")).text, NULL);
    if (objects->known)
        pr_report_field(report, "Destroyed", pr_units_count(pr_units_signed(objects->destroyed)).text, NULL);
    pr_report_field(report, "Alive at the end", pr_units_count(total_of(profile, "objects_alive")).text, NULL);
    if (objects->replaced)
        pr_report_field(report, "End not recorded", pr_units_count(pr_units_signed(objects->replaced)).text,
                        "their addresses were reused");
    if (objects->older)
        pr_report_field(report, "Older", pr_units_count(pr_units_signed(objects->older)).text,
                        "created before the recording, destroyed during it");
}

void pr_objects_report(struct pr_report *report, const struct pr_profile *profile)
{
    struct pr_object_table table;
    if (!pr_profile_has_objects(profile))
        return;
    pr_report_heading(report, "Python objects");
    report_totals(report, profile);
    report_limits(report, &profile->objects);
    if (pr_object_table_make(profile, &table, NULL) == PR_FAILED)
        pr_output_text(report->out, "  (no memory for this list)\n");
    if (table.count)
        report_titles(report);
    for (size_t i = 0; i < table.count && i < SHOWN; i++)
        report_row(report, profile, &table.row[i]);
    pr_object_table_clear(&table);
}
