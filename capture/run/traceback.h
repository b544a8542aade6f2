/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last words of a program: which exception ended it, and where it was raised.
 *
 * It knows Python's tracebacks with their chains ("direct cause", "during handling") and exception groups, syntax
 * errors, faulthandler's "Fatal Python error", C++'s "terminate called", Go's panics. Of several only the last one
 * counts: the earlier ones did not end the program. Secrets are removed from what is kept.
 *
 * Source: CPython 3.13 Lib/traceback.py (_ctx, the margins of groups), Python/traceback.c, Modules/faulthandler.c;
 * libstdc++ vterminate.cc; Go 1.22 runtime/panic.go.
 */
#ifndef PR_CAPTURE_RUN_TRACEBACK_H
#define PR_CAPTURE_RUN_TRACEBACK_H

#include "profrender/profile.h"

/* How much of the end of a program's standard error is examined. */
enum { PR_LAST_WORDS_BYTES = 256 * 1024 };

/*
 * Reads TEXT into exceptions, traceback and stderr_tail of FAILURE; its strings and frames are those of PROFILE.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_traceback_read(struct pr_profile *profile, struct pr_text text, struct pr_failure *failure,
                                 struct pr_error *err);

/* For probes: true if LINE begins something that pr_traceback_read knows. */
bool pr_traceback_begins(struct pr_text line);

#endif
