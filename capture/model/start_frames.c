/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/model/start_frames.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/language_owner.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

#define TEXT(text) {text, sizeof(text) - 1}

/* Whether FILE ends in PATH, whose first part is a whole one. */
static bool is_file(struct pr_text file, struct pr_text path)
{
    if (file.length < path.length)
        return false;
    const char *end = file.bytes + file.length - path.length;
    return *end == *path.bytes && !memcmp(end, path.bytes, path.length) &&
           (file.length == path.length || end[-1] == '/');
}

/* "_bootstrap" of "Thread._bootstrap". */
static struct pr_text method_of(struct pr_text function)
{
    const char *point = function.length ? memrchr(function.bytes, '.', function.length) : NULL;
    return point ? pr_text_from(function, (size_t)(point - function.bytes) + 1) : function;
}

/* ---- Python ------------------------------------------------------------------------------------------------------ */

bool pr_is_runpy(struct pr_text file)
{
    return pr_text_is(file, "<frozen runpy>") || pr_text_is(pr_path_last(file), "runpy.py");
}

bool pr_is_python_start(struct pr_text function, struct pr_text file)
{
    static const struct {
        struct pr_text file;
        const char *function; /* NULL: each function of the file */
    } starts[] = {{TEXT("threading.py"), "_bootstrap"},
                  {TEXT("threading.py"), "_bootstrap_inner"},
                  {TEXT("threading.py"), "run"},
                  {TEXT("concurrent/futures/thread.py"), "_worker"},
                  {TEXT("concurrent/futures/thread.py"), "run"},
                  {TEXT("concurrent/futures/process.py"), "_process_worker"},
                  {TEXT("concurrent/futures/process.py"), "_process_chunk"},
                  {TEXT("multiprocessing/process.py"), "_bootstrap"},
                  {TEXT("multiprocessing/process.py"), "run"},
                  {TEXT("multiprocessing/process.py"), "start"},
                  {TEXT("multiprocessing/pool.py"), "worker"},
                  {TEXT("multiprocessing/pool.py"), "mapstar"},
                  {TEXT("multiprocessing/pool.py"), "starmapstar"},
                  {TEXT("multiprocessing/context.py"), "_Popen"},
                  {TEXT("multiprocessing/popen_fork.py"), NULL},
                  {TEXT("multiprocessing/popen_spawn_posix.py"), NULL},
                  {TEXT("multiprocessing/popen_forkserver.py"), NULL},
                  {TEXT("multiprocessing/spawn.py"), NULL},
                  {TEXT("multiprocessing/forkserver.py"), NULL},
                  {TEXT("asyncio/runners.py"), "run"},
                  {TEXT("asyncio/events.py"), "_run"},
                  {TEXT("asyncio/base_events.py"), "run_until_complete"},
                  {TEXT("asyncio/base_events.py"), "run_forever"},
                  {TEXT("asyncio/base_events.py"), "_run_once"},
                  {TEXT("pytest/__main__.py"), NULL},
                  {TEXT("bin/pytest"), NULL},
                  {TEXT("bin/py.test"), NULL},
                  {TEXT("unittest/__main__.py"), NULL},
                  {TEXT("unittest/main.py"), NULL},
                  {TEXT("unittest/suite.py"), NULL},
                  {TEXT("unittest/runner.py"), "run"},
                  {TEXT("unittest/case.py"), "run"},
                  {TEXT("unittest/case.py"), "__call__"},
                  {TEXT("unittest/case.py"), "_callTestMethod"}};
    const struct pr_text method = method_of(function);
    if (pr_path_has(file, "/_pytest/") || pr_path_has(file, "/pluggy/"))
        return true;
    for (size_t i = 0; i < COUNT(starts); i++)
        if (is_file(file, starts[i].file) && (!starts[i].function || pr_text_is(method, starts[i].function)))
            return true;
    return false;
}

static const char *const profilers[] = {"memray", "pyinstrument", "viztracer", "scalene"};

const char *pr_profiler_of(struct pr_text file)
{
    struct pr_text part;
    for (size_t i = 0; i < COUNT(profilers); i++)
        for (uint32_t at = 0; pr_path_part(file, &at, &part);)
            if (pr_text_is(part, profilers[i]))
                return profilers[i];
    return "profiler";
}

bool pr_is_profiler_file(struct pr_text file)
{
    const uint32_t packages = pr_path_in_packages(file);
    const struct pr_text inner = packages ? pr_text_from(file, packages) : file;
    struct pr_text first;
    uint32_t at = 0;
    return (packages || *file.bytes != '/') && pr_path_part(inner, &at, &first) && at < inner.length &&
           pr_text_is_one_of(first, profilers, COUNT(profilers));
}

bool pr_is_profiler_start(struct pr_text file)
{
    static const struct pr_text files[] = {
        TEXT("memray/__main__.py"),   TEXT("pyinstrument/__main__.py"), TEXT("viztracer/__main__.py"),
        TEXT("viztracer/main.py"),    TEXT("scalene/__main__.py"),      TEXT("scalene/scalene_profiler.py"),
        TEXT("bin/memray"),           TEXT("bin/pyinstrument"),         TEXT("bin/viztracer"),
        TEXT("bin/scalene")};
    if (pr_path_has(file, "/memray/commands/"))
        return true;
    for (size_t i = 0; i < COUNT(files); i++)
        if (is_file(file, files[i]))
            return true;
    return false;
}

/* ---- Node -------------------------------------------------------------------------------------------------------- */

/* What follows "node:"; old versions have no such beginning. */
static struct pr_text in_node(struct pr_text file)
{
    return pr_text_starts(file, "node:") ? pr_text_from(file, 5) : file;
}

bool pr_is_node_start(struct pr_text file)
{
    static const char *const beginnings[] = {"internal/main/", "internal/bootstrap/", "internal/process/",
                                             "internal/timers", "internal/modules/run_main"};
    return pr_text_starts_with_one(in_node(file), beginnings, COUNT(beginnings));
}

bool pr_is_node_loader(struct pr_text file)
{
    static const char *const beginnings[] = {"internal/modules/", "internal/deps/cjs-module-lexer/"};
    return pr_text_starts_with_one(in_node(file), beginnings, COUNT(beginnings)) && !pr_is_node_start(file);
}

/* ---- programs of machine code, virtual machines ------------------------------------------------------------------ */

/* Whether FUNCTION is in the table of the JVM's, written with slashes or points. All of them begin with a j. */
static bool is_jvm_start(struct pr_text function)
{
    static const char *const names[] = {"java.lang.Thread.run",
                                        "java.lang.Thread.run0",
                                        "java.lang.Thread.runWith",
                                        "java.lang.VirtualThread.run",
                                        "java.util.concurrent.ThreadPoolExecutor.runWorker",
                                        "java.util.concurrent.ThreadPoolExecutor$Worker.run",
                                        "java.util.concurrent.FutureTask.run",
                                        "java.util.concurrent.FutureTask.runAndReset",
                                        "java.util.concurrent.Executors$RunnableAdapter.call",
                                        "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask.run",
                                        "java.util.concurrent.ForkJoinWorkerThread.run",
                                        "java.util.concurrent.ForkJoinPool.runWorker",
                                        "java.util.concurrent.ForkJoinPool.scan",
                                        "java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec",
                                        "java.util.concurrent.ForkJoinTask.doExec",
                                        "jdk.internal.misc.InnocuousThread.run"};
    for (size_t i = 0; i < COUNT(names) && *function.bytes == 'j'; i++) {
        uint32_t same = 0;
        while (same < function.length && names[i][same] &&
               (function.bytes[same] == names[i][same] || (names[i][same] == '.' && function.bytes[same] == '/')))
            same++;
        if (!names[i][same] && (function.length == same || strchr("_(:", function.bytes[same])))
            return true;
    }
    return false;
}

bool pr_is_native_start(struct pr_text function)
{
    static const char *const names[] = {"_start",
                                        "__libc_start_call_main",
                                        "(below main)",
                                        "start_thread",
                                        "clone",
                                        "clone3",
                                        "__clone",
                                        "__clone3",
                                        "thread_start",
                                        "_pthread_start",
                                        "BaseThreadInitThunk",
                                        "RtlUserThreadStart",
                                        "execute_native_thread_routine",
                                        "thread_native_entry",
                                        "java_start",
                                        "JavaMain",
                                        "ThreadJavaMain",
                                        "Py_BytesMain",
                                        "Py_RunMain",
                                        "pymain_main",
                                        "pymain_run_python",
                                        "runtime.goexit",
                                        "runtime.goexit.abi0",
                                        "runtime.main",
                                        "runtime.mstart",
                                        "runtime.mstart0",
                                        "runtime.mstart1",
                                        "runtime.rt0_go",
                                        "testing.tRunner",
                                        "testing.(*B).runN",
                                        "testing.(*B).launch"};
    static const char *const beginnings[] = {"__libc_start_main",
                                             "std::rt::lang_start",
                                             "std::sys::backtrace::__rust_begin_short_backtrace",
                                             "std::sys_common::backtrace::__rust_begin_short_backtrace",
                                             "std::sys::unix::thread::Thread::new::thread_start",
                                             "std::sys::pal::unix::thread::Thread::new::thread_start",
                                             "std::panicking::try",
                                             "std::panic::catch_unwind",
                                             "std::thread::Builder::spawn_unchecked_",
                                             "std::thread::_State_impl",
                                             "std::thread::_Invoker",
                                             "core::ops::function::FnOnce::call_once",
                                             "<alloc::boxed::Box<F,A> as core::ops::function::FnOnce",
                                             "JavaThread::run",
                                             "JavaThread::thread_main_inner",
                                             "Thread::call_run",
                                             "JavaCalls::",
                                             "jni_CallStaticVoid",
                                             "jni_invoke_static",
                                             "System.Private.CoreLib!System.Threading.Thread.StartCallback",
                                             "System.Private.CoreLib!System.Threading.Thread+StartHelper.",
                                             "System.Private.CoreLib!System.Threading.ThreadHelper.ThreadStart",
                                             "System.Private.CoreLib!System.Threading.ExecutionContext.Run",
                                             "System.Private.CoreLib!System.Threading.PortableThreadPool",
                                             "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch"};
    return pr_text_is_one_of(function, names, COUNT(names)) ||
           pr_text_starts_with_one(function, beginnings, COUNT(beginnings)) || is_jvm_start(function);
}

bool pr_begins_stack(struct pr_text function)
{
    /* a program's (glibc; musl), a thread's (glibc; macOS; Windows; Go), a kernel thread's, an idle processor's */
    static const char *const names[] = {"_start",
                                        "_start_c",
                                        "__libc_start_call_main",
                                        "start_thread",
                                        "thread_start",
                                        "_pthread_start",
                                        "BaseThreadInitThunk",
                                        "RtlUserThreadStart",
                                        "runtime.goexit",
                                        "runtime.goexit.abi0",
                                        "ret_from_fork",
                                        "ret_from_fork_asm",
                                        "start_secondary",
                                        "x86_64_start_kernel"};
    static const char *const beginnings[] = {"__libc_start_main", "secondary_startup_64"};
    if (pr_text_ends(function, "_[k]"))
        function.length -= (uint32_t)strlen("_[k]");
    return pr_text_is_one_of(function, names, COUNT(names)) ||
           pr_text_starts_with_one(function, beginnings, COUNT(beginnings));
}
