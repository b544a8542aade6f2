/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of the kernel, read whole into the caller's memory: a sample allocates none. */
#ifndef PR_CLI_RECORD_RECORD_FILE_H
#define PR_CLI_RECORD_RECORD_FILE_H

#include "profrender/string_table.h"

#include <sys/types.h>

/* Enough for every file that is read at each sample; smaps_rollup and memory.stat have less than 4 KiB. */
enum { PR_FILE_BYTES = 8192 };

struct pr_file_text {
    char bytes[PR_FILE_BYTES];
};

/*
 * Reads NAME, which is relative to the folder FOLDER_FD (or AT_FDCWD), into BUFFER, as far as there is room. Returns
 * the text, borrowed from BUFFER; its bytes are NULL when the file cannot be read (errno says why).
 */
struct pr_text pr_file_read(int folder_fd, const char *name, struct pr_file_text *buffer);

/* The same for /proc/PID/NAME. */
struct pr_text pr_file_read_proc(int32_t pid, const char *name, struct pr_file_text *buffer);

/* The numbers among the names in a folder of the kernel; opendir() would take memory at each sample. */
struct pr_file_numbers {
    int fd;
    ssize_t length, at;
    _Alignas(8) char bytes[2048];
};

/* A folder that cannot be opened has none. */
struct pr_file_numbers pr_file_numbers_open(const char *path);

/* The next one; 0: no more, and the folder is closed. */
int32_t pr_file_numbers_next(struct pr_file_numbers *numbers);

#endif
