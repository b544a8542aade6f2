/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender completion`: the script with which a shell completes our commands, options and their values. */
#include "profrender/load.h"
#include "cli/completion.h"
#include "cli/args/options.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static void (*const writers[])(struct pr_output *) = {pr_completion_bash, pr_completion_zsh, pr_completion_fish};

static const struct pr_option options[] = {{.name = NULL}};

static enum pr_value_kind kind_of_name(const char *name, enum pr_value_kind otherwise)
{
    if (strstr(name, "COMMAND"))
        return PR_VALUE_PROGRAM;
    if (strstr(name, "FILE") || strstr(name, "INPUT"))
        return PR_VALUE_FILE;
    return strstr(name, "DIR") ? PR_VALUE_FOLDER : otherwise;
}

static void add_words(struct pr_value *value, const char *const *words)
{
    value->kind = PR_VALUE_WORDS;
    for (size_t i = 0; words[i] && i + 1 < sizeof value->words / sizeof *value->words; i++)
        value->words[i] = words[i];
}

struct pr_value pr_value_of_option(const struct pr_option *option)
{
    struct pr_value value = {.kind = PR_VALUE_NONE};
    if (!pr_option_takes_value(option))
        return value;
    value.kind = kind_of_name(option->argument, PR_VALUE_TEXT);
    if (option->choices)
        add_words(&value, option->choices);
    if (strcmp(option->name, "input-format") == 0) {
        value.kind = PR_VALUE_WORDS;
        for (size_t i = 0; pr_format_name(i) && i + 1 < sizeof value.words / sizeof *value.words; i++)
            value.words[i] = pr_format_name(i);
    }
    return value;
}

struct pr_value pr_value_of_argument(const struct pr_command *command)
{
    struct pr_value value = {.kind = kind_of_name(command->arguments, PR_VALUE_FILE)};
    if (command->words)
        add_words(&value, command->words);
    return value;
}

void pr_completion_words(struct pr_output *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        pr_output_text(out, i ? " " : "");
        pr_output_text(out, words[i]);
    }
}

void pr_completion_text(struct pr_output *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            pr_output_text(out, "'\\''");
            continue;
        }
        if (strchr(special, *text))
            pr_output_byte(out, '\\');
        pr_output_byte(out, *text == '\n' ? ' ' : *text);
    }
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_common common = {0};
    struct pr_output out;
    int status;
    if (!pr_options_parse(command, argc, argv, &common, &status))
        return status;
    size_t shell = 0;
    while (shells[shell] && strcmp(shells[shell], common.input) != 0)
        shell++;
    if (!shells[shell])
        return pr_wrong_usage(command, "there is no completion for '%s', only for bash, zsh and fish", common.input);
    status = pr_output_check(common.output, "-");
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, common.output);
    if (status != PR_EXIT_DONE)
        return status;
    writers[shell](&out);
    return pr_output_finish(&out);
}

const struct pr_command pr_command_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .words = shells,
    .summary = "completion of commands and options for bash, zsh or fish",
    .about = "Writes the script with which a shell completes commands, options and their\n"
             "values. SHELL is bash, zsh or fish. `make install` installs all three.\n",
    .examples = "  . <(profrender completion bash)             in ~/.bashrc\n"
                "  . <(profrender completion zsh)              in ~/.zshrc, behind compinit\n"
                "  profrender completion fish | source         in ~/.config/fish/config.fish\n",
    .options = options,
    .run = run,
};
