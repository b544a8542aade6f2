/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender grew`: what grew from each run to the next, or from each part of one run to the next. */
#include "capture/base/text.h"
#include "capture/model/run_times.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/args/report_options.h"
#include "cli/args/window_option.h"
#include "cli/io/output.h"
#include "cli/io/say.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/diff_text.h"
#include "cli/reports/grew_text.h"
#include "render/words/phase_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = {"text", "json", "markdown", NULL};

enum { MOST_ROWS = 20, MOST_WINDOWS = 64, NAME_COLUMNS = 30, NAME_BYTES = 120 };

struct settings {
    struct pr_common common;
    int format, by;
    const char *metric, *least, *phase;
    bool phases;
    uint64_t windows, limit, width;
    double percent; /* `least` */
};

/* The runs or parts, the first one first. Windows are of time bins, or of seconds. */
struct steps {
    struct pr_diff *diff; /* the last one first */
    const char **name; /* [inputs + MOST_WINDOWS] owned */
    struct pr_window_option window[MOST_WINDOWS];
    char words[MOST_WINDOWS][NAME_BYTES + 104]; /* names of parts, of a phase with its own */
    size_t count;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    PR_OPTIONS_METRIC(AT(metric)),
    {.name = "windows",
     .kind = PR_OPTION_NUMBER,
     .offset = AT(windows),
     .argument = "N",
     .help = "of one input: from each of N equal parts of the run to\n"
             "the next"},
    {.name = "phases",
     .kind = PR_OPTION_FLAG,
     .offset = AT(phases),
     .help = "of one input: from each of its phases to the next"},
    {.name = "phase",
     .kind = PR_OPTION_TEXT,
     .once = true,
     .offset = AT(phase),
     .argument = "NAME",
     .help = "of one input: from each time that it was in the phase\n"
             "NAME to the next"},
    {.name = "by",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(by),
     .argument = "WHOM",
     .choices = pr_diff_by_words,
     .help = "own (default): the function of your code that led\n"
             "there; self: the one that ran; total: all of them;\n"
             "path: the whole way"},
    {.name = "least",
     .kind = PR_OPTION_TEXT,
     .once = true,
     .offset = AT(least),
     .argument = "PERCENT",
     .help = "growth that a step has to exceed; default: 1"},
    {.name = "limit",
     .letter = 'n',
     .kind = PR_OPTION_NUMBER,
     .offset = AT(limit),
     .argument = "N",
     .help = "at most N rows, 0: all; default: 20; in JSON all"},
    PR_OPTION_WIDTH(AT(width)),
    {.name = "format",
     .kind = PR_OPTION_CHOICE,
     .offset = AT(format),
     .argument = "FORMAT",
     .choices = formats,
     .help = "text (default), markdown or json"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    PR_OPTION_JOBS,
    PR_OPTION_RAW_NAMES,
    {.name = NULL}};

/* ---- what is compared ------------------------------------------------------------------------------------------- */

static int refuse(const struct settings *settings, const struct pr_error *err)
{
    pr_say("%s: %s", pr_input_name(&settings->common), err->text);
    return PR_EXIT_INPUT;
}

static int refuse_memory(const struct settings *settings)
{
    struct pr_error err = {.text = "out of memory"};
    return refuse(settings, &err);
}

static struct pr_load_options how_to_load(void)
{
    struct pr_load_options how = pr_load_options_default();
    how.native = PR_NATIVE_OFF; /* rows are of functions that people wrote */
    how.objects = true;
    return how;
}

/* The last run first: its files and lines are the ones that are named. */
static int load_runs(const struct settings *settings, struct steps *steps)
{
    const struct pr_load_options how = how_to_load();
    struct pr_inputs inputs;
    steps->count = settings->common.input_count;
    const char **last_first = calloc(steps->count, sizeof *last_first);
    if (!last_first)
        return refuse_memory(settings);
    for (size_t i = 0; i < steps->count; i++)
        last_first[i] = settings->common.inputs[steps->count - 1 - i];
    int status = pr_inputs_begin(&inputs, &settings->common, last_first, steps->count, &how);
    for (size_t i = steps->count; status == PR_EXIT_DONE && i-- > 0;) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        status = pr_inputs_next(&inputs, &steps->name[i], &profile);
        if (status == PR_EXIT_DONE && pr_diff_add(steps->diff, profile, &err) == PR_FAILED)
            status = refuse(settings, &err);
        pr_profile_free(profile);
    }
    pr_inputs_end(&inputs);
    free(last_first);
    return status;
}

/* How long the order of time is, in seconds. */
static double seconds_of(const struct pr_profile *profile)
{
    double end = 0;
    for (size_t i = 0; i < profile->slice_count; i++) {
        const double at = (double)profile->slices[i].start_ns + (double)profile->slices[i].duration_ns;
        end = at > end ? at : end;
    }
    return end / 1e9;
}

/* The first time bin of part number I of COUNT; each part has one bin or more. */
static uint32_t first_bin(const struct pr_profile *profile, size_t i, size_t count)
{
    const struct pr_bin *bins = profile->bins;
    const double start = (double)bins[0].start_ms, span = (double)bins[profile->bin_count - 1].end_ms - start;
    const double from = start + span * (double)i / (double)count;
    uint32_t bin = (uint32_t)i;
    while (bin < profile->bin_count - (count - i) && (double)bins[bin].start_ms < from)
        bin++;
    return i == count ? profile->bin_count : bin;
}

/* Part number I of COUNT: by time bins where there are any. */
static struct pr_window_option window_of(const struct pr_profile *profile, size_t i, size_t count)
{
    const double seconds = seconds_of(profile);
    if (profile->bin_count)
        return (struct pr_window_option){
            .in_bins = true, .from = first_bin(profile, i, count), .to = first_bin(profile, i + 1, count) - 1.0};
    const double first = (double)pr_times_of_slices_ns(profile).value / 1e9;
    return (struct pr_window_option){.from = first + seconds * (double)i / (double)count,
                                     .to = first + seconds * (double)(i + 1) / (double)count};
}

static int add_part(const struct settings *settings, const struct pr_profile *profile, int metric, size_t i,
                    struct steps *steps)
{
    struct pr_part_of_run part;
    struct pr_error err = {0};
    char text[32];
    snprintf(text, sizeof text, "%zu of %zu parts", i + 1, steps->count);
    int status =
        pr_part_of_run_make(&steps->window[i], pr_input_name(&settings->common), text, profile, metric, &part);
    if (status == PR_EXIT_DONE) {
        const size_t length = strlen(steps->words[i]);
        snprintf(steps->words[i] + length, sizeof steps->words[i] - length, length ? " (%s)" : "%s", part.words);
        steps->name[i] = steps->words[i];
        part.view.series_count = 0; /* those of the whole run are no curve of a part */
        part.view.run.mark_count = 0;
        if (pr_diff_add(steps->diff, &part.view, &err) == PR_FAILED)
            status = refuse(settings, &err);
    }
    pr_part_of_run_clear(&part);
    return status;
}

static int choose_windows(const struct settings *settings, const struct pr_profile *profile, struct steps *steps)
{
    steps->count = (size_t)settings->windows;
    if (profile->bin_count ? profile->bin_count < steps->count : !profile->slice_count) {
        pr_say("%s: its history is too short for %zu windows", pr_input_name(&settings->common), steps->count);
        return PR_EXIT_INPUT;
    }
    for (size_t i = 0; i < steps->count; i++)
        steps->window[i] = window_of(profile, i, steps->count);
    return PR_EXIT_DONE;
}

static bool is_asked_for(const struct settings *settings, const struct pr_profile *profile,
                         const struct pr_phase *phase)
{
    const struct pr_text asked = pr_text_of(settings->phase ? settings->phase : "");
    const struct pr_text name = pr_profile_text(profile, phase->name);
    return settings->phases || (phase->name && name.length == asked.length &&
                                memcmp(name.bytes, asked.bytes, name.length) == 0);
}

/* A phase in which nothing was recorded is no step. */
static bool add_phase(const struct pr_profile *profile, const struct pr_phase *phase, struct steps *steps)
{
    struct pr_window window;
    struct pr_buf name = {0};
    if (!pr_phase_window(profile, phase->from_ms, phase->to_ms, &window))
        return true;
    if (steps->count == MOST_WINDOWS)
        return false;
    pr_text_cut_end(&name, phase->name ? pr_profile_text(profile, phase->name) : pr_text_of(PR_PHASE_FIRST),
                    NAME_COLUMNS);
    if (name.length && name.length <= NAME_BYTES)
        memcpy(steps->words[steps->count], name.bytes, name.length);
    pr_buf_clear(&name);
    steps->window[steps->count++] = (struct pr_window_option){.in_bins = true, .from = window.first, .to = window.last};
    return true;
}

static int choose_phases(const struct settings *settings, const struct pr_profile *profile, struct steps *steps)
{
    const char *input = pr_input_name(&settings->common);
    const uint32_t count = pr_phase_count(profile);
    uint32_t found = 0;
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_phase phase = pr_phase_at(profile, i);
        if (!is_asked_for(settings, profile, &phase))
            continue;
        found++;
        all &= add_phase(profile, &phase, steps);
    }
    if (all && steps->count >= 2)
        return PR_EXIT_DONE;
    if (!count)
        pr_say("%s: the run made no marks", input);
    else if (!all)
        pr_say("%s: there are more than %d phases to compare", input, MOST_WINDOWS);
    else if (found >= 2 && !profile->bin_count)
        pr_say("%s: it has no history of allocations that marks could be found in", input);
    else
        pr_say("%s: two phases or more are needed, and allocations were recorded in %zu; profrender info lists them",
               input, steps->count);
    return PR_EXIT_INPUT;
}

static int choose_parts(const struct settings *settings, const struct pr_profile *profile, struct steps *steps)
{
    return settings->windows == PR_NOT_GIVEN ? choose_phases(settings, profile, steps)
                                             : choose_windows(settings, profile, steps);
}

static int load_parts(const struct settings *settings, struct steps *steps)
{
    const struct pr_load_options how = how_to_load();
    struct pr_profile *profile = NULL;
    int status = pr_input_load_one(&settings->common, settings->common.inputs[0], &how, &profile);
    if (status != PR_EXIT_DONE)
        return status;
    const int metric = settings->metric ? pr_profile_metric(profile, settings->metric) : profile->metric_count ? 0 : -1;
    status = metric < 0 ? pr_input_lacks(&settings->common, profile, settings->metric ? settings->metric : "metric")
                        : choose_parts(settings, profile, steps);
    for (size_t i = steps->count; status == PR_EXIT_DONE && i-- > 0;)
        status = add_part(settings, profile, metric, i, steps);
    pr_profile_free(profile);
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static int write_view(const struct settings *settings, const struct steps *steps, const struct pr_grew_view *view)
{
    const struct pr_grew_text text = {.view = view,
                                      .names = steps->name,
                                      .limit = settings->limit == PR_NOT_GIVEN ? MOST_ROWS : (size_t)settings->limit,
                                      .raw_names = settings->common.raw_names};
    struct pr_output out;
    const int status = pr_output_open(&out, settings->common.output);
    if (status != PR_EXIT_DONE)
        return status;
    struct pr_report report = pr_report_start(&out, &settings->common);
    pr_report_set_width(&report, settings->width);
    if (settings->format == FORMAT_JSON)
        pr_grew_document_write(&out, &text);
    else if (settings->format == FORMAT_MARKDOWN)
        pr_grew_markdown_write(&out, &text);
    else
        pr_grew_text_write(&report, &text);
    return pr_output_finish(&out);
}

static int answer(const struct settings *settings, const struct steps *steps)
{
    const int metric = settings->metric ? pr_diff_metric(steps->diff, settings->metric) : 0;
    struct pr_grew_view view = {.count = 0};
    struct pr_error err = {0};
    int status;
    if (metric < 0) {
        pr_say("%s: there is no '%s' in all of them", pr_input_name(&settings->common), settings->metric);
        return PR_EXIT_INPUT;
    }
    if (pr_grew_view_make(steps->diff, (unsigned)metric, (enum pr_diff_by)settings->by, settings->percent, &view,
                          &err) == PR_FAILED)
        status = refuse(settings, &err);
    else
        status = write_view(settings, steps, &view);
    pr_grew_view_clear(&view);
    return status;
}

static bool is_of_one(const struct settings *settings)
{
    return settings->windows != PR_NOT_GIVEN || settings->phases || settings->phase;
}

static int check_usage(const struct pr_command *command, struct settings *settings)
{
    const size_t inputs = settings->common.input_count;
    double share;
    if (settings->least && (!pr_percent_parse(settings->least, &share)))
        return pr_wrong_usage(command, "--least takes a percentage such as 5, not '%s'", settings->least);
    settings->percent = settings->least ? share * 100 : 1;
    if (!is_of_one(settings) && inputs < 2)
        return pr_wrong_usage(command, "grew takes two inputs or more: profrender grew mon.bin tue.bin wed.bin; or one "
                                       "with --windows 4 or --phases");
    if ((settings->windows != PR_NOT_GIVEN) + settings->phases + (settings->phase != NULL) > 1)
        return pr_wrong_usage(command, "give one of --windows, --phases and --phase");
    if (is_of_one(settings) && settings->windows == PR_NOT_GIVEN && inputs != 1)
        return pr_wrong_usage(command, "--%s takes one input", settings->phases ? "phases" : "phase");
    if (settings->windows != PR_NOT_GIVEN && (inputs != 1 || settings->windows < 2 || settings->windows > MOST_WINDOWS))
        return pr_wrong_usage(command, "--windows takes 2 to %d parts of one input", MOST_WINDOWS);
    return PR_EXIT_DONE;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.windows = PR_NOT_GIVEN, .limit = PR_NOT_GIVEN, .by = PR_DIFF_OWN};
    struct steps steps = {.count = 0};
    struct pr_error err = {0};
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    status = check_usage(command, &settings);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE) {
        steps.name = calloc(settings.common.input_count + MOST_WINDOWS, sizeof *steps.name);
        status = steps.name ? PR_EXIT_DONE : refuse_memory(&settings);
    }
    if (status == PR_EXIT_DONE && pr_diff_new(&steps.diff, &err) == PR_FAILED)
        status = refuse(&settings, &err);
    if (status == PR_EXIT_DONE)
        status = is_of_one(&settings) ? load_parts(&settings, &steps) : load_runs(&settings, &steps);
    if (status == PR_EXIT_DONE && pr_diff_finish(steps.diff, &err) == PR_FAILED)
        status = refuse(&settings, &err);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, steps.diff->profile, answer(&settings, &steps));
    pr_diff_free(steps.diff);
    free(steps.name);
    return status;
}

const struct pr_command pr_command_grew = {
    .name = "grew",
    .several = true,
    .arguments = "INPUT...",
    .summary = "what grew in each step of several runs, or of one run's parts",
    .about = "Shows the functions that have more in each run than in the one before, in the\n"
             "order of the inputs, sorted by smallest growth. What grows every time is\n"
             "rarely chance.\n",
    .details = "`--phases` takes the steps from each phase of a run to the next, as `profrender mark` or `mark` of the "
               "Python module named them; `--phase epoch` from each time that the run was in this phase to the next.\n"
               "\n"
               "With `--windows` the steps are those between equal parts of one run. For memory, the highest moment "
               "of a part or phase counts, or with `--leaks` what was allocated in it and not freed by its end; for a "
               "CPU profile, what ran in a part. Growth of at most 1 % does not count; `--least` sets another limit. "
               "Arenas of pymalloc do not count, because chance decides which function gets them.\n",
    .examples = "  profrender grew mon.bin tue.bin wed.bin\n"
                "  profrender grew service.bin --windows 6   from each sixth to the next\n"
                "  profrender grew train/ --phase epoch      from each epoch to the next\n"
                "  profrender grew --leaks --format markdown runs/*.prz\n",
    .options = options,
    .run = run,
};
