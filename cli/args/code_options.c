/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/code_options.h"

#include "cli/args/options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_web_address(const char *url)
{
    return !strncasecmp(url, "https://", 8) || !strncasecmp(url, "http://", 7);
}

/* OLD=NEW; false: it is not. OLD ends at the first equals sign. */
static bool split_map(const char *words, struct pr_path_map *map)
{
    const char *equals = strchr(words, '=');
    if (!equals || equals == words)
        return false;
    map->from = (struct pr_text){words, (uint32_t)(equals - words)};
    map->to = (struct pr_text){equals + 1, (uint32_t)strlen(equals + 1)};
    return true;
}

int pr_code_options_apply(const struct pr_command *command, const struct pr_code_options *code,
                          struct pr_code_places *places, struct pr_card_options *how)
{
    const char *url = code->source_url, *root = code->root;
    if (url && (!is_web_address(url) || !strstr(url, "{file}")))
        return pr_wrong_usage(command, "--source-url takes an http or https address with {file} in it, not '%s'", url);
    for (size_t i = 0; i < code->path_maps.count; i++) {
        if (!split_map(code->path_maps.word[i], &places->map[i]))
            return pr_wrong_usage(command, "--path-map takes two folders as in OLD=NEW, not '%s'",
                                  code->path_maps.word[i]);
    }
    how->path_maps = places->map;
    how->path_map_count = (uint32_t)code->path_maps.count;
    if (root && !*root)
        return pr_wrong_usage(command, "--root takes a folder");
    /* Captures hold whole paths. A root on another machine need not exist here. */
    how->root = root && *root != '/' && realpath(root, places->root) ? places->root : root;
    how->source_url = url;
    how->redact_paths = code->redact_paths;
    return PR_EXIT_DONE;
}
