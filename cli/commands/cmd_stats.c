/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender stats`: the figures of a whole run, with the field names of `memray stats --json`. */
#include "capture/model/owner_settle.h"
#include "capture/model/nameless.h"
#include "capture/base/time.h"
#include "capture/model/run_times.h"
#include "cli/reports/document_parts.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/reports/objects_report.h"
#include "cli/reports/report.h"
#include "cli/args/report_options.h"
#include "cli/reports/run_document.h"
#include "cli/reports/series_document.h"
#include "cli/reports/table_view.h"
#include "cli/io/terminal_names.h"
#include "render/words/ending.h"
#include "render/words/allocators.h"
#include "render/words/program_name.h"
#include "render/words/units.h"

#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown", NULL};

struct settings {
    struct pr_common common;
    int format;
};

static const struct pr_option options[] = {
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, format), .argument = "FORMAT",
     .choices = formats, .help = "text (default), markdown or json"},
    PR_OPTION_JSON(offsetof(struct settings, format), FORMAT_JSON),
    PR_OPTION_RAW_NAMES,
    PR_OPTION_JOBS,
    {.name = NULL}};

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void write_histogram(struct pr_json_writer *json, const struct pr_alloc_stats *stats)
{
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < stats->histogram_count; i++) {
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "min_bytes");
        pr_json_put_uint(json, stats->histogram[i].min_bytes);
        pr_json_put_key(json, "max_bytes");
        pr_json_put_uint(json, stats->histogram[i].max_bytes);
        pr_json_put_key(json, "count");
        pr_json_put_uint(json, stats->histogram[i].count);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void write_allocators(struct pr_json_writer *json, const struct pr_alloc_stats *stats)
{
    pr_json_put_open(json, '{');
    for (unsigned i = PR_ALLOC_NONE + 1; i < PR_ALLOC_COUNT; i++) {
        if (stats->count_by_allocator[i]) {
            pr_json_put_key(json, pr_allocator_name(i));
            pr_json_put_uint(json, stats->count_by_allocator[i]);
        }
    }
    pr_json_put_close(json, '}');
}

/* A list of places or modules; COUNT_KEY or BYTES_KEY may be NULL for what is left out. */
static void write_tops(struct pr_json_writer *json, const struct pr_profile *profile, const struct pr_top *tops,
                       uint32_t count, const char *name_key, const char *count_key, const char *bytes_key)
{
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        pr_json_put_open(json, '{');
        pr_json_put_key(json, name_key);
        pr_document_string(json, profile, tops[i].name);
        if (count_key) {
            pr_json_put_key(json, count_key);
            pr_json_put_uint(json, tops[i].count);
        }
        if (bytes_key) {
            pr_json_put_key(json, bytes_key);
            pr_json_put_uint(json, tops[i].bytes);
        }
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void write_known(struct pr_json_writer *json, const struct pr_profile *profile)
{
    const struct pr_alloc_stats *stats = &profile->stats;
    pr_json_put_key(json, "total_num_allocations");
    pr_json_put_uint(json, stats->allocation_count);
    pr_json_put_key(json, "total_bytes_allocated");
    pr_json_put_uint(json, stats->allocated_bytes);
    pr_json_put_key(json, "allocation_size_histogram");
    write_histogram(json, stats);
    pr_json_put_key(json, "allocator_type_distribution");
    write_allocators(json, stats);
    pr_json_put_key(json, "top_allocations_by_size");
    write_tops(json, profile, stats->by_size, stats->by_size_count, "location", NULL, "size");
    pr_json_put_key(json, "top_allocations_by_count");
    write_tops(json, profile, stats->by_count, stats->by_count_count, "location", "count", NULL);
    pr_json_put_key(json, "top_modules_by_allocation_size");
    write_tops(json, profile, stats->modules_by_size, stats->modules_by_size_count, "module", "num_allocations",
               "total_bytes");
    pr_json_put_key(json, "top_modules_by_allocation_count");
    write_tops(json, profile, stats->modules_by_count, stats->modules_by_count_count, "module", "num_allocations",
               "total_bytes");
}

static void write_unknown(struct pr_json_writer *json)
{
    static const char *const keys[] = {"total_num_allocations", "total_bytes_allocated", "allocation_size_histogram",
                                       "allocator_type_distribution", "top_allocations_by_size",
                                       "top_allocations_by_count", "top_modules_by_allocation_size",
                                       "top_modules_by_allocation_count"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        pr_json_put_key(json, keys[i]);
        pr_json_put_null(json);
    }
}

/* Bytes and allocations of a metric, or null where the capture cannot have it. */
static void write_metric(struct pr_json_writer *json, const struct pr_profile *profile, const char *name)
{
    int metric = pr_profile_has_allocations(profile) ? pr_profile_metric(profile, name) : -1;
    pr_json_put_key(json, name);
    if (metric < 0) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "bytes");
    pr_json_put_int(json, profile->metrics[metric].total_value);
    pr_document_count(json, &profile->metrics[metric], "allocations", profile->metrics[metric].total_count);
    pr_json_put_close(json, '}');
}

static void write_ours(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "profrender");
    pr_json_put_lines(json, '{');
    pr_json_put_key(json, "schema");
    pr_json_put_text(json, "profrender/stats/1");
    pr_document_state(json, profile);
    pr_json_put_key(json, "duration_ms");
    const struct pr_maybe took = pr_times_duration_ns(profile);
    if (took.known)
        pr_json_put_int(json, took.value / PR_NS_PER_MS);
    else
        pr_json_put_null(json);
    write_metric(json, profile, "peak");
    write_metric(json, profile, "leaked");
    write_metric(json, profile, "temporary");
    pr_objects_json(json, profile);
    pr_document_metrics(json, profile);
    pr_document_notes(json, profile);
    pr_json_put_close(json, '}');
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    if (profile->stats.known)
        write_known(&json, profile);
    else
        write_unknown(&json);
    pr_json_put_key(&json, "metadata");
    pr_document_metadata(&json, profile, true);
    write_ours(&json, profile);
    pr_json_put_close(&json, '}');
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void report_metric(struct pr_report *report, const struct pr_profile *profile, const char *name,
                          const char *label)
{
    int metric = pr_profile_metric(profile, name);
    char note[80] = "";
    if (metric < 0) {
        pr_report_field(report, label, "not recorded", NULL);
        return;
    }
    const struct pr_metric *found = &profile->metrics[metric];
    if (found->count)
        snprintf(note, sizeof note, "in %s", pr_units_counted(found->total_count, "allocations").text);
    if (pr_ending_is_in_use(profile, found))
        label = "Still in use"; /* as the card's tab */
    pr_report_field(report, label, pr_units_bytes(found->total_value).text, found->count ? note : NULL);
}

static void report_totals(struct pr_report *report, const struct pr_profile *profile)
{
    report_metric(report, profile, "peak", "Peak");
    report_metric(report, profile, "leaked", "Not freed at the end");
    report_metric(report, profile, "temporary", "Temporary");
    report_metric(report, profile, "allocated", "Allocated in total");
}

static void report_histogram(struct pr_report *report, const struct pr_alloc_stats *stats)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < stats->histogram_count; i++)
        most = stats->histogram[i].count > most ? stats->histogram[i].count : most;
    pr_report_heading(report, "Sizes of allocations");
    size_t bar = report->term.columns > 80 ? 40 : report->term.columns > 50 ? report->term.columns - 40 : 10;
    for (uint32_t i = 0; i < stats->histogram_count; i++) {
        const struct pr_histogram_bin *bin = &stats->histogram[i];
        struct pr_buf line = {0};
        pr_buf_printf(&line, "  %sto%s %9s  %14s", report->style.dim, report->style.off,
                      pr_units_bytes((int64_t)bin->max_bytes).text, pr_units_count((int64_t)bin->count).text);
        pr_buf_printf(&line, "%s%s", bin->count ? "  " : "", report->style.dim);
        pr_report_bar(&line, (int64_t)bin->count, (int64_t)most, bar);
        pr_buf_printf(&line, "%s\n", report->style.off);
        pr_report_flush(report, &line);
    }
}

static void report_allocators(struct pr_report *report, const struct pr_alloc_stats *stats)
{
    unsigned order[PR_ALLOC_COUNT];
    const unsigned count = pr_allocators_order(stats, order);
    if (count)
        pr_report_heading(report, "Allocators");
    for (unsigned i = 0; i < count; i++)
        pr_output_printf(report->out, "  %12s  %s\n", pr_units_count((int64_t)stats->count_by_allocator[order[i]]).text,
                         pr_allocator_name(order[i]));
}

static void report_tops(struct pr_report *report, const struct pr_profile *profile, const char *heading,
                        const struct pr_top *tops, uint32_t count, bool by_size)
{
    enum { FIGURES = 26 };
    size_t room = report->term.columns > FIGURES + 12 ? report->term.columns - FIGURES - 4 : 12;
    const char *size_style = by_size ? "" : report->style.dim, *count_style = by_size ? report->style.dim : "";
    pr_report_heading(report, heading);
    for (uint32_t i = 0; i < count; i++) {
        struct pr_buf line = {0};
        pr_buf_printf(&line, "  %s%10s%s  %s%12s%s  ", size_style, pr_units_bytes((int64_t)tops[i].bytes).text,
                      report->style.off, count_style, pr_units_count((int64_t)tops[i].count).text, report->style.off);
        pr_text_cut_path(&line, pr_profile_text(profile, tops[i].name), room);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
    }
}

/* The functions with the most of a metric. What has no function is not among them. */
static void report_functions(struct pr_report *report, const struct pr_profile *profile, unsigned index)
{
    enum { MOST = 10, FIGURES = 26 };
    const struct pr_metric *metric = &profile->metrics[index];
    const struct pr_table_question question = {.metric = metric->name, .group = PR_BY_FUNCTION, .sort = PR_SORT_SELF,
                                               .only_code = true};
    struct pr_table_view view;
    char heading[96];
    size_t shown = 0;
    snprintf(heading, sizeof heading,
             pr_metric_is_of_objects(metric) ? "%s, by class" : "%s by function, callees left out",
             metric->title);
    pr_report_heading(report, heading);
    if (pr_table_view_make(profile, &question, &view, NULL) == PR_FAILED)
        pr_output_text(report->out, "  (no memory for this list)\n");
    for (size_t i = 0; i < view.count && shown < MOST; i++) {
        const struct pr_row *row = view.row[i];
        size_t room = report->term.columns > FIGURES + 12 ? report->term.columns - FIGURES : 12;
        struct pr_buf line = {0};
        if (row->no_stack || !row->self)
            continue;
        const struct pr_figure self = pr_report_value(metric, row->self);
        pr_buf_printf(&line, "  %*s  %s%7s%s  ", pr_figure_width(&self, 10), self.text, report->style.dim,
                      pr_units_percent(row->self, metric->total_value).text, report->style.off);
        pr_text_cut_end(&line, pr_shown_function_of(profile, row->node, row->function), room);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
        shown++;
    }
    pr_table_view_clear(&view);
}

/* For profiles other than of allocations. */
static void report_others(struct pr_report *report, const struct pr_profile *profile)
{
    pr_report_metrics(report, profile);
    for (uint32_t i = 0; i < profile->metric_count; i++)
        report_functions(report, profile, i);
}

static void report_stats(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_alloc_stats *stats = &profile->stats;
    pr_report_title(report, profile);
    if (!profile->metric_count) {
        pr_run_report(report, profile);
        pr_series_report(report, profile);
        return;
    }
    pr_output_byte(report->out, '\n');
    if (!pr_profile_has_allocations(profile)) {
        report_others(report, profile);
        return;
    }
    report_totals(report, profile);
    if (!stats->known) {
        pr_output_printf(report->out, "\n  %s has totals by stack, but no individual allocations.\n",
                         profile->origin.runs > 1 ? "A sum of runs" : "An aggregated capture");
        return;
    }
    report_histogram(report, stats);
    report_allocators(report, stats);
    report_tops(report, profile, "Places that allocated most bytes", stats->by_size, stats->by_size_count, true);
    report_tops(report, profile, "Places that allocated most often", stats->by_count, stats->by_count_count, false);
    report_tops(report, profile, "Modules by bytes", stats->modules_by_size, stats->modules_by_size_count, true);
    report_tops(report, profile, "Modules by allocations", stats->modules_by_count, stats->modules_by_count_count,
                false);
    pr_objects_report(report, profile);
}

static int write_stats(const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_output out;
    int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    if (settings->format == FORMAT_JSON) {
        write_json(&out, settings, profile);
    } else {
        struct pr_report report = settings->format == FORMAT_MARKDOWN ? pr_report_start_markdown(&out, PR_MARKUP_PRE)
                                                                      : pr_report_start(&out, &settings->common);
        report_stats(&report, profile);
        pr_report_end(&report);
    }
    return pr_output_finish(&out);
}

/*
 * Of allocations, nothing but the name of the program may need to know whose code each frame is, and only where the
 * command line does not have that name. False: out of memory.
 */
static bool knows_program(struct pr_profile *profile, struct pr_error *err)
{
    return profile->code || pr_program_name(pr_profile_text(profile, profile->meta.command_line)).length ||
           pr_owner_settle(profile, err) == PR_OK;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.format = FORMAT_TEXT};
    struct pr_error err = {0};
    struct pr_load_options how = pr_load_options_default();
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    how.native = PR_NATIVE_OFF;
    how.unneeded = PR_UNNEEDED_MOMENTS | PR_UNNEEDED_CODE_OF_HEAP | PR_UNNEEDED_PEAKS;
    status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &how, &profile);
    if (status == PR_EXIT_DONE && !knows_program(profile, &err))
        status = pr_input_refuse(pr_input_name(&settings.common), &err);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile, write_stats(&settings, profile));
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_stats = {
    .name = "stats",
    .several = true,
    .arguments = "INPUT...",
    .summary = "figures of a whole run: sizes, allocators, top places and modules",
    .about = "Shows the figures of a whole run: totals, sizes of allocations, allocators, top\n"
             "places and modules, and Python objects where memray tracked them. The JSON form\n"
             "has the fields of `memray stats --json`, and more below \"profrender\".\n",
    .details = "Times are in ISO 8601 with their zone. Fields that an aggregated capture cannot know are null.\n",
    .examples = "  profrender stats capture.bin\n"
                "  profrender stats capture.bin --json | jq .total_bytes_allocated\n",
    .options = options,
    .run = run,
};
