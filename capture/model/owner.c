/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a frame is, and whether it only wraps the user's, by its file. */
#include "profrender/owner.h"

#include "capture/base/ascii.h"
#include "capture/model/code_path.h"

#include <string.h>

/* More directories than an interpreter searches: a header with more is made up, and the rest is ignored. */
enum { DIRECTORIES_MAX = 64 };

/*
 * "<string>", "<stdin>", ...: code that was typed or passed to the interpreter. Other names in angle brackets are made
 * by libraries.
 */
static bool is_typed_in(struct pr_text file)
{
    static const char *const names[] = {"<string>", "<stdin>",  "<ipython",  "<python-input",
                                        "<input>",  "<console>", "<doctest "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pr_path_starts(file, names[i]))
            return true;
    return false;
}

static bool is_below_one(const struct pr_profile *profile, const pr_str *directory, uint32_t count,
                         struct pr_text file)
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
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pr_part_is(last, names[i]))
            return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (pr_part_is(before, folders[i]))
            return true;
    return false;
}

/* Whether the header says that there are libraries in the lib of ENVIRONMENT. */
static bool has_libraries(const struct pr_profile *profile, struct pr_text environment)
{
    for (uint32_t i = 0; i < profile->meta.site_packages_count && i < DIRECTORIES_MAX; i++) {
        const struct pr_text packages = pr_profile_text(profile, profile->meta.site_packages[i]);
        if (packages.length > environment.length && pr_path_below(packages, environment) &&
            pr_path_starts((struct pr_text){packages.bytes + environment.length, packages.length - environment.length},
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

enum pr_owner pr_owner_of(const struct pr_profile *profile, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    if (f->kind == PR_FRAME_KERNEL)
        return PR_OWNER_KERNEL;
    return f->kind == PR_FRAME_PYTHON ? pr_owner_of_file(profile, pr_profile_text(profile, f->file)) : PR_OWNER_NATIVE;
}

enum pr_owner pr_owner_of_file(const struct pr_profile *profile, struct pr_text file)
{
    if (pr_path_is_frozen(file))
        return PR_OWNER_STDLIB;
    if (pr_path_starts(file, "<"))
        return is_typed_in(file) ? PR_OWNER_MINE : PR_OWNER_LIBRARY;
    if (is_library(profile, file)) /* first: the directory of the libraries is inside that of the standard library */
        return PR_OWNER_LIBRARY;
    return is_stdlib(profile, file) ? PR_OWNER_STDLIB : PR_OWNER_MINE;
}

const char *pr_owner_name(enum pr_owner owner)
{
    static const char *const names[PR_OWNER_COUNT] = {
        [PR_OWNER_MINE] = "my code",   [PR_OWNER_LIBRARY] = "library", [PR_OWNER_STDLIB] = "stdlib",
        [PR_OWNER_NATIVE] = "native", [PR_OWNER_KERNEL] = "kernel",
    };
    return (unsigned)owner < PR_OWNER_COUNT ? names[owner] : "";
}

static bool contains(struct pr_text text, const char *what)
{
    return memmem(text.bytes, text.length, what, strlen(what)) != NULL;
}

static bool is_runpy(struct pr_text file)
{
    return pr_part_is(file, "<frozen runpy>") || pr_part_is(pr_path_last(file), "runpy.py");
}

/* Files of profilers that are above the program in each of its stacks: by folder and name, and memray's commands. */
static bool is_runner(struct pr_text file)
{
    static const char *const files[][2] = {
        {"memray", "__main__.py"},    {"pyinstrument", "__main__.py"}, {"viztracer", "__main__.py"},
        {"viztracer", "main.py"},     {"scalene", "__main__.py"},      {"scalene", "scalene_profiler.py"},
        {"bin", "memray"},            {"bin", "pyinstrument"},         {"bin", "viztracer"},
        {"bin", "scalene"}};
    struct pr_text part, folder = {"", 0}, name = folder;
    if (is_runpy(file))
        return true;
    for (uint32_t at = 0; pr_path_part(file, &at, &part); name = part) {
        folder = name;
        if (pr_part_is(part, "commands") && pr_part_is(folder, "memray"))
            return true;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (pr_part_is(folder, files[i][0]) && pr_part_is(name, files[i][1]))
            return true;
    return false;
}

static bool runs_modules(const struct pr_profile *profile)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const struct pr_text function = pr_profile_text(profile, profile->frames[i].function);
        if ((pr_part_is(function, "run_module") || pr_part_is(function, "run_path")) &&
            is_runpy(pr_profile_text(profile, profile->frames[i].file)))
            return true;
    }
    return false;
}

/*
 * The statement of a profiler that calls the user's code: cProfile has one for `-m module` and is given one by
 * cProfile.run(), pyinstrument and viztracer use one to have runpy run a module or a script.
 */
static bool is_statement(const struct pr_profile *profile, struct pr_text function, struct pr_text file)
{
    const char *format = profile->meta.format ? profile->meta.format : "";
    return pr_part_is(file, "<string>") && pr_part_is(function, "<module>") && strcmp(format, "memray") != 0 &&
           (strcmp(format, "pstats") == 0 || runs_modules(profile));
}

/* The interpreter's own functions that execute an import statement, in native stacks. */
static bool is_import_opcode(struct pr_text function, struct pr_text file)
{
    return pr_part_is(pr_path_last(file), "ceval.c") &&
           (pr_part_is(function, "import_name") || pr_part_is(function, "import_from") ||
            pr_part_is(function, "import_all_from"));
}

/* The functions that run a module's code and find it, as cProfile and as viztracer name them. */
static bool is_import_builtin(struct pr_text function)
{
    static const char *const names[] = {"<built-in method builtins.exec>", "<built-in method builtins.__import__>",
                                        "builtins.exec", "builtins.__import__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pr_part_is(function, names[i]))
            return true;
    return false;
}

/* "process 2370:python x.py", "thread (2418): worker": py-spy's frames for where it looked, which are not code. */
static bool is_made_by_profiler(struct pr_text function)
{
    static const char *const beginnings[] = {"process ", "thread ("};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        uint32_t at = (uint32_t)strlen(beginnings[i]);
        if (!pr_path_starts(function, beginnings[i]))
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
    static const char *const names[] = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"};
    const struct pr_text function = pr_profile_text(profile, profile->frames[frame].function);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (function.length == strlen(names[i]) && memcmp(function.bytes, names[i], function.length) == 0)
            return true;
    return false;
}

unsigned pr_role_of(const struct pr_profile *profile, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text file = pr_profile_text(profile, f->file), function = pr_profile_text(profile, f->function);
    if (!file.length && is_made_by_profiler(function))
        return PR_ROLE_RUNNER | PR_ROLE_PROFILER;
    if (f->kind == PR_FRAME_NATIVE)
        return is_import_opcode(function, file) || (!file.length && is_import_builtin(function)) ? PR_ROLE_IMPORT : 0;
    if (f->kind != PR_FRAME_PYTHON)
        return 0;
    if (contains(file, "frozen importlib") || contains(file, "importlib/_bootstrap"))
        return PR_ROLE_IMPORT;
    return is_runner(file) || is_statement(profile, function, file) ? PR_ROLE_RUNNER : 0;
}
