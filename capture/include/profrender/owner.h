/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who owns a frame's code: the user, a library, the standard library, native code, the kernel, nobody.
 *
 * - Python: decided by the paths in the capture's header (memray 1.20). A file below none of them (another input of the
 *   same report may be of another Python) is judged by what installed trees look like: a path with `site-packages` or
 *   `dist-packages` in it is a library, one below `lib/pythonX.Y` and every `<frozen ...>` the standard library.
 *   Scripts that a library installed into the `bin` of its environment are the library's. A profile of short paths,
 *   as py-spy writes, is judged by the first folder.
 * - Node: `node:` is the standard library, `/node_modules/` a library. Ruby: gems are libraries.
 * - Go by import path, the JVM by package, .NET by assembly, C++ and Rust by namespace, and by where the source is.
 * - Other machine code by the mapped file: the program's own binary is the user's, C and C++ libraries are the standard
 *   library, the system's others are libraries. Below an interpreter, all machine code is native.
 * - What is no code is nobody's: processes, threads, labels, "(idle)".
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_OWNER_H
#define PR_API_OWNER_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_owner {
    PR_OWNER_MINE,
    PR_OWNER_LIBRARY,
    PR_OWNER_STDLIB,
    PR_OWNER_NATIVE,
    PR_OWNER_KERNEL,
    PR_OWNER_NONE, /* no code: a process, a thread, a label */
    PR_OWNER_COUNT
};

PR_API enum pr_owner pr_owner_of(const struct pr_profile *profile, pr_frame_id frame);

/* The same for a script, of Python or another language, in FILE, which need not have a frame in the profile. */
enum pr_owner pr_owner_of_file(const struct pr_profile *profile, struct pr_text file);

/*
 * The environment, as in "/app/venv", into whose `bin` FILE was installed with a library; empty if it was not.
 * Recognised by the usual names of virtual environments, and by where the header says that libraries are: there, files
 * ending in ".py" were added by hand.
 */
struct pr_text pr_owner_environment(const struct pr_profile *profile, struct pr_text file);

/*
 * What a frame does for the reader of a graph: frames of the runner that only wrap the user's code, and those of the
 * import system, start hidden or collapsed. Bits.
 */
enum pr_role {
    PR_ROLE_RUNNER = 1, /* runpy, a profiler's own start, the statement that it runs, the processes and threads that
                           py-spy puts on top; the start of threads, executors and event loops; test runners; what
                           calls main */
    PR_ROLE_IMPORT = 2, /* the import system, and exec, by which it runs a module's code; Node's loader */
    PR_ROLE_PROFILER =
        4,            /* with RUNNER: no code at all, but where a profiler looked, as py-spy's processes and threads */
    PR_ROLE_START = 8 /* also part of a profiler's own start: below the runner it is the runner's */
};
PR_API unsigned pr_role_of(const struct pr_profile *profile, pr_frame_id frame);

/*
 * What METRIC has on stacks of a profiler's own start, before it runs the program: `memray run` imports textual and
 * rich. *NAME becomes that of the profiler, NULL without one; then it is 0, and also without memory.
 */
PR_API int64_t pr_profiler_start_up(const struct pr_profile *profile, unsigned metric, const char **name);

/*
 * A comprehension or generator expression. Up to Python 3.11 each is a function of its own, and all of a file have one
 * name, so values attributed to functions go to the one that contains it.
 */
PR_API bool pr_is_comprehension(const struct pr_profile *profile, pr_frame_id frame);

/* "my code", "library", "stdlib", "native", "kernel", "not code". */
PR_API const char *pr_owner_name(enum pr_owner owner);

PR_DECLS_END

#endif
