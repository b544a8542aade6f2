/* SPDX-License-Identifier: Apache-2.0 */
/* Paths come from captures: only regular files are opened. */
#include "capture/symbols/elf_internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int pr_open_regular(const char *path)
{
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode)) /* opening a device may already have an effect */
        return -1;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &about) || !S_ISREG(about.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}
