/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender tree`: who called whom, the biggest first, the rest counted. */
#include "cli/reports/document_parts.h"
#include "cli/reports/reduced_tree.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/reports/tree_text.h"
#include "cli/reports/tree_view.h"

#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown", NULL};

enum { MERGE_THREADS, SPLIT_THREADS };
static const char *const thread_words[] = {"merge", "split", NULL};

enum { GROUP_AUTO, GROUP_FUNCTION, GROUP_LINE };
static const char *const groups[] = {"auto", "function", "line", NULL};

static const char *const hide_words[] = {"none", "imports", "runner", "libraries", NULL}; /* enum pr_hide */

enum { MOST_FRAMES = 100 };

struct settings {
    struct pr_common common;
    int format, threads, group, hide, native;
    const char *metric, *min_share, *tag_root;
    uint64_t limit, depth, width, temporary_threshold;
    bool invert, exact;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    PR_OPTIONS_METRIC(AT(metric)),
    PR_OPTION_TAG_ROOT(AT(tag_root)),
    {.name = "invert",
     .letter = 'i',
     .kind = PR_OPTION_FLAG,
     .offset = AT(invert),
     .help = "from what allocated up to its callers"},
    {.name = "limit",
     .letter = 'n',
     .kind = PR_OPTION_NUMBER,
     .offset = AT(limit),
     .argument = "N",
     .help = "at most N frames, the biggest; 0: all; default: 100"},
    {.name = "min-share",
     .kind = PR_OPTION_TEXT,
     .offset = AT(min_share),
     .argument = "PERCENT",
     .help = "fold frames below this share of all; default: 1"},
    {.name = "depth",
     .letter = 'd',
     .kind = PR_OPTION_NUMBER,
     .offset = AT(depth),
     .argument = "N",
     .help = "at most N frames in a stack; default: all"},
    {.name = "hide",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(hide),
     .argument = "WHAT",
     .choices = hide_words,
     .help = "imports: the import system; runner (default): also\n"
             "what starts your code; libraries: all but your code;\n"
             "none: every frame, recursion too"},
    {.name = "group",
     .letter = 'g',
     .kind = PR_OPTION_CHOICE,
     .offset = AT(group),
     .argument = "BY",
     .choices = groups,
     .help = "function, or line (a frame for each line that ran);\n"
             "default (auto): line for allocations, else function"},
    {.name = "threads",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(threads),
     .argument = "HOW",
     .choices = thread_words,
     .help = "merge (default), or split: a tree for each thread"},
    {.name = "native",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(native),
     .argument = "HOW",
     .choices = pr_native_words,
     .help = "native frames: off (default), auto, or require: fail\n"
             "where a library is missing"},
    {.name = "bytes", .letter = 'b', .kind = PR_OPTION_FLAG, .offset = AT(exact), .help = "exact bytes (text)"},
    PR_OPTION_WIDTH(AT(width)),
    {.name = "format",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(format),
     .argument = "FORMAT",
     .choices = formats,
     .help = "text (default), markdown or json"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    PR_OPTION_TEMPORARY_THRESHOLD(AT(temporary_threshold)),
    PR_OPTION_RAW_NAMES,
    PR_OPTION_JOBS,
    {.name = NULL}};

static void write_json_line(struct pr_json_writer *json, const struct pr_tree_view *view,
                            const struct pr_tree_line *line)
{
    static const struct pr_frame none = {0};
    const struct pr_frame *frame = line->frame == PR_NO_FRAME ? &none : &view->profile->frames[line->frame];
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "parent");
    if (line->parent == PR_NO_ROW)
        pr_json_put_null(json);
    else
        pr_json_put_uint(json, line->parent);
    pr_document_place(json, view->profile, frame->function, frame->file, frame->line);
    pr_document_owner(json, view->profile, line->frame);
    pr_document_enclosing(json, view->profile, line->frame);
    pr_json_put_key(json, "self");
    pr_document_value(json, view->metric, line->self);
    pr_json_put_key(json, "total");
    pr_document_value(json, view->metric, line->total);
    pr_document_count(json, view->metric, "self_count", line->self_count);
    pr_document_count(json, view->metric, "total_count", line->total_count);
    pr_json_put_key(json, "folded");
    pr_json_put_uint(json, line->folded);
    pr_json_put_key(json, "folded_total");
    pr_document_value(json, view->metric, line->folded_total);
    pr_document_count(json, view->metric, "folded_count", line->folded_count);
    pr_document_thread(json, view->profile, line->thread);
    pr_json_put_close(json, '}');
}

/* A line says where in a function memory was allocated; for time it would split what a function took. */
static bool by_function(const struct settings *settings, const struct pr_profile *profile,
                        const struct pr_metric *metric)
{
    return settings->group == GROUP_AUTO ? !pr_metric_has_allocations(profile, metric)
                                         : settings->group == GROUP_FUNCTION;
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_tree_view *view)
{
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/tree/1");
    pr_document_metric(&json, view->metric);
    pr_json_put_key(&json, "threads");
    pr_json_put_text(&json, thread_words[settings->threads]);
    pr_json_put_key(&json, "hide");
    pr_json_put_text(&json, hide_words[settings->hide]);
    pr_json_put_key(&json, "group");
    pr_json_put_text(&json, by_function(settings, view->profile, view->metric) ? "function" : "line");
    pr_json_put_key(&json, "inverted");
    pr_json_put_bool(&json, settings->invert);
    pr_json_put_key(&json, "estimated");
    pr_json_put_bool(&json, view->profile->tree_estimated);
    pr_document_state(&json, view->profile);
    pr_document_total(&json, view->metric);
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    for (uint32_t i = 0; i < view->count; i++)
        write_json_line(&json, view, &view->line[i]);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

static void write_text(struct pr_output *out, const struct settings *settings, const struct pr_tree_view *view)
{
    struct pr_report report = settings->format == FORMAT_MARKDOWN ? pr_report_start_markdown(out, PR_MARKUP_PRE)
                                                                  : pr_report_start(out, &settings->common);
    pr_report_set_width(&report, settings->width);
    pr_tree_text_write(&report, &(struct pr_tree_text){view, settings->invert, settings->exact});
    pr_report_end(&report);
}

static int write_lines(const struct settings *settings, double min_share, const struct pr_profile *profile)
{
    const struct pr_tree_question question = {.metric = settings->metric,
                                              .split_threads = settings->threads == SPLIT_THREADS,
                                              .invert = settings->invert,
                                              .hybrid = settings->native != PR_NATIVE_OFF,
                                              .limit = settings->limit,
                                              .depth = settings->depth,
                                              .min_share = min_share};
    struct pr_tree_view view;
    struct pr_output out;
    struct pr_error err = {0};
    int status = PR_EXIT_DONE;
    if (pr_tree_view_make(profile, &question, &view, &err) == PR_FAILED)
        status = pr_input_no_report(&settings->common, profile, settings->metric, &err);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        (settings->format == FORMAT_JSON ? write_json : write_text)(&out, settings, &view);
        status = pr_output_finish(&out);
    }
    pr_tree_view_clear(&view);
    return status;
}

/* The lines of the tree as the user wants to see it. */
static int write_tree(const struct settings *settings, double min_share, const struct pr_profile *profile)
{
    const int metric = settings->metric ? pr_profile_metric(profile, settings->metric) : profile->metric_count ? 0 : -1;
    const struct pr_reduction how = {.hide = (enum pr_hide)settings->hide,
                                     .hybrid = settings->native != PR_NATIVE_OFF,
                                     .by_function =
                                         metric >= 0 && by_function(settings, profile, &profile->metrics[metric])};
    struct pr_reduced_tree reduced;
    struct pr_error err = {0};
    int status;
    if (pr_reduced_tree_make(profile, &how, &reduced, &err) == PR_OK)
        status = write_lines(settings, min_share, &reduced.profile);
    else
        status = pr_input_no_report(&settings->common, profile, settings->metric, &err);
    pr_reduced_tree_clear(&reduced);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_load_options how = pr_load_options_default();
    struct settings settings = {.limit = MOST_FRAMES,
                                .min_share = "1",
                                .temporary_threshold = PR_NOT_GIVEN,
                                .hide = PR_HIDE_RUNNER,
                                .native = PR_NATIVE_OFF};
    struct pr_profile *profile = NULL;
    double min_share;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!pr_percent_parse(settings.min_share, &min_share) || min_share > 1)
        return pr_wrong_usage(command, "--min-share takes a percentage such as 0.5, not '%s'", settings.min_share);
    if (!pr_input_set_threshold(&how, settings.temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    how.native = (enum pr_native_use)settings.native;
    how.unneeded = PR_UNNEEDED_MOMENTS;
    pr_input_read_only(&how, settings.metric);
    how.tag_root = settings.tag_root;
    status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &how, &profile);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, profile, write_tree(&settings, min_share, profile));
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_tree = {
    .name = "tree",
    .several = true,
    .arguments = "INPUT...",
    .summary = "who called whom, the biggest first, in the terminal or as JSON",
    .about = "Shows the call tree at the peak, unless another view is chosen: the biggest\n"
             "frames, the largest first. Smaller ones are folded and counted, so that Self,\n"
             "the lines below and the folded frames add up to the Total of a line.\n",
    .details = "The tree indents only where it branches: a frame right below another one, at the same indent, was "
               "called by that one.\n"
               "With `--invert` what allocated comes first, with its callers below it.\n"
               "\n"
               "The import system is left out, and so is what starts your code: runpy, a profiler's own frames, the "
               "start of threads. A function that calls itself is one frame; `--hide none` shows all frames.\n"
               "What a hidden frame held itself counts for the frame above it, so totals stay exact.\n",
    .examples = "  profrender tree capture.bin                 from main down, at the peak\n"
                "  profrender tree --leaks --invert capture.bin\n"
                "                                              from what leaked up to its callers\n"
                "  profrender tree --threads split --min-share 5 capture.bin\n"
                "  profrender tree profile.pstats --depth 4\n",
    .options = options,
    .run = run,
};
