/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/unfinished.h"

#include "cli/io/local_file.h"
#include "cli/io/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEFORE ".profrender-"

enum { LETTERS = 6, TRIES = 100, MOST_NAMES = 10000 };

_Static_assert(sizeof BEFORE + LETTERS == PR_UNFINISHED_NAME_BYTES, "a name and its end fit exactly");

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* The file with a temporary name, for the signal handler: the one thing that only a global can reach. "" = none. */
static struct {
    int folder_fd;
    char name[PR_UNFINISHED_NAME_BYTES];
} named;

/* Signals that became ours, and what they were before: a program that is started must find them unchanged. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
static struct sigaction signals_before[sizeof signals / sizeof *signals];

static void remove_and_die(int signal_number)
{
    if (named.name[0])
        unlinkat(named.folder_fd, named.name, 0);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void pr_unfinished_init(void)
{
    const struct sigaction end = {.sa_handler = remove_and_die}, ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const bool ends = signals[i] != SIGPIPE && signals[i] != SIGXFSZ; /* write() reports EPIPE and EFBIG */
        if (sigaction(signals[i], NULL, &signals_before[i]) == 0 &&
            signals_before[i].sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(signals[i], ends ? &end : &ignore, NULL);
    }
}

void pr_unfinished_leave_signals(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &signals_before[i], NULL);
}

static sigset_t block_signals(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    return before;
}

static void forget_name(struct pr_unfinished *file)
{
    sigset_t before = block_signals();
    named.name[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
    file->name[0] = '\0';
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_our_name(const char *name)
{
    const size_t before = sizeof BEFORE - 1;
    return strlen(name) == before + LETTERS && memcmp(name, BEFORE, before) == 0 &&
           strspn(name + before, letters) == LETTERS;
}

static bool make_name(char name[PR_UNFINISHED_NAME_BYTES])
{
    unsigned char random[LETTERS];
    if (getentropy(random, sizeof random) != 0)
        return false;
    memcpy(name, BEFORE, sizeof BEFORE - 1);
    for (size_t i = 0; i < sizeof random; i++)
        name[sizeof BEFORE - 1 + i] = letters[random[i] % (sizeof letters - 1)];
    name[PR_UNFINISHED_NAME_BYTES - 1] = '\0';
    return true;
}

/* Makes a file of NAME, or gives the file PATH that name as well. A descriptor, 0, or -1 with errno. */
static int take_name(int folder_fd, const char *name, mode_t mode, const char *path)
{
    return path ? linkat(AT_FDCWD, path, folder_fd, name, AT_SYMLINK_FOLLOW)
                : openat(folder_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* take_name with a name that is free; there is no moment at which a signal would leave that behind. */
static int take_free_name(struct pr_unfinished *file, mode_t mode, const char *path)
{
    char name[PR_UNFINISHED_NAME_BYTES];
    int taken = -1;
    sigset_t before = block_signals();
    errno = EEXIST;
    for (int i = 0; i < TRIES && taken < 0 && errno == EEXIST && make_name(name); i++)
        taken = take_name(file->folder_fd, name, mode, path);
    const int error = errno;
    if (taken >= 0) {
        memcpy(file->name, name, sizeof name);
        memcpy(named.name, name, sizeof name);
        named.folder_fd = file->folder_fd;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return taken;
}

/* The path of an open file that linkat() accepts from any user. */
static void path_of_descriptor(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* A file in use can be seen to be: its writer holds a lock on it, which ends with the process. */
static void lock(int fd)
{
    (void)!flock(fd, LOCK_EX | LOCK_NB);
}

/* -1: the file system or the kernel has no such files, or there is no /proc to give it a name with at the end. */
static int open_nameless(int folder_fd, mode_t mode)
{
    char path[32];
    const int fd = pr_system_open_nameless(folder_fd, mode);
    if (fd < 0)
        return -1;
    path_of_descriptor(fd, path);
    if (access(path, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

int pr_unfinished_open(struct pr_unfinished *file, int folder_fd, mode_t mode)
{
    *file = (struct pr_unfinished){.folder_fd = folder_fd, .fd = open_nameless(folder_fd, mode)};
    if (file->fd < 0)
        file->fd = take_free_name(file, mode, NULL);
    if (file->fd < 0)
        return errno;
    lock(file->fd);
    return 0;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

static int copy_all(int from_fd, int to_fd)
{
    char part[16384];
    off_t at = 0;
    int error = 0;
    for (ssize_t got; !error && (got = pread(from_fd, part, sizeof part, at)) != 0; at += got > 0 ? got : 0)
        error = got > 0 ? pr_local_file_write_fd(to_fd, part, (size_t)got) : errno != EINTR ? errno : 0;
    return error ? error : sync_file(to_fd);
}

/* For where nameless files can be made, but not be given a name: a file with one takes its place. */
static int copy_to_named(struct pr_unfinished *file)
{
    struct stat found;
    if (fstat(file->fd, &found) != 0)
        return errno;
    const int fd = take_free_name(file, 0600, NULL);
    if (fd < 0)
        return errno;
    lock(fd);
    const int error = copy_all(file->fd, fd);
    (void)!fchmod(fd, found.st_mode & 0777); /* some file systems have no rights to change */
    close(file->fd);
    file->fd = fd;
    return error;
}

/* Calls a nameless file NAME, or if that is taken gives it a temporary name for rename(): linkat() replaces nothing. */
static int give_name(struct pr_unfinished *file, const char *name)
{
    char path[32];
    path_of_descriptor(file->fd, path);
    if (take_name(file->folder_fd, name, 0, path) == 0)
        return 0;
    if (errno == EEXIST && take_free_name(file, 0, path) == 0)
        return 0;
    return copy_to_named(file);
}

int pr_unfinished_finish(struct pr_unfinished *file, const char *name, int error)
{
    if (!error)
        error = sync_file(file->fd);
    if (!error && !file->name[0]) /* while it is open: it can be reached in no other way */
        error = give_name(file, name);
    if (close(file->fd) != 0 && errno != EINTR && !error) /* some file systems report only here that they are full */
        error = errno;
    if (!error && file->name[0] && renameat(file->folder_fd, file->name, file->folder_fd, name) != 0)
        error = errno;
    if (error && file->name[0])
        unlinkat(file->folder_fd, file->name, 0);
    forget_name(file);
    file->fd = -1;
    return error;
}

int pr_unfinished_write(int folder_fd, const char *name, mode_t mode, const void *bytes, size_t length)
{
    struct pr_unfinished file;
    const int error = pr_unfinished_open(&file, folder_fd, mode);
    return error ? error : pr_unfinished_finish(&file, name, pr_local_file_write_fd(file.fd, bytes, length));
}

/* ---- what was left behind ---------------------------------------------------------------------------------------- */

/* Removes NAME if it is certain that nobody writes it any more. */
static void remove_left(int folder_fd, const char *name, unsigned min_age_s)
{
    struct stat opened, again;
    const int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
        opened.st_nlink == 1 && opened.st_mtime + (time_t)min_age_s <= time(NULL) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && fstatat(folder_fd, name, &again, AT_SYMLINK_NOFOLLOW) == 0 &&
        pr_is_same_file(&opened, &again))
        unlinkat(folder_fd, name, 0);
    if (fd >= 0)
        close(fd);
}

void pr_unfinished_clean(int folder_fd, unsigned min_age_s)
{
    const struct dirent *entry;
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    for (unsigned i = 0; folder && i < MOST_NAMES && (entry = readdir(folder)); i++)
        if (is_our_name(entry->d_name))
            remove_left(folder_fd, entry->d_name, min_age_s);
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
}
