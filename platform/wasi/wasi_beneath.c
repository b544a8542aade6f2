/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For capture/base/beneath_open.c: one openat(O_NOFOLLOW) for each part of a name. WASI itself lets nothing leave the
 * folders that its host has opened for the program.
 */
#include "capture/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { A_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW };

int pr_beneath_open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY);
}

static int close_with(int fd, int error)
{
    close(fd);
    errno = error;
    return -1;
}

/* The folder of the last part of CLEAN, which is left in *NAME; -1 with errno. */
static int walk(int folder, const char *clean, const char **name)
{
    int at = openat(folder, ".", O_RDONLY | O_DIRECTORY);
    for (const char *slash; at >= 0 && (slash = strchr(clean, '/')); clean = slash + 1) {
        char part[PATH_MAX];
        const size_t length = (size_t)(slash - clean);
        memcpy(part, clean, length);
        part[length] = '\0';
        const int next = openat(at, part, A_FOLDER), error = errno;
        close_with(at, error);
        at = next;
    }
    *name = clean;
    return at;
}

int pr_open_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    const char *name;
    struct stat found;
    const int at = pr_clean_beneath(path, clean) ? walk(folder, clean, &name) : -1;
    if (at < 0)
        return -1;
    if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return close_with(at, errno);
    if (!S_ISREG(found.st_mode)) /* opening a device may already have an effect */
        return close_with(at, S_ISLNK(found.st_mode) ? ELOOP : ENXIO);
    const int fd = openat(at, name, O_RDONLY | O_NOFOLLOW), error = errno;
    close_with(at, error);
    if (fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)))
        return close_with(fd, ENXIO);
    return fd;
}

int pr_open_folder_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    const char *name;
    if (!pr_clean_beneath(path, clean))
        return errno == ENOENT ? openat(folder, ".", O_RDONLY | O_DIRECTORY) : -1;
    const int at = walk(folder, clean, &name);
    if (at < 0)
        return -1;
    const int fd = openat(at, name, A_FOLDER), error = errno;
    close_with(at, error);
    return fd;
}
