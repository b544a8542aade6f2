/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/input.h"

#include "profrender/assemble.h"
#include "cli/args/options.h"
#include "cli/args/redact_option.h"
#include "cli/args/report_options.h"
#include "cli/io/local_file.h"
#include "cli/io/output.h"
#include "cli/io/system.h"
#include "cli/io/say.h"
#include "render/words/units.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_SIZE = 120 };

const char *const pr_native_words[] = {"auto", "off", "require", NULL};

const char *const pr_metric_words[] = {"peak", "leaked", "temporary", "allocated", "cpu", "wall", NULL};

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *pr_input_name(const struct pr_common *common)
{
    return common->input_count > 1 ? common->names : name_of(common->input);
}

int pr_input_check_output(const struct pr_common *common)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < common->input_count && status == PR_EXIT_DONE; i++)
        status = pr_output_check(common->output, common->inputs[i]);
    return status;
}

/* Where reading stopped and what was being read there: "at byte 1,234 (frame push record): ". TEXT may become "". */
static void say_place(char text[PLACE_SIZE], const struct pr_error *problem)
{
    text[0] = '\0';
    if (problem->offset == PR_NO_OFFSET)
        return;
    snprintf(text, PLACE_SIZE, problem->doing[0] ? "at byte %s (%s): " : "at byte %s: ",
             pr_units_count((int64_t)problem->offset).text, problem->doing);
}

/* What people type without reading the help: `profrender card capture.bin card.html` wants -o. */
static bool is_name_of_output(const char *path)
{
    static const char *const endings[] = {".html", ".htm", ".csv", ".svg", ".md", ".prz", NULL};
    const size_t length = strlen(path);
    for (size_t i = 0; endings[i]; i++) {
        const size_t size = strlen(endings[i]);
        if (length > size && strcmp(path + length - size, endings[i]) == 0)
            return true;
    }
    return false;
}

/* What helps. */
static const char *hint_of(const struct pr_error *problem)
{
    if (problem->code == PR_ERR_MEMORY && pr_system_data_is_bound())
        return ", as it is bounded: --max-memory folds stacks, but no names and no blocks that are alive at once";
    return problem->code == PR_ERR_UNPACKED ? " (--max-unpacked and --max-unpack-ratio allow more)" : "";
}

static void say_failure(const char *path, const struct pr_error *err)
{
    char place[PLACE_SIZE] = "";
    if (err->code == PR_ERR_DAMAGED || err->code == PR_ERR_TRUNCATED || err->code == PR_ERR_LIMIT)
        say_place(place, err);
    if (err->code == PR_ERR_IO && access(path, F_OK) != 0 && is_name_of_output(path))
        pr_say("%s does not exist; to write it: -o %s", path, path);
    else
        pr_say("%s: %s%s%s", name_of(path), place, err->text, hint_of(err));
}

static void warn_incomplete(const char *path, const struct pr_profile *profile)
{
    char place[PLACE_SIZE];
    const bool partial = profile->problem.code == PR_ERR_PARTIAL;
    say_place(place, &profile->problem);
    pr_say("%s: not complete, %s%s%s%s; all %s is shown", name_of(path), partial && *place ? "first " : "", place,
           profile->problem.text, hint_of(&profile->problem), partial ? "else" : "before that");
}

void pr_input_set_limits(const struct pr_common *common, struct pr_limits *limits)
{
    if (common->max_unpacked != PR_NOT_GIVEN)
        limits->max_unpacked_bytes = common->max_unpacked;
    if (common->max_unpack_ratio != PR_NOT_GIVEN)
        limits->max_unpack_ratio = common->max_unpack_ratio;
}

enum pr_status pr_input_hide_names(const struct pr_common *common, struct pr_profile **profile, enum pr_status status,
                                   struct pr_error *err)
{
    if (status == PR_FAILED || common->redact != PR_REDACT_NAMES ||
        pr_hide_names(*profile, &common->name_key, common->own_folders, common->own_folder_count, err) == PR_OK)
        return status;
    pr_profile_free(*profile);
    *profile = NULL;
    return PR_FAILED;
}

/* What one input may take: of several, one is read while another or their sum is there. */
static uint64_t memory_of_one(const struct pr_common *common)
{
    return common->input_count > 1 ? common->max_memory / 2 : common->max_memory;
}

unsigned pr_input_threads(const struct pr_common *common)
{
    return common->max_memory ? 1 : common->jobs < UINT_MAX ? (unsigned)common->jobs : UINT_MAX;
}

/* OPTIONS, or the defaults, as COMMON has it. PROGRESS is borrowed while they are in use. */
static struct pr_load_options options_of(const struct pr_common *common, const struct pr_load_options *options,
                                         struct pr_progress *progress)
{
    struct pr_load_options with_progress = options ? *options : pr_load_options_default();
    if (!options) {
        with_progress.native = PR_NATIVE_OFF;
        with_progress.unneeded = PR_UNNEEDED_MOMENTS;
    }
    const char *servers = getenv("DEBUGINFOD_URLS");
    with_progress.debuginfod = servers && *servers;
    with_progress.format = common->input_format;
    pr_input_set_limits(common, &with_progress.limits);
    with_progress.max_memory_bytes = memory_of_one(common);
    with_progress.threads = pr_input_threads(common);
    with_progress.progress = pr_progress_step;
    with_progress.progress_context = progress;
    return with_progress;
}

/* In the terminal as well as among the notes, as it is the caller's wish that leaves something out. */
static void say_what_is_left_out(const char *path, const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->note_count; i++)
        if (!strncmp(profile->notes[i], PR_BOUND_WORDS, strlen(PR_BOUND_WORDS)))
            pr_say("%s: %s", name_of(path), profile->notes[i]);
}

/* What is said of an input that was loaded with STATUS, and done to it first of all. */
static enum pr_status settle_loaded(const struct pr_common *common, const char *path, enum pr_status status,
                                    struct pr_profile **profile, struct pr_error *err)
{
    if (status != PR_FAILED && !(*profile)->complete)
        warn_incomplete(path, *profile);
    if (status != PR_FAILED && common->max_memory)
        say_what_is_left_out(path, *profile);
    return pr_input_hide_names(common, profile, status, err);
}

enum pr_status pr_input_try_one(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                                struct pr_profile **profile, struct pr_error *err)
{
    struct pr_progress progress = pr_progress_start(name_of(path), common->quiet);
    const struct pr_load_options how = options_of(common, options, &progress);
    const enum pr_status status = pr_load(path, &how, profile, err);
    pr_progress_end(&progress);
    return settle_loaded(common, path, status, profile, err);
}

int pr_input_refuse(const char *path, const struct pr_error *err)
{
    say_failure(path, err);
    return PR_EXIT_INPUT;
}

int pr_input_load_one(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                      struct pr_profile **profile)
{
    struct pr_error err = {0};
    return pr_input_load_why(common, path, options, profile, &err);
}

static int refuse_terminal(void)
{
    pr_say("standard input is a terminal: pipe a capture in, or name a file");
    return PR_EXIT_USAGE;
}

static bool is_terminal(const char *path)
{
    return strcmp(path, "-") == 0 && isatty(STDIN_FILENO);
}

int pr_input_load_why(const struct pr_common *common, const char *path, const struct pr_load_options *options,
                      struct pr_profile **profile, struct pr_error *err)
{
    if (is_terminal(path))
        return refuse_terminal();
    return pr_input_try_one(common, path, options, profile, err) == PR_FAILED ? pr_input_refuse(path, err)
                                                                            : PR_EXIT_DONE;
}

/* ---- several inputs, read at once -------------------------------------------------------------------------------- */

static size_t job_count(const struct pr_common *common)
{
    if (common->max_memory)
        return 1;
    if (!common->jobs)
        return pr_read_ahead_usual_jobs();
    return common->jobs < SIZE_MAX ? (size_t)common->jobs : SIZE_MAX;
}

/* For pr_read_ahead_inputs.size. A pipe or a terminal may wait for someone who waits for us. */
static double size_of_input(void *context, size_t index)
{
    const char *const *paths = context;
    struct stat found;
    if (strcmp(paths[index], "-") == 0)
        return -1;
    if (stat(paths[index], &found) != 0 || S_ISDIR(found.st_mode))
        return 0;
    return S_ISREG(found.st_mode) ? (double)found.st_size : -1;
}

static enum pr_status read_input(void *context, size_t index, const struct pr_load_options *options,
                                 struct pr_profile **profile, struct pr_error *err)
{
    const char *const *paths = context;
    return pr_load(paths[index], options, profile, err);
}

int pr_inputs_begin(struct pr_inputs *inputs, const struct pr_common *common, const char *const *paths, size_t count,
                    const struct pr_load_options *options)
{
    *inputs = (struct pr_inputs){.common = common, .paths = paths};
    inputs->how = options_of(common, options, &inputs->progress);
    if (count > 1)
        inputs->how.unneeded &= ~(unsigned)(PR_UNNEEDED_PEAKS | PR_UNNEEDED_TEMPORARY); /* facts are added up */
    if (count > 1 && inputs->how.threads > 1)
        inputs->how.threads = 0; /* that many inputs have threads already */
    const struct pr_read_ahead_inputs all = {
        .count = count, .context = (void *)paths, .size = size_of_input, .read = read_input};
    inputs->ahead = pr_read_ahead_new(&all, job_count(common), &inputs->how);
    if (inputs->ahead)
        return PR_EXIT_DONE;
    pr_say("out of memory");
    return PR_EXIT_INPUT;
}

enum pr_status pr_inputs_try_next(struct pr_inputs *inputs, const char **path, struct pr_profile **profile,
                                  struct pr_error *err)
{
    *profile = NULL;
    *path = inputs->paths[inputs->given++];
    inputs->progress = pr_progress_start(name_of(*path), inputs->common->quiet);
    const enum pr_status status = pr_read_ahead_next(inputs->ahead, profile, err);
    pr_progress_end(&inputs->progress);
    return settle_loaded(inputs->common, *path, status, profile, err);
}

int pr_inputs_next(struct pr_inputs *inputs, const char **path, struct pr_profile **profile)
{
    struct pr_error err = {0};
    if (is_terminal(inputs->paths[inputs->given])) {
        *path = inputs->paths[inputs->given++];
        *profile = NULL;
        return refuse_terminal();
    }
    return pr_inputs_try_next(inputs, path, profile, &err) == PR_FAILED ? pr_input_refuse(*path, &err) : PR_EXIT_DONE;
}

void pr_inputs_end(struct pr_inputs *inputs)
{
    pr_read_ahead_free(inputs->ahead);
    inputs->ahead = NULL;
}

/* What only some of the inputs have is not in the result: anyone who misses it should know why. */
static void say_left_out(const char *name, const char **before)
{
    if (!*before || strcmp(name, *before) != 0)
        pr_say("'%s' is left out: not all inputs have it, or it was made with different options", name);
    *before = name;
}

/* The end of a merge of either kind: reports what went wrong. */
static int tell_merged(const struct pr_common *common, const struct pr_error *err, int status)
{
    if (err->code != PR_ERR_NONE)
        pr_say("%s: %s", pr_input_name(common), err->text);
    return status;
}

static int add_input(struct pr_inputs *inputs, struct pr_merger *merger, bool *was_read, struct pr_error *err)
{
    const struct pr_common *common = inputs->common;
    struct pr_profile *profile;
    const char *path;
    int status = pr_inputs_next(inputs, &path, &profile);
    *was_read = status == PR_EXIT_DONE;
    char room[PR_REDACTED_INPUT];
    if (status == PR_EXIT_DONE &&
        pr_merger_add(merger, profile, pr_redact_input(common, name_of(path), room), err) == PR_FAILED)
        status = PR_EXIT_INPUT;
    pr_profile_free(profile);
    return status;
}

/* A file that is given twice is more often a slip than intended: both count, with a message. */
static void warn_repeated(const struct pr_common *common)
{
    struct stat *found = calloc(common->input_count, sizeof *found);
    for (size_t i = 0; found && i < common->input_count; i++) {
        if (stat(common->inputs[i], &found[i]) != 0 || !S_ISREG(found[i].st_mode))
            continue;
        for (size_t k = 0; k < i; k++)
            if (pr_is_same_file(&found[k], &found[i])) {
                pr_say("%s: given more than once; it counts each time", common->inputs[i]);
                break;
            }
    }
    free(found);
}

/* What became of a sum with inputs that were left out. */
static int tell_skipped(const struct pr_common *common, size_t skipped)
{
    if (!skipped)
        return PR_EXIT_DONE;
    pr_say(skipped < common->input_count ? "the sum covers %zu of %zu inputs; the others cannot be read"
                                         : "there is no sum: %zu of %zu inputs can be read",
           common->input_count - skipped, common->input_count);
    return skipped == common->input_count || common->strict ? PR_EXIT_INPUT : PR_EXIT_DONE;
}

int pr_input_sum(const struct pr_common *common, const struct pr_load_options *options, bool skip_unreadable,
                 struct pr_profile **profile)
{
    struct pr_merger *merger = NULL;
    struct pr_error err = {0};
    size_t skipped = 0;
    struct pr_inputs inputs;
    warn_repeated(common);
    int status = pr_inputs_begin(&inputs, common, common->inputs, common->input_count, options);
    if (status == PR_EXIT_DONE && pr_merger_new(PR_MERGE_ADD, &merger, &err) != PR_OK)
        status = PR_EXIT_INPUT;
    for (size_t i = 0; i < common->input_count && status == PR_EXIT_DONE; i++) {
        bool was_read;
        status = add_input(&inputs, merger, &was_read, &err);
        if (!was_read && skip_unreadable && status == PR_EXIT_INPUT) {
            skipped++;
            status = PR_EXIT_DONE;
        }
    }
    pr_inputs_end(&inputs);
    if (status == PR_EXIT_DONE)
        status = tell_skipped(common, skipped);
    if (status == PR_EXIT_DONE && pr_merger_finish(merger, profile, &err) == PR_FAILED)
        status = PR_EXIT_INPUT;
    status = tell_merged(common, &err, status);
    const char *name, *before = NULL;
    for (size_t i = 0; status == PR_EXIT_DONE && (name = pr_merger_left_out(merger, i)); i++)
        say_left_out(name, &before);
    pr_merger_free(merger);
    return status;
}

static int join_input(struct pr_inputs *inputs, struct pr_assemble *join, struct pr_error *err)
{
    const struct pr_common *common = inputs->common;
    struct pr_profile *profile;
    const char *path;
    int status = pr_inputs_next(inputs, &path, &profile);
    char room[PR_REDACTED_INPUT];
    if (status == PR_EXIT_DONE &&
        pr_assemble_add(join, profile, pr_redact_input(common, name_of(path), room), err) == PR_FAILED)
        status = PR_EXIT_INPUT;
    return status;
}

static int join_inputs(const struct pr_common *common, const struct pr_load_options *options,
                       struct pr_profile **profile)
{
    struct pr_assemble *join = NULL;
    struct pr_error err = {0};
    struct pr_inputs inputs;
    warn_repeated(common);
    int status = pr_inputs_begin(&inputs, common, common->inputs, common->input_count, options);
    if (status == PR_EXIT_DONE && pr_assemble_new(&join, &err) != PR_OK)
        status = PR_EXIT_INPUT;
    for (size_t i = 0; i < common->input_count && status == PR_EXIT_DONE; i++)
        status = join_input(&inputs, join, &err);
    pr_inputs_end(&inputs);
    if (status == PR_EXIT_DONE && pr_assemble_finish(join, profile, &err) == PR_FAILED)
        status = PR_EXIT_INPUT;
    status = tell_merged(common, &err, status);
    const char *name, *before = NULL;
    for (size_t i = 0; status == PR_EXIT_DONE && (name = pr_assemble_left_out(join, i)); i++)
        say_left_out(name, &before);
    pr_assemble_free(join);
    return status;
}

static bool has_labels(const char *format)
{
    return strcmp(format, "pprof") == 0 || strcmp(format, "otlp") == 0;
}

/* Whether a reader made use of pr_load_options.tag_root; a digest keeps no labels. */
static bool knows_labels(const struct pr_profile *profile)
{
    bool known = has_labels(profile->meta.format) && !profile->origin.digest_major;
    for (uint32_t i = 0; i < profile->part_count && !known; i++)
        known = has_labels(profile->parts[i].format);
    return known;
}

int pr_input_load(const struct pr_common *common, const struct pr_load_options *options, struct pr_profile **profile)
{
    const char *key = options ? options->tag_root : NULL;
    if (key && !key[strspn(key, ",")]) {
        pr_say("--tag-root needs the key of a label");
        return PR_EXIT_USAGE;
    }
    const int status = common->input_count > 1 ? join_inputs(common, options, profile)
                                               : pr_input_load_one(common, common->input, options, profile);
    if (status != PR_EXIT_DONE || !key || knows_labels(*profile))
        return status;
    pr_say("%s: this input has no label '%s'; pprof and OTLP profiles have labels, digests of them do not",
           pr_input_name(common), key);
    return PR_EXIT_INPUT;
}

int pr_input_add_notes(const struct pr_common *common, const char *path, struct pr_profile **profile)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *notes = NULL, *run = *profile;
    struct pr_assemble *join = NULL;
    struct pr_error err = {0};
    *profile = NULL;
    options.format = "notes";
    run->run.notes = 0;
    if (pr_load(path, &options, &notes, &err) != PR_FAILED && pr_assemble_new(&join, &err) == PR_OK) {
        enum pr_status status = pr_assemble_add(join, run, pr_input_name(common), &err);
        run = NULL;
        if (status == PR_OK) {
            status = pr_assemble_add(join, notes, path, &err);
            notes = NULL;
        }
        if (status == PR_OK)
            pr_assemble_finish(join, profile, &err);
    }
    pr_profile_free(run);
    pr_profile_free(notes);
    pr_assemble_free(join);
    if (!*profile)
        pr_say("%s: %s", name_of(path), err.text);
    return *profile ? PR_EXIT_DONE : PR_EXIT_INPUT;
}

bool pr_input_set_threshold(struct pr_load_options *options, uint64_t threshold)
{
    if (threshold == PR_NOT_GIVEN)
        return true;
    options->temporary_threshold = (uint32_t)threshold;
    options->insist |= PR_INSIST_TEMPORARY_THRESHOLD;
    return threshold < UINT32_MAX;
}

void pr_input_read_only(struct pr_load_options *options, const char *metric)
{
    if (metric && strcmp(metric, "peak") != 0)
        options->unneeded |= PR_UNNEEDED_PEAKS;
    if (!metric || strcmp(metric, "temporary") != 0)
        options->unneeded |= PR_UNNEEDED_TEMPORARY;
}

void pr_input_tell_unnamed(const struct pr_common *common, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    if (!meta->native_files_unnamed || common->quiet)
        return;
    pr_say_quietly("%s: no names for native frames from %" PRIu32 " of %" PRIu32
                   " files, which are missing here or are other builds, such as %s",
                   pr_input_name(common), meta->native_files_unnamed, meta->native_files,
                   pr_profile_text(profile, meta->native_unnamed_file).bytes);
}

int pr_input_status(const struct pr_common *common, const struct pr_profile *profile, int status)
{
    if (status == PR_EXIT_DONE && common->strict && !profile->complete)
        return PR_EXIT_INPUT;
    return status;
}

/* What no capture without history has. */
static bool needs_history(const char *view)
{
    return strcmp(view, "temporary") == 0 || strcmp(view, "allocated") == 0 || strncmp(view, "objects", 7) == 0 ||
           strncmp(view, "temporal-", 9) == 0 ||
           strcmp(view, "--window") == 0;
}

/* Views, and metrics of some format. Others are names of events in a file, or typing errors. */
static const char *const known[] = {
    "peak",   "leaks",     "leaked",        "temporary",   "allocated",     "temporal-peak", "temporal-leaks",
    "series", "cpu",       "wall",          "samples",     "weight",        "before",        "memory",
    "bytes",  "inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "allocations",   "heap",
    "python", "native",    "system",        "Ir",          "metric",        "--window",    "objects", "objects_alive",
    NULL};

static bool is_known(const char *view)
{
    for (const char *const *at = known; *at; at++)
        if (strcmp(view, *at) == 0)
            return true;
    return false;
}

/* What VIEW was meant to be: what the input has, else what others have; NULL: nothing is like it. */
static const char *nearest(const struct pr_profile *profile, const char *view)
{
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (uint32_t i = 0; i < MOST && i < profile->metric_count; i++)
        names[i] = profile->metrics[i].name;
    const char *near = pr_nearest(view, names, sizeof *names);
    return near ? near : pr_nearest(view, known, sizeof *known);
}

void pr_input_list_metrics(const struct pr_profile *profile, char list[PR_METRIC_LIST])
{
    size_t used = (size_t)snprintf(list, PR_METRIC_LIST, "%s", profile->metric_count ? "" : "no stacks");
    for (uint32_t i = 0; i < profile->metric_count && used < PR_METRIC_LIST; i++)
        used += (size_t)snprintf(list + used, PR_METRIC_LIST - used, "%s%s", i ? ", " : "", profile->metrics[i].name);
}

int pr_input_lacks(const struct pr_common *common, const struct pr_profile *profile, const char *view)
{
    char list[PR_METRIC_LIST];
    if (!profile->metric_count && strcmp(view, "series") != 0) {
        pr_say("%s: it has no stacks; `profrender info` lists what it has, `profrender card` draws it",
               pr_input_name(common));
        return PR_EXIT_INPUT;
    }
    pr_input_list_metrics(profile, list);
    if (profile->meta.aggregated && needs_history(view)) {
        pr_say("%s: an aggregated capture has no history of allocations, so it has no '%s', only %s",
               pr_input_name(common), view, list);
    } else if (is_known(view)) {
        pr_say("%s: there is no '%s' in this input; it has %s", pr_input_name(common), view, list);
    } else {
        const char *near = nearest(profile, view);
        pr_say("there is no metric '%s'; %s%s%s%s has %s", view, near ? "did you mean '" : "", near ? near : "",
               near ? "'? " : "", pr_input_name(common), list);
        return PR_EXIT_USAGE;
    }
    return PR_EXIT_INPUT;
}

int pr_input_no_report(const struct pr_common *common, const struct pr_profile *profile, const char *metric,
                       const struct pr_error *err)
{
    const bool is_there = metric ? pr_profile_metric(profile, metric) >= 0 : profile->metric_count > 0;
    if (err->code == PR_ERR_ABSENT && !is_there)
        return pr_input_lacks(common, profile, metric ? metric : "metric");
    pr_say("%s: %s", pr_input_name(common), err->text);
    return PR_EXIT_INPUT;
}
