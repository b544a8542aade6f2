/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For cli/io/unfinished.c, but for what `record` and `publish` need of it: WASI has no nameless files, no signals and
 * no locks. A file has a temporary name until it is complete; one that a killed program left is removed by a native
 * program that writes into the folder later.
 */
#include "cli/io/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BEFORE ".profrender-"

enum { LETTERS = 6, TRIES = 100 };

_Static_assert(sizeof BEFORE + LETTERS == PR_UNFINISHED_NAME_BYTES, "a name and its end fit exactly");

static bool make_name(char name[PR_UNFINISHED_NAME_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[LETTERS];
    if (getentropy(random, sizeof random) != 0)
        return false;
    memcpy(name, BEFORE, sizeof BEFORE - 1);
    for (size_t i = 0; i < LETTERS; i++)
        name[sizeof BEFORE - 1 + i] = letters[random[i] % (sizeof letters - 1)];
    name[PR_UNFINISHED_NAME_BYTES - 1] = '\0';
    return true;
}

int pr_unfinished_open(struct pr_unfinished *file, int folder_fd, mode_t mode)
{
    *file = (struct pr_unfinished){.folder_fd = folder_fd, .fd = -1};
    errno = EEXIST;
    for (int i = 0; i < TRIES && file->fd < 0 && errno == EEXIST && make_name(file->name); i++)
        file->fd = openat(folder_fd, file->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    return file->fd < 0 ? errno : 0;
}

int pr_unfinished_finish(struct pr_unfinished *file, const char *name, int error)
{
    if (!error && fsync(file->fd) != 0)
        error = errno;
    if (close(file->fd) != 0 && !error) /* some file systems report only here that they are full */
        error = errno;
    if (!error && renameat(file->folder_fd, file->name, file->folder_fd, name) != 0)
        error = errno;
    if (error)
        unlinkat(file->folder_fd, file->name, 0);
    file->fd = -1;
    return error;
}

void pr_unfinished_clean(int folder_fd, unsigned min_age_s)
{
    (void)folder_fd;
    (void)min_age_s;
}

void pr_unfinished_init(void)
{
}
