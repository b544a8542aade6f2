/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on a terminal that shows how far reading has got, for inputs that take a while: bytes, rate, time left. It
 * shows after half a second, is drawn ten times a second at most, and leaves no trace.
 */
#ifndef PR_CLI_IO_PROGRESS_H
#define PR_CLI_IO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct pr_progress {
    const char *name; /* of what is read */
    bool enabled;     /* stderr is a terminal, and --quiet was not given */
    bool shown;
    int64_t started_ns, drawn_ns; /* of the monotonic clock */
};

struct pr_progress pr_progress_start(const char *name, bool quiet);

/* For pr_load_options.progress; CONTEXT is the struct pr_progress. Always true: a signal ends the program by itself. */
bool pr_progress_step(void *context, uint64_t done_bytes, uint64_t size_bytes);

/* Wipes the line. */
void pr_progress_end(struct pr_progress *progress);

#endif
