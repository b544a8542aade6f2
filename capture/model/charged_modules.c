/* SPDX-License-Identifier: Apache-2.0 */
/* Modules by file, each file once; then down the tree: a node whose own file gives no module has its parent's. */
#include "capture/model/charged_modules.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/owner_settle.h"
#include "capture/model/package.h"
#include "profrender/buf.h"
#include "profrender/owner.h"
#include "capture/model/search_path.h"

#include <stdlib.h>

#define PASSED_OVER PR_NO_STR /* the file is part of the standard library: ask the caller's */
#define ROOT_NAME "<root>"

struct resolver {
    struct pr_strings *strings;
    struct pr_dirset dirs;  /* site-packages, the standard library, sys.path: in this order */
    uint32_t stdlib_number; /* of the standard library in it; PR_NO_ID = unknown */
    bool guess;             /* no path is known */
    pr_str root;            /* "<root>" */
};

static enum pr_status add_dirs(struct resolver *r, const pr_str *dir, uint32_t count, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    for (uint32_t i = 0; status == PR_OK && i < count; i++)
        status = pr_dirset_add(&r->dirs, pr_strings_get(r->strings, dir[i]), err);
    return status;
}

static enum pr_status resolver_init(struct resolver *r, const struct pr_meta *meta, struct pr_strings *strings,
                                    struct pr_error *err)
{
    *r = (struct resolver){.strings = strings, .stdlib_number = PR_NO_ID};
    r->guess = !meta->site_packages_count && !meta->stdlib_path && !meta->sys_path_count;
    enum pr_status status = pr_dirset_init(&r->dirs, err);
    if (status == PR_OK)
        status = add_dirs(r, meta->site_packages, meta->site_packages_count, err);
    if (status == PR_OK && meta->stdlib_path) {
        r->stdlib_number = r->dirs.count;
        status = add_dirs(r, &meta->stdlib_path, 1, err);
    }
    if (status == PR_OK)
        status = add_dirs(r, meta->sys_path, meta->sys_path_count, err);
    r->root = pr_strings_add(strings, ROOT_NAME, sizeof ROOT_NAME - 1);
    return status == PR_OK && r->root == PR_NO_STR ? pr_fail_memory(err) : status;
}

/*
 * The top-level name of the module at offset AT of PATH: its first part up to a dot. A package's own __init__.py has
 * the name of its directory, so without a directory it has no name.
 */
static struct pr_text top_name(struct pr_text path, uint32_t at)
{
    struct pr_text part, next;
    if (!pr_path_part(path, &at, &part) || (pr_text_is(part, "__init__.py") && !pr_path_part(path, &at, &next)))
        return (struct pr_text){"", 0};
    for (uint32_t i = 0; i < part.length; i++)
        if (part.bytes[i] == '.')
            part.length = i;
    return part;
}

static enum pr_status name_module(struct resolver *r, struct pr_text name, pr_str *module, struct pr_error *err)
{
    *module = pr_text_is(name, "memray") ? r->root : pr_strings_add(r->strings, name.bytes, name.length);
    return *module == PR_NO_STR ? pr_fail_memory(err) : PR_OK;
}

/* The module of FILE, or PASSED_OVER. */
static enum pr_status module_of_file(struct resolver *r, pr_str file, pr_str *module, struct pr_error *err)
{
    struct pr_text path = pr_strings_get(r->strings, file);
    struct pr_dirset_found found = {.number = PR_NO_ID};
    *module = PASSED_OVER;
    if (!path.length)
        return name_module(r, (struct pr_text){"unknown", 7}, module, err);
    if (pr_path_is_frozen(path))
        return PR_OK;
    if (!r->guess && pr_dirset_find(&r->dirs, path, &found, err) != PR_OK)
        return PR_FAILED;
    if (found.number != PR_NO_ID)
        return found.number == r->stdlib_number ? PR_OK : name_module(r, top_name(path, found.rest), module, err);
    if (r->guess && pr_path_in_packages(path))
        return name_module(r, top_name(path, pr_path_in_packages(path)), module, err);
    if (r->guess && pr_path_in_stdlib(path))
        return PR_OK;
    return name_module(r, top_name(pr_path_last(path), 0), module, err);
}

/* Modules of all frames; each file, a string of the current table, is looked up once. */
static enum pr_status modules_of_frames(struct resolver *r, const struct pr_frame *frames, uint32_t frame_count,
                                        pr_str *by_frame, struct pr_error *err)
{
    const uint32_t file_count = r->strings->count;
    bool *asked = calloc(file_count, sizeof *asked);
    pr_str *by_file = malloc(file_count * sizeof *by_file);
    enum pr_status status = asked && by_file ? PR_OK : pr_fail_memory(err);
    for (uint32_t i = 0; status == PR_OK && i < frame_count; i++) {
        pr_str file = frames[i].file;
        by_frame[i] = PASSED_OVER;
        if (frames[i].kind != PR_FRAME_PYTHON)
            continue;
        if (!asked[file]) {
            asked[file] = true;
            status = module_of_file(r, file, &by_file[file], err);
        }
        by_frame[i] = by_file[file];
    }
    free(asked);
    free(by_file);
    return status;
}

enum pr_status pr_modules_of_nodes(const struct pr_meta *meta, struct pr_strings *strings,
                                   const struct pr_frame *frames, uint32_t frame_count, const struct pr_tree *tree,
                                   pr_str *module, struct pr_error *err)
{
    struct resolver r;
    pr_str *by_frame = malloc(((size_t)frame_count + 1) * sizeof *by_frame);
    enum pr_status status = resolver_init(&r, meta, strings, err);
    if (status == PR_OK)
        status = by_frame ? modules_of_frames(&r, frames, frame_count, by_frame, err) : pr_fail_memory(err);
    if (status == PR_OK) {
        module[PR_ROOT] = r.root;
        for (pr_node_id node = 1; node < tree->count; node++) {
            pr_str own = by_frame[tree->frame[node]];
            module[node] = own == PASSED_OVER ? module[tree->parent[node]] : own;
        }
    }
    pr_dirset_clear(&r.dirs);
    free(by_frame);
    return status;
}

/* ---- a profile by module ----------------------------------------------------------------------------------------- */

/* FRAMES as they are charged: those without a file to the caller. Returns whether any is of Python. */
static bool copy_charged(const struct pr_profile *profile, struct pr_frame *frames)
{
    bool has_python = false;
    for (uint32_t i = 0; i < profile->frame_count; i++) {
        frames[i] = profile->frames[i];
        if (!pr_profile_text(profile, frames[i].file).length)
            frames[i].kind = PR_FRAME_NATIVE;
        has_python = has_python || frames[i].kind == PR_FRAME_PYTHON;
    }
    return has_python;
}

/* The name of each node's file, or of the nearest one above it that has one. */
static bool name_files(struct pr_profile *profile, pr_str *module)
{
    bool done = true;
    module[PR_ROOT] = pr_strings_add(&profile->strings, ROOT_NAME, sizeof ROOT_NAME - 1);
    for (pr_node_id node = 1; done && node < profile->tree.count; node++) {
        const pr_str file = profile->frames[profile->tree.frame[node]].file;
        const struct pr_text name = pr_path_last(pr_profile_text(profile, file));
        module[node] = name.length ? pr_strings_add(&profile->strings, name.bytes, name.length)
                                   : module[profile->tree.parent[node]];
        done = module[node] != PR_NO_STR;
    }
    return done && module[PR_ROOT] != PR_NO_STR;
}

/*
 * FRAMES become the packages of the profile's: names as files, without functions and lines. Names are copied first, as
 * adding one may move the others.
 */
static bool name_packages(struct pr_profile *profile, struct pr_frame *frames)
{
    static const char none[] = "(no package)";
    struct pr_code_world world;
    struct pr_buf names = {0};
    size_t *end = malloc(((size_t)profile->frame_count + 1) * sizeof *end);
    bool done = end != NULL;
    pr_code_world_look(profile, &world);
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        const struct pr_text name = pr_package_of(profile, &world, i, pr_owner_of(profile, i));
        pr_buf_add(&names, name.length ? name.bytes : none, name.length ? name.length : sizeof none - 1);
        end[i] = names.length;
    }
    done = done && !names.failed;
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        const size_t start = i ? end[i - 1] : 0;
        const pr_str name = pr_strings_add(&profile->strings, names.bytes + start, (uint32_t)(end[i] - start));
        frames[i] = (struct pr_frame){.file = name, .kind = profile->frames[i].kind};
        done = name != PR_NO_STR;
    }
    free(end);
    pr_buf_clear(&names);
    return done;
}

/*
 * A frame for each name in MODULE, [nodes], and of each node its number. The first node of a module, as parents come
 * first, is one of its own code: whose that is, the module is; what belongs to no other is the standard library's.
 */
static bool set_frames(struct pr_profile *profile, const pr_str *module)
{
    const uint32_t nodes = profile->tree.count;
    uint32_t *number = calloc(profile->strings.count, sizeof *number), count = 0;
    pr_frame_id *of_node = pr_arena_array(&profile->arena, nodes, sizeof *of_node);
    struct pr_frame *frames = pr_arena_array(&profile->arena, nodes, sizeof *frames);
    uint8_t *code = profile->code ? pr_arena_array(&profile->arena, nodes, sizeof *code) : NULL;
    const bool done = number && of_node && frames && (code || !profile->code);
    for (pr_node_id node = 0; done && node < nodes; node++) {
        if (!number[module[node]]) {
            frames[count] = (struct pr_frame){.file = module[node], .kind = PR_FRAME_PYTHON};
            if (code)
                code[count] = node == PR_ROOT ? PR_OWNER_STDLIB : profile->code[profile->tree.frame[node]];
            number[module[node]] = ++count;
        }
        of_node[node] = number[module[node]] - 1;
    }
    free(number);
    if (!done)
        return false;
    profile->frames = frames;
    profile->frame_count = count;
    profile->code = code;
    profile->world = NULL;
    profile->around = NULL;
    profile->shown = NULL;
    profile->tree.frame = of_node;
    return true;
}

/* Without what was recorded of each function. */
static bool drop_exact(struct pr_profile *profile)
{
    struct pr_metric *metrics = pr_arena_array(&profile->arena, profile->metric_count, sizeof *metrics);
    for (unsigned i = 0; metrics && i < profile->metric_count; i++) {
        metrics[i] = profile->metrics[i];
        metrics[i].exact = NULL;
    }
    if (metrics) {
        profile->metrics = metrics;
        profile->exact_count = 0;
    }
    return metrics != NULL;
}

enum pr_status pr_profile_by_package(struct pr_profile *profile, struct pr_error *err)
{
    struct pr_frame *frames = pr_arena_array(&profile->arena, profile->frame_count, sizeof *frames);
    if (!profile->code && pr_owner_settle(profile, err) == PR_FAILED)
        return PR_FAILED;
    if (!frames || !name_packages(profile, frames))
        return pr_fail_memory(err);
    profile->frames = frames;
    profile->world = NULL;
    profile->around = NULL;
    profile->shown = NULL;
    return PR_OK;
}

enum pr_status pr_profile_by_module(struct pr_profile *profile, struct pr_error *err)
{
    struct pr_frame *charged = malloc(((size_t)profile->frame_count + 1) * sizeof *charged);
    pr_str *module = malloc(profile->tree.count * sizeof *module);
    bool done = charged && module;
    if (done && copy_charged(profile, charged))
        done = pr_modules_of_nodes(&profile->meta, &profile->strings, charged, profile->frame_count, &profile->tree,
                                   module, NULL) == PR_OK;
    else
        done = done && name_files(profile, module);
    done = done && set_frames(profile, module) && drop_exact(profile);
    free(charged);
    free(module);
    return done ? PR_OK : pr_fail_memory(err);
}
