/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy of what is sent, within the site: hard links where the file system has them, which cost nothing and keep the
 * time of the last change. A link to a symbolic link is one as well, so what has been linked is looked at before it
 * counts.
 */
#include "cli/publish/site_folder.h"

#include "capture/base/beneath.h"
#include "cli/args/command.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const parts[] = {"cards", "list"};

enum { PARTS = sizeof parts / sizeof *parts };

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the files in a folder of the copy, and the folder. */
static void remove_part(int stage_fd, const char *name)
{
    const struct dirent *entry;
    const int fd = open_folder(stage_fd, name);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    while (folder && (entry = readdir(folder)))
        unlinkat(fd, entry->d_name, 0); /* fails for "." and ".." */
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    unlinkat(stage_fd, name, AT_REMOVEDIR);
}

void pr_site_remove_stage(const struct pr_site *site)
{
    const int fd = open_folder(site->folder_fd, PR_SITE_STAGE);
    for (size_t i = 0; fd >= 0 && i < PARTS; i++)
        remove_part(fd, parts[i]);
    if (fd >= 0)
        close(fd);
    unlinkat(site->folder_fd, PR_SITE_STAGE, AT_REMOVEDIR);
}

int pr_site_open_stage(const struct pr_site *site)
{
    pr_site_remove_stage(site);
    bool done = mkdirat(site->folder_fd, PR_SITE_STAGE, 0700) == 0;
    const int fd = done ? open_folder(site->folder_fd, PR_SITE_STAGE) : -1;
    for (size_t i = 0; fd >= 0 && done && i < PARTS; i++)
        done = mkdirat(fd, parts[i], 0700) == 0;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && done)
        return PR_EXIT_DONE;
    pr_say("cannot make the folder %s/" PR_SITE_STAGE ": %s", site->path, strerror(error));
    return PR_EXIT_OUTPUT;
}

/* For file systems without hard links, and someone else's files. */
static bool copy(int from_fd, int to_fd, const char *name)
{
    char part[65536];
    struct stat found;
    ssize_t got = -1;
    int error = 0;
    const int from = pr_open_beneath(from_fd, name);
    const int to = from < 0 ? -1 : openat(to_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (to >= 0 && !error && (got = read(from, part, sizeof part)) > 0)
        error = pr_local_file_write_fd(to, part, (size_t)got);
    const bool done = to >= 0 && got == 0 && fstat(from, &found) == 0 &&
                      futimens(to, (struct timespec[]){found.st_atim, found.st_mtim}) == 0;
    if (from >= 0)
        close(from);
    return (to < 0 || close(to) == 0) && done;
}

enum pr_site_found pr_site_stage(const struct pr_site *site, const char *name)
{
    struct stat found;
    const char *slash = strchr(name, '/'), *last = slash ? slash + 1 : name;
    const int from_fd = slash ? site->cards_fd : site->folder_fd;
    const int stage_fd = open_folder(site->folder_fd, PR_SITE_STAGE);
    const int to_fd = stage_fd < 0 ? -1 : open_folder(stage_fd, slash ? "cards" : "list");
    bool done = to_fd >= 0 && linkat(from_fd, last, to_fd, last, 0) == 0;
    if (to_fd >= 0 && !done && errno != ENOENT)
        done = copy(from_fd, to_fd, last);
    done = done && fstatat(to_fd, last, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
    if (to_fd >= 0 && !done)
        unlinkat(to_fd, last, 0);
    const int fds[] = {stage_fd, to_fd};
    for (size_t i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return done ? PR_SITE_FOUND : PR_SITE_UNREADABLE;
}
