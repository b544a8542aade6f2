/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools of the recorder: programs that work alongside the command or before it. They get no input, their output goes
 * where it can be read later, and signals reach them as they would any new program. None of them is a process of the
 * command.
 */
#ifndef PR_CLI_RECORD_RECORD_SPAWN_H
#define PR_CLI_RECORD_RECORD_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Starts ARGV, found by PATH. OUT_FD is its stdout, SAID_FD its stderr; -1: nowhere. It is in a process group of its
 * own, so that Ctrl-C does not end it before the command. Returns its pid, or -1 with errno.
 */
pid_t pr_spawn(const char *const *argv, int out_fd, int said_fd);

/* Starts ARGV and waits. Returns its exit status; -1: it could not be started, or a signal ended it. */
int pr_spawn_wait(const char *const *argv);

/* Waits until PID has ended, at most LIMIT_MS. Returns whether it has; *STATUS is as wait() has it. */
bool pr_spawn_wait_for(pid_t pid, int limit_ms, int *status);

#endif
