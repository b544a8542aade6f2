/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hybrid stacks: the native stack of an allocation, with Python frames instead of the interpreter's loops that ran
 * them.
 *
 * One run of the loop evaluates a group of Python frames: the frame that was entered from C, and those that it called
 * without leaving the loop. So the groups of the Python stack and the loops on the native stack are paired in their
 * order, from the outermost (from the innermost where a capture does not have the frames above the tracker). A stack is
 * not walked as a whole: what a native frame and the Python frames paired up to it lead to is remembered. The cost is
 * that of the nodes made, whatever the depth of the stacks.
 *
 * Source: doc/formats/memray.md, "Native stacks". Deliberately different from memray: where some of the Python frames
 * find no loop (the interpreter is missing or stripped) memray shows the Python stack alone. We show below it the
 * native frames inward of the interpreter's own ones: whatever is unknown, the innermost Python frame called them.
 */
#ifndef PR_CAPTURE_MEMRAY_HYBRID_STACKS_H
#define PR_CAPTURE_MEMRAY_HYBRID_STACKS_H

#include "capture/builder/stack_table.h"
#include "capture/memray/native_places.h"

struct pr_hybrid {
    const struct pr_native *native;
    struct pr_native_places *places;
    bool from_innermost; /* memray up to 8: no frames above the tracker, so the outermost loops are not paired */
    bool drops_cython;   /* memray 8: a frame of a .pyx file ends a group and is not shown, it has no loop */
};

/*
 * Fills JOB->hybrid; CONTEXT is a struct pr_hybrid. For pr_splice.run.
 *
 * Errors: PR_FAILED: out of memory, or PR_ERR_ABSENT from the places. PR_CUT with PR_ERR_LIMIT: the tree would grow
 *         out of proportion to what was recorded; the rest of the facts get their Python stack.
 */
enum pr_status pr_hybrid_run(const void *context, const struct pr_splice_job *job, struct pr_error *err);

#endif
