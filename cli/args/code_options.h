/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where code is, how much of it a page may show, and its theme: options of every command that makes cards.
 *
 *     struct settings { struct pr_common common; struct pr_code_options code; };
 *     static const struct pr_option options[] = {PR_OPTIONS_CODE(offsetof(struct settings, code)), {.name = NULL}};
 *     status = pr_code_options_apply(command, &settings.code, &settings.common, &places, &how);
 */
#ifndef PR_CLI_ARGS_CODE_OPTIONS_H
#define PR_CLI_ARGS_CODE_OPTIONS_H

#include "cli/args/command.h"
#include "profrender/arena.h"
#include "render/card.h"

#include <limits.h>

struct pr_code_options {
    const char *root, *source_url;
    struct pr_words path_maps;
    bool redact_paths;
};

/* CODE: offset of the struct pr_code_options. Four rows. */
#define PR_OPTIONS_CODE(CODE)                                                                                         \
    {.name = "root", .kind = PR_OPTION_TEXT, .offset = (CODE) + offsetof(struct pr_code_options, root),               \
     .argument = "DIR",                                                                                               \
     .help = "code below DIR is yours; links name files relative\n"                                                   \
             "to it; default: from the capture's search paths"},                                                      \
    {.name = "path-map", .kind = PR_OPTION_LIST, .offset = (CODE) + offsetof(struct pr_code_options, path_maps),      \
     .argument = "OLD=NEW",                                                                                           \
     .help = "paths below OLD, as in a container, are shown below\n"                                                  \
             "NEW, which --root then refers to. May be given again:\n"                                                \
             "the longest OLD that fits counts"},                                                                     \
    {.name = "source-url", .kind = PR_OPTION_TEXT, .offset = (CODE) + offsetof(struct pr_code_options, source_url),   \
     .argument = "URL",                                                                                               \
     .help = "links your code: an http or https address with {file}\n"                                                \
             "and {line} in it"},                                                                                     \
    {.name = "redact-paths", .kind = PR_OPTION_FLAG,                                                                  \
     .offset = (CODE) + offsetof(struct pr_code_options, redact_paths),                                               \
     .help = "shows no folders of this machine: paths begin below\n"                                                  \
             "--root or an installed Python; others are only a name"}

/* The words of enum pr_theme, in its order, for rows of tables. THEME: offset of an int. */
extern const char *const pr_theme_words[];
#define PR_OPTION_THEME(THEME)                                                                                        \
    {.name = "theme", .kind = PR_OPTION_CHOICE, .offset = (THEME), .argument = "THEME", .choices = pr_theme_words,    \
     .help = "auto (as the reader's system), light or dark"}

/* Whether URL begins as an address of the web: http:// or https://. */
bool pr_is_web_address(const char *url);

/* What follows from them; must live as long as what they were applied to. */
struct pr_code_places {
    struct pr_path_map map[PR_MOST_WORDS];
    char root[PATH_MAX];
    struct pr_text own[PR_MOST_WORDS + 1]; /* folders below which all is the user's, as they were recorded */
    struct pr_arena arena;                 /* of paths that are made from those given */
};

/*
 * Sets what HOW contains about code, in PLACES; with --redact names as profiles have it then, and what COMMON has of
 * own folders. Returns 0, or PR_EXIT_USAGE with the reason reported.
 */
int pr_code_options_apply(const struct pr_command *command, const struct pr_code_options *code,
                          struct pr_common *common, struct pr_code_places *places, struct pr_card_options *how);
void pr_code_places_clear(struct pr_code_places *places);

#endif
