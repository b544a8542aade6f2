/* SPDX-License-Identifier: Apache-2.0 */
/* For cli/io/linux_system.c: POSIX has no files without a name. */
#include "cli/io/system.h"

#include <errno.h>
#include <fcntl.h>

/* The folder must be readable: O_SEARCH, which would do without, is not in the headers of Linux. */
int pr_system_open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int pr_system_open_nameless(int folder_fd, mode_t mode)
{
    (void)folder_fd;
    (void)mode;
    errno = ENOTSUP;
    return -1;
}
