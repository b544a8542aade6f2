/* SPDX-License-Identifier: Apache-2.0 */
/* What may follow an option or a command. */
#include "cli/completion.h"

#include "cli/args/options.h"
#include "profrender/load.h"

#include <string.h>

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
