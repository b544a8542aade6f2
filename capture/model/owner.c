/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is, and whether it only wraps the user's, by its file. */
#include "profrender/owner.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/code_world.h"
#include "capture/model/language_owner.h"
#include "capture/model/native_owner.h"
#include "capture/model/nameless.h"
#include "capture/model/owner_settle.h"
#include "capture/model/place_name.h"
#include "capture/model/repeated_names.h"
#include "capture/model/start_frames.h"

#include <stdlib.h>
#include <string.h>

/* More directories than an interpreter searches: a header with more is made up, and the rest is ignored. */
enum { DIRECTORIES_MAX = 64 };

/*
 * "<string>", "<stdin>", ...: code that was typed or passed to the interpreter. Other names in angle brackets are made
 * by libraries.
 */
static bool is_typed_in(struct pr_text file)
{
    static const char *const names[] = {"<string>", "<stdin>",   "<ipython", "<python-input",
                                        "<input>",  "<console>", "<doctest "};
    return pr_text_starts_with_one(file, names, sizeof names / sizeof *names);
}

static bool is_below_one(const struct pr_profile *profile, const pr_str *directory, uint32_t count, struct pr_text file)
{
    for (uint32_t i = 0; i < count && i < DIRECTORIES_MAX; i++)
        if (pr_path_below(file, pr_profile_text(profile, directory[i])))
            return true;
    return false;
}

/* Whether ENVIRONMENT has a usual name of virtual environments, or is in a folder where tools keep them. */
static bool is_virtual(struct pr_text environment)
{
    static const char *const names[] = {"venv", ".venv", "env", ".env", "virtualenv", ".virtualenv"};
    static const char *const folders[] = {"venvs", "virtualenvs", ".virtualenvs"};
    struct pr_text part, last = {"", 0}, before = last;
    for (uint32_t at = 0; pr_path_part(environment, &at, &part); last = part)
        before = last;
    return pr_text_is_one_of(last, names, sizeof names / sizeof *names) ||
           pr_text_is_one_of(before, folders, sizeof folders / sizeof *folders);
}

/* Whether the header says that there are libraries in the lib of ENVIRONMENT. */
static bool has_libraries(const struct pr_profile *profile, struct pr_text environment)
{
    for (uint32_t i = 0; i < profile->meta.site_packages_count && i < DIRECTORIES_MAX; i++) {
        const struct pr_text packages = pr_profile_text(profile, profile->meta.site_packages[i]);
        if (packages.length > environment.length && pr_path_below(packages, environment) &&
            pr_text_starts((struct pr_text){packages.bytes + environment.length, packages.length - environment.length},
                           "/lib"))
            return true;
    }
    return false;
}

struct pr_text pr_owner_environment(const struct pr_profile *profile, struct pr_text file)
{
    static const char bin[] = "/bin/";
    const struct pr_text none = {"", 0}, name = pr_path_last(file);
    const uint32_t behind = name.length + (uint32_t)sizeof bin - 1;
    if (!name.length || file.length <= behind || memcmp(file.bytes + file.length - behind, bin, sizeof bin - 1))
        return none;
    const struct pr_text environment = {file.bytes, file.length - behind};
    const bool is_module = name.length > 3 && !memcmp(name.bytes + name.length - 3, ".py", 3);
    return is_virtual(environment) || (!is_module && has_libraries(profile, environment)) ? environment : none;
}

static bool is_library(const struct pr_profile *profile, struct pr_text file)
{
    const struct pr_meta *meta = &profile->meta;
    return is_below_one(profile, meta->site_packages, meta->site_packages_count, file) ||
           pr_path_in_packages(file) != 0 || pr_owner_environment(profile, file).length;
}

/* A file that was imported from another folder of sys.path is not, even where that folder is called lib/pythonX.Y. */
static bool is_stdlib(const struct pr_profile *profile, struct pr_text file)
{
    const struct pr_meta *meta = &profile->meta;
    if (meta->stdlib_path && pr_path_below(file, pr_profile_text(profile, meta->stdlib_path)))
        return true;
    if (meta->stdlib_path && is_below_one(profile, meta->sys_path, meta->sys_path_count, file))
        return false;
    return pr_path_in_stdlib(file) != 0;
}

enum pr_owner pr_owner_of_file(const struct pr_profile *profile, struct pr_text file)
{
    if (pr_path_is_frozen(file))
        return PR_OWNER_STDLIB;
    if (pr_text_starts(file, "<") && !pr_text_starts(file, "<internal:"))
        return is_typed_in(file) ? PR_OWNER_MINE : PR_OWNER_LIBRARY;
    if (is_library(profile, file)) /* first: the directory of the libraries is inside that of the standard library */
        return PR_OWNER_LIBRARY;
    if (is_stdlib(profile, file))
        return PR_OWNER_STDLIB;
    const enum pr_owner owner = pr_owner_of_script(file);
    return owner == PR_OWNER_COUNT ? PR_OWNER_MINE : owner;
}

const char *pr_owner_name(enum pr_owner owner)
{
    static const char *const names[PR_OWNER_COUNT] = {
        [PR_OWNER_MINE] = "my code",  [PR_OWNER_LIBRARY] = "library", [PR_OWNER_STDLIB] = "stdlib",
        [PR_OWNER_NATIVE] = "native", [PR_OWNER_KERNEL] = "kernel",   [PR_OWNER_NONE] = "not code",
    };
    return (unsigned)owner < PR_OWNER_COUNT ? names[owner] : "";
}

static bool contains(struct pr_text text, const char *what)
{
    return memmem(text.bytes, text.length, what, strlen(what)) != NULL;
}

/*
 * The statement of a profiler that calls the user's code: cProfile has one for `-m module` and is given one by
 * cProfile.run(), pyinstrument and viztracer use one to have runpy run a module or a script.
 */
static bool is_statement(const struct pr_profile *profile, const struct pr_code_world *world, struct pr_text function,
                         struct pr_text file)
{
    const char *format = profile->meta.format ? profile->meta.format : "";
    return pr_text_is(file, "<string>") && pr_text_is(function, "<module>") && strcmp(format, "memray") != 0 &&
           (strcmp(format, "pstats") == 0 || world->runs_modules);
}

/* The interpreter's own functions that execute an import statement, in native stacks. */
static bool is_import_opcode(struct pr_text function, struct pr_text file)
{
    return (pr_text_is(function, "import_name") || pr_text_is(function, "import_from") ||
            pr_text_is(function, "import_all_from")) &&
           pr_text_is(pr_path_last(file), "ceval.c");
}

/* The functions that run a module's code and find it, as cProfile and as viztracer name them. */
static bool is_import_builtin(struct pr_text function)
{
    static const char *const names[] = {"<built-in method builtins.exec>", "<built-in method builtins.__import__>",
                                        "builtins.exec", "builtins.__import__"};
    return pr_text_is_one_of(function, names, sizeof names / sizeof *names);
}

/* "process 2370:python x.py", "thread (2418): worker": py-spy's frames for where it looked, which are not code. */
static bool is_made_by_profiler(struct pr_text function)
{
    static const char *const beginnings[] = {"process ", "thread ("};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        uint32_t at = (uint32_t)strlen(beginnings[i]);
        if (!pr_text_starts(function, beginnings[i]))
            continue;
        const uint32_t first = at;
        while (at < function.length && pr_is_digit(function.bytes[at]))
            at++;
        if (at > first && at < function.length && (function.bytes[at] == ':' || function.bytes[at] == ')'))
            return true;
    }
    return false;
}

bool pr_is_comprehension(const struct pr_profile *profile, pr_frame_id frame)
{
    return pr_nameless_is_comprehension(pr_profile_text(profile, profile->frames[frame].function));
}

/* ---- one frame --------------------------------------------------------------------------------------------------- */

static bool is_jvm_file(struct pr_text file)
{
    static const char *const endings[] = {".java", ".kt", ".scala", ".groovy", ".clj"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (pr_text_ends(file, endings[i]))
            return true;
    return false;
}

static enum pr_owner first_known(enum pr_owner a, enum pr_owner b)
{
    return a == PR_OWNER_COUNT ? b : a;
}

/* Old versions of Node have their own code below internal/, and beside it without a folder. */
static bool is_old_node(const struct pr_profile *profile, struct pr_text file)
{
    const char *format = profile->meta.format ? profile->meta.format : "";
    const bool is_v8 = strcmp(format, "cpuprofile") == 0 || strcmp(format, "heapprofile") == 0;
    return is_v8 && pr_text_ends(file, ".js") &&
           (pr_text_starts(file, "internal/") || !memchr(file.bytes, '/', file.length));
}

static enum pr_owner owner_of_script(const struct pr_profile *profile, const struct pr_code_world *world,
                                     struct pr_text function, struct pr_text file)
{
    if (is_jvm_file(file))
        return first_known(pr_owner_of_jvm(world, function), PR_OWNER_MINE);
    if (pr_text_is(function, "__create_fn__") && pr_text_is(file, "<string>")) /* of dataclasses */
        return PR_OWNER_STDLIB;
    if (is_old_node(profile, file) || (!file.length && pr_name_is_importlib(function)))
        return PR_OWNER_STDLIB;
    if (profile->meta.format && !strcmp(profile->meta.format, "metaflow"))
        return pr_owner_of_bare_python(function, file);
    const enum pr_owner owner = pr_owner_of_file(profile, file);
    return owner == PR_OWNER_MINE && world->has_short_paths && pr_text_ends(file, ".py")
               ? pr_owner_of_short_python(file)
               : owner;
}

static enum pr_owner owner_of_compiled(const struct pr_code_world *world, struct pr_text function, struct pr_text file)
{
    enum pr_owner owner = PR_OWNER_COUNT;
    if (!file.length && is_made_by_profiler(function))
        return PR_OWNER_NONE;
    if (world->has_go)
        owner = pr_owner_of_go(world, function, file);
    if (world->has_jvm)
        owner = first_known(owner, pr_owner_of_jvm(world, function));
    if (owner == PR_OWNER_COUNT && world->has_scripts)
        return !file.length && pr_name_is_importlib(function) ? PR_OWNER_STDLIB : PR_OWNER_NATIVE;
    if (world->has_torch && !file.length)
        owner = first_known(owner, pr_owner_of_torch(function));
    owner = first_known(owner, pr_owner_of_dotnet(function));
    owner = first_known(owner, pr_owner_of_namespace(world, function));
    return first_known(owner, pr_owner_of_native(world, function, file));
}

static enum pr_owner decide_owner(const struct pr_profile *profile, const struct pr_code_world *world,
                                  pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text file = pr_profile_text(profile, f->file), function = pr_profile_text(profile, f->function);
    switch ((enum pr_frame_kind)f->kind) {
    case PR_FRAME_PYTHON:
        return owner_of_script(profile, world, function, file);
    case PR_FRAME_NATIVE:
        return owner_of_compiled(world, function, file);
    case PR_FRAME_KERNEL:
        return PR_OWNER_KERNEL;
    case PR_FRAME_OTHER:
        break;
    }
    return PR_OWNER_NONE;
}

static unsigned role_of_script(const struct pr_profile *profile, const struct pr_code_world *world,
                               struct pr_text function, struct pr_text file)
{
    if (contains(file, "frozen importlib") || contains(file, "importlib/_bootstrap") || pr_is_node_loader(file) ||
        (!file.length && pr_name_is_importlib(function)))
        return PR_ROLE_IMPORT;
    const bool is_start = pr_is_runpy(file) || pr_is_profiler_start(file) || pr_is_python_start(function, file) ||
                          pr_is_node_start(file) || (is_jvm_file(file) && pr_is_native_start(function));
    return is_start || is_statement(profile, world, function, file) ? PR_ROLE_RUNNER : 0;
}

static unsigned decide_role(const struct pr_profile *profile, const struct pr_code_world *world, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text file = pr_profile_text(profile, f->file), function = pr_profile_text(profile, f->function);
    if (!file.length && is_made_by_profiler(function))
        return PR_ROLE_RUNNER | PR_ROLE_PROFILER;
    if (f->kind == PR_FRAME_PYTHON)
        return role_of_script(profile, world, function, file);
    if (f->kind != PR_FRAME_NATIVE)
        return 0;
    if (is_import_opcode(function, file) ||
        (!file.length && (is_import_builtin(function) || pr_name_is_importlib(function))))
        return PR_ROLE_IMPORT;
    return pr_is_native_start(function) ? PR_ROLE_RUNNER : 0;
}

/* ---- all frames -------------------------------------------------------------------------------------------------- */

enum { OWNER_BITS = 3, OWNER_MASK = (1 << OWNER_BITS) - 1 };

enum pr_owner pr_owner_of(const struct pr_profile *profile, pr_frame_id frame)
{
    struct pr_code_world world;
    if (profile->code)
        return (enum pr_owner)(profile->code[frame] & OWNER_MASK);
    pr_code_world_look(profile, &world);
    return decide_owner(profile, &world, frame);
}

unsigned pr_role_of(const struct pr_profile *profile, pr_frame_id frame)
{
    struct pr_code_world world;
    if (profile->code)
        return profile->code[frame] >> OWNER_BITS;
    pr_code_world_look(profile, &world);
    return decide_role(profile, &world, frame);
}

/* ---- the kernel, where no file names it -------------------------------------------------------------------------- */

/* How Linux is entered, as perf names it. */
static bool is_kernel_entry(const struct pr_profile *profile, pr_frame_id frame)
{
    static const char *const names[] = {"asm_exc_",       "asm_sysvec_",   "asm_common_interrupt",
                                        "entry_SYSCALL_", "do_syscall_64", "__x64_sys_",
                                        "ret_from_fork",  "el0t_64_sync",  "el0_svc"};
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text function = pr_profile_text(profile, f->function);
    return f->kind == PR_FRAME_NATIVE && !f->file &&
           pr_text_starts_with_one(function, names, sizeof names / sizeof *names);
}

/* What the kernel calls is the kernel: frames without a file that are below an entry in all stacks. */
static enum pr_status mark_kernel(const struct pr_profile *profile, uint8_t *code, struct pr_error *err)
{
    bool any = false;
    for (pr_frame_id i = 0; i < profile->frame_count && !any; i++)
        any = is_kernel_entry(profile, i);
    if (!any)
        return PR_OK;
    bool *below = calloc(profile->tree.count, sizeof *below), *outside = calloc(profile->frame_count, sizeof *outside);
    for (pr_node_id i = 1; below && outside && i < profile->tree.count; i++) {
        below[i] = below[profile->tree.parent[i]] || is_kernel_entry(profile, profile->tree.frame[i]);
        outside[profile->tree.frame[i]] |= !below[i] || profile->frames[profile->tree.frame[i]].file;
    }
    for (pr_frame_id i = 0; below && outside && i < profile->frame_count; i++)
        if (!outside[i])
            code[i] = PR_OWNER_KERNEL;
    const bool done = below && outside;
    free(below);
    free(outside);
    return done ? PR_OK : pr_fail_memory(err);
}

/* ---- a profiler's own start -------------------------------------------------------------------------------------- */

/* BEFORE: no code of the user or of a profiler is above. */
enum { PROGRAM, BEFORE, PROFILER, PROFILERS_IMPORTS };

/* What a file has to do with a profiler's start. Bits. */
enum { ASKED = 1, STARTS_PROFILER = 2, IN_PROFILER = 4, RUNS_PROGRAM = 8 };

static uint8_t use_of(struct pr_text file)
{
    return (uint8_t)(ASKED | (pr_is_profiler_start(file) ? STARTS_PROFILER : 0) |
                     (pr_is_profiler_file(file) ? IN_PROFILER : 0) | (pr_is_runpy(file) ? RUNS_PROGRAM : 0));
}

/*
 * What a node is, by the one above it. A profiler's files start it; what they import is its own, and so is what they
 * call of the standard library, until runpy or a file of the user's comes: there the program starts. Where nothing has
 * started yet, all files of a profiler are its own: `python -m memray` imports the package first.
 */
static uint8_t stage_of(const struct pr_profile *profile, pr_frame_id frame, uint8_t use, uint8_t above)
{
    const enum pr_owner owner = pr_owner_of(profile, frame);
    if (use & STARTS_PROFILER)
        return PROFILER;
    if (above == PROGRAM || owner == PR_OWNER_MINE)
        return PROGRAM;
    if (above == BEFORE)
        return use & IN_PROFILER ? PROFILERS_IMPORTS : BEFORE;
    if (use & RUNS_PROGRAM)
        return PROGRAM;
    const bool is_import = (pr_role_of(profile, frame) & PR_ROLE_IMPORT) && owner == PR_OWNER_STDLIB;
    return above == PROFILERS_IMPORTS || is_import || owner == PR_OWNER_STDLIB ? PROFILERS_IMPORTS : PROGRAM;
}

/* The name of a profiler that has its start in the profile; NULL: none has. */
static const char *find_profiler(const struct pr_profile *profile)
{
    pr_str asked = 0; /* frames of a file mostly follow one another; the text 0 is empty */
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        if (profile->frames[i].file == asked)
            continue;
        asked = profile->frames[i].file;
        if (pr_is_profiler_start(pr_profile_text(profile, asked)))
            return pr_profiler_of(pr_profile_text(profile, asked));
    }
    return NULL;
}

/* [tree.count] the stage of every node, owned; each file is asked once. NULL: out of memory. */
static uint8_t *find_stages(const struct pr_profile *profile)
{
    uint8_t *stage = malloc(profile->tree.count), *use = calloc((size_t)profile->strings.count + 1, 1);
    if (stage)
        stage[PR_ROOT] = BEFORE;
    for (pr_node_id i = 1; stage && use && i < profile->tree.count; i++) {
        const pr_frame_id frame = profile->tree.frame[i];
        const pr_str file = profile->frames[frame].file;
        if (!use[file])
            use[file] = use_of(pr_profile_text(profile, file));
        stage[i] = stage_of(profile, frame, use[file], stage[profile->tree.parent[i]]);
    }
    if (!use) {
        free(stage);
        stage = NULL;
    }
    free(use);
    return stage;
}

bool pr_owner_mark_start(const struct pr_profile *profile, bool *is_start)
{
    const bool is_any = find_profiler(profile) != NULL;
    uint8_t *stage = is_any ? find_stages(profile) : NULL;
    const bool done = stage || !is_any;
    for (pr_node_id i = 0; i < profile->tree.count; i++)
        is_start[i] = stage && stage[i] > BEFORE;
    free(stage);
    return done;
}

int64_t pr_profiler_start_up(const struct pr_profile *profile, unsigned metric, const char **name)
{
    *name = find_profiler(profile);
    uint8_t *stage = *name ? find_stages(profile) : NULL;
    int64_t sum = 0;
    for (size_t i = 0; stage && i < profile->fact_count; i++)
        if (stage[profile->fact_leaf[i]] > BEFORE)
            sum = pr_add_saturated(sum, profile->metrics[metric].value[i]);
    free(stage);
    return sum;
}

/* Frames of a profiler's start alone are the runner's; those that the program has too are so below the runner only. */
static enum pr_status mark_start(const struct pr_profile *profile, uint8_t *code, struct pr_error *err)
{
    enum { IN_PROGRAM = 1, IN_START = 2 };
    uint8_t *stage = find_stages(profile), *seen = calloc((size_t)profile->frame_count + 1, 1);
    for (pr_node_id i = 1; stage && seen && i < profile->tree.count; i++)
        seen[profile->tree.frame[i]] |= stage[i] == PROFILERS_IMPORTS ? IN_START : IN_PROGRAM;
    for (pr_frame_id i = 0; stage && seen && i < profile->frame_count; i++)
        if (seen[i] & IN_START)
            code[i] = (uint8_t)(code[i] | (seen[i] & IN_PROGRAM ? PR_ROLE_START : PR_ROLE_RUNNER) << OWNER_BITS);
    const bool done = stage && seen;
    free(stage);
    free(seen);
    return done ? PR_OK : pr_fail_memory(err);
}

static uint8_t decide(const struct pr_profile *profile, const struct pr_code_world *world, pr_frame_id frame)
{
    return (uint8_t)((unsigned)decide_owner(profile, world, frame) | decide_role(profile, world, frame) << OWNER_BITS);
}

/* What was decided about frames, to be used for others. */
struct decided {
    struct pr_idset functions; /* name, file and kind */
    pr_frame_id *first;        /* [functions.count] the frame of each that was asked */
    bool *repeated;            /* by string: names that several frames have; only these are looked up */
    pr_frame_id *place;        /* by string, of a file: the frame of a place in it that was asked, and 1; 0: none */
};

/* The frame before FRAME that the same is decided about; FRAME itself: it is the first one. PR_NO_ID: out of memory. */
static pr_frame_id decided_before(const struct pr_profile *profile, struct decided *decided, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    if (f->kind == PR_FRAME_NATIVE &&
        pr_is_place_name(pr_profile_text(profile, f->function), pr_profile_text(profile, f->file))) {
        if (!decided->place[f->file])
            decided->place[f->file] = frame + 1;
        return decided->place[f->file] - 1;
    }
    if (!decided->repeated[f->function])
        return frame;
    const uint64_t key[2] = {pr_pair(f->function, f->file), f->kind};
    const uint32_t known = decided->functions.count, number = pr_idset_add(&decided->functions, key, 2);
    if (number == PR_NO_ID)
        return PR_NO_ID;
    if (number == known)
        decided->first[number] = frame;
    return decided->first[number];
}

/* Fills CODE, deciding once for all lines of a function, and for all places of a file. False: out of memory. */
static bool decide_all(const struct pr_profile *profile, const struct pr_code_world *world, uint8_t *code)
{
    struct decided decided = {.functions = {.words = 2},
                              .first = malloc(((size_t)profile->frame_count + 1) * sizeof *decided.first),
                              .repeated = pr_names_repeated(profile),
                              .place = calloc((size_t)profile->strings.count + 1, sizeof *decided.place)};
    bool good = decided.first && decided.repeated && decided.place;
    for (pr_frame_id i = 0; good && i < profile->frame_count; i++) {
        const pr_frame_id before = decided_before(profile, &decided, i);
        good = before != PR_NO_ID;
        if (good)
            code[i] = before == i ? decide(profile, world, i) : code[before];
    }
    pr_idset_clear(&decided.functions);
    free(decided.first);
    free(decided.repeated);
    free(decided.place);
    return good;
}

enum pr_status pr_owner_settle(struct pr_profile *profile, struct pr_error *err)
{
    uint8_t *code = pr_arena_array(&profile->arena, profile->frame_count, sizeof *code);
    const struct pr_code_world *world = pr_code_world_settle(profile);
    if (!code || !world || !decide_all(profile, world, code))
        return pr_fail_memory(err);
    profile->code = code;
    if (mark_kernel(profile, code, err) == PR_FAILED || pr_nameless_settle(profile, err) == PR_FAILED)
        return PR_FAILED;
    return find_profiler(profile) ? mark_start(profile, code, err) : PR_OK;
}
