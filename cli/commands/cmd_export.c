/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender export`: the allocations or samples of a view, one record for each stack, for other programs. */
#include "cli/export/export_formats.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/reports/records_document.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/reports/series_document.h"
#include "cli/args/window_option.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum format {
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_COLLAPSED,
    FORMAT_FOLDED,
    FORMAT_SPEEDSCOPE,
    FORMAT_FIREFOX,
    FORMAT_PPROF
};
static const char *const formats[] = {"json", "csv", "collapsed", "folded", "speedscope", "firefox", "pprof", NULL};

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
    const char *tag_root;
    const char *bins, *window; /* as they were written */
    struct pr_window_option span; /* the window */
};

static const struct pr_option options[] = {
    {.name = "view", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, view_name), .argument = "VIEW",
     .choices = views, .help = "peak, leaks, temporary, allocated, temporal-peak or\n"
             "temporal-leaks; of CPU and other profiles cpu, or the\n"
             "name of a metric; series: what was measured in time;\n"
             "default: the main one; with --format pprof, all\n"
             "metrics"},
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, format), .argument = "FORMAT",
     .choices = formats, .help = "json (default), csv; for other tools: collapsed (the\n"
             "same as folded), speedscope, firefox or pprof"},
    {.name = "metric", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, view_name), .argument = "NAME",
     .help = "the same as --view"},
    {.name = "threads", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, threads), .argument = "HOW",
     .choices = thread_words, .help = "merge (default), or split: a record for each thread"},
    {.name = "window", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, window), .argument = "FROM:TO",
     .help = "peak, leaks or cpu of a part of the run: seconds from\n"
             "its start; for peak and leaks also bins, as b3:b17"},
    {.name = "bins", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, bins), .argument = "N",
     .help = "at most N time bins, as many as a card names, or\n"
             "`samples`: one for each memory sample; default: 512,\n"
             "fewer where they would need much memory"},
    PR_OPTION_TAG_ROOT(offsetof(struct settings, tag_root)),
    PR_OPTION_TEMPORARY_THRESHOLD(offsetof(struct settings, temporary_threshold)),
    {.name = "native", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, native), .argument = "HOW",
     .choices = pr_native_words, .help = "native frames: auto (default; module+0xoffset where\n"
             "a library is missing here), off, or require: fail then"},
    PR_OPTION_RAW("csv, collapsed"),
    PR_OPTION_RAW_NAMES,
    PR_OPTION_JOBS,
    {.name = NULL}};

/* The view without records: time series. */
#define SERIES "series"

static bool is_of_series(const struct settings *settings)
{
    return settings->view_name && strcmp(settings->view_name, SERIES) == 0;
}

enum { MOST_METRICS = 16 /* in a pprof: with counts, the 32 sample types that our reader takes */ };

struct export {
    const struct settings *settings;
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    const struct pr_part_of_run *part;  /* NULL: all of the run */
    const struct pr_records *records;   /* NULL: temporal */
    const struct pr_records *all;       /* of each metric; NULL: not wanted */
    const struct pr_temporal *temporal; /* NULL: records */
};

static enum pr_status write_document(const struct export *export, struct pr_output *out)
{
    const struct settings *settings = export->settings;
    const bool is_memory = pr_metric_has_allocations(export->profile, export->metric);
    const struct pr_records_out what = {.profile = export->profile,
                                        .metric = export->metric,
                                        .view = is_memory && settings->view < VIEW_METRIC ? views[settings->view]
                                                                                          : export->metric->name,
                                        .part = export->part,
                                        .records = export->records,
                                        .temporal = export->temporal,
                                        .split_threads = settings->threads == SPLIT_THREADS,
                                        .raw_names = settings->common.raw_names,
                                        .raw = settings->common.raw,
                                        .out = out};
    if (settings->format == FORMAT_JSON)
        pr_records_json(&what);
    else
        pr_records_csv(&what);
    return PR_OK;
}

/* Whether the format has an axis of time. */
static bool has_axis(const struct settings *settings)
{
    return settings->format == FORMAT_SPEEDSCOPE || settings->format == FORMAT_FIREFOX;
}

static enum pr_status order(const struct export *export, struct pr_exchange *what, struct pr_error *err)
{
    static const char *const lost[] = {[PR_TIMES_WINDOW] = "they are written of a whole run only",
                                       [PR_TIMES_MERGED] = "--threads split keeps them",
                                       [PR_TIMES_SOME] = "not every sample has a time of its own",
                                       [PR_TIMES_GAPS] = "in speedscope each sample lasts until the next"};
    enum pr_exchange_times times = PR_TIMES_NONE;
    const enum pr_status status =
        pr_exchange_order(what, export->settings->format == FORMAT_SPEEDSCOPE, &times, err);
    if (times > PR_TIMES_KEPT && !export->profile->slices_lack_clock)
        pr_say("%s: sample times are left out: %s", pr_input_name(&export->settings->common), lost[times]);
    return status;
}

static enum pr_status write_exchange(const struct export *export, struct pr_output *out, struct pr_error *err)
{
    const struct settings *settings = export->settings;
    struct pr_exchange what = {.profile = export->profile,
                               .metric = export->metric,
                               .records = export->records,
                               .all = export->all,
                               .split_threads = settings->threads == SPLIT_THREADS,
                               .whole = !export->part,
                               .raw = settings->common.raw,
                               .raw_names = settings->common.raw_names};
    if (has_axis(settings) && order(export, &what, err) == PR_FAILED)
        return PR_FAILED;
    switch (settings->format) {
    case FORMAT_SPEEDSCOPE: return pr_exchange_speedscope(out, &what, err);
    case FORMAT_FIREFOX: return pr_exchange_firefox(out, &what, err);
    case FORMAT_PPROF: return pr_exchange_pprof(out, &what, err);
    default: return pr_exchange_collapsed(out, &what, err);
    }
}

/* speedscope has no room for memory that was given back, as in Austin's profiles; Firefox's for what has no stack. */
static void tell_left_out(const struct export *export)
{
    const bool is_firefox = export->settings->format == FORMAT_FIREFOX;
    size_t count = 0;
    for (size_t i = 0; i < export->records->count; i++) {
        const struct pr_record *record = &export->records->record[i];
        count += is_firefox ? record->value && pr_exchange_leaf(record) == PR_ROOT : record->value < 0;
    }
    if (count)
        pr_say("%s: %s: %zu of %zu", pr_input_name(&export->settings->common),
               is_firefox ? "records without a stack are not shown by Firefox's profiler"
                          : "stacks with values below 0 are left out, because speedscope refuses them",
               count, export->records->count);
}

static int cannot(const struct settings *settings, const struct pr_error *err)
{
    pr_say("%s: %s", pr_input_name(&settings->common), err->text);
    return PR_EXIT_INPUT;
}

static int write_export(const struct export *export)
{
    struct pr_output out;
    struct pr_error err = {0};
    int status = pr_output_open(&out, export->settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    const bool is_document = export->settings->format <= FORMAT_CSV;
    if (has_axis(export->settings))
        tell_left_out(export);
    if ((is_document ? write_document(export, &out) : write_exchange(export, &out, &err)) != PR_FAILED)
        return pr_output_finish(&out);
    pr_output_cancel(&out);
    return cannot(export->settings, &err);
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

/* The records of METRIC of the profile, which is the view of a part of the run where there is one. */
static int write_metric(struct export *export, int metric)
{
    const struct settings *settings = export->settings;
    struct pr_records records;
    struct pr_error err = {0};
    export->metric = &export->profile->metrics[metric];
    if (is_temporal(settings))
        return write_history(export);
    if (pr_records_make(export->profile, (unsigned)metric, settings->threads == SPLIT_THREADS, &records, &err) ==
        PR_FAILED)
        return cannot(settings, &err);
    export->records = &records;
    const int status = write_export(export);
    pr_records_clear(&records);
    return status;
}

/* All metrics, that of NUMBER being the main one: the whole profile. */
static int write_metrics(struct export *export, int metric)
{
    const struct pr_profile *profile = export->profile;
    const bool split_threads = export->settings->threads == SPLIT_THREADS;
    struct pr_records *all = calloc(profile->metric_count, sizeof *all);
    struct pr_error err = {0};
    enum pr_status made = all ? PR_OK : pr_fail_memory(&err);
    for (unsigned i = 0; made == PR_OK && i < profile->metric_count; i++)
        made = pr_records_make(profile, i, split_threads, &all[i], &err);
    export->metric = &profile->metrics[metric];
    export->records = all ? &all[metric] : NULL;
    export->all = all;
    const int status = made == PR_OK ? write_export(export) : cannot(export->settings, &err);
    for (unsigned i = 0; all && i < profile->metric_count; i++)
        pr_records_clear(&all[i]);
    free(all);
    return status;
}

/* pprof has room for the whole profile, where no part of it is asked for. */
static bool is_whole(const struct export *export)
{
    const struct settings *settings = export->settings;
    return settings->format == FORMAT_PPROF && !settings->view_name && !settings->window &&
           export->profile->metric_count > 1 && export->profile->metric_count <= MOST_METRICS;
}

/* Records of the part of the run that --window names. */
static int write_part(struct export *export, int metric)
{
    const struct settings *settings = export->settings;
    const char *name = export->profile->metrics[metric].name;
    struct pr_part_of_run part;
    int status = pr_part_of_run_make(&settings->span, pr_input_name(&settings->common), settings->window,
                                     export->profile, metric, &part);
    if (status == PR_EXIT_DONE) {
        export->profile = &part.view;
        export->part = &part;
        status = write_metric(export, pr_profile_metric(&part.view, name));
    }
    pr_part_of_run_clear(&part);
    return status;
}

static int write_records(struct export *export)
{
    const struct settings *settings = export->settings;
    const char *name = settings->view_name ? settings->view_name : views[settings->view];
    const int metric = find_metric(settings, export->profile);
    if (metric < 0)
        return pr_input_lacks(&settings->common, export->profile, name);
    if (is_whole(export))
        return write_metrics(export, metric);
    return settings->window ? write_part(export, metric) : write_metric(export, metric);
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
        pr_series_csv(&out, profile, settings->common.raw);
    return pr_output_finish(&out);
}

/* Some formats are for some views, and some for files only. */
static int check_format(const struct pr_command *command, const struct settings *settings)
{
    if (is_temporal(settings) && settings->format != FORMAT_JSON)
        return pr_wrong_usage(command, "--view %s has only the format json", views[settings->view]);
    if (is_of_series(settings) && settings->format > FORMAT_CSV)
        return pr_wrong_usage(command, "--view " SERIES " has the formats json and csv only");
    if (settings->format == FORMAT_PPROF && pr_output_is_standard(settings->common.output) && isatty(STDOUT_FILENO))
        return pr_wrong_usage(command, "pprof is binary: name a file with -o");
    return PR_EXIT_DONE;
}

/* The number of a view; without one, that of the main one; for a metric without a view, VIEW_METRIC. */
static int find_view(const char *name)
{
    int view = 0;
    /* "leaks" also goes by the name of the metric. */
    while (name && view < VIEW_METRIC && strcmp(name, views[view]) && (view != VIEW_LEAKS || strcmp(name, "leaked")))
        view++;
    return view;
}

/* Checks what the option tables cannot, and reports what is wrong. */
static int check(const struct pr_command *command, struct settings *settings, struct pr_load_options *how)
{
    settings->view = find_view(settings->view_name);
    if (!pr_input_set_threshold(how, settings->temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    how->native = (enum pr_native_use)settings->native;
    how->tag_root = settings->tag_root;
    if (settings->bins && !pr_bins_parse(settings->bins, &how->max_bins))
        return pr_wrong_usage(command, "--bins takes a number of at least 1, or `samples`");
    how->insist |= settings->bins ? PR_INSIST_MAX_BINS : 0;
    if (!settings->window && settings->format != FORMAT_PPROF && settings->view <= VIEW_ALLOCATED)
        pr_input_read_only(how, metric_of_view[settings->view]);
    const int status = settings->window ? pr_window_read(command, "window", settings->window, &settings->span) : 0;
    if (status != PR_EXIT_DONE)
        return status;
    const bool in_time = settings->view == VIEW_PEAK || settings->view == VIEW_LEAKS || settings->view == VIEW_METRIC;
    if (settings->window && (!in_time || is_of_series(settings)))
        return pr_wrong_usage(command, "--window goes with --view peak, leaks and cpu only");
    return check_format(command, settings);
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
        status = is_of_series(&settings) ? write_series(&settings, profile) : write_records(&export);
        status = pr_input_status(&settings.common, profile, status);
    }
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_export = {
    .name = "export",
    .several = true,
    .arguments = "INPUT...",
    .summary = "every stack with its numbers, for scripts and for other tools",
    .about = "Writes the records of a view, one for each stack and allocator, the largest\n"
             "first, as data for other programs. The JSON form has a schema:\n"
             "records.schema.json. flamegraph.pl and inferno read `collapsed`,\n"
             "speedscope.app, profiler.firefox.com and `go tool pprof` the formats of\ntheir names.\n",
    .details = "`temporal-peak` is what each stack held in which time bin, `temporal-leaks` in which bin it was "
               "allocated\n"
               "and in which freed. A window in seconds snaps outward to time bins; with the number of bins that a "
               "card\n"
               "names, the bins are those of the card. CSV has the columns of `memray transform csv`.\n"
               "\n"
               "Collapsed stacks count nanoseconds, bytes or what the metric counts. A profile for speedscope or "
               "Firefox is\n"
               "in the order of time where every sample has its own, for a single thread or with `--threads split`; "
               "else the\n"
               "heaviest stacks come first, and stderr says what was left out. speedscope's samples have no gaps; "
               "allocations\n"
               "keep their times in Firefox's format. The three formats have one number for each stack, and no counts. "
               "A\n"
               "pprof profile has the counts of the metric, such as `samples`, as a sample type of their own, and no "
               "times of\n"
               "samples; it is packed by gzip.\n"
               "\n"
               "For native frames in a capture (`memray run --native`), `--native auto` finds names from the "
               "programs\n"
               "and libraries on this machine and from their debug information, and `module+0xoffset` where a file "
               "is missing\n"
               "or its segments are not those that were recorded; `require` fails then. Addresses in profiles of "
               "gperftools,\n"
               "tcmalloc, jemalloc and pprof that have no function get one in the same way, without a build id from a "
               "file\n"
               "whose code fills the mapping to the page.\n",
    .examples = "  profrender export capture.bin --view leaks -o leaks.json\n"
                "  profrender export capture.bin --threads split --format csv -o peak.csv\n"
                "  profrender export capture.bin --view allocated | jq '.records[0]'\n"
                "  profrender export run.pstats --format pprof -o run.pb.gz\n"
                "  profrender export run.austin --format speedscope --window 10:20 -o part.json\n",
    .options = options,
    .run = run,
};
