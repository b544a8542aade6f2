/* SPDX-License-Identifier: Apache-2.0 */
/* What only Linux has: folders that need not be readable, files without a name, files in memory. */
#include "cli/io/system.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int pr_system_open_folder(const char *path)
{
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int pr_system_open_nameless(int folder_fd, mode_t mode)
{
    return openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* glibc has a function for it since 2.27; the kernel has the call since 3.17. */
int pr_system_memory_file(const char *name)
{
    enum { CLOSED_ON_EXEC = 1 };
    return (int)syscall(SYS_memfd_create, name, CLOSED_ON_EXEC);
}
