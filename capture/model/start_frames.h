/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that only start or call the user's code, by file and name: tables of runtimes, executors and test runners. */
#ifndef PR_CAPTURE_MODEL_START_FRAMES_H
#define PR_CAPTURE_MODEL_START_FRAMES_H

#include "profrender/profile.h"

#include <stdbool.h>

/* Threads, processes, executors and event loops of Python; pytest and its plugins' calls. */
bool pr_is_python_start(struct pr_text function, struct pr_text file);

/* Node's start and its queues of timers and promises. */
bool pr_is_node_start(struct pr_text file);

/* Node's loader of modules. */
bool pr_is_node_loader(struct pr_text file);

/* What is above main, and above the first function of a thread: in C, C++, Rust, Go, the JVM and .NET. */
bool pr_is_native_start(struct pr_text function);

/*
 * Whether FUNCTION begins the stack of a process or a thread, as written or with perf's "_[k]". Only code of the C
 * library, the runtime or the kernel can be above it.
 */
bool pr_begins_stack(struct pr_text function);

/* Files of profilers that are above the program in each of its stacks: by folder and name, and memray's commands. */
bool pr_is_profiler_start(struct pr_text file);

/* The profiler whose file FILE is, by the name of its package; "profiler" if it is none of those known. */
const char *pr_profiler_of(struct pr_text file);

/* Whether FILE is in the package of one of these profilers. */
bool pr_is_profiler_file(struct pr_text file);

/* Python's runpy, by which profilers start scripts. */
bool pr_is_runpy(struct pr_text file);

#endif
