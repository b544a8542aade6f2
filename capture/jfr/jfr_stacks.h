/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of a chunk as parts of a profile: stacks, threads and classes, each made once.
 *
 * A stack has its frames innermost first; a frame has a method, a line and a kind ("Interpreted", "JIT compiled",
 * "Inlined", "Native"; async-profiler adds "C++" and "Kernel", with symbols for methods and libraries for classes). A
 * stack that was deeper than the recorder keeps is `truncated`: it lacks its outermost frames, and a frame above it
 * shows that.
 *
 * Source: OpenJDK src/hotspot/share/jfr/metadata/metadata.xml: StackTrace, StackFrame, Method, Class, Thread;
 * async-profiler src/flightRecorder.cpp, writeStackTraces and writeFrameTypes.
 */
#ifndef PR_CAPTURE_JFR_JFR_STACKS_H
#define PR_CAPTURE_JFR_JFR_STACKS_H

#include "capture/jfr/jfr.h"

/* Finds the fields of the chunk's types; for r->layout. */
void pr_jfr_layout_find(struct pr_jfr *r);

/* The innermost node of the stack with that key; PR_ROOT: there is none, which is damage unless the key is 0. */
pr_node_id pr_jfr_stack(struct pr_jfr *r, int64_t key);

/* The thread with that key; one without a name for 0, and for a key that is not defined. */
uint32_t pr_jfr_thread(struct pr_jfr *r, int64_t key);

/* The name of the class with that key, in Java's form; 0: there is none. */
pr_str pr_jfr_class(struct pr_jfr *r, int64_t key);

/* The child of NODE that shows what it was about: "new byte[]". NAME 0: NODE. */
pr_node_id pr_jfr_about(struct pr_jfr *r, pr_node_id node, const char *what, pr_str name);

/* The child of NODE that is the method with that key; NODE for 0. */
pr_node_id pr_jfr_called(struct pr_jfr *r, pr_node_id node, int64_t key);

/* The next chunk has other constants. */
void pr_jfr_forget(struct pr_jfr *r);

#endif
