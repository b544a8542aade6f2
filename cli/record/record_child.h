/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command as a child: it is started so that it finds everything as it would without a recorder, receives the
 * signals that come to the recorder, and is waited for.
 *
 * It stays in the recorder's process group: a terminal's foreground group, its Ctrl-C and Ctrl-Z, the pipeline it is a
 * part of and a kill of the group all reach it as they would. Only a signal that was sent to the recorder alone is
 * passed on, and never one that the command has already received.
 *
 *     pr_child_prepare(&child);                      // signals are blocked from here on
 *     if (!pr_child_start(&child, argv, stderr_fd)) ...
 *     int error = pr_child_release(&child);          // it runs, or errno of the attempt
 *     while (!pr_child_wait(&child, due_ns)) ...     // a sample is due
 *     child.status, child.usage
 */
#ifndef PR_CLI_RECORD_RECORD_CHILD_H
#define PR_CLI_RECORD_RECORD_CHILD_H

#include "cli/record/record_stderr.h"
#include "cli/record/record_processes.h"
#include "cli/record/record_profiler.h"

#include <signal.h>
#include <sys/resource.h>

struct pr_child {
    pid_t pid;
    bool ended;
    int status;           /* as wait() has it; of one that has ended */
    struct rusage usage;
    bool told_to_end;     /* a signal came that asks programs to end */
    bool keeps_signals;   /* they are for the recorder, and not passed on */
    int signal_fd, timer_fd, gate_fd, exec_fd;
    sigset_t mask_before;
    struct sigaction children_before; /* of SIGCHLD */
    struct pr_processes *tree;    /* learns what ends; may be NULL */
    struct pr_stderr *tail;  /* knows which signals went to the whole group; may be NULL */
    struct pr_profiler *profiler; /* learns when its tool has ended; may be NULL */
    bool is_looked_at;            /* by a tool that is started by the recorder */
};

/* False, with errno: the system has no descriptors left, or the like. */
bool pr_child_prepare(struct pr_child *child);

/* Makes the process; it waits before it becomes the command. STDERR_FD: its stderr, -1: ours. False, with errno. */
bool pr_child_start(struct pr_child *child, char *const *argv, int stderr_fd);

/* Becomes the command itself, as if there were no recorder. Returns with errno if that fails. */
void pr_child_become(const struct pr_child *child, char *const *argv);

/* Lets it become the command. Returns 0, or the errno of the attempt: it has ended then, with 127 or 126. */
int pr_child_release(struct pr_child *child);

/*
 * Waits until DUE_NS of CLOCK_BOOTTIME, or until the command has ended; after that, until one of its orphans has.
 * Returns whether the command has ended.
 */
bool pr_child_wait(struct pr_child *child, int64_t due_ns);

/* What a shell would say: the exit status, or 128 and the signal. */
int pr_child_exit_status(const struct pr_child *child);

/* For another child of the recorder: signals as they were before pr_child_prepare(). */
void pr_child_restore_signals(const struct pr_child *child);

void pr_child_clear(struct pr_child *child);

int64_t pr_child_now_ns(void);

#endif
