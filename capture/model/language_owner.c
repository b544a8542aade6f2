/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of names and folders, one group for each language. What is in none of them is the user's. */
#include "capture/model/language_owner.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

bool pr_path_has(struct pr_text path, const char *folder)
{
    const size_t length = strlen(folder);
    if (*folder != '/')
        return path.length > length && memmem(path.bytes, path.length, folder, length);
    if (pr_text_starts(path, folder + 1))
        return true;
    const char *at = path.bytes, *const end = at + path.length;
    for (; path.length > length && (at = memchr(at, '/', (size_t)(end - at))); at++) {
        if ((size_t)(end - at) < length)
            return false;
        if (at[length - 1] == folder[length - 1] && !memcmp(at, folder, length))
            return true;
    }
    return false;
}

static bool has_one(struct pr_text path, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pr_path_has(path, folders[i]))
            return true;
    return false;
}

static struct pr_text up_to(struct pr_text text, char end)
{
    const char *at = memchr(text.bytes, end, text.length);
    return at ? pr_text_part(text, 0, (size_t)(at - text.bytes)) : text;
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* "/usr/lib/ruby/3.2.0/json.rb", "/opt/perl/lib/5.36.0/x.pm": a folder of the language, then one named as a version. */
static bool is_in_versioned(struct pr_text file)
{
    struct pr_text part, before = {"", 0};
    for (uint32_t at = 0; pr_path_part(file, &at, &part); before = part) {
        const bool language = pr_text_is(before, "ruby") || pr_text_is(before, "perl") || pr_text_is(before, "perl5") ||
                              pr_text_is(before, "php");
        if (language && part.length > 2 && pr_is_digit(part.bytes[0]) && part.bytes[1] == '.')
            return true;
    }
    return false;
}

enum pr_owner pr_owner_of_script(struct pr_text file)
{
    static const char *const builtin[] = {"node:", "deno:", "ext:", "bun:", "native ", "<internal:"};
    static const char *const library[] = {"/node_modules/",  "/bower_components/", "/jspm_packages/", "/gems/",
                                          "/vendor/bundle/", "/.yarn/cache/",      "/.pnpm/"};
    static const char *const extension[] = {"chrome-extension://",       "moz-extension://",   "extensions::",
                                            "https://deno.land/std",     "https://jsr.io/",    "https://esm.sh/",
                                            "https://cdn.jsdelivr.net/", "https://unpkg.com/", "npm:"};
    if (has_one(file, library, COUNT(library)) || pr_text_starts_with_one(file, extension, COUNT(extension)))
        return PR_OWNER_LIBRARY;
    if (pr_text_starts_with_one(file, builtin, COUNT(builtin)) || is_in_versioned(file))
        return PR_OWNER_STDLIB;
    if (pr_path_has(file, "/vendor/") && pr_text_ends(file, ".php"))
        return PR_OWNER_LIBRARY;
    return PR_OWNER_COUNT;
}

/* Folders and modules of Python 3's standard library that programs spend time in. */
static bool is_python_module(struct pr_text name)
{
    static const char *const names[] = {"_bootlocale",
                                        "_collections_abc",
                                        "_py_abc",
                                        "_pydatetime",
                                        "_pydecimal",
                                        "_strptime",
                                        "_weakrefset",
                                        "abc",
                                        "argparse",
                                        "ast",
                                        "asyncio",
                                        "base64",
                                        "bdb",
                                        "bisect",
                                        "bz2",
                                        "cProfile",
                                        "calendar",
                                        "codecs",
                                        "collections",
                                        "concurrent",
                                        "configparser",
                                        "contextlib",
                                        "contextvars",
                                        "copy",
                                        "copyreg",
                                        "csv",
                                        "ctypes",
                                        "dataclasses",
                                        "datetime",
                                        "decimal",
                                        "difflib",
                                        "dis",
                                        "email",
                                        "encodings",
                                        "enum",
                                        "fnmatch",
                                        "fractions",
                                        "functools",
                                        "genericpath",
                                        "getpass",
                                        "gettext",
                                        "glob",
                                        "gzip",
                                        "hashlib",
                                        "heapq",
                                        "hmac",
                                        "html",
                                        "http",
                                        "importlib",
                                        "inspect",
                                        "io",
                                        "ipaddress",
                                        "json",
                                        "keyword",
                                        "linecache",
                                        "locale",
                                        "logging",
                                        "lzma",
                                        "mimetypes",
                                        "multiprocessing",
                                        "ntpath",
                                        "numbers",
                                        "opcode",
                                        "operator",
                                        "os",
                                        "pathlib",
                                        "pdb",
                                        "pickle",
                                        "pkgutil",
                                        "platform",
                                        "plistlib",
                                        "posixpath",
                                        "pprint",
                                        "pstats",
                                        "pydoc",
                                        "queue",
                                        "quopri",
                                        "random",
                                        "re",
                                        "reprlib",
                                        "runpy",
                                        "sched",
                                        "secrets",
                                        "selectors",
                                        "shelve",
                                        "shlex",
                                        "shutil",
                                        "signal",
                                        "site",
                                        "smtplib",
                                        "socket",
                                        "socketserver",
                                        "sqlite3",
                                        "sre_compile",
                                        "sre_constants",
                                        "sre_parse",
                                        "ssl",
                                        "stat",
                                        "statistics",
                                        "string",
                                        "stringprep",
                                        "struct",
                                        "subprocess",
                                        "symtable",
                                        "sysconfig",
                                        "tarfile",
                                        "tempfile",
                                        "textwrap",
                                        "threading",
                                        "timeit",
                                        "token",
                                        "tokenize",
                                        "tomllib",
                                        "traceback",
                                        "tracemalloc",
                                        "types",
                                        "typing",
                                        "unittest",
                                        "urllib",
                                        "uuid",
                                        "warnings",
                                        "weakref",
                                        "xml",
                                        "xmlrpc",
                                        "zipfile",
                                        "zipimport",
                                        "zoneinfo"};
    return pr_text_is_one_of(name, names, COUNT(names));
}

/* Packages that many install. */
static bool is_python_package(struct pr_text name)
{
    static const char *const names[] = {"_pytest",
                                        "aiohttp",
                                        "anyio",
                                        "attr",
                                        "boto3",
                                        "botocore",
                                        "bs4",
                                        "celery",
                                        "certifi",
                                        "chardet",
                                        "charset_normalizer",
                                        "click",
                                        "cloudpickle",
                                        "cv2",
                                        "dask",
                                        "dateutil",
                                        "django",
                                        "duckdb",
                                        "fastapi",
                                        "flask",
                                        "fsspec",
                                        "google",
                                        "grpc",
                                        "gunicorn",
                                        "h11",
                                        "httpcore",
                                        "httpx",
                                        "idna",
                                        "jax",
                                        "jinja2",
                                        "joblib",
                                        "keras",
                                        "lightgbm",
                                        "lxml",
                                        "markdown_it",
                                        "matplotlib",
                                        "memray",
                                        "metaflow",
                                        "networkx",
                                        "numba",
                                        "numpy",
                                        "openpyxl",
                                        "packaging",
                                        "pandas",
                                        "PIL",
                                        "pip",
                                        "pkg_resources",
                                        "plotly",
                                        "pluggy",
                                        "polars",
                                        "psycopg2",
                                        "pyarrow",
                                        "pydantic",
                                        "pygments",
                                        "pyinstrument",
                                        "pytest",
                                        "pytz",
                                        "redis",
                                        "requests",
                                        "rich",
                                        "s3fs",
                                        "s3transfer",
                                        "scalene",
                                        "scipy",
                                        "sentry_sdk",
                                        "setuptools",
                                        "six",
                                        "sklearn",
                                        "sqlalchemy",
                                        "starlette",
                                        "statsmodels",
                                        "sympy",
                                        "tensorflow",
                                        "textual",
                                        "torch",
                                        "torchvision",
                                        "tornado",
                                        "tqdm",
                                        "transformers",
                                        "trio",
                                        "typing_extensions",
                                        "urllib3",
                                        "uvicorn",
                                        "uvloop",
                                        "viztracer",
                                        "werkzeug",
                                        "xgboost",
                                        "yaml"};
    return pr_text_is_one_of(name, names, COUNT(names));
}

enum pr_owner pr_owner_of_short_python(struct pr_text file)
{
    const struct pr_text first = up_to(file, '/');
    const struct pr_text name = pr_text_ends(first, ".py") ? pr_text_part(first, 0, first.length - (size_t)3) : first;
    if (is_python_module(name))
        return PR_OWNER_STDLIB;
    return is_python_package(name) ? PR_OWNER_LIBRARY : PR_OWNER_MINE;
}

/* "Console", "_Group": the body of a class, which runs when its module is imported. */
static bool is_class(struct pr_text function)
{
    const size_t first = pr_text_starts(function, "_") ? 1 : 0;
    return function.length > first && function.bytes[first] >= 'A' && function.bytes[first] <= 'Z';
}

/* Functions, besides modules and classes, by which a Metaflow task starts: those of the flow, of Click, of a step. */
static bool is_start_of_task(struct pr_text function, struct pr_text file)
{
    static const char *const names[][2] = {{"__call__", "core.py"},
                                           {"__init__", "flowspec.py"},
                                           {"_exec_step_function", "task.py"},
                                           {"get_python_path_info", "module_tools.py"},
                                           {"invoke", "core.py"},
                                           {"invoke", "utils.py"},
                                           {"main", "cli.py"},
                                           {"main", "core.py"},
                                           {"new_func", "decorators.py"},
                                           {"run_step", "task.py"},
                                           {"start", "_collectors.py"},
                                           {"step", "step_cmd.py"},
                                           {"task_pre_step", "profile_decorator.py"},
                                           {"wrap_exceptions", "_pslinux.py"}};
    for (size_t i = 0; i < COUNT(names); i++)
        if (pr_text_is(function, names[i][0]) && pr_text_is(file, names[i][1]))
            return true;
    return false;
}

enum pr_owner pr_owner_of_bare_python(struct pr_text function, struct pr_text file)
{
    /* Metaflow 2.19, its vendored Click 8, and Rich 14, which its profiler's card imports. */
    static const char *const names[] = {
        "align.py", "ansi.py", "box.py", "cells.py", "cli.py", "color.py", "console.py", "constrain.py",
        "containers.py", "control.py", "core.py", "decorators.py", "default_styles.py", "emoji.py", "errors.py",
        "file_proxy.py", "filesize.py", "flowspec.py", "formatting.py", "highlighter.py", "jupyter.py", "live.py",
        "live_render.py", "markup.py", "measure.py", "module_tools.py", "padding.py", "palette.py", "panel.py",
        "parser.py", "pretty.py", "profile_decorator.py", "progress.py", "progress_bar.py", "protocol.py",
        "region.py", "repr.py", "screen.py", "segment.py", "spinner.py", "status.py", "step_cmd.py", "style.py",
        "styled.py", "table.py", "task.py", "terminal_theme.py", "termui.py", "text.py", "theme.py", "themes.py",
        "utils.py"};
    static const char *const of_re[] = {"_casefix.py", "_compiler.py", "_constants.py", "_parser.py"};
    if (!file.length || pr_text_is_one_of(file, of_re, COUNT(of_re)))
        return PR_OWNER_STDLIB;
    const enum pr_owner owner = pr_owner_of_short_python(file);
    if (owner != PR_OWNER_MINE || memchr(file.bytes, '/', file.length))
        return owner;
    const bool is_defined_on_import = pr_text_is(function, "<module>") || is_class(function),
               is_listed = *file.bytes == '_' || pr_text_is_one_of(file, names, COUNT(names));
    return pr_text_is(file, "__init__.py") || (is_listed && is_defined_on_import) || is_start_of_task(function, file)
               ? PR_OWNER_LIBRARY
               : PR_OWNER_MINE;
}

/* ---- Go ---------------------------------------------------------------------------------------------------------- */

struct pr_text pr_go_import_path(struct pr_text function)
{
    const struct pr_text plain = up_to(up_to(function, '['), '(');
    const char *slash = plain.length ? memrchr(plain.bytes, '/', plain.length) : NULL;
    const size_t last = slash ? (size_t)(slash - plain.bytes) : 0;
    const char *point = memchr(plain.bytes + last, '.', plain.length - last);
    return pr_text_part(plain, 0, point ? (size_t)(point - plain.bytes) : 0);
}

/* The first elements of the import paths of Go's own packages, Go 1.26: the folders of its src. */
static bool is_go_package(struct pr_text first)
{
    static const char *const names[] = {
        "archive", "arena",    "bufio", "bytes",   "cmd",      "cmp",      "compress", "container", "context",
        "crypto",  "database", "debug", "embed",   "encoding", "errors",   "expvar",   "flag",      "fmt",
        "go",      "hash",     "html",  "image",   "index",    "internal", "io",       "iter",      "log",
        "maps",    "math",     "mime",  "net",     "os",       "path",     "plugin",   "reflect",   "regexp",
        "runtime", "slices",   "sort",  "strconv", "strings",  "structs",  "sync",     "syscall",   "testing",
        "text",    "time",     "type:", "unicode", "unique",   "unsafe",   "vendor",   "weak",      "gogo"};
    return pr_text_is_one_of(first, names, COUNT(names));
}

static bool is_below_import(struct pr_text path, struct pr_text module)
{
    return module.length && path.length >= module.length && !memcmp(path.bytes, module.bytes, module.length) &&
           (path.length == module.length || path.bytes[module.length] == '/');
}

/* Whether PATH has a place of its own below a GOPATH: ".../src/github.com/lib/pq/conn.go". */
static bool is_in_gopath(struct pr_text file, struct pr_text path)
{
    const char *src = memmem(file.bytes, file.length, "/src/", 5);
    return src && is_below_import(pr_text_from(file, (size_t)(src - file.bytes) + 5), path);
}

enum pr_owner pr_owner_of_go(const struct pr_code_world *world, struct pr_text function, struct pr_text file)
{
    static const char *const own[] = {"main", "command-line-arguments"};
    static const char *const fetched[] = {"/pkg/mod/", "/vendor/", "/external/"};
    static const char *const runtime[] = {"/src/runtime/", "/src/internal/", "/src/syscall/"};
    const struct pr_text path = pr_go_import_path(function), first = up_to(path, '/');
    if (!path.length) {
        const bool is_asm = pr_text_starts(file, "runtime/") || pr_text_starts(file, "internal/") ||
                            has_one(file, runtime, COUNT(runtime));
        return is_asm ? PR_OWNER_STDLIB : PR_OWNER_COUNT;
    }
    if (pr_text_is_one_of(path, own, COUNT(own)) || is_below_import(path, world->go_module))
        return PR_OWNER_MINE;
    if (is_go_package(first))
        return PR_OWNER_STDLIB;
    if (has_one(file, fetched, COUNT(fetched)) || memchr(file.bytes, '@', file.length))
        return PR_OWNER_LIBRARY;
    if (!memchr(first.bytes, '.', first.length))
        return PR_OWNER_MINE;
    return file.length && !is_in_gopath(file, path) && !world->go_module.length ? PR_OWNER_MINE : PR_OWNER_LIBRARY;
}

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

struct pr_text pr_jvm_class(struct pr_text function)
{
    const char *end = *function.bytes == 'L' ? memmem(function.bytes, function.length, ";::", 3) : NULL;
    if (end)
        return pr_text_part(function, 1, (size_t)(end - function.bytes));
    const struct pr_text plain = up_to(up_to(function, '('), ':');
    const char *point = plain.length ? memrchr(plain.bytes, '.', plain.length) : NULL;
    struct pr_text name = pr_text_part(plain, 0, point ? (size_t)(point - plain.bytes) : 0);
    uint32_t start = name.length; /* of the class, after the last of the package */
    while (start && name.bytes[start - 1] != '/' && name.bytes[start - 1] != '.')
        start--;
    const bool is_class = start > 1 && start < name.length && pr_is_upper(name.bytes[start]);
    return is_class && pr_is_lower(*name.bytes) && !memchr(name.bytes, ' ', name.length) ? name
                                                                                         : (struct pr_text){"", 0};
}

/* Whether NAME, parts of which are between points or slashes, is in PACKAGE, written with points and one at its end. */
static bool is_in_package(struct pr_text name, const char *package)
{
    const size_t length = strlen(package);
    if (name.length < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name.bytes[i] != package[i] && !(package[i] == '.' && name.bytes[i] == '/'))
            return false;
    return true;
}

enum pr_owner pr_owner_of_jvm(const struct pr_code_world *world, struct pr_text function)
{
    static const char *const platform[] = {"java.",  "javax.",   "jdk.",    "sun.",    "com.sun.",    "kotlin.",
                                           "scala.", "clojure.", "groovy.", "oracle.", "org.openjdk."};
    static const char *const library[] = {"org.apache.",     "org.springframework.",
                                          "org.hibernate.",  "org.eclipse.",
                                          "org.slf4j.",      "org.junit.",
                                          "org.jetbrains.",  "org.postgresql.",
                                          "com.google.",     "com.fasterxml.",
                                          "com.mysql.",      "com.zaxxer.",
                                          "com.amazonaws.",  "com.github.",
                                          "ch.qos.",         "io.netty.",
                                          "io.grpc.",        "io.micrometer.",
                                          "io.vertx.",       "io.quarkus.",
                                          "reactor.",        "akka.",
                                          "kotlinx.",        "okhttp3.",
                                          "net.bytebuddy.",  "jakarta.",
                                          "software.amazon."};
    const struct pr_text name = pr_jvm_class(function);
    if (!name.length)
        return PR_OWNER_COUNT;
    if (world->package.length && name.length > world->package.length &&
        !memcmp(name.bytes, world->package.bytes, world->package.length))
        return PR_OWNER_MINE;
    for (size_t i = 0; i < COUNT(platform); i++)
        if (is_in_package(name, platform[i]))
            return PR_OWNER_STDLIB;
    for (size_t i = 0; i < COUNT(library); i++)
        if (is_in_package(name, library[i]))
            return PR_OWNER_LIBRARY;
    return world->package.length ? PR_OWNER_LIBRARY : PR_OWNER_MINE;
}

/* ---- .NET -------------------------------------------------------------------------------------------------------- */

enum pr_owner pr_owner_of_dotnet(struct pr_text function)
{
    static const char *const platform[] = {"System.", "Microsoft.", "mscorlib!",   "netstandard!", "coreclr!",
                                           "clrjit!", "hostfxr!",   "hostpolicy!", "WindowsBase!", "Presentation"};
    const char *mark = memchr(function.bytes, '!', function.length);
    const struct pr_text module = up_to(function, '!');
    if (!mark || mark == function.bytes || memchr(module.bytes, ' ', module.length) ||
        module.length + 1 == function.length)
        return PR_OWNER_COUNT;
    return pr_text_starts_with_one(function, platform, COUNT(platform)) ? PR_OWNER_STDLIB : PR_OWNER_MINE;
}

/* ---- C++ and Rust ------------------------------------------------------------------------------------------------ */

/* Where the name in TEXT begins, after the type that it returns: blanks within brackets do not count. */
static size_t start_of_name(struct pr_text text)
{
    size_t start = 0;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        const char c = text.bytes[i];
        if (c == '(' && !depth && i > start && pr_is_alphanumeric(text.bytes[i - 1]))
            break; /* its parameters */
        if (pr_text_starts(pr_text_from(text, i), "operator"))
            break;
        depth += c == '<' || c == '(' || c == '{';
        depth -= depth && (c == '>' || c == ')' || c == '}');
        if (c == ' ' && !depth)
            start = i + (size_t)1;
    }
    return start;
}

struct pr_text pr_first_namespace(struct pr_text function)
{
    static const char *const words[] = {"<", "&", "*", "mut ", "dyn ", "impl ", "const ", "_", "["};
    if (!memchr(function.bytes, ':', function.length))
        return (struct pr_text){"", 0};
    struct pr_text name = pr_text_from(function, *function.bytes == '<' ? 0 : start_of_name(function));
    for (bool more = name.length != 0; more;) { /* "<&mut serde::Value as core::fmt::Debug>::fmt" */
        more = false;
        for (size_t i = 0; i < COUNT(words) && *function.bytes == '<'; i++) {
            more |= pr_text_starts(name, words[i]);
            if (pr_text_starts(name, words[i]))
                name = pr_text_from(name, strlen(words[i]));
        }
    }
    const char *end = memmem(name.bytes, name.length, "::", 2);
    const struct pr_text first = pr_text_part(name, 0, end ? (size_t)(end - name.bytes) : 0);
    for (uint32_t i = 0; i < first.length; i++)
        if (!pr_is_alphanumeric(first.bytes[i]) && first.bytes[i] != '_')
            return (struct pr_text){"", 0};
    return first;
}

/* "AddmmBackward0": how autograd names what computes a gradient. */
static bool is_gradient(struct pr_text function)
{
    static const char word[] = "Backward";
    const uint32_t length = sizeof word - 1;
    while (function.length && pr_is_digit(function.bytes[function.length - 1]))
        function.length--;
    for (uint32_t i = 0; i < function.length; i++)
        if (!pr_is_alphanumeric(function.bytes[i]) && function.bytes[i] != '_')
            return false;
    return function.length > length && !memcmp(function.bytes + function.length - length, word, length);
}

enum pr_owner pr_owner_of_torch(struct pr_text function)
{
    static const char *const beginnings[] = {
        "autograd::", "torch::", "torch.", "Optimizer.", "DistributedDataParallel.", "c10d::", "nccl:", /* its parts */
        "Torch-Compiled Region", "TorchDynamo ", "AOTDispatcher ", "## Call CompiledFxGraph", "triton_" /* compiled */};
    static const char *const names[] = {
        "detach", "detach_", /* also without "aten::" */
        "record_param_comms", "CompiledFunction", "Pregraph bytecode",
        "INVALID" /* a call of the driver that the profiler has no name for */};
    const bool is_its =
        pr_text_starts_with_one(function, beginnings, COUNT(beginnings)) ||
        pr_text_is_one_of(function, names, COUNT(names));
    return is_its || is_gradient(function) ? PR_OWNER_LIBRARY : PR_OWNER_COUNT;
}

/* The crate of main, and those of a workspace that are called after it: "shop", "shop_core". */
static bool is_crate_of(struct pr_text first, struct pr_text crate)
{
    return crate.length && first.length >= crate.length && !memcmp(first.bytes, crate.bytes, crate.length) &&
           (first.length == crate.length || first.bytes[crate.length] == '_');
}

enum pr_owner pr_owner_of_namespace(const struct pr_code_world *world, struct pr_text function)
{
    static const char *const standard[] = {"std", "core", "alloc", "__gnu_cxx", "__cxxabiv1", "__gnu_parallel"};
    static const char *const library[] = {
        "boost", "Eigen", "absl", "folly", "fmt",      "spdlog", "nlohmann", "grpc",    "google", "tbb",     "testing",
        "aten",  "at",    "c10",  "torch", "autograd", "thrust", "cub",      "cutlass", "arrow",  "rocksdb", "leveldb"};
    const struct pr_text first = pr_first_namespace(function);
    if (pr_text_starts(function, "operator new") || pr_text_starts(function, "operator delete") ||
        pr_text_starts(function, "__rust_") || pr_text_starts(function, "rust_"))
        return PR_OWNER_STDLIB;
    if (!first.length)
        return PR_OWNER_COUNT;
    if (world->has_rust && is_crate_of(first, world->crate))
        return PR_OWNER_MINE;
    if (pr_text_is_one_of(first, standard, COUNT(standard)))
        return PR_OWNER_STDLIB;
    if (pr_text_is_one_of(first, library, COUNT(library)) || (world->has_rust && world->crate.length))
        return PR_OWNER_LIBRARY;
    return PR_OWNER_COUNT;
}
