/* SPDX-License-Identifier: Apache-2.0 */
/* All by descriptors of the two folders: what happens to paths meanwhile does not matter. */
#include "cli/publish/site_folder.h"

#include "cli/args/command.h"
#include "cli/io/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".profrender.lock"
#define UNFINISHED ".profrender-"

enum { RANDOM_LETTERS = 6, TRIES = 100 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static int cannot(const struct pr_site *site, const char *what, const char *name, int error)
{
    pr_say("cannot %s %s%s%s: %s", what, site->path, *name ? "/" : "", name, strerror(error));
    return PR_EXIT_OUTPUT;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

bool pr_site_is_card(const char *name)
{
    static const char folder[] = "cards/", ending[] = ".html", others[] = "._-";
    const size_t length = strlen(name), before = sizeof folder - 1, after = sizeof ending - 1;
    if (length <= before + after || length - before > NAME_MAX || strncmp(name, folder, before) != 0 ||
        strcmp(name + length - after, ending) != 0 || name[before] == '.' || strstr(name, ".."))
        return false;
    for (const char *at = name + before; *at; at++)
        if (!strchr(letters, *at) && !strchr(others, *at))
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

/* Makes the folder and those above it. */
static int make_folders(const struct pr_site *site)
{
    char part[PATH_MAX];
    const size_t length = strlen(site->path);
    for (size_t i = 1; i <= length; i++) {
        if (site->path[i] != '/' && site->path[i])
            continue;
        memcpy(part, site->path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST) {
            pr_say("cannot make the folder %s: %s", part, strerror(errno));
            return PR_EXIT_OUTPUT;
        }
    }
    return PR_EXIT_DONE;
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
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
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
            pr_say("%s: another `profrender publish` is at work there; waiting for its end", site->path);
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
        pr_say("%s: this file system has no locks; let no other `profrender publish` work there now", site->path);
        return PR_EXIT_DONE;
    }
    return error ? cannot(site, "lock", LOCK_NAME, error) : PR_EXIT_DONE;
}

/* ".profrender-" and six letters or digits: what an unfinished file of this program is called. */
static bool is_unfinished(const char *name)
{
    const size_t before = sizeof UNFINISHED - 1;
    return strncmp(name, UNFINISHED, before) == 0 && strlen(name) == before + RANDOM_LETTERS &&
           strspn(name + before, letters) == RANDOM_LETTERS;
}

/* Ours beyond doubt: the name, a regular file with no other name, of this user, while nobody else may write here. */
static void remove_unfinished(int folder_fd)
{
    struct stat found;
    const struct dirent *entry;
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    while (folder && (entry = readdir(folder)))
        if (is_unfinished(entry->d_name) && is_regular(folder_fd, entry->d_name, &found) && found.st_nlink == 1 &&
            found.st_uid == geteuid())
            unlinkat(folder_fd, entry->d_name, 0);
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
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
        remove_unfinished(site->folder_fd);
        remove_unfinished(site->cards_fd);
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
    struct stat found;
    const char *last;
    const int folder_fd = folder_of(site, name, &last);
    const int fd = openat(folder_fd, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? PR_SITE_ABSENT : PR_SITE_UNREADABLE;
    const int error = fstat(fd, &found) ? errno : !S_ISREG(found.st_mode) ? EINVAL : read_all(fd, most_bytes, text);
    close(fd);
    errno = error;
    return error ? PR_SITE_UNREADABLE : PR_SITE_FOUND;
}

static bool make_name(char name[sizeof UNFINISHED + RANDOM_LETTERS])
{
    unsigned char random[RANDOM_LETTERS];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    memcpy(name, UNFINISHED, sizeof UNFINISHED - 1);
    for (size_t i = 0; i < RANDOM_LETTERS; i++)
        name[sizeof UNFINISHED - 1 + i] = letters[random[i] % (sizeof letters - 1)];
    name[sizeof UNFINISHED - 1 + RANDOM_LETTERS] = '\0';
    return true;
}

/* A new file; -1 with errno. Without a name if the file system has such files: nothing is left of it after a kill. */
static int make_file(int folder_fd, bool with_name, char name[sizeof UNFINISHED + RANDOM_LETTERS])
{
    int fd = -1;
    if (!with_name)
        return openat(folder_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    errno = EEXIST;
    for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST && make_name(name); i++)
        fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd;
}

/* Gives a file without a name one. */
static bool give_name(int fd, int folder_fd, char name[sizeof UNFINISHED + RANDOM_LETTERS])
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    errno = EEXIST;
    for (int i = 0; i < TRIES && errno == EEXIST && make_name(name); i++)
        if (linkat(AT_FDCWD, path, folder_fd, name, AT_SYMLINK_FOLLOW) == 0)
            return true;
    return false;
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno != EINTR)
            return errno;
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return fsync(fd) && errno != EINVAL && errno != EROFS ? errno : 0;
}

/* One way of writing it; an errno, or 0. *UNNAMED: it was without a name, and could not be given one. */
static int write_file(int folder_fd, const char *last, const void *bytes, size_t length, bool with_name, bool *unnamed)
{
    char name[sizeof UNFINISHED + RANDOM_LETTERS] = "";
    const int fd = make_file(folder_fd, with_name, name);
    *unnamed = fd < 0 && !with_name;
    if (fd < 0)
        return errno;
    int error = write_all(fd, bytes, length);
    if (!error && !with_name && !give_name(fd, folder_fd, name)) {
        name[0] = '\0';
        error = errno;
        *unnamed = true;
    }
    if (close(fd) && errno != EINTR && !error)
        error = errno;
    if (!error && renameat(folder_fd, name, folder_fd, last))
        error = errno;
    if (error && *name)
        unlinkat(folder_fd, name, 0);
    return error;
}

int pr_site_write(const struct pr_site *site, const char *name, const void *bytes, size_t length)
{
    const char *last;
    bool unnamed;
    const int folder_fd = folder_of(site, name, &last);
    int error = write_file(folder_fd, last, bytes, length, false, &unnamed);
    if (error && unnamed)
        error = write_file(folder_fd, last, bytes, length, true, &unnamed);
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
