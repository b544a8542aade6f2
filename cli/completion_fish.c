/* SPDX-License-Identifier: Apache-2.0 */
/* fish: a line for each command and option, with the condition under which it is offered. */
#include "cli/completion.h"
#include "cli/args/options.h"

#include <stdio.h>
#include <string.h>

/* The part of a help text that says what the option is: fish shows it next to each value. */
static size_t length_of_description(const char *text)
{
    enum { MOST = 48 };
    const size_t whole = strcspn(text, ";(");
    size_t length = whole;
    while (length > MOST || (length && length < whole && text[length] != ' ' && text[length] != '\n'))
        length--;
    while (length && strchr(" \n,:", text[length - 1]))
        length--;
    return length ? length : whole;
}

static void add_description(struct pr_output *out, const char *text)
{
    pr_output_text(out, " -d '");
    /* fish reads \' inside quotes as sh reads '\'' */
    for (const char *end = text + length_of_description(text); text < end; text++) {
        if (*text == '\'' || *text == '\\')
            pr_output_byte(out, '\\');
        pr_output_byte(out, *text == '\n' ? ' ' : *text);
    }
    pr_output_text(out, "'\n");
}

static void add_value(struct pr_output *out, const struct pr_value *value)
{
    switch (value->kind) {
    case PR_VALUE_WORDS:
        pr_output_text(out, " -x -a '");
        pr_completion_words(out, value->words);
        pr_output_byte(out, '\'');
        break;
    case PR_VALUE_FILE:
        pr_output_text(out, " -r -F");
        break;
    case PR_VALUE_FOLDER:
        pr_output_text(out, " -x -a '(__fish_complete_directories)'");
        break;
    case PR_VALUE_PROGRAM:
        pr_output_text(out, " -x -a '(__fish_complete_command)'");
        break;
    case PR_VALUE_TEXT:
        pr_output_text(out, " -x");
        break;
    case PR_VALUE_NONE:
        break;
    }
}

/* CONDITION is what goes between quotes after -n. */
static void add_options(struct pr_output *out, const char *condition, const struct pr_option *table)
{
    for (; table->name; table++) {
        const struct pr_value value = pr_value_of_option(table);
        pr_output_printf(out, "complete -c profrender -n '%s' -l %s", condition, table->name);
        if (table->letter)
            pr_output_printf(out, " -s %c", table->letter);
        add_value(out, &value);
        add_description(out, table->help);
    }
}

static void add_command(struct pr_output *out, const struct pr_command *command)
{
    char condition[80];
    const struct pr_value value = pr_value_of_argument(command);
    pr_output_printf(out, "complete -c profrender -n __profrender_first -a %s", command->name);
    add_description(out, command->summary);
    snprintf(condition, sizeof condition, "__profrender_is %s", command->name);
    add_options(out, condition, command->options);
    if (command->takes_table)
        add_options(out, condition, pr_options_common(command));
    pr_output_printf(out, "complete -c profrender -n '%s'", condition);
    if (value.kind == PR_VALUE_FILE)
        pr_output_text(out, " -F");
    else
        add_value(out, &value);
    pr_output_byte(out, '\n');
}

/* For all commands that have them. */
static void add_common_options(struct pr_output *out, const struct pr_command *const *commands)
{
    struct pr_buf condition = {0};
    pr_buf_text(&condition, "not __profrender_first; and not __profrender_is help");
    for (size_t i = 0; commands[i]; i++)
        if (!pr_options_common(commands[i])->name || commands[i]->takes_table)
            pr_buf_printf(&condition, " %s", commands[i]->name);
    if (!condition.failed)
        add_options(out, condition.bytes, pr_common_options);
    pr_buf_clear(&condition);
}

void pr_completion_fish(const struct pr_command *const *commands, struct pr_output *out)
{
    pr_output_text(out, "# Completion of profrender for fish: written by `profrender completion fish`.\n"
                        "function __profrender_first\n"
                        "    test (count (commandline -opc)) -eq 1\n"
                        "end\n"
                        "function __profrender_is\n"
                        "    set -l words (commandline -opc)\n"
                        "    test (count $words) -gt 1; and contains -- $words[2] $argv\n"
                        "end\n"
                        "complete -c profrender -f\n");
    for (size_t i = 0; commands[i]; i++)
        add_command(out, commands[i]);
    add_common_options(out, commands);
    pr_output_text(out, "complete -c profrender -n __profrender_first -l help -d 'show the help'\n"
                        "complete -c profrender -n __profrender_first -l version -d 'show the version'\n"
                        "complete -c profrender -n __profrender_first -a help -d 'the help of a command'\n"
                        "complete -c profrender -n '__profrender_is help' -l man -d 'its manual page'\n"
                        "complete -c profrender -n '__profrender_is help' -a '");
    for (size_t i = 0; commands[i]; i++)
        pr_output_printf(out, "%s ", commands[i]->name);
    pr_output_text(out, "'\n");
}
