/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bash: one function that looks at the words so far. Files are left to readline's own completion, which quotes them as
 * the line needs it. bash splits `--name=value` at the equals sign, so the name is one or two words back.
 */
#include "cli/completion.h"
#include "cli/args/options.h"

static void add_names(struct pr_output *out, const struct pr_option *table)
{
    for (; table->name; table++) {
        if (table->letter)
            pr_output_printf(out, " -%c", table->letter);
        pr_output_printf(out, " --%s", table->name);
    }
}

static void add_action(struct pr_output *out, const struct pr_value *value)
{
    switch (value->kind) {
    case PR_VALUE_WORDS:
        pr_output_text(out, "words='");
        pr_completion_words(out, value->words);
        pr_output_text(out, "'");
        break;
    case PR_VALUE_FOLDER:
        pr_output_text(out, "kind=directory");
        break;
    case PR_VALUE_PROGRAM:
        pr_output_text(out, "kind=command");
        break;
    case PR_VALUE_FILE:
        pr_output_text(out, "kind=file");
        break;
    default:
        pr_output_text(out, "kind=text");
    }
}

/* What follows an option; a case for each that takes a value. */
static void add_values(struct pr_output *out, const char *command, const struct pr_option *table)
{
    for (; table->name; table++) {
        struct pr_value value = pr_value_of_option(table);
        if (value.kind == PR_VALUE_NONE)
            continue;
        pr_output_printf(out, "    %s,--%s", command, table->name);
        if (table->letter)
            pr_output_printf(out, "|%s,-%c", command, table->letter);
        pr_output_text(out, ") ");
        add_action(out, &value);
        pr_output_text(out, " ;;\n");
    }
}

static void add_command_names(struct pr_output *out, const struct pr_command *const *commands)
{
    for (size_t i = 0; commands[i]; i++)
        pr_output_printf(out, "%s ", commands[i]->name);
}

/* What a word that follows no option can be. */
static void add_arguments(struct pr_output *out, const struct pr_command *const *commands)
{
    for (size_t i = 0; commands[i]; i++) {
        struct pr_value value = pr_value_of_argument(commands[i]);
        pr_output_printf(out, "            %s) ", commands[i]->name);
        add_action(out, &value);
        pr_output_text(out, " ;;\n");
    }
    pr_output_text(out, "            help) words='--man ");
    add_command_names(out, commands);
    pr_output_text(out, "' ;;\n");
}

static void add_options(struct pr_output *out, const struct pr_command *const *commands)
{
    for (size_t i = 0; commands[i]; i++) {
        pr_output_printf(out, "            %s) words='", commands[i]->name);
        add_names(out, commands[i]->options);
        add_names(out, pr_options_common(commands[i]));
        pr_output_text(out, "' ;;\n");
    }
}

void pr_completion_bash(const struct pr_command *const *commands, struct pr_output *out)
{
    pr_output_text(out, "# Completion of profrender for bash: written by `profrender completion bash`.\n"
                        "_profrender() {\n"
                        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                        "    local command=${COMP_WORDS[1]} words= kind= at\n"
                        "    if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                        "    if [[ $word == = ]]; then word=; fi\n"
                        "    COMPREPLY=()\n"
                        "    if ((COMP_CWORD == 1)); then\n"
                        "        COMPREPLY=($(compgen -W '");
    add_command_names(out, commands);
    pr_output_text(out, "help --help --version' -- \"$word\"))\n"
                        "        compopt +o default\n"
                        "        return\n"
                        "    fi\n"
                        "    for ((at = 2; at < COMP_CWORD; at++)); do\n"
                        "        if [[ ${COMP_WORDS[at]} == -- ]]; then before=--; fi\n"
                        "    done\n"
                        "    case $command,$before in\n");
    for (size_t i = 0; commands[i]; i++) {
        add_values(out, commands[i]->name, commands[i]->options);
        if (commands[i]->takes_table)
            add_values(out, commands[i]->name, pr_options_common(commands[i]));
    }
    add_values(out, "*", pr_common_options);
    pr_output_text(out, "    *)\n"
                        "        if [[ $word == -* && $before != -- ]]; then\n"
                        "            case $command in\n");
    add_options(out, commands);
    pr_output_text(out, "            esac\n"
                        "        else\n"
                        "            case $command in\n");
    add_arguments(out, commands);
    pr_output_text(out, "            esac\n"
                        "        fi ;;\n"
                        "    esac\n"
                        "    case $kind in\n"
                        "    file) return ;;\n"
                        "    text) ;;\n"
                        "    directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
                        "    command) mapfile -t COMPREPLY < <(compgen -A command -A file -- \"$word\") ;;\n"
                        "    *)\n"
                        "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                        "        if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi ;;\n"
                        "    esac\n"
                        "    compopt +o default\n"
                        "}\n"
                        "complete -o default -F _profrender profrender\n");
}
