/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "cli/options.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COLUMNS = 26 };

static void print_option(struct pr_output *out, const struct pr_option *option)
{
    char left[64], choices[128] = "";
    char letter[5] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    for (size_t i = 0, used = 0; option->choices && option->choices[i] && used < sizeof choices; i++)
        used += (size_t)snprintf(choices + used, sizeof choices - used, "%s%s", i ? ", " : "", option->choices[i]);
    pr_output_printf(out, "%-*s", OPTION_COLUMNS, left);
    if (strlen(left) + 2 > OPTION_COLUMNS)
        pr_output_printf(out, "\n%*s", OPTION_COLUMNS, "");
    pr_output_text(out, option->help);
    if (option->choices && !strstr(option->help, option->choices[0]))
        pr_output_printf(out, ": %s", choices);
    pr_output_byte(out, '\n');
}

static void print_options(struct pr_output *out, const char *title, const struct pr_option *table)
{
    pr_output_printf(out, "\n%s\n", title);
    for (; table->name; table++)
        print_option(out, table);
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
    print_options(&out, "Options of every command", pr_common_options);
    return pr_output_finish(&out);
}

int pr_help_program(const struct pr_command *const *commands)
{
    struct pr_output out;
    pr_output_open(&out, NULL);
    pr_output_text(&out, "profrender shows what a profiler recorded: as one HTML file, in the terminal, as data.\n"
                         "\n"
                         "  profrender card capture.bin -o card.html     a page to open, keep and send\n"
                         "  profrender table --leaks capture.bin         what was never freed, in the terminal\n"
                         "\n"
                         "Commands\n");
    for (; *commands; commands++)
        pr_output_printf(&out, "  %-10s%s\n", (*commands)->name, (*commands)->summary);
    pr_output_text(&out, "\n"
                         "INPUT is a capture of memray, also behind lz4, zstd or gzip; - is standard input.\n"
                         "`profrender COMMAND --help` has the options and examples of a command.\n"
                         "\n"
                         "Exit status\n"
                         "  0  done, also when a part of the input could not be read (stderr says so)\n"
                         "  2  wrong usage\n"
                         "  3  the input could not be used, or with --strict, not all of it\n"
                         "  4  the output could not be written\n");
    return pr_output_finish(&out);
}
