/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For capture/base/beneath_open.c: one openat(O_NOFOLLOW) for each part of a name. What is opened is looked at before
 * and after, and nothing waits for the other end of a pipe that took the place of a file. WASI, which
 * has this file too, lets nothing leave the folders that its host has opened for the program.
 */
#include "capture/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TO_ENTER = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
    TO_READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
};

int pr_beneath_open_folder(const char *path)
{
    return open(path, TO_ENTER);
}

static int close_for(int fd, int error)
{
    close(fd);
    errno = error;
    return -1;
}

/* Goes from FOLDER to that of the last part of CLEAN, which is left in *NAME. A descriptor, or -1 with errno. */
static int enter(int folder, char *clean, const char **name)
{
    int at = openat(folder, ".", TO_ENTER);
    char *part = clean;
    for (char *slash; at >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
        *slash = '\0';
        const int next = openat(at, part, TO_ENTER | O_NOFOLLOW);
        close_for(at, errno);
        at = next;
    }
    *name = part;
    return at;
}

int pr_open_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    const char *name;
    struct stat found;
    const int at = pr_clean_beneath(path, clean) ? enter(folder, clean, &name) : -1;
    if (at < 0)
        return -1;
    if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return close_for(at, errno);
    if (!S_ISREG(found.st_mode)) /* opening a device may already have an effect */
        return close_for(at, S_ISLNK(found.st_mode) ? ELOOP : ENXIO);
    const int fd = openat(at, name, TO_READ);
    close_for(at, errno);
    if (fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)))
        return close_for(fd, ENXIO);
    return fd;
}

int pr_open_folder_beneath(int folder, const char *path)
{
    char clean[PATH_MAX];
    const char *name;
    if (!pr_clean_beneath(path, clean))
        return errno == ENOENT ? openat(folder, ".", TO_ENTER) : -1;
    const int at = enter(folder, clean, &name);
    if (at < 0)
        return -1;
    const int fd = openat(at, name, TO_ENTER | O_NOFOLLOW);
    close_for(at, errno);
    return fd;
}
