/* SPDX-License-Identifier: Apache-2.0 */
/* Reading arguments, table by table; and guessing what a mistyped word was meant to be. */
#include "cli/args/options.h"

#include "cli/args/redact_option.h"

#include "capture/base/ascii.h"
#include "capture/base/near.h"
#include "capture/base/text.h"
#include "profrender/buf.h"
#include "profrender/load.h"
#include "cli/io/say.h"
#include "cli/io/system.h"
#include "cli/io/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const color_words[] = {"auto", "always", "never", NULL}; /* enum pr_color */

static const char *const redact_words[] = {"none", "names", NULL};                 /* enum pr_redact */
static const char *const redact_all_words[] = {"none", "names", "values", NULL}; /* the same, of tables too */

#define COMMON(member) offsetof(struct pr_common, member)

/* How much may be unpacked. */
#define UNPACKING                                                                                                     \
    {.name = "max-unpacked", .kind = PR_OPTION_SIZE, .offset = COMMON(max_unpacked), .argument = "SIZE",              \
     .help = "unpack no more than SIZE of an input; default: 1TiB"},                                                  \
    {.name = "max-unpack-ratio", .kind = PR_OPTION_NUMBER, .offset = COMMON(max_unpack_ratio), .argument = "N",       \
     .help = "nor, beyond 256 MiB, more than N times its packed\n"                                                    \
             "size; default: 5000"}

/* How much memory the program may take. */
#define MEMORY                                                                                                        \
    {.name = "max-memory", .kind = PR_OPTION_SIZE, .offset = COMMON(max_memory), .argument = "SIZE",                  \
     .help = "take no more than SIZE of memory: inner frames of\n"                                                    \
             "rare stacks are folded, native frames left out, and\n"                                                  \
             "the span of windows grows, where there are too many;\n"                                                 \
             "totals stay exact"}

/* What is reported, and how. */
#define REPORTING                                                                                                     \
    {.name = "quiet", .letter = 'q', .kind = PR_OPTION_FLAG, .offset = COMMON(quiet),                                 \
     .help = "no progress, no closing line; problems are still shown"},                                               \
    {.name = "color", .kind = PR_OPTION_CHOICE, .offset = COMMON(color), .argument = "WHEN", .choices = color_words,  \
     .help = "auto, always or never; auto obeys NO_COLOR"},                                                           \
    {.name = "help", .letter = 'h', .kind = PR_OPTION_FLAG, .offset = COMMON(help), .help = "show this help"},        \
    {.name = NULL}

#define OUTPUT                                                                                                        \
    {.name = "output", .letter = 'o', .kind = PR_OPTION_TEXT, .offset = COMMON(output), .argument = "FILE",           \
     .help = "write to FILE; - is standard output"}

/* Those of every command that reads profiles but its output. */
#define REST(WORDS, VALUES)                                                                                           \
    {.name = "input-format", .kind = PR_OPTION_TEXT, .offset = COMMON(input_format), .argument = "NAME",              \
     .help = "the input's format, where its content is ambiguous"},                                                   \
    {.name = "strict", .kind = PR_OPTION_FLAG, .offset = COMMON(strict),                                              \
     .help = "exit with 3 if a part of the input could not be read"},                                                 \
    MEMORY,                                                                                                           \
    UNPACKING,                                                                                                        \
    {.name = "redact", .kind = PR_OPTION_CHOICE, .offset = COMMON(redact), .argument = "WHAT",                        \
     .choices = WORDS,                                                                                                \
     .help = "names: hashes instead of the names of your functions\n"                                                 \
             "and files, and no text in which they could be;" VALUES " or none"},                                     \
    {.name = "redact-key", .kind = PR_OPTION_TEXT, .offset = COMMON(redact_key), .argument = "FILE",                  \
     .help = "the secret of these hashes, 16 bytes or more: with one\n"                                               \
             "key they match; default: $PROFRENDER_REDACT_KEY"},                                                      \
    REPORTING

const struct pr_option pr_common_options[] = {OUTPUT, REST(redact_words, "")};

static const struct pr_option check_options[] = {
    OUTPUT, REST(redact_all_words, "\nvalues, for --frame: no value of the table;")};

/* A table has neither readers of profiles nor names of functions: what it hides are its values. */
static const char *const redact_values[] = {"none", "values", NULL};

static const struct pr_option table_options[] = {
    OUTPUT,
    {.name = "strict", .kind = PR_OPTION_FLAG, .offset = COMMON(strict),
     .help = "exit with 3 if a part of the input does not fit"},
    UNPACKING,
    {.name = "redact", .kind = PR_OPTION_CHOICE, .offset = COMMON(redact_values), .argument = "WHAT",
     .choices = redact_values,
     .help = "values: figures without any value of the table; or\n"
             "none"},
    REPORTING};

static const struct pr_option folder_options[] = {
    {.name = "output", .letter = 'o', .kind = PR_OPTION_TEXT, .offset = COMMON(output), .argument = "DIR",
     .help = "write into the folder DIR; default: site"},
    REST(redact_words, "")};

const struct pr_option *pr_options_common(const struct pr_command *command)
{
    static const struct pr_option none = {.name = NULL};
    if (command->takes_command || command->takes_name)
        return &none;
    if (command->takes_table)
        return table_options;
    if (command->judges_tables)
        return check_options;
    return command->makes_folder ? folder_options : pr_common_options;
}

int pr_wrong_usage(const struct pr_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pr_say_list(format, arguments);
    va_end(arguments);
    if (command)
        pr_say_hint("see `profrender %s --help`", command->name);
    else
        pr_say_hint("see `profrender --help`");
    return PR_EXIT_USAGE;
}

const char *pr_nearest(const char *word, const void *words, size_t stride)
{
    struct pr_near near = pr_near_to(pr_text_of(word));
    for (const char *at = words;; at += stride) {
        const char *candidate;
        memcpy(&candidate, at, sizeof candidate);
        if (!candidate)
            return near.best.bytes;
        pr_near_try(&near, pr_text_of(candidate));
    }
}

/* ---- one option ------------------------------------------------------------------------------------------------- */

static const struct pr_option *find_long(const struct pr_option *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static const struct pr_option *find_short(const struct pr_option *table, char letter)
{
    for (; table->name; table++)
        if (table->letter == letter)
            return table;
    return NULL;
}

bool pr_option_takes_value(const struct pr_option *option)
{
    return option->kind == PR_OPTION_TEXT || option->kind == PR_OPTION_NUMBER ||
           option->kind == PR_OPTION_SIZE || option->kind == PR_OPTION_CHOICE || option->kind == PR_OPTION_LIST;
}

static bool set_choice(const struct pr_command *command, const struct pr_option *option, int *place, const char *value)
{
    struct pr_buf text = {0};
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *place = i;
            pr_buf_clear(&text);
            return true;
        }
        pr_buf_printf(&text, "%s%s", i ? ", " : "", option->choices[i]);
    }
    const char *list = text.failed || !text.bytes ? "other words" : text.bytes;
    const char *near = pr_nearest(value, option->choices, sizeof *option->choices);
    if (near)
        pr_wrong_usage(command, "--%s cannot be '%s'; did you mean '%s'? It takes %s", option->name, value, near, list);
    else
        pr_wrong_usage(command, "--%s cannot be '%s'; it takes %s", option->name, value, list);
    pr_buf_clear(&text);
    return false;
}

static bool set_number(const struct pr_command *command, const struct pr_option *option, uint64_t *place,
                       const char *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno) {
        if (pr_is_digit(value[0]) && !*end)
            pr_wrong_usage(command, "--%s %s is too large", option->name, value);
        else
            pr_wrong_usage(command, "--%s takes a whole number, not '%s'", option->name, value);
        return false;
    }
    *place = number;
    return true;
}

/* What a unit of size is worth, from "", "k", "MB", "GiB" and the like; 0: no unit of size. */
static uint64_t size_of_unit(const char *unit)
{
    static const char letters[] = "kMG";
    uint64_t scale = 1;
    const char *letter = *unit ? strchr(letters, *unit == 'K' ? 'k' : *unit) : NULL;
    if (letter) {
        const bool is_binary = unit[1] == 'i';
        for (const char *step = letters; step <= letter; step++)
            scale *= is_binary ? 1024 : 1000;
        unit += is_binary ? 2 : 1;
    }
    return !*unit || strcmp(unit, "B") == 0 ? scale : 0;
}

static bool set_size(const struct pr_command *command, const struct pr_option *option, uint64_t *place,
                     const char *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    const uint64_t scale = size_of_unit(end);
    if (value[0] < '0' || value[0] > '9' || errno || !scale || number > UINT64_MAX / scale) {
        pr_wrong_usage(command, "--%s takes a size such as 500k, 10MB or 8MiB, not '%s'", option->name, value);
        return false;
    }
    *place = number * scale;
    return true;
}

static bool append(const struct pr_command *command, const struct pr_option *option, struct pr_words *list,
                   const char *value)
{
    if (list->count == PR_MOST_WORDS) {
        pr_wrong_usage(command, "--%s can be given at most %d times", option->name, PR_MOST_WORDS);
        return false;
    }
    list->word[list->count++] = value;
    return true;
}

bool pr_percent_parse(const char *text, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    if (((text[0] < '0' || text[0] > '9') && text[0] != '.') || end == text || text[strspn(text, "0123456789.%")])
        return false;
    *share = percent / 100;
    return !*end || strcmp(end, "%") == 0;
}

static bool set_text(const struct pr_command *command, const struct pr_option *option, const char **place,
                     const char *value)
{
    if (option->once && *place && strcmp(*place, value) != 0) {
        pr_wrong_usage(command, "--%s is given twice, with '%s' and with '%s'; give the one that counts", option->name,
                       *place, value);
        return false;
    }
    *place = value;
    return true;
}

/* VALUE is NULL for options that take none. */
static bool set(const struct pr_command *command, const struct pr_option *option, void *settings, const char *value)
{
    void *place = (char *)settings + option->offset;
    switch (option->kind) {
    case PR_OPTION_FLAG:
        *(bool *)place = true;
        return true;
    case PR_OPTION_TEXT:
        return set_text(command, option, place, value);
    case PR_OPTION_LIST:
        return append(command, option, place, value);
    case PR_OPTION_WORD:
        *(const char **)place = option->word;
        return true;
    case PR_OPTION_INT:
        *(int *)place = option->value;
        return true;
    case PR_OPTION_NUMBER:
        return set_number(command, option, place, value);
    case PR_OPTION_SIZE:
        return set_size(command, option, place, value);
    case PR_OPTION_CHOICE:
        return set_choice(command, option, place, value);
    }
    return false;
}

/* ---- the arguments ---------------------------------------------------------------------------------------------- */

struct arguments {
    const struct pr_command *command;
    void *settings;
    char **next; /* ends with NULL */
    char **inputs; /* where those that were found go: the places of arguments that have been read */
};

static bool unknown_long(const struct pr_command *command, const char *name, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *near = pr_nearest(word, &command->options->name, sizeof *command->options);
    if (!near)
        near = pr_nearest(word, &pr_options_common(command)->name, sizeof *pr_common_options);
    if (near)
        pr_wrong_usage(command, "%s has no option --%s; did you mean --%s?", command->name, word, near);
    else
        pr_wrong_usage(command, "%s has no option --%s", command->name, word);
    return false;
}

/* NAME follows the two dashes. */
static bool parse_long(struct arguments *at, const char *name)
{
    size_t length = strcspn(name, "=");
    const struct pr_option *option = find_long(at->command->options, name, length);
    if (!option)
        option = find_long(pr_options_common(at->command), name, length);
    if (!option)
        return unknown_long(at->command, name, length);
    const char *value = name[length] ? name + length + 1 : NULL;
    if (!pr_option_takes_value(option)) {
        if (value) {
            pr_wrong_usage(at->command, "--%s takes no value", option->name);
            return false;
        }
    } else if (!value) {
        value = *at->next;
        if (!value) {
            pr_wrong_usage(at->command, "--%s needs a value: --%s %s", option->name, option->name, option->argument);
            return false;
        }
        at->next++;
    }
    return set(at->command, option, at->settings, value);
}

/* LETTERS follow the dash; after one that takes a value, the rest is its value. */
static bool parse_short(struct arguments *at, const char *letters)
{
    for (; *letters; letters++) {
        const struct pr_option *option = find_short(at->command->options, *letters);
        if (!option)
            option = find_short(pr_options_common(at->command), *letters);
        if (!option) {
            pr_wrong_usage(at->command, "%s has no option -%c", at->command->name, *letters);
            return false;
        }
        if (!pr_option_takes_value(option)) {
            if (!set(at->command, option, at->settings, NULL))
                return false;
            continue;
        }
        const char *value = letters[1] ? letters + 1 : *at->next;
        if (!value) {
            pr_wrong_usage(at->command, "-%c needs a value: -%c %s", *letters, *letters, option->argument);
            return false;
        }
        if (!letters[1])
            at->next++;
        return set(at->command, option, at->settings, value);
    }
    return true;
}

static bool parse_input(struct arguments *at, const char *argument)
{
    struct pr_common *common = at->settings;
    if (common->input && !at->command->several) {
        pr_wrong_usage(at->command, "%s takes one input; there are '%s' and '%s'", at->command->name, common->input,
                       argument);
        return false;
    }
    if (!*argument) {
        pr_wrong_usage(at->command, "the name of the input is empty");
        return false;
    }
    for (size_t i = 0; i < common->input_count && !strcmp(argument, "-"); i++) {
        if (!strcmp(common->inputs[i], "-")) {
            pr_wrong_usage(at->command, "standard input can be read only once");
            return false;
        }
    }
    at->inputs[common->input_count++] = at->next[-1];
    common->input = common->inputs[0];
    return true;
}

/* The command line that begins at FIRST, whatever is in it: all that is left. */
static void take_command(struct arguments *at, char **first)
{
    struct pr_common *common = at->settings;
    common->inputs = (const char *const *)first;
    common->input = *first;
    for (at->next = first; *at->next; at->next++)
        common->input_count++;
}

/* --input-format takes the formats of the library. */
static bool check_format(const struct pr_command *command, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (size_t i = 0; i < MOST && pr_format_name(i); i++)
        names[i] = pr_format_name(i);
    const struct pr_option formats = {.name = "input-format", .choices = names};
    int number;
    return set_choice(command, &formats, &number, name);
}

/* Reports what the command needs besides options. */
static void lack_input(const struct pr_command *command)
{
    const char *name = command->name;
    if (command->takes_command)
        pr_wrong_usage(command, "%s needs a command: profrender %s -- COMMAND", name, name);
    else if (command->takes_name)
        pr_wrong_usage(command, "%s needs a name: profrender %s NAME", name, name);
    else if (command->words)
        pr_wrong_usage(command, "%s needs an argument: profrender %s %s", name, name, command->words[0]);
    else if (command->takes_table)
        pr_wrong_usage(command, "%s needs a table: profrender %s table.csv", name, name);
    else if (command->makes_folder)
        pr_wrong_usage(command, "%s needs a folder: profrender %s runs/", name, name);
    else
        pr_wrong_usage(command, "%s needs an input: profrender %s capture.bin", name, name);
}

/*
 * Most of what is read is kept within the bound by leaving out. The system holds the rest to it, so that what cannot be
 * made smaller is refused.
 */
static bool bound_memory(const struct pr_command *command, uint64_t bytes)
{
    enum { PROGRAM_BYTES = 10 << 20 }; /* pages of code, ours and of libraries, which do not count as its data */
    if (bytes < PR_LEAST_MEMORY) {
        pr_wrong_usage(command, "--max-memory takes 24MiB or more");
        return false;
    }
    if (!command->makes_folder) /* that one runs other programs, which need what they need */
        pr_system_bound_data(bytes - PROGRAM_BYTES);
    return true;
}

bool pr_options_parse(const struct pr_command *command, int argc, char **argv, void *settings, int *status)
{
    char **first = argv + (argc > 0);
    struct arguments at = {.command = command, .settings = settings, .next = first, .inputs = first};
    struct pr_common *common = settings;
    bool only_inputs = false;
    common->inputs = (const char *const *)first;
    common->max_unpacked = common->max_unpack_ratio = PR_NOT_GIVEN;
    *status = PR_EXIT_USAGE;
    while (*at.next) {
        const char *argument = *at.next++;
        bool good = true;
        const bool is_input = argument[0] != '-' || !argument[1];
        if (command->takes_command && (is_input || strcmp(argument, "--") == 0))
            take_command(&at, is_input ? at.next - 1 : at.next);
        else if (only_inputs || is_input)
            good = parse_input(&at, argument);
        else if (argument[1] != '-')
            good = parse_short(&at, argument + 1);
        else if (argument[2])
            good = parse_long(&at, argument + 2);
        else
            only_inputs = true;
        if (!good)
            return false;
        if (common->help) {
            *status = PR_SHOW_HELP;
            return false;
        }
    }
    if (!common->input) {
        lack_input(command);
        return false;
    }
    if (common->input_format && !check_format(command, common->input_format))
        return false;
    snprintf(common->names, sizeof common->names, "%.120s and %zu more", common->input, common->input_count - 1);
    if (common->max_memory && !bound_memory(command, common->max_memory))
        return false;
    char why[PR_REDACT_WHY];
    if (!pr_redact_read_key(common, why)) {
        pr_wrong_usage(command, "%s", why);
        return false;
    }
    *status = PR_EXIT_DONE;
    return true;
}
