/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"

#include "capture/base/ascii.h"
#include "profrender/load.h"
#include "cli/help.h"
#include "cli/args/options.h"
#include "cli/io/output.h"

#include <string.h>

/* ---- roff ------------------------------------------------------------------------------------------------------- */

/* A letter that stands for itself: hyphens that can be copied, no escapes, no quotes that a terminal would curl. */
static void add_letter(struct pr_output *out, char letter)
{
    switch (letter) {
    case '\\':
        pr_output_text(out, "\\e");
        break;
    case '-':
        pr_output_text(out, "\\-");
        break;
    case '\'':
        pr_output_text(out, "\\(aq");
        break;
    case '^':
        pr_output_text(out, "\\(ha");
        break;
    case '~':
        pr_output_text(out, "\\(ti");
        break;
    default:
        pr_output_byte(out, letter);
    }
}

static void add_letters(struct pr_output *out, const char *text)
{
    for (; *text; text++)
        add_letter(out, *text);
}

static bool is_part_of_word(char letter)
{
    return pr_is_alphanumeric(letter) || letter == '_' || letter == '-';
}

/* WORD is at TEXT, after BEFORE, as a whole word. */
static bool is_word(const char *text, char before, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && !is_part_of_word(before) && !is_part_of_word(text[length]);
}

/* A line of prose: `this` is bold, ARGUMENT (may be NULL) italic. */
static void add_line(struct pr_output *out, const char *line, size_t length, const char *argument)
{
    bool bold = false;
    if (length && line[0] == '.')
        pr_output_text(out, "\\&");
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '`') {
            bold = !bold;
            pr_output_text(out, bold ? "\\fB" : "\\fR");
        } else if (!bold && argument && is_word(line + i, i ? line[i - 1] : ' ', argument)) {
            pr_output_text(out, "\\fI");
            add_letters(out, argument);
            pr_output_text(out, "\\fR");
            i += strlen(argument) - 1;
        } else {
            add_letter(out, line[i]);
        }
    }
    pr_output_byte(out, '\n');
}

/* Paragraphs: an empty line separates two of them, and lines that begin with a blank are kept unchanged. */
static void add_prose(struct pr_output *out, const char *text, const char *argument)
{
    bool as_it_is = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool indented = *text == ' ';
        if (indented != as_it_is && length)
            pr_output_text(out, indented ? ".nf\n" : ".fi\n");
        as_it_is = length ? indented : as_it_is;
        if (length)
            add_line(out, text, length, argument);
        else
            pr_output_text(out, ".PP\n");
        text += length + (text[length] == '\n');
    }
    if (as_it_is)
        pr_output_text(out, ".fi\n");
}

static void add_section(struct pr_output *out, const char *title)
{
    pr_output_printf(out, ".SH %s\n", title);
}

/* ---- what the pages have in common ------------------------------------------------------------------------------ */

static void add_title(struct pr_output *out, const char *command, const char *summary)
{
    pr_output_text(out, ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH PROFRENDER");
    if (command)
        pr_output_byte(out, '-');
    for (const char *letter = command; letter && *letter; letter++)
        pr_output_byte(out, pr_ascii_upper(*letter));
    pr_output_printf(out, " 1 \"\" \"profrender %s\" \"User commands\"\n", pr_version());
    add_section(out, "NAME");
    pr_output_printf(out, command ? "profrender\\-%s \\- " : "profrender \\- ", command);
    add_letters(out, summary);
    pr_output_byte(out, '\n');
    add_section(out, "SYNOPSIS");
}

static void add_option(struct pr_output *out, const struct pr_option *option)
{
    pr_output_text(out, ".TP\n");
    if (option->letter)
        pr_output_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    pr_output_text(out, "\\fB\\-\\-");
    add_letters(out, option->name);
    pr_output_text(out, "\\fR");
    if (option->argument) {
        pr_output_text(out, " \\fI");
        add_letters(out, option->argument);
        pr_output_text(out, "\\fR");
    }
    pr_output_byte(out, '\n');
    add_prose(out, option->help, option->argument);
}

static void add_options(struct pr_output *out, const char *title, const struct pr_option *table)
{
    if (table->name)
        add_section(out, title);
    for (; table->name; table++)
        add_option(out, table);
}

static void add_exit_status(struct pr_output *out, const struct pr_exit_meaning *exits)
{
    add_section(out, "EXIT STATUS");
    for (const struct pr_exit_meaning *exit = exits; exit->text; exit++) {
        pr_output_printf(out, ".TP\n%s\n", pr_exit_name_of(exit).text);
        add_prose(out, exit->text, NULL);
    }
}

/* The pages of all commands but this one; NULL: of all. */
static void add_other_pages(struct pr_output *out, const struct pr_command *except)
{
    add_section(out, "SEE ALSO");
    if (except)
        pr_output_text(out, "\\fBprofrender\\fR(1)\n");
    for (size_t i = 0; pr_commands[i]; i++)
        if (pr_commands[i] != except)
            pr_output_printf(out, "\\fBprofrender\\-%s\\fR(1)\n", pr_commands[i]->name);
    pr_output_text(out,
                   ".PP\nThe schemas of the JSON documents are in\n.I share/profrender/schemas\nnext to the folder\n"
                   ".I bin\nthat the program is installed in, and in\n.I schemas\nof the source.\n");
}

int pr_manual_command(const struct pr_command *command)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    add_title(&out, command->name, command->summary);
    pr_output_printf(&out, "\\fBprofrender %s\\fR [\\fIOPTIONS\\fR] ", command->name);
    add_line(&out, command->arguments, strlen(command->arguments), NULL);
    add_section(&out, "DESCRIPTION");
    add_prose(&out, command->about, NULL);
    if (command->details) {
        pr_output_text(&out, ".PP\n");
        add_prose(&out, command->details, NULL);
    }
    add_options(&out, "OPTIONS", command->options);
    add_options(&out, "OPTIONS OF EVERY COMMAND", pr_options_common(command));
    add_exit_status(&out, command->exits ? command->exits : pr_exit_meanings);
    add_section(&out, "EXAMPLES");
    add_prose(&out, command->examples, NULL);
    add_other_pages(&out, command);
    return pr_output_finish(&out);
}

/* ---- profrender(1) ---------------------------------------------------------------------------------------------- */

static const char description[] =
    "`profrender` reads what a profiler recorded and shows it: as a card, which is one HTML file with everything in "
    "it,\n"
    "as a report in the terminal, or as JSON and CSV.\n"
    "\n"
    "INPUT is a memray capture (header versions 6 to 13) or a profile of another tool, raw or packed with lz4,\n"
    "zstd or gzip. Its format is known from its content, never from its name. `-` is standard input.\n"
    "It may also be a digest, which `profrender digest` made of any of those.\n"
    "\n"
    "If the inputs are the processes of one run (as `memray run --follow-fork` records them), each process is a\n"
    "root of its own, \"process 1234\".\n"
    "\n"
    "If a capture was cut, damaged or never finished, everything up to that place is shown, and standard error\n"
    "names the place. What is left out, capped or assumed while reading is counted by kind: `info` lists it, JSON\n"
    "has it as `damage`, and the capture is not complete, which `--strict` and `check` see.\n"
    "\n"
    "An output file appears whole or not at all: it is written next to its final name, synced and renamed.\n"
    "\n"
    "Names in a capture may hold anything. In text, in CSV and on the card, control characters are visibly escaped; in "
    "JSON,\n"
    "bytes that are not UTF-8 become U+FFFD. A name that a spreadsheet would run as a formula (it begins with `=`, "
    "`+`, "
    "`-`,\n"
    "`@`, a tab or a line end) begins with a quote in CSV. A name that the log of a CI runner would run "
    "(`::error::`,\n"
    "`##[error]`, `##vso[task]`) has its first letter escaped, as `\\x3a` or `\\x23`. `--raw` of `table`, `diff` and "
    "`export`\n"
    "writes names into CSV and collapsed stacks as they were recorded.\n"
    "\n"
    "Sizes are in KiB, MiB and GiB, which are 1,024 bytes, KiB and MiB. memray's own reports count in MB of 1,000,000 "
    "bytes\n"
    "in some places: 86.7 MiB are 90.9 MB. `--bytes` shows all digits.\n";

static const struct {
    const char *variable, *meaning;
} environment[] = {
    {"NO_COLOR", "If set and not empty: no colours, unless `--color always` is given.\n"},
    {"COLUMNS", "Width of reports that do not go to a terminal.\n"},
    {"PROFRENDER_REDACT_KEY", "The key of `--redact names`, if no `--redact-key` is given.\n"},
    {"DEBUGINFOD_URLS",
     "If set and not empty: debug information for native frames that is not on this machine is fetched from these\n"
     "servers, as `debuginfod`(8) describes.\n"},
};

static const char examples[] = "  profrender card capture.bin -o card.html\n"
                               "  profrender table --leaks capture.bin\n"
                               "  profrender table --sort total --group location capture.bin\n"
                               "  profrender export capture.bin --view leaks | jq '.records[0]'\n"
                               "  profrender card forks.bin forks.bin.1234 -o card.html\n"
                               "  profrender digest capture.bin && profrender stats capture.prz\n"
                               "  profrender merge runs/*.prz -o all.prz\n"
                               "  zstd -dc run.bin.zst | profrender card - -o card.html\n";

static void add_commands(struct pr_output *out)
{
    add_section(out, "COMMANDS");
    for (size_t i = 0; pr_commands[i]; i++) {
        pr_output_printf(out, ".TP\n\\fBprofrender %s\\fR ", pr_commands[i]->name);
        add_line(out, pr_commands[i]->arguments, strlen(pr_commands[i]->arguments), NULL);
        add_prose(out, pr_commands[i]->summary, NULL);
    }
}

int pr_manual_program(void)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    add_title(&out, NULL, "show what a profiler recorded: as a page, in the terminal, as data");
    pr_output_text(&out, "\\fBprofrender\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIARGUMENT\\fR...\n.br\n"
                         "\\fBprofrender help\\fR [\\fB\\-\\-man\\fR] [\\fICOMMAND\\fR]\n.br\n"
                         "\\fBprofrender \\-\\-version\\fR\n");
    add_section(&out, "DESCRIPTION");
    add_prose(&out, description, "INPUT");
    add_commands(&out);
    add_options(&out, "OPTIONS OF EVERY COMMAND", pr_common_options);
    add_exit_status(&out, pr_program_exits);
    add_section(&out, "ENVIRONMENT");
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        pr_output_printf(&out, ".TP\n\\fB%s\\fR\n", environment[i].variable);
        add_prose(&out, environment[i].meaning, NULL);
    }
    add_section(&out, "EXAMPLES");
    add_prose(&out, examples, NULL);
    add_other_pages(&out, NULL);
    return pr_output_finish(&out);
}
