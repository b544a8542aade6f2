/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_log.h"

#include <unistd.h>

void pr_log_init(struct pr_log *log, int fd)
{
    log->fd = fd;
    log->whole_bytes = 0;
    log->lines = log->lost_lines = 0;
    log->error = 0;
    pr_output_attach(&log->out, "timeline.jsonl", fd);
}

void pr_log_close(struct pr_log *log)
{
    if (log->fd >= 0)
        close(log->fd);
    log->fd = -1;
}

struct pr_json_writer pr_log_line(struct pr_log *log)
{
    return pr_json_writer_start(&log->out, false);
}

/* Half a line is useless. What cannot be cut, such as a pipe, has a reader that copes. */
static void take_back(struct pr_log *log)
{
    if (ftruncate(log->fd, log->whole_bytes) == 0)
        lseek(log->fd, log->whole_bytes, SEEK_SET);
}

void pr_log_end_line(struct pr_log *log)
{
    const int error = pr_output_flush(&log->out);
    pr_output_attach(&log->out, log->out.name, log->fd);
    if (log->fd < 0)
        return;
    if (error) {
        log->lost_lines++;
        log->error = log->error ? log->error : error;
        take_back(log);
    } else {
        log->lines++;
        log->whole_bytes = lseek(log->fd, 0, SEEK_CUR);
    }
}
