/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording: runs a command and writes down what it used and how it ended. The command comes first: whatever goes
 * wrong here after it has begun is reported, and changes neither what it does nor what it returns.
 */
#ifndef PR_CLI_RECORD_RECORDING_H
#define PR_CLI_RECORD_RECORDING_H

#include "cli/record/record_profiler.h"
#include "cli/record/record_run.h"

#include <regex.h>

enum pr_stderr_kept {
    PR_STDERR_AUTO,   /* unless it is a terminal */
    PR_STDERR_ALWAYS,
    PR_STDERR_NEVER
};

struct pr_recording {
    const char *const *argv;  /* the command; ends with NULL */
    const char *folder;       /* NULL: one that is named after the time and the command */
    struct pr_run_names names;
    int64_t interval_ns;      /* between two samples */
    const char *cgroup;       /* folder of the control group to read; NULL: the command's own */
    enum pr_stderr_kept keep_stderr;
    enum pr_profiler_kind profiler;
    const regex_t *marks;     /* lines of stderr that make marks; NULL: none */
    bool memray;              /* record allocations too */
    bool wait_all;            /* wait for all that the command has left running */
    bool is_shared;           /* others may read the run, as far as the umask allows */
    bool quiet;
    const char *card;         /* file to make of the run at the end; NULL: none */
    int (*make_card)(const char *card, const char *folder); /* called in a child process; its exit status */
};

/* Returns the exit status of the command, or that of a recorder that could not start it. */
int pr_record(const struct pr_recording *how);

#endif
