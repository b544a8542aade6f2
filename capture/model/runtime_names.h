/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that belong to an interpreter, a language or a library, and so say nothing about who uses them. What is not
 * recognised here counts as the user's own.
 */
#ifndef PR_CAPTURE_MODEL_RUNTIME_NAMES_H
#define PR_CAPTURE_MODEL_RUNTIME_NAMES_H

#include "profrender/string_table.h"

#include <stdbool.h>
#include <stdint.h>

/* What a Python compiler calls code without a name: "<module>", "<lambda>", "<listcomp>". */
bool pr_runtime_function(struct pr_text function);

/*
 * Whether native code, as FUNCTION and FILE of a frame say, is that of a system library, an interpreter or an installed
 * package. *KEEP becomes the offset in FILE of what may be shown: 0 for all of it, else what follows the packages.
 */
bool pr_runtime_native(struct pr_text function, struct pr_text file, uint32_t *keep);

/*
 * Whether a native FUNCTION only hands out memory: malloc, operator new, and what wraps them in common allocators. The
 * one that asked it is the one that allocated.
 *
 * Source: --alloc-fns of Valgrind 3.19 massif/ms_main.c, RemoveUninterestingFrames of gperftools' pprof, the stop
 * frames of heaptrack's analysis.
 */
bool pr_runtime_allocator(struct pr_text function);

/* How much of the name of a thread is given by a runtime: all of "MainThread" and "Thread-3", the first 9 bytes of
 * "Thread-3 (work)", 0 of others. */
uint32_t pr_runtime_thread(struct pr_text name);

/* What all virtual threads of a JVM that have no name are called together: thousands, not one that could be busy. */
#define PR_VIRTUAL_THREADS "virtual threads"

/* Whether TYPE is an exception of Python itself, or what other languages call the end of a program. */
bool pr_runtime_exception(struct pr_text type);

/* The file of a run that our recorder writes under this name: "memray.bin". */
bool pr_runtime_run_file(struct pr_text name);

#endif
