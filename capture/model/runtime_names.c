/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of names; what is in none of them is taken for the user's. */
#include "capture/model/runtime_names.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

bool pr_runtime_function(struct pr_text function)
{
    static const char *const names[] = {"<module>",  "<lambda>",  "<listcomp>",          "<dictcomp>",
                                        "<setcomp>", "<genexpr>", "(anonymous)",         "(root)",
                                        "(program)", "(idle)",    "(garbage collector)", "(unknown)",
                                        "<main>",    "<top (required)>"}; /* the last two are Ruby's */
    return !function.length || pr_text_is_one_of(function, names, COUNT(names));
}

/* ---- native code ------------------------------------------------------------------------------------------------- */

/* Where FOLDER begins in FILE, after its first slash; 0: FOLDER is not in it. */
static uint32_t place_of(struct pr_text file, const char *folder)
{
    const size_t length = strlen(folder);
    const char *found = file.length > length ? memmem(file.bytes, file.length, folder, length) : NULL;
    return found ? (uint32_t)(found - file.bytes) + 1 : 0;
}

/* Where the path within a Python package, Go module, crate or interpreter begins in FILE; 0: it is in none of them. */
static uint32_t in_packages(struct pr_text file)
{
    static const char *const folders[] = {"/pkg/mod/", "/.cargo/registry/src/", "/rustc/", "/lib/rustlib/src/"};
    const uint32_t packages = pr_path_in_packages(file), stdlib = pr_path_in_stdlib(file);
    if (packages || stdlib)
        return packages ? packages : stdlib;
    for (size_t i = 0; i < COUNT(folders); i++)
        if (place_of(file, folders[i]))
            return place_of(file, folders[i]);
    return 0;
}

/* Libraries of the system, the sources of glibc and CPython as builds name them, and what profilers put for a file. */
static bool is_of_system(struct pr_text file)
{
    static const char *const beginnings[] = {"/usr/lib",
                                             "/usr/local/go/",
                                             "/usr/include/",
                                             "/usr/local/include/",
                                             "/lib/",
                                             "/lib64/",
                                             "/nix/store/",
                                             "../csu/",
                                             "../sysdeps/",
                                             "../nptl/",
                                             "../elf/",
                                             "./csu/",
                                             "./elf/",
                                             "./malloc/",
                                             "./stdlib/",
                                             "./libio/",
                                             "./nptl/",
                                             "./sysdeps/",
                                             "./stdio-common/",
                                             "./string/",
                                             "./debug/",
                                             "./posix/",
                                             "./io/",
                                             "./misc/",
                                             "./time/",
                                             "./setjmp/",
                                             "./signal/",
                                             "./dlfcn/",
                                             "./math/",
                                             "./socket/",
                                             "[",
                                             "<built-in>",
                                             "<frozen ",
                                             "node:",
                                             "Python/ceval",
                                             "Python/bytecodes",
                                             "./Python/",
                                             "./Objects/",
                                             "./Modules/",
                                             "./Parser/"};
    const struct pr_text name = pr_path_last(file);
    return pr_text_starts_with_one(file, beginnings, COUNT(beginnings)) || pr_text_starts(name, "libpython") ||
           pr_part_is_python(name);
}

/* "cudaLaunchKernel" and "hipMemcpyAsync" of a runtime, "cuLaunchKernel" of the driver. */
static bool is_of_gpu(struct pr_text function)
{
    static const char *const runtimes[] = {"cuda", "hip"};
    static const char *const driver[] = {"cuLaunch", "cuMem",    "cuStream", "cuEvent", "cuCtx",    "cuFunc",
                                         "cuModule", "cuDevice", "cuGraph",  "cuInit",  "cuKernel", "cuLibrary"};
    for (size_t i = 0; i < COUNT(runtimes); i++) {
        const size_t length = strlen(runtimes[i]);
        if (function.length > length && pr_text_starts(function, runtimes[i]) && function.bytes[length] >= 'A' &&
            function.bytes[length] <= 'Z')
            return true;
    }
    return pr_text_starts_with_one(function, driver, COUNT(driver));
}

/* Functions of interpreters and of well-known libraries, where no file says whose they are. */
static bool is_known_function(struct pr_text function)
{
    static const char *const beginnings[] = {"_Py",
                                             "__libc_",
                                             "__GI_",
                                             "_int_",
                                             "__memcpy",
                                             "__memset",
                                             "__str",
                                             "std::",
                                             "aten::",
                                             "torch::",
                                             "autograd::",
                                             "at::",
                                             "c10::",
                                             "Memcpy ",
                                             "Memset ",
                                             "runtime.",
                                             "runtime/",
                                             "[",
                                             "<built-in method builtins.",
                                             "<built-in method _",
                                             "<method '",
                                             "operator new",
                                             "operator delete",
                                             "builtins."};
    static const char *const names[] = {
        "malloc",  "calloc", "realloc", "free",   "_start", "clone", "clone3",  "start_thread",   "memcpy",
        "memmove", "memset", "mmap",    "munmap", "read",   "write", "syscall", "posix_memalign", "aligned_alloc"};
    const bool is_of_python = pr_text_starts(function, "Py") && !pr_text_starts(function, "PyInit_") &&
                              memchr(function.bytes, '_', function.length);
    return is_of_python || is_of_gpu(function) || pr_text_starts_with_one(function, beginnings, COUNT(beginnings)) ||
           pr_text_is_one_of(function, names, COUNT(names));
}

/* "malloc" of "malloc@@GLIBC_2.2.5", "__GI___libc_malloc", "__libc_malloc" and "je_malloc". */
static struct pr_text plain_name(struct pr_text function)
{
    static const char *const prefixes[] = {"__GI_", "__libc_", "__interceptor_", "__builtin_", "je_", "tc_", "mi_"};
    const char *version = memchr(function.bytes, '@', function.length);
    if (version && version > function.bytes)
        function.length = (uint32_t)(version - function.bytes);
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (pr_text_starts(function, prefixes[i]))
            function = pr_text_from(function, strlen(prefixes[i]));
    return function;
}

bool pr_runtime_allocator(struct pr_text function)
{
    static const char *const names[] = {
        "malloc", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc", "valloc",
        "pvalloc", "new", "vec_new", "newarray", "_int_malloc", "_int_memalign", "_mid_memalign", "DoSampledAllocation",
        "__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc", "__rdl_alloc", "__rdl_alloc_zeroed", "__rdl_realloc",
        "__rg_alloc", "__rg_alloc_zeroed", "__rg_realloc", "alloc::alloc::alloc", "alloc::alloc::alloc_zeroed",
        "alloc::alloc::realloc", "alloc::alloc::exchange_malloc", "alloc::alloc::Global::alloc_impl",
        "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
        "<alloc::alloc::Global as core::alloc::Allocator>::allocate_zeroed",
        "<alloc::alloc::Global as core::alloc::Allocator>::grow"};
    static const char *const beginnings[] = {"operator new(", "operator new[](", "tcmalloc::",
                                             "__malloc_alloc_template", "simple_alloc::allocate"};
    if (!function.length)
        return false;
    const struct pr_text plain = plain_name(function);
    const bool is_bare_new =
        plain.bytes == function.bytes && (pr_text_is(plain, "new") || pr_text_is(plain, "newarray"));
    return !is_bare_new && (pr_text_is_one_of(plain, names, COUNT(names)) || pr_text_is(plain, "operator new") ||
                            pr_text_is(plain, "operator new[]") ||
                            pr_text_starts_with_one(plain, beginnings, COUNT(beginnings)));
}

/* A library's function with a type of its user in its name: "std::sort<Order>", "<Order as Display>::fmt". */
static bool has_types(struct pr_text function)
{
    const char *angle = memrchr(function.bytes, '<', function.length);
    const char *round = memchr(function.bytes, '(', function.length);
    const bool is_made_up = function.bytes[0] == '<' && function.bytes[function.length - 1] == '>';
    const bool is_method_of_go = round && round + 1 < function.bytes + function.length && round[1] == '*';
    return (angle && !is_made_up) ||
           (round && !is_made_up && !is_method_of_go && !pr_text_starts(function, "operator "));
}

bool pr_runtime_native(struct pr_text function, struct pr_text file, uint32_t *keep)
{
    *keep = in_packages(file);
    if (pr_runtime_function(function) && !file.length)
        return true;
    return function.length && !has_types(function) &&
           (*keep || is_of_system(file) || (!file.length && is_known_function(function)));
}

/* ---- threads, exceptions, files ---------------------------------------------------------------------------------- */

static uint32_t digits(struct pr_text text, uint32_t at)
{
    while (at < text.length && (pr_is_digit(text.bytes[at]) || text.bytes[at] == '_'))
        at++;
    return at;
}

uint32_t pr_runtime_thread(struct pr_text name)
{
    static const char *const numbered[] = {"Thread-", "Dummy-", "ThreadPoolExecutor-", "asyncio_", "thread "};
    static const char *const names[] = {"MainThread", "QueueFeederThread", "QueueManagerThread"};
    if (pr_text_is_one_of(name, names, COUNT(names)))
        return name.length;
    for (size_t i = 0; i < COUNT(numbered); i++) {
        const uint32_t length = (uint32_t)strlen(numbered[i]), end = digits(name, length);
        if (!pr_text_starts(name, numbered[i]) || end == length)
            continue;
        if (end == name.length)
            return end;
        return name.bytes[end] == ' ' ? end + 1 : 0;
    }
    return 0;
}

/* Exceptions of Python, and what other languages call the end of a program. */
static const char *const exceptions[] = {
    "BaseException", "BaseExceptionGroup", "Exception", "ExceptionGroup", "SystemExit", "KeyboardInterrupt",
    "GeneratorExit", "StopIteration", "StopAsyncIteration", "ArithmeticError", "FloatingPointError", "OverflowError",
    "ZeroDivisionError", "AssertionError", "AttributeError", "BufferError", "EOFError", "ImportError",
    "ModuleNotFoundError", "LookupError", "IndexError", "KeyError", "MemoryError", "NameError", "UnboundLocalError",
    "OSError", "IOError", "BlockingIOError", "ChildProcessError", "ConnectionError", "BrokenPipeError",
    "ConnectionAbortedError", "ConnectionRefusedError", "ConnectionResetError", "FileExistsError", "FileNotFoundError",
    "InterruptedError", "IsADirectoryError", "NotADirectoryError", "PermissionError", "ProcessLookupError",
    "TimeoutError", "ReferenceError", "RuntimeError", "NotImplementedError", "RecursionError", "SyntaxError",
    "IndentationError", "TabError", "SystemError", "TypeError", "ValueError", "UnicodeError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeTranslateError", "panic", "fatal error", "terminate", "Error", "RangeError",
    "subprocess.CalledProcessError"};
static const char *const exception_beginnings[] = {
    "std::",    "java.lang.",          "numpy.",        "pandas.",         "torch.",
    "asyncio.", "concurrent.futures.", "json.decoder.", "multiprocessing."};

bool pr_runtime_exception(struct pr_text type)
{
    return !type.length || pr_text_is_one_of(type, exceptions, COUNT(exceptions)) ||
           pr_text_starts_with_one(type, exception_beginnings, COUNT(exception_beginnings));
}

bool pr_runtime_run_file(struct pr_text name)
{
    static const char *const names[] = {"memray.bin",          "run.json", "timeline.jsonl", "stderr.log",   "notes.md",
                                        "cpu.speedscope.json", "cpu.mojo", "cpu.perf.txt",   "cpu.perf.data"};
    return pr_text_is_one_of(name, names, COUNT(names));
}
