/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender summary`: a row for each function, with what it called and on its own, in as many lines as are there. */
#include "cli/reports/document_parts.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/reports/table_text.h"
#include "cli/reports/table_view.h"

#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown", NULL};
static const char *const sorts[] = {"self", "total", "count", "function", "file", NULL}; /* enum pr_table_sort */

enum { MERGE_THREADS, SPLIT_THREADS };
static const char *const thread_words[] = {"merge", "split", NULL};

enum { ROWS_WITHOUT_TERMINAL = 20 };

struct settings {
    struct pr_common common;
    int format, sort, threads;
    const char *metric;
    uint64_t limit, width, temporary_threshold;
    bool exact;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    PR_OPTIONS_METRIC(AT(metric)),
    {.name = "sort", .letter = 's', .kind = PR_OPTION_CHOICE, .offset = AT(sort), .argument = "BY", .choices = sorts,
     .help = "total (default), self, count, function or file"},
    {.name = "limit", .letter = 'n', .kind = PR_OPTION_NUMBER, .offset = AT(limit), .argument = "N",
     .help = "at most N rows, 0: all; default: what fits into the\n"
             "terminal, else 20; in JSON all"},
    {.name = "threads", .kind = PR_OPTION_CHOICE, .offset = AT(threads), .argument = "HOW", .choices = thread_words,
     .help = "merge (default), or split: a row for each thread"},
    {.name = "bytes", .letter = 'b', .kind = PR_OPTION_FLAG, .offset = AT(exact), .help = "exact bytes (text)"},
    PR_OPTION_WIDTH(AT(width)),
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = AT(format), .argument = "FORMAT", .choices = formats,
     .help = "text (default), markdown or json"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    PR_OPTION_TEMPORARY_THRESHOLD(AT(temporary_threshold)),
    PR_OPTION_RAW_NAMES,
    PR_OPTION_JOBS,
    {.name = NULL}};

static void write_json_row(struct pr_json_writer *json, const struct pr_table_view *view, const struct pr_row *row)
{
    pr_json_put_open(json, '{');
    pr_document_row(json, view->profile, view->metric, row);
    pr_json_put_close(json, '}');
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_table_view *view)
{
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/summary/1");
    pr_document_metric(&json, view->metric);
    pr_json_put_key(&json, "threads");
    pr_json_put_text(&json, thread_words[settings->threads]);
    pr_document_state(&json, view->profile);
    pr_document_total(&json, view->metric);
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < view->count; i++)
        write_json_row(&json, view, view->row[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

static void write_text(struct pr_output *out, const struct settings *settings, const struct pr_table_view *view)
{
    const bool is_markdown = settings->format == FORMAT_MARKDOWN;
    struct pr_report report = is_markdown ? pr_report_start_markdown(out, PR_MARKUP_TEXT)
                                          : pr_report_start(out, &settings->common);
    struct pr_table_text text = {
        .view = view, .group = PR_BY_CODE, .sort = settings->sort, .exact = settings->exact};
    pr_report_set_width(&report, settings->width);
    (is_markdown ? pr_table_markdown_write : pr_table_text_write)(&report, &text);
}

static uint64_t limit_of(const struct settings *settings)
{
    if (settings->limit != PR_NOT_GIVEN)
        return settings->limit;
    if (settings->format == FORMAT_JSON)
        return 0;
    struct pr_term term = pr_term_of(STDOUT_FILENO, PR_COLOR_NEVER);
    bool fits = !settings->common.output && term.is_terminal && term.rows;
    return fits ? pr_table_text_limit(term.rows) : ROWS_WITHOUT_TERMINAL;
}

static int write_summary(const struct settings *settings, const struct pr_profile *profile)
{
    const struct pr_table_question question = {.metric = settings->metric, .group = PR_BY_CODE, .sort = settings->sort,
                                               .split_threads = settings->threads == SPLIT_THREADS,
                                               .limit = limit_of(settings),
                                               .only_code = settings->format != FORMAT_JSON};
    struct pr_table_view view;
    struct pr_output out;
    struct pr_error err = {0};
    int status = PR_EXIT_DONE;
    if (pr_table_view_make(profile, &question, &view, &err) == PR_FAILED)
        status = pr_input_no_report(&settings->common, profile, settings->metric, &err);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        (settings->format == FORMAT_JSON ? write_json : write_text)(&out, settings, &view);
        status = pr_output_finish(&out);
    }
    pr_table_view_clear(&view);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_load_options how = pr_load_options_default();
    struct settings settings = {.sort = PR_SORT_TOTAL, .limit = PR_NOT_GIVEN, .temporary_threshold = PR_NOT_GIVEN};
    struct pr_profile *profile = NULL;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!pr_input_set_threshold(&how, settings.temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    how.native = PR_NATIVE_OFF; /* rows are of Python functions */
    how.unneeded = PR_UNNEEDED_MOMENTS;
    pr_input_read_only(&how, settings.metric);
    status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &how, &profile);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile, write_summary(&settings, profile));
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_summary = {
    .name = "summary",
    .several = true,
    .arguments = "INPUT...",
    .summary = "the functions that matter, a row each",
    .about = "Shows how much each function allocated, with all that it called (Total) and on\n"
             "its own (Self): at the peak, unless another view is chosen.\n",
    .details = "A row is a function of a file, whatever the line, as in `memray summary`; memray looks only at the "
               "allocations that make up 95 % of the memory, so its totals are slightly lower.\n",
    .examples = "  profrender summary capture.bin              as many rows as the terminal has\n"
                "  profrender summary --sort self --leaks capture.bin\n"
                "  profrender summary profile.pstats --json | jq '.rows[0]'\n",
    .options = options,
    .run = run,
};
