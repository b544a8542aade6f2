/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender table`: who allocated how much, a row for each function. */
#include "capture/model/charged_modules.h"
#include "capture/model/code_groups.h"
#include "cli/io/csv_writer.h"
#include "cli/reports/document_parts.h"
#include "cli/args/hide_option.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/reports/table_text.h"
#include "cli/reports/table_view.h"
#include "cli/reports/temporal_document.h"
#include "cli/args/window_option.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "csv", "markdown", NULL};
/* enum pr_group_by, and: */
static const char *const groups[] = {"function", "location", "file", "module", "package", "code", NULL};
enum { BY_MODULE = PR_BY_FILE + 1, BY_PACKAGE, BY_CODE };
static const char *const sorts[] = {"self", "total", "count", "function", "file", NULL}; /* enum pr_table_sort */

enum { MERGE_THREADS, SPLIT_THREADS };
static const char *const thread_words[] = {"merge", "split", NULL};

/* --limit was not given: what a terminal holds, else all. */
#define FITTING UINT64_MAX

struct settings {
    struct pr_common common;
    int format, group, sort, threads;
    const char *metric, *thread, *filter, *tag_root, *hide;
    unsigned hidden; /* the groups that HIDE names: enum pr_code_group */
    const char *window;           /* as it was written */
    struct pr_window_option span; /* the window */
    const struct pr_part_of_run *part; /* that part of the run; NULL: all of it */
    uint64_t limit, width, temporary_threshold;
    bool exact;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    PR_OPTIONS_METRIC(AT(metric)),
    PR_OPTION_TAG_ROOT(AT(tag_root)),
    {.name = "window", .kind = PR_OPTION_TEXT, .offset = AT(window), .argument = "FROM:TO",
     .help = "a part of the run: seconds from its start, or bins as\n"
             "b3:b17; of peak, leaks, what was allocated, and time"},
    {.name = "group", .letter = 'g', .kind = PR_OPTION_CHOICE, .offset = AT(group), .argument = "BY",
     .choices = groups, .help = "function (each line and allocator of it; default),\n"
             "code (a whole function), location (line), file,\n"
             "module: the package whose code it is, or that called\n"
             "the standard library, or package: each that is on\n"
             "the stack"},
    {.name = "sort", .letter = 's', .kind = PR_OPTION_CHOICE, .offset = AT(sort), .argument = "BY", .choices = sorts,
     .help = "self (default), total, count, function or file"},
    {.name = "limit", .letter = 'n', .kind = PR_OPTION_NUMBER, .offset = AT(limit), .argument = "N",
     .help = "at most N rows, 0: all; default: what fits into the\n"
             "terminal, else all"},
    {.name = "filter", .letter = 'f', .kind = PR_OPTION_TEXT, .offset = AT(filter), .argument = "TEXT",
     .help = "only rows with TEXT in function or file"},
    {.name = "hide", .kind = PR_OPTION_TEXT, .offset = AT(hide), .argument = "GROUPS",
     .help = "leave out frames: imports, library, stdlib, native,\n"
             "kernel, or several as in imports,stdlib. What they\n"
             "held counts for their callers"},
    {.name = "threads", .kind = PR_OPTION_CHOICE, .offset = AT(threads), .argument = "HOW", .choices = thread_words,
     .help = "merge (default), or split: a row for each thread"},
    {.name = "thread", .letter = 't', .kind = PR_OPTION_TEXT, .offset = AT(thread), .argument = "NAME",
     .help = "only this thread: a name or a number"},
    {.name = "bytes", .letter = 'b', .kind = PR_OPTION_FLAG, .offset = AT(exact), .help = "exact bytes (text)"},
    PR_OPTION_WIDTH(AT(width)),
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = AT(format), .argument = "FORMAT", .choices = formats,
     .help = "text (default), markdown, json or csv"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    PR_OPTION_TEMPORARY_THRESHOLD(AT(temporary_threshold)),
    PR_OPTION_RAW("csv"),
    PR_OPTION_RAW_NAMES,
    PR_OPTION_JOBS,
    {.name = NULL}};

/* ---- JSON, CSV -------------------------------------------------------------------------------------------------- */

static void write_json_row(struct pr_json_writer *json, const struct pr_table_view *view, const struct pr_row *row)
{
    pr_json_put_open(json, '{');
    pr_document_row(json, view->profile, view->metric, row);
    pr_json_put_key(json, "allocator");
    pr_json_put_text(json, pr_allocator_name(row->allocator));
    pr_json_put_close(json, '}');
}

static void write_hidden(struct pr_json_writer *json, unsigned hidden)
{
    pr_json_put_key(json, "hide");
    pr_json_put_open(json, '[');
    for (unsigned i = 0; pr_hide_words[i]; i++)
        if (hidden & 1u << i)
            pr_json_put_text(json, pr_hide_words[i]);
    pr_json_put_close(json, ']');
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_table_view *view)
{
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/table/1");
    pr_document_metric(&json, view->metric);
    pr_json_put_key(&json, "group");
    pr_json_put_text(&json, groups[settings->group]);
    pr_json_put_key(&json, "threads");
    pr_json_put_text(&json, thread_words[settings->threads]);
    if (settings->hidden)
        write_hidden(&json, settings->hidden);
    if (settings->part)
        pr_write_window(&json, "window", &settings->part->when);
    pr_document_state(&json, view->profile);
    pr_document_total(&json, view->metric);
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < view->count; i++)
        write_json_row(&json, view, view->row[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

/* A value in the unit of the JSON form. */
static void csv_value(struct pr_csv *csv, const struct pr_metric *metric, int64_t value)
{
    char text[PR_FIXED_SIZE];
    pr_csv_text(csv, pr_fixed_text(text, value, pr_document_places(metric)));
}

static void csv_count(struct pr_csv *csv, const struct pr_metric *metric, int64_t count)
{
    if (metric->count)
        pr_csv_int(csv, count);
    else
        pr_csv_text(csv, "");
}

static void write_csv(struct pr_output *out, const struct pr_table_view *view, bool raw)
{
    static const char *const columns[] = {"function",    "file", "line",   "self",      "total", "self_count",
                                          "total_count", "tid",  "thread", "allocator", "pid"};
    struct pr_csv csv = pr_csv_start(out, raw);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pr_csv_text(&csv, columns[i]);
    pr_csv_end_line(&csv);
    for (size_t i = 0; i < view->count; i++) {
        const struct pr_row *row = view->row[i];
        char number[24];
        pr_csv_name(&csv, pr_profile_text(view->profile, row->function));
        pr_csv_name(&csv, pr_profile_text(view->profile, row->file));
        if (row->line > 0)
            pr_csv_int(&csv, row->line);
        else
            pr_csv_text(&csv, "");
        csv_value(&csv, view->metric, row->self);
        csv_value(&csv, view->metric, row->total);
        csv_count(&csv, view->metric, row->self_count);
        csv_count(&csv, view->metric, row->total_count);
        pr_csv_uint(&csv, row->thread == PR_ALL_THREADS ? 0 : view->profile->threads[row->thread].tid);
        pr_csv_name(&csv, pr_thread_name(view->profile, row->thread, number));
        pr_csv_text(&csv, pr_allocator_name(row->allocator));
        if (pr_thread_pid(view->profile, row->thread))
            pr_csv_uint(&csv, pr_thread_pid(view->profile, row->thread));
        else
            pr_csv_text(&csv, "");
        pr_csv_end_line(&csv);
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static uint64_t limit_of(const struct settings *settings)
{
    if (settings->limit != FITTING)
        return settings->limit;
    struct pr_term term = pr_term_of(STDOUT_FILENO, PR_COLOR_NEVER);
    bool fits = settings->format == FORMAT_TEXT && !settings->common.output && term.is_terminal && term.rows;
    return fits ? pr_table_text_limit(term.rows) : 0;
}

/* Of a profile by module or package, the files are these. enum pr_group_by */
static int group_of(const struct settings *settings)
{
    return settings->group == BY_CODE ? PR_BY_CODE : settings->group > PR_BY_FILE ? PR_BY_FILE : settings->group;
}

/* What people call them then. */
static const char *files_of(const struct settings *settings)
{
    return settings->group == BY_MODULE ? "Module" : settings->group == BY_PACKAGE ? "Package" : NULL;
}

static enum pr_status regroup(const struct settings *settings, struct pr_profile *profile, struct pr_error *err)
{
    if (settings->hidden && pr_profile_leave_out(profile, settings->hidden, err) == PR_FAILED)
        return PR_FAILED;
    return settings->group == BY_MODULE    ? pr_profile_by_module(profile, err)
           : settings->group == BY_PACKAGE ? pr_profile_by_package(profile, err)
                                           : PR_OK;
}

/* For people; rows of what is not code are for programs. */
static bool is_text(const struct settings *settings)
{
    return settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN;
}

static int answer(const struct settings *settings, const struct pr_profile *profile, struct pr_table_view *view)
{
    const struct pr_table_question question = {
        .metric = settings->metric, .group = group_of(settings), .split_threads = settings->threads == SPLIT_THREADS,
        .thread = settings->thread, .filter = settings->filter, .sort = settings->sort, .limit = limit_of(settings),
        .only_code = is_text(settings)};
    struct pr_error err = {0};
    if (pr_table_view_make(profile, &question, view, &err) != PR_FAILED)
        return PR_EXIT_DONE;
    return pr_input_no_report(&settings->common, profile, settings->metric, &err);
}

/* The rows for a terminal without room for the allocator: one for each place, as its rows would look the same. */
static int answer_by_place(const struct settings *settings, const struct pr_profile *profile,
                           struct pr_table_view *view)
{
    struct settings by_place = *settings;
    by_place.group = PR_BY_LOCATION;
    pr_table_view_clear(view);
    return answer(&by_place, profile, view);
}

/* Writes VIEW, or makes and writes another one, as the terminal needs it. */
static int write_text(struct pr_output *out, const struct settings *settings, const struct pr_profile *profile,
                      struct pr_table_view *view)
{
    const bool is_markdown = settings->format == FORMAT_MARKDOWN;
    struct pr_report report = is_markdown ? pr_report_start_markdown(out, PR_MARKUP_TEXT)
                                          : pr_report_start(out, &settings->common);
    pr_report_set_width(&report, settings->width);
    struct pr_table_text text = {
        .view = view, .group = group_of(settings), .files = files_of(settings),
        .sort = settings->sort, .exact = settings->exact,
        .part = {settings->thread, settings->part ? settings->part->words : NULL}};
    int status = PR_EXIT_DONE;
    if (is_markdown) {
        pr_table_markdown_write(&report, &text);
        return PR_EXIT_DONE;
    }
    if (!pr_table_text_has_room(&report, &text)) {
        status = answer_by_place(settings, profile, view);
        text.is_measured = false;
    }
    if (status == PR_EXIT_DONE)
        pr_table_text_write(&report, &text);
    return status;
}

static int write_view(struct pr_output *out, const struct settings *settings, const struct pr_profile *profile,
                      struct pr_table_view *view)
{
    if (is_text(settings))
        return write_text(out, settings, profile, view);
    if (settings->format == FORMAT_JSON)
        write_json(out, settings, view);
    else
        write_csv(out, view, settings->common.raw);
    return PR_EXIT_DONE;
}

static int write_table(const struct settings *settings, const struct pr_profile *profile)
{
    struct pr_table_view view;
    struct pr_output out;
    int status = answer(settings, profile, &view);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        status = write_view(&out, settings, profile, &view);
        if (status == PR_EXIT_DONE)
            status = pr_output_finish(&out);
        else
            pr_output_cancel(&out);
    }
    pr_table_view_clear(&view);
    return status;
}

/* The table of the part of the run that --window names. */
static int write_part(const struct settings *settings, const struct pr_profile *profile)
{
    const int metric = settings->metric ? pr_profile_metric(profile, settings->metric) : profile->metric_count ? 0 : -1;
    struct pr_part_of_run part;
    if (metric < 0)
        return pr_input_lacks(&settings->common, profile, settings->metric ? settings->metric : "metric");
    const char *name = profile->metrics[metric].name;
    if (pr_metric_has_allocations(profile, &profile->metrics[metric]) && strcmp(name, "peak") &&
        strcmp(name, "leaked") && metric != pr_profile_moment_metric(profile))
        return pr_wrong_usage(&pr_command_table,
                              "--window works with peak, leaked and allocated only, not with '%s'", name);
    int status = pr_part_of_run_make(&settings->span, pr_input_name(&settings->common), settings->window, profile,
                                     metric, &part);
    if (status == PR_EXIT_DONE) {
        struct settings of_part = *settings;
        of_part.metric = name;
        of_part.part = &part;
        status = write_table(&of_part, &part.view);
    }
    pr_part_of_run_clear(&part);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_load_options how = pr_load_options_default();
    struct settings settings = {.limit = FITTING, .temporary_threshold = PR_NOT_GIVEN};
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!pr_input_set_threshold(&how, settings.temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    if (settings.hide)
        status = pr_hide_read(command, settings.hide, &settings.hidden);
    if (status == PR_EXIT_DONE && settings.window)
        status = pr_window_read(command, "window", settings.window, &settings.span);
    if (status != PR_EXIT_DONE)
        return status;
    how.native = PR_NATIVE_OFF; /* rows are of Python functions */
    how.unneeded = settings.window ? 0 : PR_UNNEEDED_MOMENTS;
    if (!settings.window)
        pr_input_read_only(&how, settings.metric);
    how.tag_root = settings.tag_root;
    status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &how, &profile);
    struct pr_error err = {0};
    if (status == PR_EXIT_DONE && regroup(&settings, profile, &err) == PR_FAILED)
        status = pr_input_refuse(pr_input_name(&settings.common), &err);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile,
                                 settings.window ? write_part(&settings, profile) : write_table(&settings, profile));
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_table = {
    .name = "table",
    .several = true,
    .arguments = "INPUT...",
    .summary = "who allocated how much, in the terminal, as JSON or CSV",
    .about = "Shows who allocated how much: at the peak, unless another view is chosen.\n"
             "Self is what a line allocated on its own, total adds what it called.\n",
    .details = "A stack counts once for each row, however often the function is in it. Without `--limit` a "
               "terminal\n"
               "gets as many rows as it holds, and everything else gets all. `--filter` in lower case finds capitals "
               "too.\n"
               "`--hide` has the groups of the card's menu: library, stdlib, native and kernel are what `owner` in "
               "JSON says, without what starts the program. Profiles that record the figures of each function, as "
               "pstats, keep those; there, hidden functions just have no row.\n",
    .examples = "  profrender table capture.bin                what was there at the peak\n"
                "  profrender table --leaks capture.bin        what was never freed\n"
                "  profrender table --sort total --group location capture.bin\n"
                "                                              the way from main to there\n"
                "  profrender table --group code --sort total --hide imports capture.bin\n"
                "                                              as the card's table\n"
                "  profrender table --group module --filter pandas capture.bin\n"
                "  profrender table --group package --hide imports capture.bin\n"
                "                                              as the card's table by package\n"
                "  profrender table --leaks --format csv capture.bin -o leaks.csv\n",
    .options = options,
    .run = run,
};
