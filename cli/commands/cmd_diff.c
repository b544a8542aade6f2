/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender diff`: what grew from one capture to the next, and who did it. */
#include "capture/base/checked.h"
#include "profrender/diff.h"
#include "cli/io/csv_writer.h"
#include "cli/reports/diff_text.h"
#include "cli/reports/object_changes.h"
#include "cli/reports/phases_report.h"
#include "cli/reports/document_parts.h"
#include "cli/args/changes_option.h"
#include "cli/args/code_options.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/redact_option.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/reports/temporal_document.h"
#include "cli/args/window_option.h"
#include "cli/check/usual.h"
#include "cli/reports/usual_report.h"
#include "render/card.h"

#include <stdio.h>
#include <string.h>

enum format { FORMAT_AUTO, FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN, FORMAT_HTML };
static const char *const formats[] = {"auto", "text", "json", "csv", "markdown", "html", NULL};

enum { MOST_ROWS = 20 };

/* Sides of the difference, in the order of the command line. */
enum { BASE, NEW, SIDES };

/* Which part of its run a side is. */
struct side {
    const char *window;           /* as it was written; NULL: all of the run */
    struct pr_window_option span;
    const char *name;             /* of the input */
    struct pr_span_of_run when;   /* of the part */
    char metrics[PR_METRIC_LIST]; /* what its input has */
    bool has_stacks;
    char words[100], exactly[100]; /* "0 s to 10 s", "0 s to 9.98 s"; empty: all of the run */
};

struct settings {
    struct pr_common common;
    struct side side[SIDES];
    int format, by;
    int theme; /* enum pr_theme */
    const char *metric, *changes, *title;
    struct pr_code_options code;
    const struct pr_card_options *how; /* what the card is to be, of these */
    struct pr_changes touched; /* of `changes` */
    struct pr_words history;
    struct pr_usual_runs earlier; /* of `history` */
    uint64_t limit, width;
    bool exact;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    PR_OPTIONS_METRIC(AT(metric)),
    {.name = "window", .kind = PR_OPTION_TEXT, .offset = AT(side[NEW].window), .argument = "FROM:TO",
     .help = "a part of NEW: seconds from its start, or bins as\n"
             "b3:b17; of peak, leaks, what was allocated, and time"},
    {.name = "base-window", .kind = PR_OPTION_TEXT, .offset = AT(side[BASE].window), .argument = "FROM:TO",
     .help = "a part of BASE, in the same form; with one input, of\n"
             "the same run"},
    {.name = "by", .kind = PR_OPTION_CHOICE, .offset = AT(by), .argument = "WHOM", .choices = pr_diff_by_words,
     .help = "self (default): the function that ran; own: the one of\n"
             "your code that led there; total: all of them; path:\n"
             "the whole way"},
    {.name = "changes", .kind = PR_OPTION_TEXT, .once = true, .offset = AT(changes), .argument = "FILE",
     .help = "what was changed between them, from git diff or\n"
             "git diff --numstat; - is standard input; what grew in\n"
             "it comes first"},
    {.name = "history", .kind = PR_OPTION_LIST, .offset = AT(history), .argument = "FILE|DIR",
     .help = "earlier runs, as for profrender check: the usual range\n"
             "of each figure, where BASE and NEW are in it, and\n"
             "whether check calls NEW a regression"},
    {.name = "limit", .letter = 'n', .kind = PR_OPTION_NUMBER, .offset = AT(limit), .argument = "N",
     .help = "at most N rows, 0: all that changed; default: 20; in\n"
             "JSON and CSV all"},
    {.name = "bytes", .letter = 'b', .kind = PR_OPTION_FLAG, .offset = AT(exact),
     .help = "exact bytes (text, markdown)"},
    PR_OPTION_WIDTH(AT(width)),
    {.name = "format", .kind = PR_OPTION_CHOICE, .offset = AT(format), .argument = "FORMAT", .choices = formats,
     .help = "text, json, csv, markdown, or html: a card; default\n"
             "(auto): html for -o NAME.html, else text"},
    PR_OPTION_JSON(AT(format), FORMAT_JSON),
    {.name = "title", .kind = PR_OPTION_TEXT, .offset = AT(title), .argument = "TEXT",
     .help = "title of the card; default: the programs that ran"},
    PR_OPTION_THEME(AT(theme)),
    PR_OPTIONS_CODE(AT(code)),
    PR_OPTION_JOBS,
    PR_OPTION_RAW("csv"),
    PR_OPTION_RAW_NAMES,
    {.name = NULL}};

/* ---- JSON, CSV -------------------------------------------------------------------------------------------------- */

static void write_change(struct pr_json_writer *json, const struct pr_metric *metric, int64_t before, int64_t after)
{
    pr_json_put_key(json, "before");
    pr_document_value(json, metric, before);
    pr_json_put_key(json, "after");
    pr_document_value(json, metric, after);
    pr_json_put_key(json, "change");
    pr_document_value(json, metric, pr_change_of(before, after));
}

static const struct pr_usuals *usuals_of(const struct settings *settings)
{
    return settings->history.count ? &settings->earlier.usuals : NULL;
}

static void write_totals(struct pr_json_writer *json, const struct settings *settings, const struct pr_diff *diff)
{
    pr_json_put_key(json, "totals");
    pr_json_put_lines(json, '[');
    for (uint32_t i = 0; i < diff->metric_count; i++) {
        const struct pr_metric *metrics = &diff->profile->metrics[i * diff->count];
        pr_json_put_open(json, '{');
        pr_document_metric(json, metrics);
        write_change(json, metrics, metrics[1].total_value, metrics[0].total_value);
        pr_document_count(json, metrics, "before_count", metrics[1].total_count);
        pr_document_count(json, metrics, "after_count", metrics[0].total_count);
        pr_usual_json(json, usuals_of(settings), metrics->name);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

/* What is known of both runs besides. */
static void write_figures(struct pr_json_writer *json, const struct settings *settings, const struct pr_diff *diff)
{
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    const size_t count = pr_diff_figures(diff->profile, &diff->runs[diff->count - 1], &diff->runs[0], figures);
    pr_json_put_key(json, "figures");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < count; i++) {
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "name");
        pr_json_put_text(json, figures[i].metric.name);
        pr_json_put_key(json, "unit");
        pr_json_put_text(json, pr_document_unit(&figures[i].metric));
        write_change(json, &figures[i].metric, figures[i].before, figures[i].after);
        pr_usual_json(json, usuals_of(settings), figures[i].metric.name);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void write_null(struct pr_json_writer *json, const char *const *keys)
{
    for (; *keys; keys++) {
        pr_json_put_key(json, *keys);
        pr_json_put_null(json);
    }
}

static size_t rows_of(const struct settings *settings, const struct pr_diff_view *view)
{
    return settings->limit != PR_NOT_GIVEN && settings->limit && settings->limit < view->count
               ? (size_t)settings->limit
               : view->count;
}

static void write_windows(struct pr_json_writer *json, const struct settings *settings)
{
    static const char *const keys[SIDES] = {"base_window", "window"};
    for (size_t i = 0; i < SIDES; i++)
        if (settings->side[i].window)
            pr_write_window(json, keys[i], &settings->side[i].when);
}

/* The functions that neither grew nor shrank, with the other side where there is one. */
static void write_moved(struct pr_json_writer *json, const struct pr_diff_view *view)
{
    const struct pr_profile *profile = view->diff->profile;
    pr_json_put_key(json, "moved");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < view->moved_count; i++) {
        const struct pr_moved *moved = &view->moved[i];
        pr_json_put_open(json, '{');
        pr_document_place(json, profile, moved->row->function, moved->row->file, moved->row->line);
        pr_json_put_key(json, "change");
        pr_document_value(json, view->metric, moved->change);
        pr_json_put_key(json, "other");
        if (moved->other) {
            pr_json_put_open(json, '{');
            pr_document_place(json, profile, moved->other->function, moved->other->file, moved->other->line);
            pr_json_put_close(json, '}');
        } else {
            pr_json_put_null(json);
        }
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

static void write_json(struct pr_output *out, const struct settings *settings, const struct pr_diff_view *view)
{
    const struct pr_profile *profile = view->diff->profile;
    struct pr_json_writer json = pr_json_writer_start(out, settings->common.raw_names);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/diff/1");
    if (view->metric)
        pr_document_metric(&json, view->metric);
    else
        write_null(&json, (const char *const[]){"metric", "unit", NULL});
    pr_json_put_key(&json, "by");
    pr_json_put_text(&json, pr_diff_by_words[view->by]);
    pr_document_state(&json, profile);
    write_windows(&json, settings);
    if (view->metric)
        write_change(&json, view->metric, view->total.before, view->total.after);
    else
        write_null(&json, (const char *const[]){"before", "after", "change", NULL});
    write_totals(&json, settings, view->diff);
    write_figures(&json, settings, view->diff);
    pr_usual_notes_json(&json, usuals_of(settings));
    pr_diff_phases_json(&json, view->diff);
    pr_json_put_key(&json, "rows");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < rows_of(settings, view); i++) {
        const struct pr_change *change = &view->change[i];
        pr_json_put_open(&json, '{');
        pr_document_place(&json, profile, change->row->function, change->row->file, change->row->line);
        write_change(&json, view->metric, change->before, change->after);
        pr_json_put_key(&json, "arenas");
        pr_document_value(&json, view->metric, change->arenas);
        pr_document_touch(&json, view->changes != NULL, change->touch);
        pr_usual_row_json(&json, usuals_of(settings), view, change);
        if (view->by == PR_DIFF_PATH)
            pr_document_stack(&json, profile, "stack", change->row->node);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
    write_moved(&json, view);
    pr_growth_points_json(&json, &view->points);
    pr_object_changes_json(&json, profile);
    pr_json_put_close(&json, '}');
}

static void write_csv(struct pr_output *out, const struct settings *settings, const struct pr_diff_view *view)
{
    static const char *const columns[] = {"function", "file", "line", "before", "after", "change"};
    const struct pr_profile *profile = view->diff->profile;
    const unsigned places = view->metric ? pr_document_places(view->metric) : 0;
    struct pr_csv csv = pr_csv_start(out, settings->common.raw);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pr_csv_text(&csv, columns[i]);
    pr_csv_end_line(&csv);
    for (size_t i = 0; i < rows_of(settings, view); i++) {
        const struct pr_change *change = &view->change[i];
        const int64_t values[] = {change->before, change->after, change->change};
        pr_csv_name(&csv, pr_profile_text(profile, change->row->function));
        pr_csv_name(&csv, pr_profile_text(profile, change->row->file));
        if (change->row->line > 0)
            pr_csv_int(&csv, change->row->line);
        else
            pr_csv_text(&csv, "");
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            char text[PR_FIXED_SIZE];
            pr_csv_text(&csv, pr_fixed_text(text, values[k], places));
        }
        pr_csv_end_line(&csv);
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static const char *no_functions(const struct settings *settings)
{
    return settings->side[BASE].has_stacks  ? "The one after has no stacks, so no functions are compared."
           : settings->side[NEW].has_stacks ? "The one before has no stacks, so no functions are compared."
                                            : "Neither has stacks, so no functions are compared.";
}

static void write_words(struct pr_output *out, const struct settings *settings, const struct pr_diff_view *view)
{
    const struct pr_diff_text text = {
        .view = view, .no_functions = no_functions(settings),
        .before = settings->side[BASE].name, .after = settings->side[NEW].name,
        .part_before = settings->side[BASE].words, .part_after = settings->side[NEW].words,
        .usuals = usuals_of(settings),
        .limit = settings->limit == PR_NOT_GIVEN ? MOST_ROWS : (size_t)settings->limit, .exact = settings->exact};
    struct pr_report report = pr_report_start(out, &settings->common);
    pr_report_set_width(&report, settings->width);
    if (settings->format == FORMAT_MARKDOWN)
        pr_diff_markdown_write(out, &text);
    else
        pr_diff_text_write(&report, &text);
}

static void write_card(struct pr_output *out, const struct settings *settings, const struct pr_diff_view *view)
{
    const struct side *base = &settings->side[BASE], *new = &settings->side[NEW];
    const char *const given[SIDES] = {base->name, new->name};
    struct pr_arena names = {0};
    const char *const *sources = pr_redact_inputs(&settings->common, given, SIDES, &names);
    const struct pr_card_part parts[SIDES] = {{base->window, base->words, base->exactly},
                                              {new->window, new->words, new->exactly}};
    const struct pr_diff *diff = view->diff; /* the new one first */
    const struct pr_diff_run runs[SIDES] = {diff->runs[diff->count - 1], diff->runs[0]};
    struct pr_card_options how = *settings->how;
    struct pr_buf page = {0};
    struct pr_error err = {0};
    how.source = sources[0];
    how.sources = sources;
    how.source_count = SIDES;
    how.runs = runs;
    how.changes = view->changes;
    struct pr_usuals usuals = settings->earlier.usuals;
    usuals.named = pr_redact_inputs(&settings->common, settings->history.word, settings->history.count, &names);
    usuals.named_count = usuals.named ? settings->history.count : 0;
    how.usuals = settings->history.count ? &usuals : NULL;
    how.parts = base->window || new->window ? parts : NULL;
    if (pr_render_card(view->diff->profile, &how, &page, &err) == PR_FAILED)
        pr_say("%s", err.text);
    else
        pr_output_add(out, page.bytes, page.length);
    pr_buf_clear(&page);
    pr_arena_clear(&names);
}

static void write_all(struct pr_output *out, const struct settings *settings, const struct pr_diff_view *view)
{
    switch (settings->format) {
    case FORMAT_JSON: write_json(out, settings, view); break;
    case FORMAT_CSV: write_csv(out, settings, view); break;
    case FORMAT_HTML: write_card(out, settings, view); break;
    default: write_words(out, settings, view); break;
    }
}

static int lacks_metric(const struct settings *settings, const struct pr_diff *diff)
{
    char list[160] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < diff->metric_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 diff->profile->metrics[i * diff->count].name);
    pr_say("%s: there is no '%s' in both of them; they have %s", pr_input_name(&settings->common), settings->metric,
           list);
    return PR_EXIT_INPUT;
}

/* With the metric that was asked for; runs without stacks have none. */
static int make_view(const struct settings *settings, const struct pr_diff *diff, struct pr_diff_view *view)
{
    struct pr_error err = {0};
    const int metric = settings->metric ? pr_diff_metric(diff, settings->metric) : 0;
    *view = (struct pr_diff_view){.diff = diff, .by = (enum pr_diff_by)settings->by};
    if (metric < 0)
        return lacks_metric(settings, diff);
    if (!diff->metric_count || pr_diff_view_make(diff, (unsigned)metric, view->by,
                                                 settings->changes ? &settings->touched : NULL, view,
                                                 &err) != PR_FAILED)
        return PR_EXIT_DONE;
    pr_say("%s", err.text);
    return PR_EXIT_INPUT;
}

static int write_diff(struct settings *settings, const struct pr_diff *diff)
{
    struct pr_diff_view view;
    struct pr_output out;
    int status = make_view(settings, diff, &view);
    if (status == PR_EXIT_DONE && settings->history.count)
        status = pr_usual_runs_compare(&settings->earlier, diff,
                                       settings->format == FORMAT_HTML ? PR_DIFF_OWN : view.by);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        write_all(&out, settings, &view);
        status = pr_output_finish(&out);
    }
    pr_diff_view_clear(&view);
    return status;
}

static int add_to_diff(const struct settings *settings, const struct pr_profile *profile, struct pr_diff *diff)
{
    struct pr_error err = {0};
    if (pr_diff_add(diff, profile, &err) != PR_FAILED)
        return PR_EXIT_DONE;
    pr_say("%s: %s", pr_input_name(&settings->common), err.text);
    return PR_EXIT_INPUT;
}

static void describe(struct side *side, const struct pr_part_of_run *part)
{
    side->when = part->when;
    snprintf(side->words, sizeof side->words, "%s", part->words);
    snprintf(side->exactly, sizeof side->exactly, "%s to %s",
             pr_units_exact(PR_UNIT_NANOSECONDS, part->when.from_ns).text,
             pr_units_exact(PR_UNIT_NANOSECONDS, part->when.to_ns).text);
}

/* What is known of all of the run is not known of the part; how long that is was chosen: it is no change. */
static void leave_whole_run_out(struct pr_part_of_run *part)
{
    static const struct pr_maybe unknown = {.known = false};
    struct pr_profile *view = &part->view;
    view->meta.end_ms = unknown;
    view->series_count = 0;
    view->run.mark_count = 0;
    view->run.wall_ns = view->run.user_ns = view->run.system_ns = view->run.max_rss_bytes = unknown;
}

/* Adds the profile, or the part of it that SIDE is, to the difference. */
static int add_side(const struct settings *settings, struct side *side, const struct pr_profile *profile,
                    struct pr_diff *diff)
{
    const int asked = settings->metric ? pr_profile_metric(profile, settings->metric) : 0;
    struct pr_part_of_run part;
    if (!side->window)
        return add_to_diff(settings, profile, diff);
    if (!profile->metric_count)
        return pr_input_lacks(&settings->common, profile, "metric");
    int status = pr_part_of_run_make(&side->span, side->name, side->window, profile, asked < 0 ? 0 : asked, &part);
    if (status == PR_EXIT_DONE) {
        describe(side, &part);
        leave_whole_run_out(&part);
        status = add_to_diff(settings, &part.view, diff);
    }
    pr_part_of_run_clear(&part);
    return status;
}

static int cannot_compare(const struct settings *settings)
{
    const struct side *base = &settings->side[BASE], *new = &settings->side[NEW];
    pr_say("%s has %s, %s has %s: only stacks measured by the same metric can be compared", base->name, base->metrics,
           new->name, new->metrics);
    return PR_EXIT_INPUT;
}

/* Without a metric in common, the figures of runs are compared, unless both have stacks: then those were asked for. */
static int finish(const struct settings *settings, struct pr_diff *diff)
{
    struct pr_diff_figure figures[PR_DIFF_FIGURES];
    struct pr_error err = {0};
    diff->may_lack_metrics = !settings->metric && !(settings->side[BASE].has_stacks && settings->side[NEW].has_stacks);
    if (pr_diff_finish(diff, &err) == PR_FAILED && err.code != PR_ERR_ABSENT) {
        pr_say("%s: %s", pr_input_name(&settings->common), err.text);
        return PR_EXIT_INPUT;
    }
    if (!diff->profile ||
        (!diff->metric_count && !pr_diff_figures(diff->profile, &diff->runs[SIDES - 1], &diff->runs[0], figures)))
        return cannot_compare(settings);
    return PR_EXIT_DONE;
}

/* PROFILE, the newer run, is taken over. */
static int load_history(struct settings *settings, struct pr_profile *profile)
{
    struct pr_usual_runs *earlier = &settings->earlier;
    earlier->inputs.branch = "main";
    return pr_usual_runs_load(earlier, &settings->common, &settings->history, settings->side[NEW].name, profile);
}

/* The new one first: its files and lines are the ones that are named. One input is read once. */
static int load_both(struct settings *settings, struct pr_diff *diff)
{
    const size_t inputs = settings->common.input_count;
    struct pr_load_options how = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_inputs read;
    how.native = PR_NATIVE_OFF;
    how.objects = true;
    const char *const new_first[SIDES] = {settings->common.inputs[inputs - 1], settings->common.inputs[0]};
    int status = pr_inputs_begin(&read, &settings->common, new_first, inputs, &how);
    for (size_t i = SIDES; status == PR_EXIT_DONE && i-- > 0;) {
        struct side *side = &settings->side[i];
        side->name = new_first[0];
        if (!profile || inputs == SIDES) {
            pr_profile_free(profile);
            profile = NULL;
            status = pr_inputs_next(&read, &side->name, &profile);
        }
        if (status == PR_EXIT_DONE) {
            pr_input_list_metrics(profile, side->metrics);
            side->has_stacks = profile->metric_count > 0;
            status = add_side(settings, side, profile, diff);
        }
        if (status == PR_EXIT_DONE && i == NEW && settings->history.count) {
            status = load_history(settings, profile);
            profile = NULL;
        }
    }
    pr_profile_free(profile);
    pr_inputs_end(&read);
    return status == PR_EXIT_DONE ? finish(settings, diff) : status;
}

static bool is_page(const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    return length > 5 && strcmp(name + length - 5, ".html") == 0;
}

/* What only a card has. */
static int check_format(const struct pr_command *command, struct settings *settings)
{
    const struct pr_code_options *code = &settings->code;
    const bool about_card = settings->title || settings->theme || code->root || code->source_url ||
                            code->path_maps.count || code->redact_paths;
    if (settings->format == FORMAT_AUTO)
        settings->format = is_page(settings->common.output) ? FORMAT_HTML : FORMAT_TEXT;
    if (about_card && settings->format != FORMAT_HTML)
        return pr_wrong_usage(command, "--title, --theme, --root, --path-map, --source-url and --redact-paths are for "
                                       "a card: -o NAME.html or --format html");
    return PR_EXIT_DONE;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_card_options how = pr_card_options_default();
    struct settings settings = {.limit = PR_NOT_GIVEN, .how = &how};
    struct pr_code_places places;
    struct pr_diff *diff = NULL;
    struct pr_error err = {0};
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    const bool in_parts = settings.side[BASE].window || settings.side[NEW].window;
    if (settings.common.input_count != SIDES && !(settings.common.input_count == 1 && in_parts))
        return pr_wrong_usage(command, settings.common.input_count > SIDES
                                           ? "diff takes two inputs; of more, `profrender grew` shows what grew every "
                                             "time: profrender grew mon.bin tue.bin wed.bin"
                                           : "diff takes two inputs: profrender diff base.bin new.bin; or one, and "
                                             "which parts of it: --base-window 0:10 --window 50:60");
    if (in_parts && settings.history.count)
        return pr_wrong_usage(command, "--history is of whole runs: leave --window and --base-window out");
    for (size_t i = 0; i < SIDES; i++) {
        struct side *side = &settings.side[i];
        if (side->window)
            status = pr_window_read(command, i == BASE ? "base-window" : "window", side->window, &side->span);
        if (status != PR_EXIT_DONE)
            return status;
    }
    status = check_format(command, &settings);
    if (status != PR_EXIT_DONE)
        return status;
    how.title = settings.title;
    how.theme = (enum pr_theme)settings.theme;
    how.threads = pr_input_threads(&settings.common);
    status = pr_code_options_apply(command, &settings.code, &settings.common, &places, &how);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE && settings.changes)
        status = pr_changes_read(settings.changes, &settings.touched);
    if (status == PR_EXIT_DONE && pr_diff_new(&diff, &err) == PR_FAILED) {
        pr_say("%s", err.text);
        status = PR_EXIT_INPUT;
    }
    if (status == PR_EXIT_DONE)
        status = load_both(&settings, diff);
    if (status == PR_EXIT_DONE)
        status = pr_input_status(&settings.common, diff->profile, write_diff(&settings, diff));
    pr_diff_free(diff);
    pr_usual_runs_clear(&settings.earlier);
    pr_changes_clear(&settings.touched);
    pr_code_places_clear(&places);
    return status;
}

const struct pr_command pr_command_diff = {
    .name = "diff",
    .several = true,
    .arguments = "BASE [NEW]",
    .summary = "what grew from one capture to another, and who did it",
    .about = "Compares two captures: what changed as a whole, and which functions or paths did\n"
             "it, the largest growth first. Also two parts of one run, or of two.\n",
    .details = "A function is the same if its name and file are; lines move and do not count. Of several "
               "functions of one name in a file, those are the same that moved by the same distance. The line next to "
               "it has the largest part of the figure: of the function itself, of the function with the libraries it "
               "called, or of everything below it. What shrank has no line, because its lines were those of the "
               "base. Files "
               "of another machine or another Python are recognised: libraries by their path below site-packages, the "
               "standard library by that below its folder, your own code by that below the folder it was imported "
               "from, or by what most files have in common. So captures of different versions of memray can be "
               "compared, and so can CPU profiles.\n"
               "\n"
               "With `--window` and `--base-window` a side is a part of its run: its highest moment, and what was "
               "allocated in it and not freed by its end; for a CPU profile, what ran in it. With one input both are "
               "parts of that run, and one that is not given is the whole run. So a service can be compared with "
               "itself, its start against its end.\n"
               "\n"
               "Wall time, CPU time and the highest RSS are compared where both runs have them, also of two runs "
               "without stacks (`profrender record -- COMMAND`).\n"
               "\n"
               "With `--history` each figure comes with its usual range in earlier runs, and with where BASE and NEW "
               "are in it. The same runs are taken as for `profrender check NEW --history`: those since the level "
               "last changed, without any that failed, that are incomplete or that are NEW itself; of a site, those "
               "of its branch main. A regression is what `check` calls one, by `--metric` for figures that it compares "
               "only on request; arenas of pymalloc do not count. Of functions only the range is given. CPU time has "
               "none.\n"
               "\n"
               "If the runs have marks (`profrender mark`), a table shows what each phase used and the change since "
               "the phase of that name in BASE.\n"
               "\n"
               "What moved has not grown: below the rows, `moved` in JSON, are the functions of your code whose "
               "growth came nearly all from another one, as after a rename or a split. With `--changes` what "
               "grew in changed files comes first, unless it is less than a tenth of the largest growth: `git diff "
               "--numstat main... | profrender diff base.bin new.bin --changes -`.\n"
               "\n"
               "Figures with a star include arenas of pymalloc: Python takes memory for small objects by the "
               "mebibyte, and a capture without `--trace-python-allocators` puts these arenas down to whichever "
               "function needed the next one. Who filled them is not recorded, so one arena more is often chance.\n",
    .examples = "  profrender diff base.bin new.bin            by the function that allocated\n"
                "  profrender diff --by own --leaks base.bin new.bin\n"
                "                                              by the function of your code\n"
                "  profrender diff run.bin --base-window 0:60 --window 3540:3600\n"
                "                                              the first minute against the last\n"
                "  profrender diff base.prz new.prz -o card.html\n"
                "  profrender diff base.prz new.prz --history main/\n"
                "                                              is that more than usual?\n"
                "  profrender diff base.bin new.bin -o card.html --root . --source-url \\\n"
                "      'https://git.example.com/app/blob/main/{file}#L{line}'\n"
                "  profrender diff base.bin new.bin --format markdown >>\"$GITHUB_STEP_SUMMARY\"\n",
    .options = options,
    .run = run,
};
