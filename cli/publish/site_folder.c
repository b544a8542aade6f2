/* SPDX-License-Identifier: Apache-2.0 */
/* All by descriptors of the two folders: what happens to paths meanwhile does not matter. */
#include "cli/publish/site_folder.h"

#include "capture/base/beneath.h"
#include "cli/args/command.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"
#include "cli/io/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".profrender.lock"

enum { TRIES = 100 };

static int cannot(const struct pr_site *site, const char *what, const char *name, int error)
{
    pr_say("cannot %s %s%s%s: %s", what, site->path, *name ? "/" : "", name, strerror(error));
    return PR_EXIT_OUTPUT;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

bool pr_site_is_card(const char *name)
{
    static const char folder[] = "cards/", ending[] = ".html";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t length = strlen(name), before = sizeof folder - 1, after = sizeof ending - 1;
    if (length <= before + after || length - before > NAME_MAX || strncmp(name, folder, before) != 0 ||
        strcmp(name + length - after, ending) != 0 || name[before] == '.' || strstr(name, ".."))
        return false;
    for (const char *at = name + before; *at; at++)
        if (!strchr(letters, *at))
            return false;
    return true;
}

/* The folder that NAME is in, and what it is called there. */
static int folder_of(const struct pr_site *site, const char *name, const char **last)
{
    const char *slash = strchr(name, '/');
    *last = slash ? slash + 1 : name;
    return slash ? site->cards_fd : site->folder_fd;
}

static bool is_regular(int folder_fd, const char *name, struct stat *found)
{
    return fstatat(folder_fd, name, found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found->st_mode);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int make_folders(const struct pr_site *site)
{
    char failed[PATH_MAX];
    const int error = pr_make_folders(site->path, 0777, failed);
    if (!error)
        return PR_EXIT_DONE;
    pr_say("cannot make the folder %s: %s", failed, strerror(error));
    return PR_EXIT_OUTPUT;
}

static int open_folders(struct pr_site *site)
{
    site->folder_fd = open(site->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (site->folder_fd < 0) {
        pr_say("cannot make the folder %s: %s", site->path, strerror(errno));
        return PR_EXIT_OUTPUT;
    }
    if (mkdirat(site->folder_fd, "cards", 0777) && errno != EEXIST)
        return cannot(site, "make the folder", "cards", errno);
    site->cards_fd = openat(site->folder_fd, "cards", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (site->cards_fd >= 0)
        return PR_EXIT_DONE;
    if (errno != ELOOP && errno != ENOTDIR)
        return cannot(site, "open", "cards", errno);
    pr_say("%s/cards is a link or a file; in a site it is a folder", site->path);
    return PR_EXIT_OUTPUT;
}

/* Whether the locked file is still the one of that name: the previous holder of the lock removed it at the end. */
static bool is_current(const struct pr_site *site)
{
    struct stat locked, named;
    return fstat(site->lock_fd, &locked) == 0 && is_regular(site->folder_fd, LOCK_NAME, &named) &&
           pr_is_same_file(&locked, &named);
}

/* One try: 0 = locked, and it is the right file; else an errno, EAGAIN where another try helps. */
static int try_lock(struct pr_site *site, bool *said)
{
    struct stat found;
    site->lock_fd = openat(site->folder_fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (site->lock_fd < 0)
        return errno;
    if (fstat(site->lock_fd, &found) || !S_ISREG(found.st_mode))
        return EEXIST;
    if (flock(site->lock_fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK)
            return errno;
        if (!*said)
            pr_say("%s: another `profrender publish` is writing there; waiting for it to finish", site->path);
        *said = true;
        while (flock(site->lock_fd, LOCK_EX))
            if (errno != EINTR)
                return errno;
    }
    return is_current(site) ? 0 : EAGAIN;
}

static int lock(struct pr_site *site)
{
    bool said = false;
    int error = EAGAIN;
    for (int i = 0; i < TRIES && error == EAGAIN; i++) {
        if (site->lock_fd >= 0)
            close(site->lock_fd);
        error = try_lock(site, &said);
    }
    if (error == ENOLCK || error == ENOTSUP || error == ENOSYS) {
        pr_say("%s: this file system has no locks; run no other `profrender publish` there now", site->path);
        return PR_EXIT_DONE;
    }
    return error ? cannot(site, "lock", LOCK_NAME, error) : PR_EXIT_DONE;
}

int pr_site_open(struct pr_site *site, const char *path)
{
    *site = (struct pr_site){.folder_fd = -1, .cards_fd = -1, .lock_fd = -1};
    snprintf(site->path, sizeof site->path, "%s", path);
    int status = make_folders(site);
    if (status == PR_EXIT_DONE)
        status = open_folders(site);
    if (status == PR_EXIT_DONE)
        status = lock(site);
    if (status == PR_EXIT_DONE) {
        pr_unfinished_clean(site->folder_fd, 0); /* of any age: nobody else writes here now */
        pr_unfinished_clean(site->cards_fd, 0);
        pr_site_remove_stage(site);
    }
    return status;
}

void pr_site_close(struct pr_site *site)
{
    if (site->lock_fd >= 0 && is_current(site) && flock(site->lock_fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(site->folder_fd, LOCK_NAME, 0);
    const int fds[] = {site->lock_fd, site->cards_fd, site->folder_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    site->lock_fd = site->cards_fd = site->folder_fd = -1;
}

void pr_site_leave_lock(struct pr_site *site)
{
    if (site->lock_fd >= 0)
        close(site->lock_fd);
    site->lock_fd = -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

bool pr_site_has(const struct pr_site *site, const char *name)
{
    struct stat found;
    const char *last;
    const int folder_fd = folder_of(site, name, &last);
    return is_regular(folder_fd, last, &found);
}

/* All of FD, or an errno. */
static int read_all(int fd, size_t most_bytes, struct pr_buf *text)
{
    enum { PART = 65536 };
    const size_t before = text->length;
    for (;;) {
        char *room = pr_buf_room(text, PART);
        const ssize_t got = room ? read(fd, room, PART) : 0;
        if (!room)
            return ENOMEM;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            return 0;
        pr_buf_use(text, got > 0 ? (size_t)got : 0);
        if (text->length - before > most_bytes)
            return EFBIG;
    }
}

enum pr_site_found pr_site_read(const struct pr_site *site, const char *name, size_t most_bytes, struct pr_buf *text)
{
    const char *last;
    const int folder_fd = folder_of(site, name, &last);
    const int fd = pr_open_beneath(folder_fd, last);
    if (fd < 0)
        return errno == ENOENT ? PR_SITE_ABSENT : PR_SITE_UNREADABLE;
    const int error = read_all(fd, most_bytes, text);
    close(fd);
    errno = error;
    return error ? PR_SITE_UNREADABLE : PR_SITE_FOUND;
}

int pr_site_write(const struct pr_site *site, const char *name, const void *bytes, size_t length)
{
    const char *last;
    const int folder_fd = folder_of(site, name, &last);
    const int error = pr_unfinished_write(folder_fd, last, 0666, bytes, length);
    return error ? cannot(site, "write", name, error) : PR_EXIT_DONE;
}

void pr_site_remove(const struct pr_site *site, const char *name)
{
    struct stat found;
    const char *last;
    const int folder_fd = folder_of(site, name, &last);
    if (is_regular(folder_fd, last, &found))
        unlinkat(folder_fd, last, 0);
}
