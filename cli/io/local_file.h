/* SPDX-License-Identifier: Apache-2.0 */
/* Files on this machine: small ones, read whole; programs, found by PATH. */
#ifndef PR_CLI_IO_LOCAL_FILE_H
#define PR_CLI_IO_LOCAL_FILE_H

#include "profrender/buf.h"

#include <limits.h>

/*
 * Appends the regular file at PATH to TEXT. False, with nothing appended: it cannot be read, or has more than
 * MOST_BYTES.
 */
bool pr_local_file_read(const char *path, size_t most_bytes, struct pr_buf *text);

/* The same for FD, which stays open. */
bool pr_local_file_read_fd(int fd, size_t most_bytes, struct pr_buf *text);

/* Where PROGRAM is, as execvp() would find it. False: nowhere. */
bool pr_find_program(const char *program, char path[PATH_MAX]);

#endif
