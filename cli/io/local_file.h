/* SPDX-License-Identifier: Apache-2.0 */
/* Files on this machine: small ones read whole, all of a text written, folders made, programs found by PATH. */
#ifndef PR_CLI_IO_LOCAL_FILE_H
#define PR_CLI_IO_LOCAL_FILE_H

#include "profrender/buf.h"

#include <limits.h>
#include <sys/stat.h>

/*
 * Appends the regular file at PATH to TEXT. False, with nothing appended: it cannot be read, or has more than
 * MOST_BYTES.
 */
bool pr_local_file_read(const char *path, size_t most_bytes, struct pr_buf *text);

/* The same for FD, which stays open. */
bool pr_local_file_read_fd(int fd, size_t most_bytes, struct pr_buf *text);

/* Writes all of BYTES to FD, also where that is a pipe that does not block. Returns an errno, or 0. */
int pr_local_file_write_fd(int fd, const void *bytes, size_t length);

/*
 * Makes the folder PATH, which has no slash at its end, with the rights MODE, less the umask, and those above it, like
 * mkdir -p. Returns 0, or an errno with the folder that could not be made in FAILED.
 */
int pr_make_folders(const char *path, mode_t mode, char failed[PATH_MAX]);

/* Whether both are one file, whatever its names. */
static inline bool pr_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Where PROGRAM is, as execvp() would find it. False: nowhere. */
bool pr_find_program(const char *program, char path[PATH_MAX]);

#endif
