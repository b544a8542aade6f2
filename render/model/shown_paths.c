/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of paths are replaced by number, once for all frames that have them. */
#include "render/model/shown_paths.h"
#include "capture/base/text.h"

#include "profrender/buf.h"
#include "capture/model/code_path.h"

#include <string.h>

static struct pr_text tail_of(struct pr_text text, uint32_t from)
{
    return (struct pr_text){text.bytes + from, text.length - from};
}

/* A list of our own texts instead of the profile's. */
static enum pr_status own_texts(struct pr_paths *paths, struct pr_error *err)
{
    struct pr_strings *strings = &paths->view.strings;
    struct pr_text *texts = pr_arena_array(&paths->arena, strings->count, sizeof *texts);
    if (!texts)
        return pr_fail_memory(err);
    memcpy(texts, strings->text, strings->count * sizeof *texts);
    strings->text = texts;
    return PR_OK;
}

/* BEFORE and AFTER as one text; false: out of memory, or too long for a text, which then stays unchanged. */
static bool replace(struct pr_paths *paths, pr_str string, struct pr_text before, struct pr_text after)
{
    if (after.length > UINT32_MAX - 1 - before.length)
        return false;
    char *joined = pr_arena_alloc(&paths->arena, (size_t)before.length + after.length + 1);
    if (!joined)
        return false;
    memcpy(joined, before.bytes, before.length);
    memcpy(joined + before.length, after.bytes, after.length);
    joined[before.length + after.length] = '\0';
    paths->view.strings.text[string] = (struct pr_text){joined, before.length + after.length};
    return true;
}

/* "/app" for "/app//", and nothing for "/": what paths below it have before their next slash. */
static struct pr_text without_slash(struct pr_text folder)
{
    while (folder.length && folder.bytes[folder.length - 1] == '/')
        folder.length--;
    return folder;
}

/* The map of the longest folder that PATH is in; if a folder is given twice, the last one. NULL: none. */
static const struct pr_path_map *find_map(const struct pr_card_options *options, struct pr_text path)
{
    const struct pr_path_map *best = NULL;
    for (uint32_t i = 0; i < options->path_map_count; i++) {
        const struct pr_path_map *map = &options->path_maps[i];
        if (pr_path_below(path, map->from) &&
            (!best || without_slash(map->from).length >= without_slash(best->from).length))
            best = map;
    }
    return best;
}

/* Mapped paths are not mapped again: each string once. */
static bool map_string(struct pr_paths *paths, pr_str string, const struct pr_card_options *options, uint8_t *done)
{
    if (string >= paths->view.strings.count || done[string])
        return true;
    done[string] = 1;
    const struct pr_text path = pr_profile_text(&paths->view, string);
    const struct pr_path_map *map = find_map(options, path);
    return !map || replace(paths, string, without_slash(map->to), tail_of(path, without_slash(map->from).length));
}

static bool map_failure(struct pr_paths *paths, const struct pr_card_options *options, uint8_t *done)
{
    const struct pr_failure *failure = &paths->view.run.failure;
    for (uint32_t i = 0; i < failure->exception_count; i++) {
        for (uint32_t k = 0; k < failure->exceptions[i].frame_count; k++) {
            if (!map_string(paths, failure->exceptions[i].frames[k].file, options, done))
                return false;
        }
    }
    return true;
}

static bool map_list(struct pr_paths *paths, const pr_str *list, uint32_t count, const struct pr_card_options *options,
                     uint8_t *done)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!map_string(paths, list[i], options, done))
            return false;
    }
    return true;
}

static bool map_all(struct pr_paths *paths, const struct pr_card_options *options, uint8_t *done)
{
    const struct pr_profile *view = &paths->view;
    const struct pr_meta *meta = &view->meta;
    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (!map_string(paths, view->frames[i].file, options, done))
            return false;
    }
    return map_list(paths, meta->site_packages, meta->site_packages_count, options, done) &&
           map_list(paths, meta->sys_path, meta->sys_path_count, options, done) &&
           map_list(paths, &meta->stdlib_path, 1, options, done) && map_failure(paths, options, done);
}

enum pr_status pr_paths_make(struct pr_paths *paths, const struct pr_profile *profile,
                             const struct pr_card_options *options, struct pr_error *err)
{
    *paths = (struct pr_paths){.view = *profile, .local = profile->strings.text};
    if (!options->path_map_count)
        return PR_OK;
    uint8_t *done = pr_arena_array(&paths->arena, profile->strings.count, sizeof *done);
    if (!done || own_texts(paths, err) == PR_FAILED)
        return pr_fail_memory(err);
    memset(done, 0, profile->strings.count);
    paths->local = paths->view.strings.text;
    return map_all(paths, options, done) ? PR_OK : pr_fail_memory(err);
}

void pr_paths_clear(struct pr_paths *paths)
{
    pr_arena_clear(&paths->arena);
    *paths = (struct pr_paths){0};
}

/* What follows .../python3.12/ or .../pypy3.10/ in a path of the standard library. */
static struct pr_text below_python(struct pr_text path)
{
    struct pr_text part;
    for (uint32_t at = 0; pr_path_part(path, &at, &part);) {
        if ((pr_text_starts(part, "python") && part.length > 6 && pr_is_digit(part.bytes[6])) ||
            pr_text_starts(part, "pypy"))
            return at + 1 < path.length ? tail_of(path, at + 1) : part;
    }
    return pr_path_last(path);
}

static struct pr_text last_part(struct pr_text path)
{
    const char *slash = memrchr(path.bytes, '\\', path.length);
    return pr_path_last(slash ? tail_of(path, (uint32_t)(slash + 1 - path.bytes)) : path);
}

static bool has_part(struct pr_text path, const char *name)
{
    struct pr_text part;
    for (uint32_t at = 0; pr_path_part(path, &at, &part);) {
        if (pr_text_is(part, name))
            return true;
    }
    return false;
}

/* The tail of PATH that says nothing about a person. */
static struct pr_text impersonal(const struct pr_profile *profile, struct pr_text path, const char *root)
{
    struct pr_text below;
    if (!path.length || path.bytes[0] == '<')
        return path;
    if (pr_path_in_packages(path)) /* also below the root: a virtual environment is often there */
        return tail_of(path, pr_path_in_packages(path));
    for (uint32_t i = 0; i < profile->meta.site_packages_count; i++) {
        const struct pr_text packages = pr_profile_text(profile, profile->meta.site_packages[i]);
        below = pr_path_past(path, packages.bytes);
        if (below.length)
            return below;
    }
    below = pr_path_past(path, root);
    if (below.length)
        return below;
    if (pr_path_in_stdlib(path))
        return below_python(path);
    const bool relative = path.bytes[0] != '/' && path.bytes[0] != '~' && !memchr(path.bytes, '\\', path.length);
    return relative && !has_part(path, "..") ? path : last_part(path);
}

void pr_paths_shorten_words(struct pr_text line, struct pr_buf *out)
{
    for (uint32_t at = 0, end; at < line.length; at = end) {
        const char *space = memchr(line.bytes + at, ' ', line.length - at);
        end = space ? (uint32_t)(space - line.bytes) : line.length;
        struct pr_text word = {line.bytes + at, end - at};
        const char *slash = memchr(word.bytes, '/', word.length);
        if (slash && !memmem(word.bytes, word.length, "://", 3)) {
            const char *equals = memrchr(word.bytes, '=', (size_t)(slash - word.bytes));
            const uint32_t keep = equals ? (uint32_t)(equals + 1 - word.bytes) : 0;
            const struct pr_text last = last_part(tail_of(word, keep));
            pr_buf_add(out, word.bytes, keep);
            pr_buf_add(out, last.bytes, last.length);
        } else {
            pr_buf_add(out, word.bytes, word.length);
        }
        for (; end < line.length && line.bytes[end] == ' '; end++)
            pr_buf_byte(out, ' ');
    }
}

static bool redact_command_line(struct pr_paths *paths)
{
    const pr_str line = paths->view.meta.command_line;
    struct pr_buf words = {0};
    pr_paths_shorten_words(pr_profile_text(&paths->view, line), &words);
    const struct pr_text shown = {words.bytes ? words.bytes : "", (uint32_t)words.length};
    const bool done = !words.failed && (!line || replace(paths, line, shown, (struct pr_text){"", 0}));
    pr_buf_clear(&words);
    return done;
}

enum pr_status pr_paths_redact(struct pr_paths *paths, const char *root, struct pr_error *err)
{
    struct pr_profile *view = &paths->view;
    const struct pr_profile before = *view; /* its texts show where the libraries are */
    if (own_texts(paths, err) == PR_FAILED || !redact_command_line(paths))
        return pr_fail_memory(err);
    for (uint32_t i = 0; i < view->frame_count; i++) {
        const pr_str file = view->frames[i].file;
        if (file < view->strings.count)
            view->strings.text[file] = impersonal(&before, pr_profile_text(&before, file), root);
    }
    return PR_OK;
}
