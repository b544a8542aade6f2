/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.jsonl: one line per record, each written at once and whole, so that a killed recorder leaves a readable
 * file. A line that does not fit on a full disk is taken back, and the next one is tried again.
 *
 *     struct pr_json_writer json = pr_log_line(&log);
 *     pr_json_put_open(&json, '{');  ...  pr_json_put_close(&json, '}');
 *     pr_log_end_line(&log);
 */
#ifndef PR_CLI_RECORD_RECORD_LOG_H
#define PR_CLI_RECORD_RECORD_LOG_H

#include "cli/io/json_writer.h"

#include <sys/types.h>

struct pr_log {
    int fd; /* -1: no file, and lines go nowhere */
    off_t whole_bytes;
    uint64_t lines, lost_lines;
    int error; /* errno of the first line that was lost */
    struct pr_output out;
};

/* FD is owned; -1 for a log that keeps nothing. */
void pr_log_init(struct pr_log *log, int fd);
void pr_log_close(struct pr_log *log);

struct pr_json_writer pr_log_line(struct pr_log *log);
void pr_log_end_line(struct pr_log *log);

#endif
