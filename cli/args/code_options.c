/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/code_options.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "cli/io/system.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const pr_theme_words[] = {"auto", "light", "dark", NULL};

bool pr_is_web_address(const char *url)
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

/* BUF as a text in the arena of PLACES; empty out of memory. Empties BUF. */
static struct pr_text keep(struct pr_code_places *places, struct pr_buf *buf)
{
    const char *copy = buf->failed ? NULL : pr_arena_copy(&places->arena, buf->bytes, buf->length);
    const struct pr_text text = {copy ? copy : "", copy ? (uint32_t)buf->length : 0};
    pr_buf_clear(buf);
    return text;
}

static struct pr_text hidden(const struct pr_common *common, struct pr_code_places *places, struct pr_text folder)
{
    struct pr_buf buf = {0};
    pr_hide_folder(&common->name_key, folder, &buf);
    return keep(places, &buf);
}

/* The folder that was recorded for the part of ROOT that MAP is about; empty: it is about another folder. */
static struct pr_text recorded(struct pr_code_places *places, const struct pr_path_map *map, struct pr_text root)
{
    struct pr_buf buf = {0};
    if (pr_path_below(map->to, root))
        return map->from;
    if (!pr_path_below(root, map->to))
        return (struct pr_text){"", 0};
    pr_buf_add(&buf, map->from.bytes, map->from.length);
    pr_buf_add(&buf, root.bytes + map->to.length, root.length - map->to.length);
    return keep(places, &buf);
}

/*
 * What lies below the root is the user's own code, also where it was recorded below another folder. Then root and maps
 * are hidden just as the paths in profiles are, so that they fit these.
 */
static int hide_places(struct pr_common *common, struct pr_code_places *places, struct pr_card_options *how)
{
    common->own_folders = places->own;
    if (how->root) {
        const struct pr_text root = pr_text_of(how->root);
        places->own[common->own_folder_count++] = root;
        for (uint32_t i = 0; i < how->path_map_count; i++) {
            const struct pr_text folder = recorded(places, &places->map[i], root);
            if (folder.length)
                places->own[common->own_folder_count++] = folder;
        }
        const struct pr_text shown = hidden(common, places, root);
        how->root = shown.bytes;
        if (!shown.length) {
            pr_say("out of memory");
            return PR_EXIT_INPUT;
        }
    }
    for (uint32_t i = 0; i < how->path_map_count; i++)
        places->map[i] = (struct pr_path_map){hidden(common, places, places->map[i].from),
                                              hidden(common, places, places->map[i].to)};
    return PR_EXIT_DONE;
}

int pr_code_options_apply(const struct pr_command *command, const struct pr_code_options *code,
                          struct pr_common *common, struct pr_code_places *places, struct pr_card_options *how)
{
    places->arena = (struct pr_arena){0};
    const char *url = code->source_url, *root = code->root;
    if (url && (!pr_is_web_address(url) || !strstr(url, "{file}")))
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
    const bool is_relative = root && *root != '/';
    how->root = is_relative && pr_system_real_path(root, places->root) ? places->root : root;
    if (is_relative && how->root == root)
        pr_say("--root %s: this folder does not exist here; for one on another machine, give the full path", root);
    how->source_url = url;
    how->redact_paths = code->redact_paths;
    if (common->redact != PR_REDACT_NAMES)
        return PR_EXIT_DONE;
    if (url)
        return pr_wrong_usage(command, "--source-url would show what --redact names hides");
    return hide_places(common, places, how);
}

void pr_code_places_clear(struct pr_code_places *places)
{
    pr_arena_clear(&places->arena);
}
