/* SPDX-License-Identifier: Apache-2.0 */
/* A path may name a device or a pipe that never ends: only regular files are read. */
#include "cli/io/local_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_whole(int fd, size_t most_bytes, struct pr_buf *text)
{
    char part[16384];
    size_t left = most_bytes;
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0) {
        if ((size_t)got > left)
            return false;
        left -= (size_t)got;
        pr_buf_add(text, part, (size_t)got);
    }
    return got == 0 && !text->failed;
}

bool pr_local_file_read_fd(int fd, size_t most_bytes, struct pr_buf *text)
{
    const size_t before = text->length;
    struct stat about;
    const bool done = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && read_whole(fd, most_bytes, text);
    if (!done)
        text->length = before;
    return done;
}

bool pr_local_file_read(const char *path, size_t most_bytes, struct pr_buf *text)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool done = fd >= 0 && pr_local_file_read_fd(fd, most_bytes, text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Waits until FD, which is not to block, can take more. */
static bool wait_for_room(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    return poll(&wait, 1, -1) > 0 || errno == EINTR;
}

int pr_local_file_write_fd(int fd, const void *bytes, size_t length)
{
    for (const char *at = bytes; length;) {
        const ssize_t count = write(fd, at, length);
        if (count < 0 && errno == EAGAIN ? !wait_for_room(fd) : count < 0 && errno != EINTR)
            return errno;
        at += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return 0;
}

int pr_make_folders(const char *path, mode_t mode, char failed[PATH_MAX])
{
    if (!*path)
        return ENOENT;
    for (size_t end = strcspn(path + 1, "/") + 1;; end += strcspn(path + end + 1, "/") + 1) {
        const bool is_last = !path[end];
        if (snprintf(failed, PATH_MAX, "%.*s", (int)end, path) >= PATH_MAX)
            return ENAMETOOLONG;
        if (mkdir(failed, is_last ? mode : 0777) != 0 && errno != EEXIST)
            return errno;
        if (is_last)
            return 0;
    }
}

bool pr_find_program(const char *program, char path[PATH_MAX])
{
    if (strchr(program, '/'))
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/bin:/usr/bin"; *at;) {
        const int length = (int)strcspn(at, ":");
        const char *folder = length ? at : ".";
        if (snprintf(path, PATH_MAX, "%.*s/%s", length ? length : 1, folder, program) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}
