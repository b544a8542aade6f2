/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: moments that the command itself names. It finds a FIFO in its environment, in the folder of the run, and
 * whatever writes a line there makes a mark: `profrender mark`, the Python module, or a shell's echo.
 *
 *     struct pr_marks marks;
 *     pr_marks_open(&marks, &folder);                     // before the command starts: it inherits PROFRENDER_MARKS
 *     pr_marks_take(&marks, &log, start_ns, now_ns);      // now and then: lines of the timeline
 *     pr_marks_close(&marks, &folder);
 *
 * A line is "NANOSECONDS NAME": when, by CLOCK_BOOTTIME, so that a mark is as exact as its writer however late it is
 * read. Without a number, or with one that cannot be, the mark is made when it is read. Names are anything: they are
 * cut, and lose control characters and secrets. Once nobody reads, writers are told so at once and go on.
 */
#ifndef PR_CLI_RECORD_RECORD_MARKS_H
#define PR_CLI_RECORD_RECORD_MARKS_H

#include "cli/record/record_folder.h"
#include "cli/record/record_log.h"

#include <stdint.h>

#define PR_MARKS_VARIABLE "PROFRENDER_MARKS"

enum { PR_MARK_NAME_BYTES = 200, PR_MARK_LINE_BYTES = 256 };

struct pr_marks {
    int fd;                  /* both ends of the FIFO; -1: none */
    uint32_t made, left_out; /* over PR_MARKS_MAX */
    char half[PR_MARK_LINE_BYTES]; /* a line that has no end yet */
    size_t half_length;
};

/* Sets PROFRENDER_MARKS for the command, or unsets it where there is no FIFO. */
void pr_marks_open(struct pr_marks *marks, const struct pr_folder *folder);

/* Writes a line of the timeline for each mark that was made since the last call. The run began at START_NS. */
void pr_marks_take(struct pr_marks *marks, struct pr_log *log, int64_t start_ns, int64_t now_ns);

void pr_marks_close(struct pr_marks *marks, const struct pr_folder *folder);

/* The line for a mark called NAME at the moment; its length. */
size_t pr_mark_line(struct pr_text name, char line[PR_MARK_LINE_BYTES]);

/* For the command's side: makes a mark. 0, or errno: ENOENT outside of a recording. */
int pr_mark_send(struct pr_text name);

#endif
