/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct pr_text pr_file_read(int folder_fd, const char *name, struct pr_file_text *buffer)
{
    const int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct pr_text){NULL, 0};
    size_t used = 0;
    ssize_t count = 0;
    while (used < sizeof buffer->bytes - 1) {
        count = read(fd, buffer->bytes + used, sizeof buffer->bytes - 1 - used);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        used += (size_t)count;
    }
    const int error = errno;
    close(fd);
    errno = error;
    buffer->bytes[used] = '\0';
    return (struct pr_text){count < 0 ? NULL : buffer->bytes, (uint32_t)used};
}

struct pr_text pr_file_read_proc(int32_t pid, const char *name, struct pr_file_text *buffer)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return pr_file_read(AT_FDCWD, path, buffer);
}
