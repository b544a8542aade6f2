/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "cli/args/options.h"
#include "cli/io/output.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMNS = 26 };

static void print_option(struct pr_output *out, const struct pr_option *option)
{
    char left[64];
    char letter[5] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    if (strlen(left) + 2 > OPTION_COLUMNS)
        pr_output_printf(out, "%s\n%*s", left, OPTION_COLUMNS, "");
    else
        pr_output_printf(out, "%-*s", OPTION_COLUMNS, left);
    for (const char *line = option->help, *end; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        pr_output_add(out, line, end ? (size_t)(end - line) : strlen(line));
        pr_output_printf(out, end ? "\n%*s" : "\n", OPTION_COLUMNS, "");
    }
}

static void print_options(struct pr_output *out, const char *title, const struct pr_option *table)
{
    pr_output_printf(out, "\n%s\n", title);
    for (; table->name; table++)
        print_option(out, table);
}

struct pr_exit_name pr_exit_name_of(const struct pr_exit_meaning *exit)
{
    struct pr_exit_name name = {"n"};
    if (exit->status >= 0)
        snprintf(name.text, sizeof name.text, "%d", exit->status);
    return name;
}

static void print_exits(struct pr_output *out, const struct pr_exit_meaning *exits)
{
    pr_output_text(out, "\nExit status\n");
    for (const struct pr_exit_meaning *exit = exits; exit->text; exit++)
        pr_output_printf(out, "  %-5s%s\n", pr_exit_name_of(exit).text, exit->text);
}

int pr_help_command(const struct pr_command *command)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    pr_output_printf(&out, "usage: profrender %s [OPTIONS] %s\n\n", command->name, command->arguments);
    pr_output_text(&out, command->about);
    pr_output_text(&out, "\nExamples\n");
    pr_output_text(&out, command->examples);
    if (command->options->name)
        print_options(&out, "Options", command->options);
    if (pr_options_common(command)->name)
        print_options(&out, "Options of every command", pr_options_common(command));
    if (command->exits)
        print_exits(&out, command->exits);
    return pr_output_finish(&out);
}

static const char is_done[] = "done, even if part of the input could not be read (stderr says so)";
#define EXITS_WITHOUT_RESULT \
    {PR_EXIT_USAGE, "wrong usage"}, {PR_EXIT_INPUT, "the input could not be used, or with --strict, not all of it"}, \
        {PR_EXIT_OUTPUT, "the output could not be written"}

const struct pr_exit_meaning pr_exit_meanings[] = {{PR_EXIT_DONE, is_done}, EXITS_WITHOUT_RESULT, {0, NULL}};
const struct pr_exit_meaning pr_program_exits[] = {
    {PR_EXIT_DONE, is_done}, {PR_EXIT_NO, "a rule of `check` is broken"}, EXITS_WITHOUT_RESULT, {0, NULL}};

int pr_help_program(void)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    pr_output_text(&out, "profrender shows what a profiler recorded: as a page, in the terminal, as data.\n"
                         "\n"
                         "  profrender card capture.bin -o card.html    one HTML file: open, keep, send\n"
                         "  profrender table --leaks capture.bin        what was never freed\n"
                         "\n"
                         "Commands\n");
    for (size_t i = 0; pr_commands[i]; i++)
        pr_output_printf(&out, "  %-12s%s\n", pr_commands[i]->name, pr_commands[i]->summary);
    pr_output_text(&out, "\n"
                         "INPUT is a memray capture or a profile of another tool, recognised by its\n"
                         "content, also packed with lz4, zstd or gzip; - is standard input.\n"
                         "`profrender COMMAND --help` shows the options of a command, with examples;\n"
                         "`profrender help --man COMMAND | man -l -` shows its manual page.\n"
                         "\n"
                         "Exit status\n");
    for (const struct pr_exit_meaning *exit = pr_program_exits; exit->text; exit++)
        pr_output_printf(&out, "  %d  %s\n", exit->status, exit->text);
    return pr_output_finish(&out);
}
