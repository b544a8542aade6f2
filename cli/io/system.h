/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outputs and the terminal ask of the system, and systems without processes, links or rights answer in their own
 * way: system.c is POSIX, linux_system.c has the calls of Linux; platform/ has the others.
 */
#ifndef PR_CLI_IO_SYSTEM_H
#define PR_CLI_IO_SYSTEM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* PATH from the root, without links, "." and "..", in REAL. False with errno: it does not exist, or is too long. */
bool pr_system_real_path(const char *path, char real[PATH_MAX]);

/* A folder to make files in, which need not be readable; the caller closes it. -1 with errno. */
int pr_system_open_folder(const char *path);

/* A file in the folder FOLDER_FD that has no name yet; linkat() gives it one. -1 with errno: there are none here. */
int pr_system_open_nameless(int folder_fd, mode_t mode);

/* Standard output under a descriptor of its own, for pr_system_close_stdout. -1 with errno. */
int pr_system_open_stdout(void);

/* A file in memory, empty, closed on exec; NAME is for /proc alone. The caller closes it. -1 with errno. */
int pr_system_memory_file(const char *name);

/* Closes FD and leaves standard output open. Returns an errno, or 0. */
int pr_system_close_stdout(int fd);

/* Gives an open file the rights MODE, where the file system has rights to change. */
void pr_system_set_rights(int fd, mode_t mode);

/* The process can have no more than BYTES of data; where the system has such a limit, memory then runs out. */
void pr_system_bound_data(uint64_t bytes);

/* Whether there is such a limit, of whoever. */
bool pr_system_data_is_bound(void);

/* The size of the terminal FD. False: not known. */
bool pr_system_terminal_size(int fd, size_t *columns, size_t *rows);

#endif
