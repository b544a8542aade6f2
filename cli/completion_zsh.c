/* SPDX-License-Identifier: Apache-2.0 */
/* zsh: its _arguments takes a table of options, so ours becomes one of those for each command. */
#include "cli/completion.h"
#include "cli/args/options.h"

#include <string.h>

/* The message and the action of a value: ":NAME:ACTION". */
static void add_value(struct pr_output *out, const char *name, const struct pr_value *value)
{
    pr_output_byte(out, ':');
    pr_completion_text(out, name, ":");
    pr_output_byte(out, ':');
    switch (value->kind) {
    case PR_VALUE_WORDS: {
        const bool goes_on = value->words[0] && strchr(value->words[0], '='); /* a file follows, no blank */
        pr_output_text(out, goes_on ? "{compadd -S \"\" - " : "(");
        pr_completion_words(out, value->words);
        pr_output_byte(out, goes_on ? '}' : ')');
        break;
    }
    case PR_VALUE_FILE:
        pr_output_text(out, "_files");
        break;
    case PR_VALUE_FOLDER:
        pr_output_text(out, "_files -/");
        break;
    case PR_VALUE_PROGRAM:
        pr_output_text(out, "_normal");
        break;
    default:
        pr_output_byte(out, ' ');
    }
}

/* The part after the name, up to the closing quote. */
static void add_rest(struct pr_output *out, const struct pr_option *option, const struct pr_value *value)
{
    pr_output_byte(out, '[');
    pr_completion_text(out, option->help, "[]:\\");
    pr_output_byte(out, ']');
    if (value->kind != PR_VALUE_NONE)
        add_value(out, option->argument, value);
    pr_output_text(out, "' \\\n");
}

static void add_options(struct pr_output *out, const struct pr_option *table)
{
    for (; table->name; table++) {
        const struct pr_value value = pr_value_of_option(table);
        const bool has_value = value.kind != PR_VALUE_NONE;
        pr_output_printf(out, "            '*--%s%s", table->name, has_value ? "=" : "");
        add_rest(out, table, &value);
        if (!table->letter)
            continue;
        pr_output_printf(out, "            '*-%c%s", table->letter, has_value ? "+" : "");
        add_rest(out, table, &value);
    }
}

static void add_command(struct pr_output *out, const struct pr_command *command)
{
    const struct pr_value value = pr_value_of_argument(command);
    pr_output_printf(out, "    %s)\n        _arguments -s -S \\\n", command->name);
    add_options(out, command->options);
    add_options(out, pr_options_common(command));
    /* After `::` the words before it are forgotten, and the program completes its own. */
    pr_output_text(out, value.kind == PR_VALUE_PROGRAM ? "            '*:" : "            '*");
    add_value(out, command->arguments, &value);
    pr_output_text(out, "' ;;\n");
}

void pr_completion_zsh(const struct pr_command *const *commands, struct pr_output *out)
{
    pr_output_text(out, "#compdef profrender\n"
                        "# Completion of profrender for zsh: written by `profrender completion zsh`.\n"
                        "_profrender() {\n"
                        "    local -a commands=(\n");
    for (size_t i = 0; commands[i]; i++) {
        pr_output_printf(out, "        '%s:", commands[i]->name);
        pr_completion_text(out, commands[i]->summary, "");
        pr_output_text(out, "'\n");
    }
    pr_output_text(out, "        'help:the help of a command')\n"
                        "    if ((CURRENT == 2)); then\n"
                        "        _describe -t commands command commands\n"
                        "        _arguments '--help[show the help]' '--version[show the version]'\n"
                        "        return\n"
                        "    fi\n"
                        "    shift words\n"
                        "    ((CURRENT--))\n"
                        "    case $words[1] in\n");
    for (size_t i = 0; commands[i]; i++)
        add_command(out, commands[i]);
    pr_output_text(out, "    help)\n"
                        "        _arguments '--man[its manual page]' '1:command:{_describe command commands}' ;;\n"
                        "    esac\n"
                        "}\n"
                        "if [[ $funcstack[1] == _profrender ]]; then _profrender \"$@\"; else compdef _profrender "
                        "profrender; "
                        "fi\n");
}
