/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of the program: one file, one constant, one line in the table of commands.c.
 *
 *     const struct pr_command pr_command_stats = {
 *         .name = "stats", .summary = "figures of a whole run", .options = options, .examples = "...", .run = run};
 */
#ifndef PR_CLI_ARGS_COMMAND_H
#define PR_CLI_ARGS_COMMAND_H

#include "cli/io/exit.h"
#include "profrender/hide_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pr_option_kind {
    PR_OPTION_FLAG,   /* sets a bool */
    PR_OPTION_TEXT,   /* takes a text: const char * */
    PR_OPTION_NUMBER, /* takes a whole number, 0 or more: uint64_t */
    PR_OPTION_SIZE,   /* takes bytes, as in 500000, 500k, 10MB (thousands) or 8MiB (1,024s): uint64_t */
    PR_OPTION_LIST,   /* takes a text, may be given again: struct pr_words */
    PR_OPTION_CHOICE, /* takes one of the words of `choices`: int, its index */
    PR_OPTION_WORD,   /* takes nothing: sets a const char * to `word`; short for another option */
    PR_OPTION_INT     /* takes nothing: sets an int to `value`; short for another option */
};

/* The values of an option that may be repeated, in their order. */
enum { PR_MOST_WORDS = 64 };
struct pr_words {
    const char *word[PR_MOST_WORDS];
    size_t count;
};

/* Default of a number for which it matters whether the user gave one. */
#define PR_NOT_GIVEN UINT64_MAX

/* An option, and where in the settings of its command the value goes. */
struct pr_option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form, or 0 */
    enum pr_option_kind kind;
    bool once;        /* a text that may not be repeated with another value: what it asks for would be lost */
    size_t offset;
    const char *argument;       /* what the help calls its value; NULL for those that take none */
    const char *const *choices; /* ends with NULL; for a text, words that completion offers among others */
    const char *word;
    int value;
    const char *help; /* lines of at most 54 columns */
};

/* What is left out of a profile before anything is made of it. */
enum pr_redact { PR_REDACT_NONE, PR_REDACT_NAMES, PR_REDACT_VALUES };

/* Settings that every command has: the first member of its own. */
struct pr_common {
    const char *input;  /* the first positional argument: a file, or "-" */
    const char *const *inputs; /* [input_count] all of them: one, unless the command takes several */
    size_t input_count;
    char names[160];    /* what messages call several inputs */
    const char *output; /* NULL: not given */
    const char *input_format; /* name of a format; NULL: the content decides */
    uint64_t jobs; /* inputs read at once, or threads for one; 0: not given */
    uint64_t max_memory; /* of the process; 0: not given */
    uint64_t max_unpacked, max_unpack_ratio; /* PR_NOT_GIVEN: as in pr_load_options_default */
    bool strict;
    bool quiet;
    bool raw;       /* names in formats for people stay as recorded */
    bool raw_names;
    int color; /* enum pr_color */
    int redact;             /* enum pr_redact */
    int redact_values;      /* of a command that takes a table only; see pr_hides_values */
    const char *redact_key; /* NULL: not given */
    struct pr_name_key name_key; /* with PR_REDACT_NAMES */
    const struct pr_text *own_folders; /* [own_folder_count] what --root says of whose code it is */
    uint32_t own_folder_count;
    bool help;
};

/* Whether no value of a table is shown: --redact values, whatever else the command could hide. */
static inline bool pr_hides_values(const struct pr_common *common)
{
    return common->redact_values || common->redact == PR_REDACT_VALUES;
}

struct pr_command {
    const char *name;
    bool several;          /* takes more inputs than one */
    bool takes_command;    /* takes a command line: nothing from its first word on is an option of ours, and of the */
                           /* common options it has only those that are in its own table */
    bool takes_name;       /* takes a name, and no common options but those in its own table */
    bool makes_folder;     /* its output is a folder */
    bool takes_table;      /* takes a table of data, not a capture: --redact hides values, and formats are its own */
    bool judges_tables;    /* takes a capture, or with an option a table: --redact hides names or values */
    const char *arguments; /* after the options in the usage line: "INPUT" */
    const char *summary;   /* for the list of commands; one line, no full stop */
    const char *about;     /* opens its help */
    const char *details;   /* paragraphs that only its manual page has, or NULL; words in `backquotes` become bold */
    const char *examples;  /* closes it */
    const char *const *words; /* what its argument can be, ends with NULL; or NULL: by `arguments` (completion.h) */
    const struct pr_option *options; /* ends with an entry without a name */
    const struct pr_exit_meaning *exits;                                 /* its own, or NULL: those of every command */
    int (*run)(const struct pr_command *command, int argc, char **argv); /* argv[0] is the command's name */
    /* Instead of `run`, for commands about the commands themselves: ALL is pr_commands. */
    int (*run_with_all)(const struct pr_command *command, const struct pr_command *const *all, int argc, char **argv);
};

extern const struct pr_command pr_command_card;
extern const struct pr_command pr_command_table;
extern const struct pr_command pr_command_tree;
extern const struct pr_command pr_command_summary;
extern const struct pr_command pr_command_explain;
extern const struct pr_command pr_command_diff;
extern const struct pr_command pr_command_grew;
extern const struct pr_command pr_command_check;
extern const struct pr_command pr_command_stats;
extern const struct pr_command pr_command_info;
extern const struct pr_command pr_command_export;
extern const struct pr_command pr_command_digest;
extern const struct pr_command pr_command_merge;
extern const struct pr_command pr_command_record;
extern const struct pr_command pr_command_mark;
extern const struct pr_command pr_command_publish;
extern const struct pr_command pr_command_frame;
extern const struct pr_command pr_command_completion;

/* All of them, in the order of the help; ends with NULL. */
extern const struct pr_command *const pr_commands[];

#endif
