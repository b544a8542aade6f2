/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender info`: what a file is, what it says about the run, what it contains. */
#include "capture/base/text.h"
#include "capture/redact/redact.h"
#include "cli/reports/document_parts.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/reports/phases_report.h"
#include "cli/reports/report.h"
#include "cli/args/redact_option.h"
#include "cli/args/report_options.h"
#include "cli/reports/run_document.h"
#include "cli/reports/series_document.h"
#include "cli/reports/threads_report.h"
#include "cli/io/terminal_names.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TEXT, FORMAT_JSON };
static const char *const formats[] = {"text", "json", NULL};

enum { SOME_SAMPLES, ALL_SAMPLES };
static const char *const sample_words[] = {"some", "all", NULL};

struct settings {
    struct pr_common common;
    int format, samples;
};

static const struct pr_option options[] = {
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, format), .argument = "FORMAT",
     .choices = formats, .help = "text (default) or json"},
    PR_OPTION_JSON(offsetof(struct settings, format), FORMAT_JSON),
    {.name = "samples", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, samples), .argument = "HOW",
     .choices = sample_words, .help = "memory samples (json): some (default; 10,000 at most)\n"
             "or all"},
    PR_OPTION_RAW_NAMES,
    {.name = NULL}};

/* [ms, rss, heap] for each sample; heap is null where the format has none. */
static void write_samples(struct pr_json_writer *json, const struct pr_profile *profile, bool all)
{
    int rss = pr_profile_series(profile, "rss_captured"), heap = pr_profile_series(profile, "heap");
    rss = rss < 0 ? pr_profile_series(profile, "rss") : rss; /* a run has both, but only one next to the heap */
    pr_json_put_key(json, "memory_samples");
    pr_json_put_lines(json, '[');
    const struct pr_series *series = rss >= 0 ? &profile->series[rss] : NULL;
    size_t count = series ? series->count : 0, stride = all ? 1 : pr_document_stride(count);
    for (size_t i = 0; i < count; i += stride) {
        pr_json_put_open(json, '[');
        pr_json_put_int(json, series->at_ms[i]);
        pr_json_put_int(json, series->value[i]);
        if (heap >= 0 && i < profile->series[heap].count)
            pr_json_put_int(json, profile->series[heap].value[i]);
        else
            pr_json_put_null(json);
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}

static void write_records(struct pr_json_writer *json, const struct pr_records_read *records)
{
    pr_json_put_key(json, "records");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "allocations");
    pr_json_put_uint(json, records->allocations);
    pr_json_put_key(json, "frees");
    pr_json_put_uint(json, records->frees);
    pr_json_put_key(json, "frames");
    pr_json_put_uint(json, records->frames);
    pr_json_put_key(json, "objects");
    pr_json_put_uint(json, records->objects);
    pr_json_put_close(json, '}');
}

/* What a digest is, and what it answers for; for other inputs, nothing. */
static void write_digest(struct pr_json_writer *json, const struct pr_origin *origin)
{
    char version[24];
    if (!origin->digest_major)
        return;
    snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32, origin->digest_major, origin->digest_minor);
    pr_json_put_key(json, "digest");
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "version");
    pr_json_put_text(json, version);
    pr_json_put_key(json, "size_bytes");
    pr_json_put_uint(json, origin->digest_bytes);
    pr_json_put_key(json, "temporary_threshold");
    pr_json_put_uint(json, origin->temporary_threshold);
    pr_json_put_key(json, "max_bins");
    if (origin->max_bins == PR_BINS_AUTO)
        pr_json_put_null(json);
    else
        pr_json_put_uint(json, origin->max_bins);
    pr_json_put_key(json, "runs");
    pr_json_put_uint(json, origin->runs);
    pr_json_put_key(json, "incomplete_runs");
    pr_json_put_uint(json, origin->incomplete_runs);
    pr_json_put_key(json, "failed_runs");
    pr_json_put_uint(json, origin->failed_runs);
    pr_json_put_key(json, "highest_peak");
    pr_json_put_int(json, origin->highest_peak_bytes);
    pr_json_put_close(json, '}');
}

/* Whether it has more series than the memory samples of a capture, which have their own place. */
static bool is_of_run(const struct pr_profile *profile)
{
    return pr_run_is_known(&profile->run) || (!pr_profile_has_allocations(profile) && profile->series_count);
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/info/1");
    pr_json_put_key(&json, "format");
    pr_json_put_text(&json, profile->meta.format);
    pr_json_put_key(&json, "format_version");
    if (profile->meta.format_version)
        pr_json_put_int(&json, profile->meta.format_version);
    else
        pr_json_put_null(&json);
    pr_json_put_key(&json, "compression");
    pr_json_put_text(&json, profile->meta.compression);
    pr_json_put_key(&json, "size_bytes");
    pr_json_put_uint(&json, profile->meta.size_bytes);
    pr_document_state(&json, profile);
    pr_json_put_key(&json, "metadata");
    pr_document_metadata(&json, profile, false);
    pr_threads_json(&json, profile);
    write_samples(&json, profile, settings->samples == ALL_SAMPLES);
    write_records(&json, &profile->records);
    pr_document_metrics(&json, profile);
    pr_json_put_key(&json, "tree_estimated");
    pr_json_put_bool(&json, profile->tree_estimated);
    pr_document_notes(&json, profile);
    write_digest(&json, &profile->origin);
    if (is_of_run(profile))
        pr_series_list(&json, profile);
    pr_phases_json(&json, profile);
    pr_run_json(&json, profile);
    pr_json_put_close(&json, '}');
}

/* The capture that a digest was made from is shown above. */
static void report_digest(struct pr_report *report, const struct pr_origin *origin)
{
    char text[80];
    if (origin->digest_major) {
        snprintf(text, sizeof text, "version %" PRIu32 ".%" PRIu32, origin->digest_major, origin->digest_minor);
        pr_report_field(report, "Digest", text, pr_units_bytes((int64_t)origin->digest_bytes).text);
    }
    if (origin->runs > 1) {
        snprintf(text, sizeof text, "the highest peak is %s", pr_units_bytes(origin->highest_peak_bytes).text);
        pr_report_field(report, "Sum of runs", pr_units_count((int64_t)origin->runs).text, text);
        if (origin->failed_runs)
            pr_report_field(report, "Failed runs", pr_units_count((int64_t)origin->failed_runs).text, NULL);
    }
}

static void report_file(struct pr_report *report, const struct settings *settings, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    char text[120], room[PR_REDACTED_INPUT];
    pr_report_heading(report, "File");
    pr_report_name(report, "Name",
                   pr_text_of(pr_redact_input(&settings->common, pr_input_name(&settings->common), room)));
    snprintf(text, sizeof text, meta->format_version ? "%s, version %d" : "%s", meta->format_title,
             meta->format_version);
    pr_report_field(report, "Format", text, meta->compression);
    pr_report_field(report, "Size", pr_units_bytes((int64_t)meta->size_bytes).text,
                    pr_units_exact(PR_UNIT_BYTES, (int64_t)meta->size_bytes).text);
    report_digest(report, &profile->origin);
    pr_report_field(report, "Complete", profile->complete ? "yes" : "no",
                    profile->complete ? NULL : profile->problem.text);
    if (pr_profile_has_allocations(profile))
        pr_report_field(report, "History", profile->origin.runs > 1 ? "no: a sum of runs"
                        : meta->aggregated ? "no: totals by stack" : "yes: every allocation", NULL);
    if (profile->tree_estimated)
        pr_report_field(report, "Stacks", "estimated", "calls were recorded, not stacks; tables are exact");
}

static void report_run(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    struct pr_buf command = {0};
    pr_redact(&command, pr_profile_text(profile, meta->command_line));
    if (command.length || pr_profile_has_allocations(profile))
        pr_report_heading(report, "Run");
    if (command.length)
        pr_report_command(report, "Command", (struct pr_text){command.bytes, (uint32_t)command.length});
    pr_output_needs(report->out, &command);
    pr_buf_clear(&command);
    if (!pr_profile_has_allocations(profile))
        return;
    if (!strcmp(meta->format, "memray"))
        pr_report_field(report, "Python allocator", meta->python_allocator[0] ? meta->python_allocator : "unknown",
                        meta->trace_python_allocators ? "every object is traced" : "arenas, not objects");
    pr_report_field(report, "Native stacks", meta->has_native_traces ? "recorded" : "not recorded", NULL);
    const int64_t peak_bytes = pr_document_peak(profile);
    pr_report_field(report, "Peak", pr_units_bytes(peak_bytes).text, pr_units_exact(PR_UNIT_BYTES, peak_bytes).text);
}

static void report_count(struct pr_report *report, const char *label, uint64_t count)
{
    char text[48];
    snprintf(text, sizeof text, "%14s", pr_units_count((int64_t)count).text);
    pr_report_field(report, label, text, NULL);
}

static void report_records(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_records_read *records = &profile->records;
    if (!pr_profile_has_allocations(profile))
        return;
    pr_report_heading(report, "Records");
    report_count(report, profile->meta.aggregated ? "Totals" : "Allocations", records->allocations);
    if (!profile->meta.aggregated)
        report_count(report, "Frees", records->frees);
    report_count(report, "Code objects", records->frames);
    report_count(report, "Memory samples", records->samples);
    if (profile->meta.track_object_lifetimes)
        report_count(report, profile->meta.aggregated ? "Objects alive" : "Objects made or gone",
                     records->objects);
    report_count(report, "Stacks", profile->tree.count - 1);
}

static void report_damage(struct pr_report *report, const struct pr_damage *damage)
{
    char text[160];
    if (!pr_damage_any(damage))
        return;
    pr_report_heading(report, "Damage");
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++) {
        if (!damage->kind[kind].count)
            continue;
        pr_damage_words((enum pr_damage_kind)kind, damage->kind[kind].count, text, sizeof text);
        pr_output_printf(report->out, "  %s", text);
        if (damage->kind[kind].offset != PR_NO_OFFSET)
            pr_output_printf(report->out, ", the first at byte %s",
                             pr_units_count(pr_units_signed(damage->kind[kind].offset)).text);
        pr_output_printf(report->out, ".\n");
    }
}

static void report_notes(struct pr_report *report, const struct pr_profile *profile)
{
    if (profile->note_count)
        pr_report_heading(report, "Notes");
    for (uint32_t i = 0; i < profile->note_count; i++) {
        struct pr_buf line = {0};
        pr_buf_text(&line, "  ");
        pr_text_add(&line, pr_text_of(profile->notes[i]));
        pr_buf_text(&line, ".\n");
        pr_report_flush(report, &line);
    }
}

static void report_info(struct pr_report *report, const struct settings *settings, const struct pr_profile *profile)
{
    pr_report_title(report, profile);
    report_file(report, settings, profile);
    report_run(report, profile);
    pr_run_report(report, profile);
    report_records(report, profile);
    if (!pr_profile_has_allocations(profile) && profile->metric_count) {
        pr_report_heading(report, "Measured");
        pr_report_metrics(report, profile);
    }
    if (is_of_run(profile))
        pr_series_report(report, profile);
    pr_phases_report(report, profile);
    pr_threads_report(report, profile);
    report_damage(report, &profile->damage);
    report_notes(report, profile);
}

static int write_info(const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_output out;
    int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    if (settings->format == FORMAT_JSON) {
        write_json(&out, settings, profile);
    } else {
        struct pr_report report = pr_report_start(&out, &settings->common);
        report_info(&report, settings, profile);
    }
    return pr_output_finish(&out);
}

/* The document for an input that cannot be read but is known for something else. */
static int write_foreign(const struct settings *settings, const struct pr_error *err)
{
    struct pr_output out;
    const int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    struct pr_json_writer json = pr_json_writer_start(&out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/info/1");
    pr_json_put_key(&json, "format");
    pr_json_put_null(&json);
    pr_json_put_key(&json, "looks_like");
    pr_json_put_text(&json, err->looks_like);
    pr_json_put_key(&json, "remedy");
    pr_json_put_text(&json, err->remedy);
    pr_json_put_close(&json, '}');
    return pr_output_finish(&out) == PR_EXIT_DONE ? PR_EXIT_INPUT : PR_EXIT_OUTPUT;
}

static int load(const struct settings *settings, struct pr_profile **profile)
{
    const struct pr_common *common = &settings->common;
    struct pr_error err = {0};
    if (common->input_count > 1)
        return pr_input_load(common, NULL, profile);
    const int status = pr_input_load_why(common, common->input, NULL, profile, &err);
    return status != PR_EXIT_DONE && err.looks_like && settings->format == FORMAT_JSON ? write_foreign(settings, &err)
                                                                                       : status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.format = FORMAT_TEXT};
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    status = pr_output_check(settings.common.output, settings.common.input);
    if (status == PR_EXIT_DONE)
        status = load(&settings, &profile);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile, write_info(&settings, profile));
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_info = {
    .name = "info",
    .arguments = "INPUT",
    .summary = "what a file is, and what it contains about the run",
    .about = "Shows what a file is: its format, whether it is complete, and what it contains\n"
             "about the run.\n",
    .details = "`--json` has every n-th memory sample, at most 10,000 of them, unless `--samples all`\n"
               "asks for all. For a file that is known but not read, such as a Go trace, there is a document with\n"
               "`looks_like` and `remedy`: what the file is, and what converts it.\n",
    .examples = "  profrender info capture.bin\n"
                "  profrender info capture.bin --json | jq .metadata.peak_memory\n"
                "  profrender info - --strict <capture.bin >/dev/null && echo complete\n",
    .options = options,
    .run = run,
};
