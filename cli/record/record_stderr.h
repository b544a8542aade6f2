/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command writes to stderr, passed on unchanged and at once; the last 64 KiB are kept.
 *
 * A process of its own copies, so that a slow reader of stderr does not hold up the samples, and so that the end of
 * the recorder, also by SIGKILL, does not break the pipe of a program that goes on. It is a member of the recorder's
 * process group that does nothing else, and so it knows which signals went to the whole group.
 *
 *     if (pr_stderr_start(&tail, &folder, marks)) ...            // the command gets tail.write_fd as its stderr
 *     pr_stderr_close_writer(&tail);                   // the command has it
 *     pr_stderr_finish(&tail, 200);
 *     pr_stderr_text(&tail, &buf);
 */
#ifndef PR_CLI_RECORD_RECORD_STDERR_H
#define PR_CLI_RECORD_RECORD_STDERR_H

#include "cli/record/record_folder.h"
#include "profrender/buf.h"

#include <regex.h>
#include <sys/types.h>

struct pr_stderr_shared;

/* Lines that make marks: those that PATTERN finds; their name is its first group, or all that it found. */
struct pr_stderr_marks {
    const regex_t *pattern; /* NULL: none does */
    int fd;                 /* of the FIFO of marks */
};

struct pr_stderr {
    pid_t pid;    /* of the copying process; 0: none */
    int write_fd; /* -1: closed */
    struct pr_stderr_shared *shared;
};

/*
 * FOLDER is where the copying process itself puts what it kept, if the recorder was killed; NULL: nowhere. All signals
 * are blocked. False: stderr stays as it is, errno says why.
 */
bool pr_stderr_start(struct pr_stderr *tail, const struct pr_folder *folder, struct pr_stderr_marks marks);
void pr_stderr_close_writer(struct pr_stderr *tail);

/* Waits for the end of what was written, at most WAIT_MS: a daemon may hold stderr for days. */
void pr_stderr_finish(struct pr_stderr *tail, int wait_ms);

/* Appends what was kept, from the beginning of a line, without secrets. */
void pr_stderr_text(const struct pr_stderr *tail, struct pr_buf *text);

/* Whether the group got SIGNAL_NUMBER since the last time that this was asked and answered so. */
bool pr_stderr_saw_signal(struct pr_stderr *tail, int signal_number);

void pr_stderr_clear(struct pr_stderr *tail);

#endif
