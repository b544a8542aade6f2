/* SPDX-License-Identifier: Apache-2.0 */
/* The place in the source says most, then the mapped object, then the name. */
#include "capture/model/native_owner.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/language_owner.h"
#include "capture/model/runtime_names.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

bool pr_file_is_interpreter(struct pr_text file)
{
    static const char *const names[] = {"python", "python2", "python3", "node", "nodejs", "ruby", "perl",
                                        "php",    "java",    "deno",    "bun",  "julia",  "R",    "lua",
                                        "luajit", "dotnet",  "bash",    "sh",   "dash",   "mono"};
    static const char *const libraries[] = {"libpython",  "libpypy",   "libruby", "libjvm",  "libnode",  "libperl",
                                            "libcoreclr", "libclrjit", "libmono", "libR.so", "libjulia", "liblua"};
    const struct pr_text name = pr_path_last(file);
    return pr_text_is_one_of(name, names, COUNT(names)) || pr_part_is_python(name) ||
           pr_text_starts_with_one(name, libraries, COUNT(libraries));
}

bool pr_name_is_importlib(struct pr_text function)
{
    static const char *const names[] = {"_find_and_load",
                                        "_find_and_load_unlocked",
                                        "_load_unlocked",
                                        "_call_with_frames_removed",
                                        "_handle_fromlist",
                                        "_gcd_import",
                                        "_find_spec",
                                        "_load_backward_compatible",
                                        "_path_importer_cache",
                                        "_path_join",
                                        "_path_stat",
                                        "_compile_bytecode",
                                        "_classify_pyc",
                                        "_validate_timestamp_pyc",
                                        "_get_module_lock",
                                        "_fill_cache",
                                        "exec_module",
                                        "SourceLoader.exec_module",
                                        "_LoaderBasics.exec_module",
                                        "FrozenImporter.exec_module",
                                        "ExtensionFileLoader.exec_module"};
    return pr_text_is_one_of(function, names, COUNT(names));
}

/* ---- places in the source ---------------------------------------------------------------------------------------- */

static bool is_source(struct pr_text file)
{
    static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx", ".h",   ".hh",   ".hpp",
                                          ".hxx", ".inl", ".tcc", ".rs",  ".s",   ".S",    ".m",
                                          ".mm",  ".f90", ".zig", ".cu",  ".cuh", ".swift"};
    for (size_t i = 0; i < COUNT(endings); i++)
        if (pr_text_ends(file, endings[i]))
            return true;
    return false;
}

/* The sources of compilers and of the C library, wherever they were built. */
static bool is_standard_source(struct pr_text file)
{
    static const char *const folders[] = {"/rustc/", "/lib/rustlib/src/", "/include/c++/", "/glibc-",    "/sysdeps/",
                                          "/gcc-",   "/libstdc++-v3/",    "/libgcc/",      "/musl/src/", "/bits/stl_"};
    static const char *const beginnings[] = {"library/std/", "library/core/", "library/alloc/", "/usr/src/glibc"};
    for (size_t i = 0; i < COUNT(folders); i++)
        if (pr_path_has(file, folders[i]))
            return true;
    return pr_text_starts_with_one(file, beginnings, COUNT(beginnings));
}

static bool is_fetched_source(struct pr_text file)
{
    static const char *const folders[] = {"/.cargo/registry/", "/cargo/registry/", "/cargo/git/checkouts/",
                                          "/.cargo/git/",      "/rust/deps/",      "/third_party/",
                                          "/_deps/",           "/vcpkg/",          "/.conan/",
                                          "/.conan2/",         "/external/",       "/node_modules/",
                                          "/.nuget/",          "/usr/include/",    "/usr/local/include/",
                                          "/usr/src/debug/"};
    for (size_t i = 0; i < COUNT(folders); i++)
        if (pr_path_has(file, folders[i]))
            return true;
    return false;
}

/* ---- mapped objects ---------------------------------------------------------------------------------------------- */

/* The libraries that languages bring with them. */
static bool is_language_library(struct pr_text file)
{
    static const char *const names[] = {
        "libc.so",     "libc-2.",     "libc.musl",  "ld-linux",     "ld-musl",        "ld-2.",        "libm.so",
        "libm-2.",     "libpthread",  "libdl.so",   "libdl-2.",     "librt.so",       "librt-2.",     "libresolv",
        "libutil.so",  "libstdc++",   "libc++",     "libgcc_s",     "libgomp",        "libomp.so",    "libunwind",
        "libSystem",   "libsystem_",  "dyld",       "libstd-",      "linux-vdso",     "[vdso]",       "[vsyscall]",
        "libgfortran", "libquadmath", "ntdll.dll",  "kernel32.dll", "KERNELBASE.dll", "ucrtbase.dll", "vcruntime",
        "libtcmalloc", "libjemalloc", "vgpreload_", "libheaptrack"};
    return pr_text_starts_with_one(pr_path_last(file), names, COUNT(names));
}

static bool is_system_object(struct pr_text file)
{
    static const char *const folders[] = {
        "/usr/lib",    "/lib/",  "/lib64/",  "/lib32/",   "/usr/local/lib", "/usr/libexec/",   "/opt/",
        "/nix/store/", "/snap/", "/System/", "/Library/", "/gnu/store/",    "/home/linuxbrew/"};
    return pr_text_starts_with_one(file, folders, COUNT(folders)) || pr_path_in_packages(file) ||
           pr_path_in_stdlib(file);
}

static enum pr_owner owner_of_object(struct pr_text file)
{
    if (is_language_library(file))
        return PR_OWNER_STDLIB;
    if (pr_file_is_interpreter(file) || *file.bytes == '[')
        return PR_OWNER_NATIVE;
    return pr_text_is_shared_object(file) && (is_system_object(file) || !memchr(file.bytes, '/', file.length))
               ? PR_OWNER_LIBRARY
               : PR_OWNER_MINE;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* "hashtab+0x1246", "0x7f80742", "[unknown]", "<unknown>", "[hashtab]": a place that no symbol names. */
static bool is_nameless(struct pr_text function)
{
    return !function.length || *function.bytes == '[' || pr_text_starts(function, "0x") ||
           pr_text_is(function, "(no name)") || pr_text_is(function, "??") || pr_text_is(function, "<unknown>");
}

/* Functions of the C library that programs spend time or memory in. */
static bool is_c_function(struct pr_text function)
{
    static const char *const names[] = {
        "abort",    "bsearch",   "clock_gettime", "clock_nanosleep", "close",        "epoll_wait", "exit",
        "fclose",   "fflush",    "fgets",         "fopen",           "fprintf",      "fputs",      "fread",
        "fscanf",   "fwrite",    "getdelim",      "getline",         "gettimeofday", "localtime",  "memalign",
        "memchr",   "memcmp",    "mremap",        "nanosleep",       "open",         "openat",     "poll",
        "printf",   "puts",      "putchar",       "pvalloc",         "qsort",        "qsort_r",    "rand",
        "random",   "recv",      "reallocarray",  "select",          "send",         "setlocale",  "sleep",
        "snprintf", "sprintf",   "sscanf",        "stpcpy",          "strcat",       "strchr",     "strchrnul",
        "strcmp",   "strcpy",    "strdup",        "strftime",        "strlen",       "strncat",    "strncmp",
        "strncpy",  "strndup",   "strrchr",       "strstr",          "strtod",       "strtok",     "strtol",
        "strtoul",  "strtoull",  "usleep",        "valloc",          "vasprintf",    "asprintf",   "vfprintf",
        "vprintf",  "vsnprintf", "vsprintf",      "outstring_func"};
    return pr_text_is_one_of(function, names, COUNT(names));
}

/* What a C compiler's users may not call their own: two underscores, and those of the C library. */
static bool is_reserved(struct pr_text function)
{
    static const char *const beginnings[] = {"__",     "_IO_",  "_int_", "_dl_",          "_nl_",     "_itoa",
                                             "_start", "_init", "_fini", "_mid_memalign", "pthread_", "(below main)"};
    uint32_t keep = 0;
    return pr_text_starts_with_one(function, beginnings, COUNT(beginnings)) || is_c_function(function) ||
           pr_runtime_native(function, (struct pr_text){"", 0}, &keep);
}

static enum pr_owner owner_of_name(const struct pr_code_world *world, struct pr_text function)
{
    if (is_nameless(function))
        return PR_OWNER_NATIVE;
    if (pr_name_is_importlib(function) || is_reserved(function))
        return PR_OWNER_STDLIB;
    return world->has_scripts ? PR_OWNER_NATIVE : PR_OWNER_MINE;
}

enum pr_owner pr_owner_of_native(const struct pr_code_world *world, struct pr_text function, struct pr_text file)
{
    uint32_t keep = 0;
    if (!file.length)
        return owner_of_name(world, function);
    if (is_standard_source(file))
        return PR_OWNER_STDLIB;
    if (is_fetched_source(file))
        return PR_OWNER_LIBRARY;
    if (!is_source(file))
        return owner_of_object(file);
    const bool is_bare = !memchr(file.bytes, '/', file.length); /* "strdup.c": valgrind leaves out the folder */
    return (is_bare && is_reserved(function)) || pr_runtime_native((struct pr_text){"f", 1}, file, &keep)
               ? PR_OWNER_STDLIB
               : PR_OWNER_MINE;
}
