/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool pr_system_real_path(const char *path, char real[PATH_MAX])
{
    return realpath(path, real) != NULL;
}

int pr_system_open_stdout(void)
{
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

int pr_system_close_stdout(int fd)
{
    return close(fd) != 0 && errno != EINTR ? errno : 0;
}

void pr_system_set_rights(int fd, mode_t mode)
{
    (void)!fchmod(fd, mode);
}

void pr_system_bound_data(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && bytes < limit.rlim_cur) {
        limit.rlim_cur = (rlim_t)bytes;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

bool pr_system_data_is_bound(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool pr_system_terminal_size(int fd, size_t *columns, size_t *rows)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}
