/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CPU profiler alongside the command: py-spy, perf or Austin, which look at processes from outside. The command does
 * not wait for it to be ready, and does without it if it fails; the failure is reported at the end.
 *
 *     pr_profiler_choose(&profiler, PR_PROFILER_PY_SPY, &folder, pid, &tree);   // before the command begins
 *     pr_profiler_tend(&profiler);                                              // at each sample
 *     pr_profiler_finish(&profiler, limit_ms);                                  // the command has ended
 */
#ifndef PR_CLI_RECORD_RECORD_PROFILER_H
#define PR_CLI_RECORD_RECORD_PROFILER_H

#include "cli/record/record_processes.h"
#include "cli/record/record_folder.h"

#include <sys/types.h>

enum pr_profiler_kind { PR_PROFILER_NONE, PR_PROFILER_PY_SPY, PR_PROFILER_PERF, PR_PROFILER_AUSTIN };

struct pr_profiler {
    enum pr_profiler_kind kind;
    pid_t pid;      /* of the tool; 0: it does not run */
    int out_fd;     /* what it writes; of perf, what is made of that; -1: none */
    int said_fd;    /* what it says on stderr, in all tries */
    int control_fd, answer_fd; /* perf's, open as long as it runs: it ends by SIGPIPE without */
    unsigned tries;
    int status;     /* of the last try, as wait() has it */
    char target[16]; /* pid of the command */
    char clocks[160]; /* perf's: what the time of day and the clock of its samples were in one moment, as a line */
    char path[PATH_MAX]; /* what it is told to write */
    const struct pr_folder *folder;
    struct pr_processes *tree;
};

/* The name of what a tool writes; NULL: nothing. */
const char *pr_profiler_file(enum pr_profiler_kind kind);

/* perf is started here, as it follows only children that are born later; the others when there is something to see. */
void pr_profiler_choose(struct pr_profiler *profiler, enum pr_profiler_kind kind, const struct pr_folder *folder,
                        pid_t pid, struct pr_processes *tree);

/* Starts it, again if it came too early: an interpreter that is only just starting cannot be looked at. */
void pr_profiler_tend(struct pr_profiler *profiler);

/* PID has ended, with STATUS: maybe it is the tool. */
void pr_profiler_ended(struct pr_profiler *profiler, pid_t pid, int status);

/* Waits for what it writes, and reports why there is nothing. */
void pr_profiler_finish(struct pr_profiler *profiler, int limit_ms);

#endif
