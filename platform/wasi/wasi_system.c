/* SPDX-License-Identifier: Apache-2.0 */
/* For cli/io/system.c: WASI has no second descriptor for an open file, no rights, and no size of a terminal. */
#include "cli/io/system.h"

#include "capture/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The host says where it was called from: relative names are resolved from there, as in any program. Without $PWD they
 * are resolved from the root, which is all that hosts that open a few folders have.
 */
__attribute__((constructor)) static void enter_working_folder(void)
{
    const char *here = getenv("PWD");
    if (here && *here == '/')
        (void)!chdir(here);
}

/* The path that the link at PATH leads to, instead of it. False: it is not a link. */
static bool follow(char path[PATH_MAX])
{
    char target[PATH_MAX], joined[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    const int folder = *target != '/' && slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(joined, sizeof joined, "%.*s%s", folder, path, target) >= PATH_MAX)
        return false;
    strcpy(path, joined);
    return true;
}

/* PATH, or what comes of it from the working folder, in WHOLE. False with errno: it is too long. */
static bool from_root(const char *path, char whole[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return false;
    errno = ENAMETOOLONG;
    return snprintf(whole, PATH_MAX, *path == '/' ? "%s%s" : "%s/%s", here, path) < PATH_MAX;
}

/* Only the last part of PATH is followed where it is a link. */
bool pr_system_real_path(const char *path, char real[PATH_MAX])
{
    enum { MOST_LINKS = 40 };
    char whole[PATH_MAX], clean[PATH_MAX];
    struct stat found;
    if (stat(path, &found) != 0 || !from_root(path, whole))
        return false;
    for (int i = 0; i < MOST_LINKS && follow(whole); i++)
        continue;
    if (!pr_clean_beneath(whole + strspn(whole, "/"), clean) && errno != ENOENT) /* nothing is left of "/" */
        return false;
    return snprintf(real, PATH_MAX, "/%s", clean) < PATH_MAX;
}

int pr_system_open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY);
}

int pr_system_open_stdout(void)
{
    return STDOUT_FILENO;
}

int pr_system_close_stdout(int fd)
{
    (void)fd;
    return 0;
}

void pr_system_set_rights(int fd, mode_t mode)
{
    (void)fd;
    (void)mode;
}

void pr_system_bound_data(uint64_t bytes)
{
    (void)bytes;
}

bool pr_system_data_is_bound(void)
{
    return false;
}

bool pr_system_terminal_size(int fd, size_t *columns, size_t *rows)
{
    (void)fd;
    (void)columns;
    (void)rows;
    return false;
}
