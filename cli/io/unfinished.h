/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears whole or not at all, in an open folder.
 *
 *     struct pr_unfinished file;
 *     int error = pr_unfinished_open(&file, folder_fd, 0666);
 *     if (error) return error;
 *     error = pr_local_file_write_fd(file.fd, bytes, length);
 *     return pr_unfinished_finish(&file, "card.html", error); // errno, or 0: it is there
 *
 * The file has no name (O_TMPFILE) until it is complete and synced: however the program ends, an unfinished one
 * vanishes, and what had the name before stays. Where a name is taken, or a file system has no nameless files, it has a
 * temporary one: ".profrender-" and six letters, with a lock on it. Signals that end the program remove that, and
 * pr_unfinished_clean() what a kill left.
 *
 * Source: open(2), O_TMPFILE; linkat(2), AT_SYMLINK_FOLLOW with /proc/self/fd; flock(2).
 */
#ifndef PR_CLI_IO_UNFINISHED_H
#define PR_CLI_IO_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PR_UNFINISHED_NAME_BYTES = 19 };

struct pr_unfinished {
    int folder_fd; /* the caller's; open until the file is finished */
    int fd;        /* to write; -1: there is no file */
    char name[PR_UNFINISHED_NAME_BYTES]; /* its temporary name; "": it has none */
};

/* A new file with the rights MODE, less the umask. Returns an errno, or 0. */
int pr_unfinished_open(struct pr_unfinished *file, int folder_fd, mode_t mode);

/*
 * Calls the file NAME, whatever had that name before (a link is replaced, not followed), and closes it. With an ERROR,
 * the errno of what the caller could not do, it removes the file instead. Returns an errno, or 0.
 */
int pr_unfinished_finish(struct pr_unfinished *file, const char *name, int error);

/* All of it in one call: NAME with BYTES in it. Returns an errno, or 0. */
int pr_unfinished_write(int folder_fd, const char *name, mode_t mode, const void *bytes, size_t length);

/*
 * Removes the files that killed programs left unfinished in a folder: only the user's own, with such a name and no
 * other, that are not locked and have not been written for MIN_AGE_S seconds. A large folder is not searched to its
 * end.
 */
void pr_unfinished_clean(int folder_fd, unsigned min_age_s);

/* From here on signals that end the program remove a file with a temporary name first; call it once. */
void pr_unfinished_init(void);

/* Undoes that, for a process that is about to become another program. */
void pr_unfinished_leave_signals(void);

#endif
