/* SPDX-License-Identifier: Apache-2.0 */
/* openat2 where available, else part by part; what was opened is checked again, so nothing can change in between. */
#include "capture/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TO_LOOK = O_PATH | O_CLOEXEC, TO_READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

int pr_beneath_open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The calls of the kernel, for C libraries without headers for it: struct open_how of openat2(2). */
static int open_by_kernel(int folder, const char *clean, int flags)
{
    enum { NO_MAGICLINKS = 0x02, NO_SYMLINKS = 0x04, BENEATH = 0x08 };
#ifdef SYS_openat2
    const long number = SYS_openat2;
#else
    const long number = 437; /* of every architecture */
#endif
    const struct {
        uint64_t flags, mode, resolve;
    } how = {(uint64_t)flags, 0, NO_MAGICLINKS | NO_SYMLINKS | BENEATH};
    return (int)syscall(number, folder, clean, &how, sizeof how);
}

/* The folder of the last part of CLEAN, which is left in *NAME; -1 with errno. */
static int walk(int folder, const char *clean, const char **name)
{
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; at >= 0 && (slash = strchr(clean, '/')); clean = slash + 1) {
        char part[NAME_MAX + 1];
        const size_t length = (size_t)(slash - clean);
        int next = -1, error = ENAMETOOLONG;
        if (length < sizeof part) {
            memcpy(part, clean, length);
            part[length] = '\0';
            next = openat(at, part, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
            error = errno;
        }
        close(at);
        errno = error;
        at = next;
    }
    *name = clean;
    return at;
}

static int open_by_parts(int folder, const char *clean, int flags)
{
    const char *name;
    const int at = walk(folder, clean, &name);
    if (at < 0)
        return -1;
    const int fd = openat(at, name, flags | O_NOFOLLOW), error = errno;
    close(at);
    errno = error;
    return fd;
}

static int open_one(int folder, const char *clean, int flags)
{
    const int fd = open_by_kernel(folder, clean, flags);
    /* EPERM: the answer of system call filters that are older than this call. */
    return fd >= 0 || (errno != ENOSYS && errno != EPERM) ? fd : open_by_parts(folder, clean, flags);
}

/* Opens CLEAN and reports what it is; -1, closed again, if that is not a regular file. */
static int open_regular(int folder, const char *clean, int flags, struct stat *found)
{
    const int fd = open_one(folder, clean, flags);
    if (fd < 0)
        return -1;
    if (fstat(fd, found) == 0 && S_ISREG(found->st_mode))
        return fd;
    close(fd);
    errno = S_ISLNK(found->st_mode) ? ELOOP : ENXIO;
    return -1;
}

int pr_open_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    struct stat looked, opened;
    if (!pr_clean_beneath(path, clean))
        return -1;
    const int seen = open_regular(folder, clean, TO_LOOK, &looked); /* nothing but a regular file is ever opened */
    if (seen < 0)
        return -1;
    close(seen);
    return open_regular(folder, clean, TO_READ, &opened);
}

int pr_open_folder_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    if (!pr_clean_beneath(path, clean)) {
        if (errno != ENOENT)
            return -1;
        strcpy(clean, "."); /* openat() of it gives a position of its own, dup() would not */
    }
    return open_one(folder, clean, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
