/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What getdents64 of the kernel writes, see getdents(2): C libraries differ in whether and how they declare it. */
struct entry {
    uint64_t number;
    int64_t next;
    uint16_t length_bytes;
    uint8_t type;
    char name[];
};

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

struct pr_file_numbers pr_file_numbers_open(const char *path)
{
    struct pr_file_numbers numbers = {.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return numbers;
}

int32_t pr_file_numbers_next(struct pr_file_numbers *numbers)
{
    for (;;) {
        if (numbers->at >= numbers->length) {
            numbers->at = 0;
            numbers->length =
                numbers->fd < 0 ? 0 : syscall(SYS_getdents64, numbers->fd, numbers->bytes, sizeof numbers->bytes);
            if (numbers->length <= 0) {
                if (numbers->fd >= 0)
                    close(numbers->fd);
                return 0;
            }
        }
        const struct entry *entry = (const void *)(numbers->bytes + numbers->at);
        const int32_t number = (int32_t)strtol(entry->name, NULL, 10);
        numbers->at += entry->length_bytes;
        if (number > 0)
            return number;
    }
}
