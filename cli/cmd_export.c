/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender export`: the allocations of a view, one record for each stack, for other programs. */
#include "capture/records.h"
#include "capture/temporal.h"
#include "cli/csv_out.h"
#include "cli/document.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/series_out.h"
#include "cli/window_option.h"
#include "cli/temporal_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum format { FORMAT_JSON, FORMAT_CSV };
static const char *const formats[] = {"json", "csv", NULL};

enum { MERGE_THREADS, SPLIT_THREADS };
static const char *const thread_words[] = {"merge", "split", NULL};

/* Views, and the metrics of the profile that they are; the temporal ones show the history of a metric. */
enum { VIEW_PEAK, VIEW_LEAKS, VIEW_TEMPORARY, VIEW_ALLOCATED, VIEW_TEMPORAL_PEAK, VIEW_TEMPORAL_LEAKS, VIEW_METRIC };
static const char *const views[] = {"peak", "leaks", "temporary", "allocated", "temporal-peak", "temporal-leaks", NULL};
static const char *const metric_of_view[] = {"peak", "leaked", "temporary", "allocated", "peak", "leaked"};

struct settings {
    struct pr_common common;
    const char *view_name; /* NULL: the main one */
    int view;              /* which of the views that is; VIEW_METRIC: none, but a metric of another profile */
    int format, threads, native;
    uint64_t temporary_threshold;
    const char *bins, *window; /* as they were written */
    struct pr_window_option span; /* the window */
};

static const struct pr_option options[] = {
    {.name = "view", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, view_name), .argument = "VIEW",
     .choices = views, .help = "peak, leaks, temporary, allocated, temporal-peak or\n"
             "temporal-leaks; of CPU and other profiles cpu, or the\n"
             "name of a metric; series: what was measured in time;\n"
             "default: the main one"},
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, format), .argument = "FORMAT",
     .choices = formats, .help = "json (default) or csv"},
    {.name = "threads", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, threads), .argument = "HOW",
     .choices = thread_words, .help = "merge (default), or split: a record for each thread"},
    {.name = "window", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, window), .argument = "FROM:TO",
     .help = "peak and leaks of a part of the run: seconds from its\n"
             "start, or bins as b3:b17"},
    {.name = "bins", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, bins), .argument = "N",
     .help = "time bins: at most N, as many as a card says, or\n"
             "`samples`: one for each memory sample; default: 512,\n"
             "fewer where they would take much memory"},
    {.name = "temporary-threshold", .kind = PR_OPTION_NUMBER, .argument = "N",
     .offset = offsetof(struct settings, temporary_threshold),
     .help = "temporary: freed after N more allocations at most;\n"
             "default: 1"},
    {.name = "native", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, native), .argument = "HOW",
     .choices = pr_native_words, .help = "native frames: auto (default; module+0xoffset where\n"
             "a library is missing here), off, or require: fail then"},
    {.name = "raw-names", .kind = PR_OPTION_FLAG, .offset = offsetof(struct pr_common, raw_names),
     .help = "keep bytes that are not UTF-8, as \\udcXX (json)"},
    {.name = NULL}};

/* The view that is no records: time series. */
#define SERIES "series"

static bool is_of_series(const struct settings *settings)
{
    return settings->view_name && strcmp(settings->view_name, SERIES) == 0;
}

struct export {
    const struct settings *settings;
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    const struct pr_window *window;     /* NULL: all of the run */
    const struct pr_records *records;   /* NULL: temporal */
    const struct pr_temporal *temporal; /* NULL: records */
    struct pr_output *out;
};

static const struct pr_thread *thread_of(const struct export *export, uint32_t thread)
{
    return thread == UINT32_MAX ? NULL : &export->profile->threads[thread];
}

static void write_stack(struct pr_json *json, const struct pr_profile *profile, const char *key, pr_node_id leaf)
{
    pr_write_key(json, key);
    pr_write_open(json, '[');
    for (pr_node_id node = leaf; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        pr_write_open(json, '[');
        pr_document_string(json, profile, frame->function);
        pr_document_string(json, profile, frame->file);
        pr_write_int(json, frame->line);
        pr_write_close(json, ']');
    }
    pr_write_close(json, ']');
}

static void write_thread(const struct export *export, struct pr_json *json, uint32_t index)
{
    const struct pr_thread *thread = thread_of(export, index);
    pr_write_key(json, "tid");
    pr_write_uint(json, thread ? thread->tid : 0);
    pr_write_key(json, "thread");
    if (thread)
        pr_document_string(json, export->profile, thread->name);
    else
        pr_write_text(json, "");
}

static void write_stacks(const struct export *export, struct pr_json *json, pr_node_id leaf, pr_node_id hybrid)
{
    write_stack(json, export->profile, "stack", leaf);
    if (hybrid != PR_NO_NODE)
        write_stack(json, export->profile, "hybrid_stack", hybrid);
}

/* What the count of a metric is called: files name it as they like, and names of fields must not be theirs. */
static const char *count_field(const struct pr_metric *metric)
{
    return strcmp(metric->count_name, "samples") == 0 ? "samples" : "count";
}

/* A record of samples, calls or another tool's totals. */
static void write_sample_record(const struct export *export, struct pr_json *json, const struct pr_record *record)
{
    pr_write_open(json, '{');
    pr_write_key(json, "self");
    pr_document_value(json, export->metric, record->value);
    if (export->metric->count) {
        pr_write_key(json, count_field(export->metric));
        pr_write_int(json, record->count);
    }
    write_thread(export, json, record->thread);
    write_stacks(export, json, record->leaf, record->hybrid);
    pr_write_close(json, '}');
}

static void write_record(const struct export *export, struct pr_json *json, const struct pr_record *record)
{
    if (!pr_metric_has_allocations(export->profile, export->metric)) {
        write_sample_record(export, json, record);
        return;
    }
    pr_write_open(json, '{');
    pr_write_key(json, "allocator");
    pr_write_text(json, pr_allocator_name(record->allocator));
    pr_write_key(json, "n_allocations");
    pr_write_int(json, record->count);
    pr_write_key(json, "size");
    pr_document_value(json, export->metric, record->value);
    write_thread(export, json, record->thread);
    write_stacks(export, json, record->leaf, record->hybrid);
    pr_write_close(json, '}');
}

static void write_temporal_record(const struct export *export, struct pr_json *json,
                                  const struct pr_temporal_record *record)
{
    pr_write_open(json, '{');
    pr_write_key(json, "allocator");
    pr_write_text(json, pr_allocator_name(record->allocator));
    pr_write_intervals(json, export->temporal, record);
    write_thread(export, json, record->thread);
    write_stacks(export, json, record->leaf, record->hybrid);
    pr_write_close(json, '}');
}

static void write_totals(const struct export *export, struct pr_json *json)
{
    if (!pr_metric_has_allocations(export->profile, export->metric)) {
        pr_write_key(json, "total_weight");
        pr_document_value(json, export->metric, export->records->total_value);
        pr_write_key(json, "count_name");
        pr_write_text(json, export->metric->count ? export->metric->count_name : NULL);
        return;
    }
    pr_write_key(json, "total_size");
    if (export->records)
        pr_document_value(json, export->metric, export->records->total_value);
    else
        pr_write_null(json);
    pr_write_key(json, "total_allocations");
    if (export->records)
        pr_write_int(json, export->records->total_count);
    else
        pr_write_null(json);
}

static void write_json(const struct export *export)
{
    const struct settings *settings = export->settings;
    struct pr_json json = pr_json_start(export->out, settings->common.raw_names);
    pr_write_lines(&json, '{');
    pr_write_key(&json, "schema");
    pr_write_text(&json, "profrender/records/1");
    pr_write_key(&json, "source");
    pr_write_text(&json, export->profile->meta.format);
    pr_write_key(&json, "view");
    pr_write_text(&json, pr_metric_has_allocations(export->profile, export->metric) ? views[settings->view] : export->metric->name);
    pr_write_key(&json, "unit");
    pr_write_text(&json, pr_document_unit(export->metric));
    pr_write_key(&json, "threads");
    pr_write_text(&json, thread_words[settings->threads]);
    pr_document_state(&json, export->profile);
    if (export->profile->tree_estimated) {
        pr_write_key(&json, "estimated");
        pr_write_bool(&json, true);
    }
    if (export->window)
        pr_write_window(&json, export->profile, export->window);
    if (export->temporal)
        pr_write_bins(&json, export->profile);
    write_totals(export, &json);
    pr_write_key(&json, "records");
    pr_write_lines(&json, '[');
    for (size_t i = 0; export->records && i < export->records->count; i++)
        write_record(export, &json, &export->records->record[i]);
    for (size_t i = 0; export->temporal && i < export->temporal->count; i++)
        write_temporal_record(export, &json, &export->temporal->record[i]);
    pr_write_close(&json, ']');
    pr_write_close(&json, '}');
}

/* "function;file;line|function;file;line", innermost first, as memray's CSV has it. */
static void write_csv_stack(struct pr_csv *csv, const struct pr_profile *profile, pr_node_id leaf)
{
    pr_csv_open(csv);
    for (pr_node_id node = leaf; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        if (node != leaf)
            pr_output_byte(csv->out, '|');
        pr_csv_part(csv, pr_profile_text(profile, frame->function));
        pr_output_byte(csv->out, ';');
        pr_csv_part(csv, pr_profile_text(profile, frame->file));
        pr_output_printf(csv->out, ";%d", (int)frame->line);
    }
    pr_csv_close(csv);
}

/* The columns of `memray transform csv`; of other profiles, those that they have. */
static void write_csv(const struct export *export)
{
    const bool allocations = pr_metric_has_allocations(export->profile, export->metric);
    const struct pr_metric *metric = export->metric;
    const char *const first[] = {allocations ? "allocator" : NULL,
                                 allocations     ? "num_allocations"
                                 : metric->count ? count_field(metric)
                                                 : NULL,
                                 allocations ? "size" : "self"};
    static const char *const last[] = {"tid", "thread_name", "stack_trace"};
    struct pr_csv csv = pr_csv_start(export->out, export->out->is_stdout && isatty(STDOUT_FILENO));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i])
            pr_csv_text(&csv, first[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        pr_csv_text(&csv, last[i]);
    pr_csv_end_line(&csv);
    for (size_t i = 0; i < export->records->count; i++) {
        const struct pr_record *record = &export->records->record[i];
        const struct pr_thread *thread = thread_of(export, record->thread);
        char value[PR_FIXED_SIZE];
        if (first[0])
            pr_csv_text(&csv, pr_allocator_name(record->allocator));
        if (first[1])
            pr_csv_int(&csv, record->count);
        pr_csv_text(&csv, pr_fixed_text(value, record->value, pr_document_places(metric)));
        pr_csv_uint(&csv, thread ? thread->tid : 0);
        pr_csv_name(&csv, thread ? pr_profile_text(export->profile, thread->name) : (struct pr_text){"", 0});
        write_csv_stack(&csv, export->profile, record->leaf);
        pr_csv_end_line(&csv);
    }
}

static int write_export(struct export *export)
{
    struct pr_output out;
    int status = pr_output_open(&out, export->settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    export->out = &out;
    if (export->settings->format == FORMAT_JSON)
        write_json(export);
    else
        write_csv(export);
    return pr_output_finish(&out);
}

static int cannot(const struct settings *settings, const struct pr_error *err)
{
    pr_say("%s: %s", pr_input_name(&settings->common), err->text);
    return PR_EXIT_INPUT;
}

static bool is_temporal(const struct settings *settings)
{
    return settings->view == VIEW_TEMPORAL_PEAK || settings->view == VIEW_TEMPORAL_LEAKS;
}

static int write_history(struct export *export)
{
    const struct settings *settings = export->settings;
    enum pr_temporal_kind kind = settings->view == VIEW_TEMPORAL_PEAK ? PR_TEMPORAL_PEAK : PR_TEMPORAL_LEAKS;
    struct pr_temporal temporal;
    struct pr_error err = {0};
    int status;
    if (pr_temporal_make(export->profile, kind, settings->threads == SPLIT_THREADS, &temporal, &err) == PR_FAILED) {
        status = cannot(settings, &err);
    } else {
        export->temporal = &temporal;
        status = write_export(export);
    }
    pr_temporal_clear(&temporal);
    return status;
}

/* The first metric that does not count allocations, or -1. */
static int main_of_others(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (!pr_metric_has_allocations(profile, &profile->metrics[i]))
            return (int)i;
    }
    return -1;
}

/* The metric of the view, or -1. "cpu" is also the main metric of profiles that call it otherwise. */
static int find_metric(const struct settings *settings, const struct pr_profile *profile)
{
    if (!settings->view_name)
        return profile->metric_count ? 0 : -1;
    const char *name = settings->view < VIEW_METRIC ? metric_of_view[settings->view] : settings->view_name;
    const int metric = pr_profile_metric(profile, name);
    return metric < 0 && strcmp(name, "cpu") == 0 ? main_of_others(profile) : metric;
}

static int write_records(struct export *export)
{
    const struct settings *settings = export->settings;
    const char *name = settings->view_name ? settings->view_name : views[settings->view];
    int metric = find_metric(settings, export->profile);
    if (metric < 0)
        return pr_input_lacks(&settings->common, export->profile, name);
    export->metric = &export->profile->metrics[metric];
    if (is_temporal(settings))
        return write_history(export);
    struct pr_records records;
    struct pr_error err = {0};
    if (pr_records_make(export->profile, (unsigned)metric, settings->threads == SPLIT_THREADS, &records, &err) ==
        PR_FAILED)
        return cannot(settings, &err);
    export->records = &records;
    int status = write_export(export);
    pr_records_clear(&records);
    return status;
}

/* What was measured in time, all points. */
static int write_series(const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_output out;
    if (!profile->series_count)
        return pr_input_lacks(&settings->common, profile, SERIES);
    int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    if (settings->format == FORMAT_JSON)
        pr_series_json(&out, profile);
    else
        pr_series_csv(&out, profile, out.is_stdout && isatty(STDOUT_FILENO));
    return pr_output_finish(&out);
}

/* Records of the part of the run that --window names. */
static int write_windowed(const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_window window;
    struct pr_profile view;
    void *columns;
    struct pr_error err = {0};
    if (!profile->bin_count)
        return pr_input_lacks(&settings->common, profile, "--window");
    if (!pr_window_find(&settings->span, profile, &window)) {
        pr_say("%s: the run has nothing in the window %s", pr_input_name(&settings->common), settings->window);
        return PR_EXIT_INPUT;
    }
    if (pr_window_view(profile, &window, &view, &columns, &err) == PR_FAILED)
        return cannot(settings, &err);
    struct export export = {.settings = settings, .profile = &view, .window = &window};
    int status = write_records(&export);
    free(columns);
    return status;
}

/* Checks what the option tables cannot, and says what is wrong. */
static int check(const struct pr_command *command, struct settings *settings, struct pr_load_options *how)
{
    for (settings->view = 0; settings->view_name && settings->view < VIEW_METRIC; settings->view++)
        if (strcmp(settings->view_name, views[settings->view]) == 0)
            break;
    if (!pr_input_set_threshold(how, settings->temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    how->native = (enum pr_native_use)settings->native;
    if (settings->bins && !pr_bins_parse(settings->bins, &how->max_bins))
        return pr_wrong_usage(command, "--bins takes a number of at least 1, or `samples`");
    how->insist |= settings->bins ? PR_INSIST_MAX_BINS : 0;
    if (settings->window && !pr_window_parse(settings->window, &settings->span))
        return pr_wrong_usage(command, "--window takes FROM:TO in seconds, or bins as b3:b17");
    if (settings->window && settings->view != VIEW_PEAK && settings->view != VIEW_LEAKS)
        return pr_wrong_usage(command, "--window goes with --view peak and --view leaks only");
    if (is_temporal(settings) && settings->format != FORMAT_JSON)
        return pr_wrong_usage(command, "--view %s has the format json only", views[settings->view]);
    return PR_EXIT_DONE;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_load_options how = pr_load_options_default();
    struct settings settings = {.temporary_threshold = PR_NOT_GIVEN};
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    status = check(command, &settings, &how);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &how, &profile);
    if (status == PR_EXIT_DONE) {
        struct export export = {.settings = &settings, .profile = profile};
        pr_input_tell_unnamed(&settings.common, profile);
        status = settings.window          ? write_windowed(&settings, profile)
                 : is_of_series(&settings) ? write_series(&settings, profile)
                                           : write_records(&export);
        status = pr_input_status(&settings.common, profile, status);
    }
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_export = {
    .name = "export",
    .several = true,
    .arguments = "INPUT...",
    .summary = "every stack with its bytes and allocations, as JSON or CSV",
    .about = "Writes the records of a view, one for each stack and allocator, the largest\n"
             "first, as data for other programs. The JSON form has a schema:\n"
             "schemas/records.schema.json.\n",
    .details = "`temporal-peak` is what each stack held in which time bin, `temporal-leaks` in which bin it was "
               "allocated\n"
               "and in which freed. A window in seconds snaps outward to time bins; with the number of bins that a "
               "card\n"
               "names, the bins are those of the card. CSV has the columns of `memray transform csv`.\n"
               "\n"
               "Of a capture with native frames (`memray run --native`), `--native auto` gives them names from the "
               "programs\n"
               "and libraries on this machine and from their debug information, and `module+0xoffset` where a file "
               "is missing\n"
               "or its segments are not those that were recorded; `require` fails then.\n",
    .examples = "  profrender export capture.bin --view leaks -o leaks.json\n"
                "  profrender export capture.bin --threads split --format csv -o peak.csv\n"
                "  profrender export capture.bin --view allocated | jq '.records[0]'\n",
    .options = options,
    .run = run,
};
