/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/model/code_world.h"

#include "capture/base/text.h"
#include "capture/model/language_owner.h"
#include "capture/model/place_name.h"
#include "capture/model/start_frames.h"

#include <string.h>

/* The first COUNT parts of PATH. */
static struct pr_text first_parts(struct pr_text path, unsigned count)
{
    uint32_t end = 0;
    for (; end < path.length; end++)
        if (path.bytes[end] == '/' && --count == 0)
            break;
    return pr_text_part(path, 0, end);
}

/* "github.com/me/app" of ".../go/src/github.com/me/app/main.go", and of what -trimpath leaves of it. */
static struct pr_text module_of(struct pr_text file)
{
    const char *src = memmem(file.bytes, file.length, "/src/", 5);
    const struct pr_text path = src ? pr_text_from(file, (size_t)(src - file.bytes) + 5) : file;
    const struct pr_text host = first_parts(path, 1);
    const bool is_import = host.length && *host.bytes != '/' && memchr(host.bytes, '.', host.length) &&
                           host.length < path.length && *host.bytes != '.';
    return is_import ? first_parts(path, 3) : (struct pr_text){"", 0};
}

static void look_at_go(struct pr_code_world *world, struct pr_text function, struct pr_text file)
{
    static const char *const names[] = {"runtime.goexit", "runtime.mstart", "runtime.mcall"};
    world->has_go |= pr_text_is_one_of(function, names, sizeof names / sizeof *names);
    if (!world->go_module.length && pr_text_starts(function, "main.") && pr_text_ends(file, ".go"))
        world->go_module = module_of(file);
}

/* memmem prepares a table for each search; most names have no such dot at all. */
static bool has_main(struct pr_text function)
{
    static const char word[] = ".main";
    const char *end = function.bytes + function.length, *at = function.bytes;
    while ((at = memchr(at, '.', (size_t)(end - at)))) {
        if ((size_t)(end - at) >= sizeof word - 1 && !memcmp(at, word, sizeof word - 1))
            return true;
        at++;
    }
    return false;
}

/* "com/acme" of "com/acme/Main.main": what comes before the second separator, which may be a point. */
static void look_at_jvm(struct pr_code_world *world, struct pr_text function)
{
    const struct pr_text name = pr_jvm_class(function);
    unsigned parts = 0;
    world->has_jvm |= pr_text_starts(name, "java/") || pr_text_starts(name, "java.") || pr_text_starts(name, "jdk");
    if (world->package.length || !has_main(function))
        return;
    for (uint32_t i = 0; i < name.length; i++)
        if ((name.bytes[i] == '/' || name.bytes[i] == '.') && ++parts <= 2)
            world->package = pr_text_part(name, 0, i + (size_t)1);
}

static void look_at_rust(struct pr_code_world *world, struct pr_text function)
{
    static const char end[] = "::main";
    const struct pr_text first = pr_first_namespace(function);
    world->has_rust |= pr_text_starts(function, "std::rt::lang_start") ||
                       memmem(function.bytes, function.length, "__rust_begin_short_backtrace", 28);
    if (first.length && first.length + sizeof end - 1 <= function.length && !world->crate.length &&
        !memcmp(function.bytes + first.length, end, sizeof end - 1) && !pr_text_is(first, "std"))
        world->crate = first;
}

static bool is_jvm_file(struct pr_text file)
{
    return pr_text_ends(file, ".java") || pr_text_ends(file, ".kt") || pr_text_ends(file, ".scala");
}

/* What the path of a file shows, by the kind of the frames in it. */
struct file_look {
    bool is_jvm;
    bool is_short, is_whole; /* a path of Python code */
    bool is_go, is_rust;
};

static struct file_look look_at_file(enum pr_frame_kind kind, struct pr_text file)
{
    const bool is_native = kind == PR_FRAME_NATIVE, is_python = kind == PR_FRAME_PYTHON && pr_text_ends(file, ".py");
    return (struct file_look){.is_jvm = is_jvm_file(file),
                              .is_short = is_python && *file.bytes != '/',
                              .is_whole = is_python && *file.bytes == '/',
                              .is_go = is_native && pr_text_ends(file, ".go"),
                              .is_rust = is_native && pr_text_ends(file, ".rs")};
}

/* What one frame shows. */
static void look_at(struct pr_code_world *world, const struct pr_frame *frame, struct pr_text function,
                    struct pr_text file, bool is_jvm)
{
    world->has_java_objects |= frame->kind == PR_FRAME_OTHER && pr_text_starts(function, "java.lang.");
    world->has_scripts |= frame->kind == PR_FRAME_PYTHON;
    world->runs_modules |=
        (pr_text_is(function, "run_module") || pr_text_is(function, "run_path")) && pr_is_runpy(file);
    if (frame->kind == PR_FRAME_NATIVE || is_jvm)
        look_at_jvm(world, function);
    if (frame->kind == PR_FRAME_NATIVE) {
        look_at_go(world, function, file);
        look_at_rust(world, function);
        world->has_torch |= !file.length && pr_text_starts(function, "aten::");
    }
}

static void look_at_all(const struct pr_profile *profile, struct pr_code_world *world)
{
    *world = (struct pr_code_world){
        .go_module = {"", 0}, .crate = {"", 0}, .package = {"", 0}, .installed = {"", 0}, .object = {"", 0}};
    struct file_look look = {0};
    bool has_short = false, has_whole = false, has_place = false; /* the last one: of the file before */
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        const struct pr_text file = pr_profile_text(profile, frame->file),
                             function = pr_profile_text(profile, frame->function);
        if (!i || frame->file != frame[-1].file || frame->kind != frame[-1].kind) {
            look = look_at_file((enum pr_frame_kind)frame->kind, file);
            has_whole |= look.is_whole;
            has_short |= look.is_short;
            world->has_go |= look.is_go;
            world->has_rust |= look.is_rust;
            has_place = false;
        }
        const bool is_place = pr_is_place_name(function, file);
        if (!is_place || !has_place)
            look_at(world, frame, function, file, look.is_jvm);
        has_place |= is_place;
    }
    world->has_short_paths = has_short && !has_whole;
    world->is_heap = profile->metric_count && pr_metric_is_of_objects(&profile->metrics[0]);
}

void pr_code_world_look(const struct pr_profile *profile, struct pr_code_world *world)
{
    if (profile->world)
        *world = *profile->world;
    else
        look_at_all(profile, world);
}

/* TEXT as it stays when the table of strings grows. */
static bool keep_text(struct pr_arena *arena, struct pr_text *text)
{
    char *bytes = text->length ? pr_arena_array(arena, text->length, 1) : NULL;
    if (!text->length)
        return true;
    if (bytes)
        text->bytes = memcpy(bytes, text->bytes, text->length);
    return bytes != NULL;
}

const struct pr_code_world *pr_code_world_settle(struct pr_profile *profile)
{
    struct pr_code_world *world = pr_arena_array(&profile->arena, 1, sizeof *world);
    profile->world = NULL;
    if (!world)
        return NULL;
    look_at_all(profile, world);
    if (keep_text(&profile->arena, &world->go_module) && keep_text(&profile->arena, &world->crate) &&
        keep_text(&profile->arena, &world->package))
        profile->world = world;
    return profile->world;
}
