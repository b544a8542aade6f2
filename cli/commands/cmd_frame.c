/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender frame`: what is in a table of data, as a card, in the terminal, as JSON. */
#include "capture/base/text.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/args/report_options.h"
#include "cli/args/table_input.h"
#include "cli/frame/frame_diff_reports.h"
#include "cli/frame/frame_reports.h"
#include "cli/io/output.h"
#include "cli/io/say.h"
#include "profrender/data_diff.h"
#include "render/frame/frame_card.h"
#include "render/words/data_words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_ROWS = 1000 };
enum format { FORMAT_AUTO, FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML };
static const char *const formats[] = {"auto", "text", "json", "html", NULL};
static const char *const headers[] = {"auto", "yes", "no", NULL}; /* enum pr_data_header */
static const char *const kinds[] = {"auto", "csv", "jsonl", "arrow", NULL};
static const char *const themes[] = {"auto", "light", "dark", NULL}; /* enum pr_theme */

static const char *const views[] = {"profile", "table", "box", "gantt", NULL}; /* enum pr_data_view */

struct settings {
    struct pr_common common;
    int format, header, kind, theme, view;
    bool descending;
    const char *separator, *title, *schema_word;
    struct pr_data_schema *schema; /* what it says */
    const char *sort, *value, *by, *start, *finish, *name, *group;
    uint64_t width, rows;
    struct pr_words pairs;
};

#define AT(member) offsetof(struct settings, member)

static const struct pr_option options[] = {{.name = "format",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(format),
                                            .argument = "FORMAT",
                                            .choices = formats,
                                            .help = "text (default), json, or html (default if FILE ends\n"
                                                    "with .html)"},
                                           PR_OPTION_JSON(AT(format), FORMAT_JSON),
                                           {.name = "as",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(view),
                                            .argument = "VIEW",
                                            .choices = views,
                                            .help = "profile (default), table, box (a box plot) or gantt"},
                                           {.name = "sort",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(sort),
                                            .argument = "COLUMN",
                                            .help = "table: the lowest of COLUMN first; default: as they\n"
                                                    "are"},
                                           {.name = "descending",
                                            .kind = PR_OPTION_FLAG,
                                            .offset = AT(descending),
                                            .help = "table: the highest first"},
                                           {.name = "rows",
                                            .kind = PR_OPTION_NUMBER,
                                            .offset = AT(rows),
                                            .argument = "N",
                                            .help = "table: at most N rows, up to 100,000; default: 1,000"},
                                           {.name = "value",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(value),
                                            .argument = "COLUMN",
                                            .help = "box: of COLUMN; default: of each with numbers"},
                                           {.name = "by",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(by),
                                            .argument = "COLUMN",
                                            .help = "box: one for each value of COLUMN (with --value)"},
                                           {.name = "start",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(start),
                                            .argument = "COLUMN",
                                            .help = "gantt: when each bar starts; default: Start"},
                                           {.name = "finish",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(finish),
                                            .argument = "COLUMN",
                                            .help = "gantt: when it ends; default: Finish"},
                                           {.name = "name",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(name),
                                            .argument = "COLUMN",
                                            .help = "gantt: whose bar it is; default: Name"},
                                           {.name = "group",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(group),
                                            .argument = "COLUMN",
                                            .help = "gantt: bars of one value have one colour"},
                                           {.name = "pairs",
                                            .kind = PR_OPTION_LIST,
                                            .offset = AT(pairs),
                                            .argument = "A,B",
                                            .help = "profile: a chart of two columns, up to 20 times;\n"
                                                    "default: the four pairs that depend most"},
                                           {.name = "title",
                                            .kind = PR_OPTION_TEXT,
                                            .offset = AT(title),
                                            .argument = "TEXT",
                                            .help = "title of the page; default: the name of the input"},
                                           {.name = "theme",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(theme),
                                            .argument = "THEME",
                                            .choices = themes,
                                            .help = "auto (default: as the reader's system), light or dark"},
                                           {.name = "header",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(header),
                                            .argument = "WHETHER",
                                            .choices = headers,
                                            .help = "whether the first record of CSV has the names of the\n"
                                                    "columns: auto (default), yes or no"},
                                           {.name = "separator",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(separator),
                                            .argument = "CHAR",
                                            .help = "what separates the fields of CSV, or tab; default: by\n"
                                                    "content"},
                                           {.name = "input-format",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = AT(kind),
                                            .argument = "NAME",
                                            .choices = kinds,
                                            .help = "auto (default), csv, jsonl or arrow"},
                                           PR_OPTION_TABLE_JOBS,
                                           {.name = "schema",
                                            .kind = PR_OPTION_TEXT,
                                            .once = true,
                                            .offset = AT(schema_word),
                                            .argument = "SCHEMA",
                                            .help = "types of columns: JSON, or a file of it; see the\n"
                                                    "manual page"},
                                           PR_OPTION_WIDTH(AT(width)),
                                           {.name = NULL}};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = text ? strlen(text) : 0, size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

static enum format format_of(const struct settings *settings)
{
    const char *output = settings->common.output;
    if (settings->format != FORMAT_AUTO)
        return (enum format)settings->format;
    if (ends_with(output, ".html") || ends_with(output, ".htm"))
        return FORMAT_HTML;
    return ends_with(output, ".json") ? FORMAT_JSON : FORMAT_TEXT;
}

/* The character that --separator names; 0: none, which was reported. */
static char separator_of(const char *text)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        return '\t';
    const bool is_one = strlen(text) == 1 && *text > ' ' && *text < 0x7f && *text != '"';
    if (is_one || strcmp(text, " ") == 0 || strcmp(text, "\t") == 0)
        return *text;
    pr_wrong_usage(&pr_command_frame, "--separator takes one character or tab, not '%s'", text);
    return 0;
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

static const char *or_default(const char *name, const char *otherwise)
{
    return name ? name : otherwise;
}

/* What the options ask for. PR_EXIT_USAGE: one of them is for another view, which was reported. */
static int wanted_of(const struct settings *settings, struct pr_data_wanted *wanted)
{
    const struct {
        const char *option;
        bool is_given;
        enum pr_data_view view;
    } all[] = {{"sort", settings->sort, PR_VIEW_TABLE},           {"descending", settings->descending, PR_VIEW_TABLE},
               {"rows", settings->rows != PR_NOT_GIVEN, PR_VIEW_TABLE}, {"value", settings->value, PR_VIEW_BOX},
               {"by", settings->by, PR_VIEW_BOX},                 {"start", settings->start, PR_VIEW_GANTT},
               {"finish", settings->finish, PR_VIEW_GANTT},       {"name", settings->name, PR_VIEW_GANTT},
               {"group", settings->group, PR_VIEW_GANTT},         {"pairs", settings->pairs.count, PR_VIEW_PROFILE}};
    const enum pr_data_view view = (enum pr_data_view)settings->view;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given && all[i].view != view)
            return pr_wrong_usage(&pr_command_frame, "--%s is for --as %s", all[i].option, views[all[i].view]);
    if (settings->pairs.count > PR_DATA_PAIRS)
        return pr_wrong_usage(&pr_command_frame, "--pairs can be given %d times", PR_DATA_PAIRS);
    for (size_t i = 0; i < settings->pairs.count; i++)
        if (!strchr(settings->pairs.word[i], ','))
            return pr_wrong_usage(&pr_command_frame, "--pairs takes two columns, A,B, not '%s'",
                                  settings->pairs.word[i]);
    if (settings->descending && !settings->sort)
        return pr_wrong_usage(&pr_command_frame, "--descending needs --sort COLUMN");
    if (settings->by && !settings->value)
        return pr_wrong_usage(&pr_command_frame, "--by needs --value COLUMN, whose numbers are compared");
    if (settings->rows != PR_NOT_GIVEN && (settings->rows < 1 || settings->rows > PR_DATA_MOST_SHEET))
        return pr_wrong_usage(&pr_command_frame, "--rows takes 1 to %d", PR_DATA_MOST_SHEET);
    if (view != PR_VIEW_PROFILE && pr_hides_values(&settings->common))
        return pr_wrong_usage(&pr_command_frame, "--redact values leaves nothing of --as %s, which is made of values",
                              views[view]);
    *wanted = (struct pr_data_wanted){.view = view,
                                      .most_rows = settings->rows == PR_NOT_GIVEN ? DEFAULT_ROWS : settings->rows,
                                      .sort = settings->sort,
                                      .descending = settings->descending,
                                      .value = settings->value,
                                      .by = settings->by,
                                      .pairs = settings->pairs.word,
                                      .pair_count = (uint32_t)settings->pairs.count};
    if (view == PR_VIEW_GANTT) {
        wanted->start = or_default(settings->start, "Start");
        wanted->finish = or_default(settings->finish, "Finish");
        wanted->name = or_default(settings->name, "Name");
        wanted->group = settings->group;
    }
    return PR_EXIT_DONE;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* COMPARED: for a difference. */
static int read_frame(const struct settings *settings, const char *path, bool compared, struct pr_data_frame **frame)
{
    const struct pr_common *common = &settings->common;
    struct pr_data_options how = pr_data_options_default();
    if (settings->separator && !(how.separator = separator_of(settings->separator)))
        return PR_EXIT_USAGE;
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO)) {
        pr_say("standard input is a terminal: pipe a table in, or name a file");
        return PR_EXIT_USAGE;
    }
    if (wanted_of(settings, &how.wanted) != PR_EXIT_DONE)
        return PR_EXIT_USAGE;
    how.keep_distributions = compared;
    how.schema = settings->schema;
    how.header = (enum pr_data_header)settings->header;
    how.format = settings->kind ? kinds[settings->kind] : NULL;
    const int status = pr_table_input_read(common, path, how, frame);
    if (status == PR_EXIT_DONE && (*frame)->problem.code != PR_ERR_NONE)
        pr_say("%s: not complete, %s; all before that is shown", pr_table_input_name(path), (*frame)->problem.text);
    return status;
}

static bool is_whole(const struct pr_data_frame *frame)
{
    for (enum pr_data_damage damage = 0; damage < PR_DATA_DAMAGES; damage++)
        if (frame->damage[damage].count)
            return false;
    return frame->problem.code == PR_ERR_NONE;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* A table, a difference of two, or several sections. */
struct content {
    const struct pr_data_frame *frame;
    const struct pr_data_sections *sections; /* NULL: none */
    const struct pr_data_diff *diff; /* NULL: a table */
    const char *before, *after;      /* names of the inputs of a difference */
};

/* "orders.csv", "orders.csv, before and now", "monday.csv and tuesday.csv". */
static void title_of(const struct settings *settings, const struct content *content, struct pr_buf *title)
{
    const char *name = pr_path_last_part(content->sections ? pr_table_input_name(settings->common.inputs[1])
                                                           : pr_input_name(&settings->common));
    if (settings->title)
        pr_buf_text(title, settings->title);
    else if (content->sections && content->sections->title.length)
        pr_buf_add(title, content->sections->title.bytes, content->sections->title.length);
    else if (content->diff)
        pr_buf_printf(title, "%s and %s", pr_path_last_part(content->before), pr_path_last_part(content->after));
    else
        pr_buf_text(title, name);
}

static int write_page(const struct settings *settings, const struct content *content)
{
    struct pr_error err = {0};
    struct pr_buf page = {0}, title = {0};
    const char *name = pr_path_last_part(pr_input_name(&settings->common));
    title_of(settings, content, &title);
    const struct pr_frame_card_options how = {.title = title.failed || !title.length ? name : title.bytes,
                                              .source = content->diff ? NULL : name,
                                              .theme = (enum pr_theme)settings->theme};
    const enum pr_status rendered = content->sections ? pr_render_sections(content->sections, &how, &page, &err)
                                    : content->diff   ? pr_render_frame_diff(content->diff, &how, &page, &err)
                                                      : pr_render_frame(content->frame, &how, &page, &err);
    int status = PR_EXIT_OUTPUT;
    if (rendered == PR_FAILED)
        pr_say("%s", err.text);
    else
        status = pr_output_write(settings->common.output, page.bytes, page.length);
    pr_buf_clear(&title);
    if (status == PR_EXIT_DONE && !settings->common.quiet && !pr_output_is_standard(settings->common.output))
        pr_say_quietly("%s: %s", settings->common.output, pr_units_bytes(pr_units_signed(page.length)).text);
    pr_buf_clear(&page);
    return status;
}

static void write_text(const struct settings *settings, const struct content *content, struct pr_output *out)
{
    struct pr_buf title = {0};
    title_of(settings, content, &title);
    if (content->diff)
        pr_frame_diff_text(out, &settings->common, content->diff, title.length ? title.bytes : "", settings->width);
    else
        pr_frame_text(out, &settings->common, content->frame,
                      settings->title ? settings->title : pr_input_name(&settings->common), settings->width);
    pr_buf_clear(&title);
}

static int write_report(const struct settings *settings, const struct content *content, enum format format)
{
    struct pr_output *out = malloc(sizeof *out);
    if (!out) {
        pr_say("out of memory");
        return PR_EXIT_OUTPUT;
    }
    int status = pr_output_open(out, settings->common.output);
    if (status == PR_EXIT_DONE) {
        if (format != FORMAT_JSON)
            write_text(settings, content, out);
        else if (content->diff)
            pr_frame_diff_document(out, content->diff, content->before, content->after);
        else
            pr_frame_document(out, content->frame, pr_input_name(&settings->common));
        status = pr_output_finish(out);
    }
    free(out);
    return status;
}

static int write_content(const struct settings *settings, const struct content *content)
{
    const enum format format = format_of(settings);
    return format == FORMAT_HTML ? write_page(settings, content) : write_report(settings, content, format);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static int show(const struct settings *settings)
{
    struct pr_data_frame *frame = NULL;
    int status = read_frame(settings, settings->common.input, false, &frame);
    if (status == PR_EXIT_DONE) {
        if (pr_hides_values(&settings->common))
            pr_data_frame_hide_values(frame);
        status = write_content(settings, &(struct content){.frame = frame});
        if (status == PR_EXIT_DONE && settings->common.strict && !is_whole(frame))
            status = PR_EXIT_INPUT;
    }
    pr_data_frame_free(frame);
    return status;
}

/* The first of the inputs is the word for it. */
static int compare(const struct settings *settings)
{
    struct pr_data_frame *before = NULL, *after = NULL;
    struct pr_data_diff *diff = NULL;
    struct pr_error err = {0};
    if (settings->common.input_count != 3)
        return pr_wrong_usage(&pr_command_frame, "diff takes two tables, the earlier one first");
    if (settings->view != PR_VIEW_PROFILE)
        return pr_wrong_usage(&pr_command_frame, "--as is for one table");
    const char *const a = settings->common.inputs[1], *const b = settings->common.inputs[2];
    if (settings->schema)
        settings->schema->is_for_several = true;
    int status = read_frame(settings, a, true, &before);
    if (status == PR_EXIT_DONE)
        status = read_frame(settings, b, true, &after);
    if (status == PR_EXIT_DONE && !pr_table_schema_is_used(settings->schema))
        status = PR_EXIT_INPUT;
    if (status == PR_EXIT_DONE && pr_data_frame_diff(before, after, &diff, &err) == PR_FAILED) {
        pr_say("%s", err.text);
        status = PR_EXIT_OUTPUT;
    }
    if (status == PR_EXIT_DONE) {
        if (pr_hides_values(&settings->common)) {
            pr_data_frame_hide_values(before);
            pr_data_frame_hide_values(after);
        }
        const struct content both = {
            .diff = diff, .before = pr_table_input_name(a), .after = pr_table_input_name(b)};
        status = write_content(settings, &both);
        if (status == PR_EXIT_DONE && settings->common.strict && !(is_whole(before) && is_whole(after)))
            status = PR_EXIT_INPUT;
    }
    pr_data_diff_free(diff);
    pr_data_frame_free(before);
    pr_data_frame_free(after);
    return status;
}

/* What the tables among SECTIONS lack is said, and whether one lacks anything is returned. */
static bool say_damage(const struct settings *settings, struct pr_data_sections *sections)
{
    bool all_whole = true;
    for (size_t i = 0; i < sections->count; i++) {
        struct pr_data_section *section = &sections->sections[i];
        if (!section->frame)
            continue;
        section->frame->section = (uint32_t)(i + 1);
        all_whole &= is_whole(section->frame);
        pr_table_input_say(&settings->common, section->file.bytes, section->frame);
        if (section->frame->problem.code != PR_ERR_NONE)
            pr_say("%s: not complete, %s; all before that is shown", section->file.bytes, section->frame->problem.text);
        if (pr_hides_values(&settings->common))
            pr_data_frame_hide_values(section->frame);
    }
    return !all_whole;
}

/* The first section that is made of values, or text; NULL: none is. */
static const struct pr_data_section *with_values(const struct pr_data_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++)
        if (sections->sections[i].kind != PR_SECTION_PROFILE)
            return &sections->sections[i];
    return NULL;
}

static int write_sections(const struct settings *settings, struct pr_data_sections *sections)
{
    const struct pr_data_section *valued = with_values(sections);
    if (pr_hides_values(&settings->common) && valued)
        return pr_wrong_usage(&pr_command_frame, "--redact values leaves nothing of a section of kind %s",
                              pr_section_kind_name(valued->kind));
    const bool lacks = say_damage(settings, sections);
    const int status = write_page(settings, &(struct content){.sections = sections});
    return status == PR_EXIT_DONE && settings->common.strict && lacks ? PR_EXIT_INPUT : status;
}

/* The first of the inputs is the word for it. */
static int show_sections(const struct settings *settings)
{
    struct pr_data_sections *sections = NULL;
    struct pr_data_options how = pr_data_options_default();
    struct pr_data_wanted wanted;
    struct pr_error err = {0};
    const char *path = settings->common.inputs[1];
    if (settings->common.input_count != 2)
        return pr_wrong_usage(&pr_command_frame, "sections takes one description, in JSON");
    if (format_of(settings) != FORMAT_HTML)
        return pr_wrong_usage(&pr_command_frame, "sections makes a page: give -o FILE.html, or --format html");
    if (settings->view != PR_VIEW_PROFILE || settings->schema_word || settings->separator || settings->header ||
        settings->kind)
        return pr_wrong_usage(&pr_command_frame, "the description says what the tables of sections are");
    if (wanted_of(settings, &wanted) != PR_EXIT_DONE)
        return PR_EXIT_USAGE;
    pr_table_input_set(&settings->common, &how);
    if (pr_data_sections_read(path, &how, &sections, &err) == PR_FAILED) {
        pr_say("%s: %s", pr_table_input_name(path), err.text);
        return PR_EXIT_INPUT;
    }
    const int status = write_sections(settings, sections);
    pr_data_sections_free(sections);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.format = FORMAT_AUTO, .rows = PR_NOT_GIVEN};
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    status = pr_input_check_output(&settings.common);
    if (status != PR_EXIT_DONE)
        return status;
    const bool is_one = settings.common.input_count == 1;
    const bool is_diff = !is_one && strcmp(settings.common.input, "diff") == 0;
    if (!is_one && strcmp(settings.common.input, "sections") == 0)
        return show_sections(&settings);
    if (!is_one && !is_diff)
        return pr_wrong_usage(command, "takes one table, diff and two, or sections and a description");
    status = pr_table_schema_read(settings.schema_word, &settings.schema);
    if (status == PR_EXIT_DONE)
        status = is_diff ? compare(&settings) : show(&settings);
    pr_data_schema_free(settings.schema);
    return status;
}

const struct pr_command pr_command_frame = {
    .name = "frame",
    .several = true,
    .takes_table = true,
    .arguments = "TABLE | diff TABLE TABLE | sections FILE",
    .summary = "what a table of data contains: CSV, TSV, JSON lines, Arrow",
    .about = "Profiles a table of data: types, missing and repeated values, distributions,\n"
             "correlations, and what is worth a look; as a page, in the terminal, or as JSON.\n",
    .details =
        "The table is a file, or standard input (`-`), packed with gzip, zstd or LZ4 or not: CSV, TSV, JSON "
        "lines, or Arrow, a stream or a file (Feather 2). Separator, encoding (UTF-8, UTF-16, Windows-1252) and header "
        "are found from its content, and types from all of its rows; Arrow has types of its own, and what is missing "
        "is null or NaN. Elsewhere empty fields and the words that pandas takes for missing values (NA, null, NaN, "
        "None, ...) are missing.\n"
        "\n"
        "The table is read once, in memory that does not grow with its rows. Of Arrow, one batch of rows at a time is "
        "in memory, and all dictionaries, so a file that is one batch needs memory for all of it. Counts, sums, "
        "moments, extremes and correlations are always of all values, with the precision of a double. Up to 3,000,000 "
        "numbers are kept in memory for exact quantiles; beyond that, quantiles, and the numbers of different, "
        "frequent and repeated values of large tables are estimates, which the output marks, each with its bound.\n"
        "\n"
        "`--as table` shows rows, `--as box` box plots, and `--as gantt` bars from a start to a finish, a line for "
        "each name and more where bars of a name overlap. A bar with one end missing is open there. Columns are "
        "named by options; start and finish are dates, times or numbers.\n"
        "\n"
        "`frame diff` compares two tables, the earlier one first: columns that are new, gone or of another type, "
        "missing values, categories, and distributions, of numbers by the Kolmogorov-Smirnov distance, of categories "
        "by the Jensen-Shannon distance. A distribution has moved if its distance, from 0 to 1, is 0.1 or more, and "
        "more than two samples of one distribution show once in 1,000 times.\n"
        "\n"
        "The page has charts of the pairs of columns that depend on one another most, or of those that `--pairs` "
        "names: numbers (or dates) against numbers in bins, numbers by category as box plots, categories against "
        "categories as a table.\n"
        "\n"
        "`--schema` says what columns are, instead of what their values show: a JSON object such as `{\"zip\": "
        "\"identifier\", \"paid\": \"boolean\", \"note\": \"ignore\"}`, or a file of it. Types are boolean (also yes "
        "and no, y and n, t and f, on and off, 1 and 0), integer, real, decimal, date, moment (a date and time), time "
        "(of day), duration, category, text, string (text, or a category if few values repeat), nested (a list or "
        "object), identifier (a text that is different in each row) and ignore, which leaves the column out. A date "
        "whose day comes first is `{\"type\": \"date\", \"day_first\": true}`; numbers that count from 1970 are "
        "`{\"type\": \"moment\", \"unit\": \"s\"}`, with unit d, h, min, s, ms, us or ns, and so for date and "
        "duration. Values that are not of the type are missing, counted and reported; a column that the table does not "
        "have is an error.\n"
        "\n"
        "`frame sections` makes one page of several things that a description in JSON lists: `{\"title\": \"Sales\", "
        "\"sections\": [{\"kind\": \"markdown\", \"text\": \"# Monday\"}, {\"kind\": \"box\", \"file\": "
        "\"sales.csv\", \"value\": \"price\", \"by\": \"country\"}]}`. Kinds are profile, table, box and gantt, with "
        "the options above as members (and separator, header, schema); markdown and source (code), from a file or a "
        "text; and image (PNG, JPEG, GIF, WebP, SVG; with an alt). Each may have a title. Files are named from the "
        "folder of the description, and none outside it is read.\n"
        "\n"
        "Rows that do not fit, such as those with too few or too many fields, are counted and reported; with "
        "`--strict` they make the exit status 3. `--redact values` leaves out every value of the table: rows, "
        "frequent and extreme values, quantiles; names of columns stay.\n",
    .examples = "  profrender frame sales.csv                 the report in the terminal\n"
                "  profrender frame sales.csv -o sales.html   the page: one file, without scripts\n"
                "  profrender frame sales.csv --pairs price,total -o pairs.html\n"
                "  profrender frame sales.csv --as table --sort price --descending -o top.html\n"
                "  profrender frame sales.csv --as box --value price --by country\n"
                "  profrender frame steps.csv --as gantt --start began --finish ended\n"
                "  profrender frame diff monday.csv tuesday.csv -o changed.html\n"
                "  profrender frame sales.csv --schema '{\"zip\": \"identifier\", \"paid\": \"boolean\"}'\n"
                "  profrender frame sections card.json -o card.html\n"
                "  profrender frame --json events.jsonl.zst\n"
                "  zcat log.tsv.gz | profrender frame - --redact values -o log.html\n",
    .options = options,
    .run = run,
};
