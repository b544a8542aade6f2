/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/output.h"

#include "cli/io/exit.h"
#include "cli/io/say.h"
#include "profrender/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The unfinished file, for the signal handler: the one thing that only a global can reach. "" = none. */
static char unfinished[PATH_MAX];

/* Signals that became ours, and what they were before: a program that is started must find them unchanged. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
static struct sigaction signals_before[sizeof signals / sizeof *signals];

static void remove_and_die(int signal_number)
{
    if (unfinished[0])
        unlink(unfinished);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void pr_output_init(void)
{
    const struct sigaction end = {.sa_handler = remove_and_die}, ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const bool ends = signals[i] != SIGPIPE && signals[i] != SIGXFSZ; /* write() reports EPIPE and EFBIG */
        if (sigaction(signals[i], NULL, &signals_before[i]) == 0 &&
            signals_before[i].sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(signals[i], ends ? &end : &ignore, NULL);
    }
}

void pr_output_leave_signals(void)
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

/* A file with a name can be seen to be in use: its writer holds a lock on it, which ends with the process. */
static void lock(int fd)
{
    (void)!flock(fd, LOCK_EX | LOCK_NB);
}

/* mkostemp of TEMPLATE; there is no moment at which a signal would leave the new file behind. */
static int make_unfinished(char *template)
{
    sigset_t before = block_signals();
    int fd = mkostemp(template, O_CLOEXEC);
    int error = errno;
    if (fd >= 0) {
        lock(fd);
        snprintf(unfinished, sizeof unfinished, "%s", template);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

static void forget_unfinished(struct pr_output *out)
{
    sigset_t before = block_signals();
    unfinished[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
    out->temporary[0] = '\0';
}

static int cannot_write(const char *name, const char *why)
{
    pr_say("cannot write %s: %s", name, why);
    return PR_EXIT_OUTPUT;
}

bool pr_output_is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* The folder of PATH, with its last slash; "./" if there is none. False: too long. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 2;
    return snprintf(folder, PATH_MAX, "%.*s", length, slash ? path : "./") < PATH_MAX;
}

/* The first folder of PATH that is not there, into MISSING. False: all are. */
static bool find_missing(const char *path, char missing[PATH_MAX])
{
    struct stat found;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (snprintf(missing, PATH_MAX, "%.*s", (int)(slash - path), path) >= PATH_MAX)
            return false;
        if (stat(missing, &found) != 0 && errno == ENOENT)
            return true;
    }
    return false;
}

static int cannot_reach(const char *path, int error)
{
    char missing[PATH_MAX];
    if (error != ENOENT || !find_missing(path, missing))
        return cannot_write(path, strerror(error));
    pr_say("cannot write %s: there is no folder %s", path, missing);
    return PR_EXIT_OUTPUT;
}

/* Where a file called PATH really is: a link stays a link, its target is replaced. */
static int resolve(const char *path, char target[PATH_MAX], struct stat *found, bool *exists)
{
    struct stat link;
    *exists = stat(path, found) == 0;
    const int error = errno;
    if (!*exists && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        return cannot_write(path, error == ENOENT ? "it is a link to a file that does not exist" : strerror(error));
    if (!*exists && error != ENOENT)
        return cannot_reach(path, error);
    if (*exists ? !realpath(path, target) : snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return cannot_write(path, *exists ? strerror(errno) : strerror(ENAMETOOLONG));
    if (*exists && S_ISDIR(found->st_mode))
        return cannot_write(path, "it is a folder; name a file in it");
    return PR_EXIT_DONE;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether FOUND is one of the files of the run in the folder INPUT, by whatever name; its name there is in NAME. */
static bool is_of_folder(const char *input, const struct stat *found, char name[NAME_MAX + 1])
{
    DIR *directory = opendir(input);
    const struct dirent *entry;
    bool is_one = false;
    while (directory && !is_one && (entry = readdir(directory))) {
        struct stat file;
        is_one = pr_run_reads(entry->d_name) && fstatat(dirfd(directory), entry->d_name, &file, 0) == 0 &&
                 S_ISREG(file.st_mode) && is_same(&file, found);
        if (is_one)
            snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
    }
    if (directory)
        closedir(directory);
    return is_one;
}

/* What is read is never overwritten; "-" may be a file, too. */
static int check_apart(const char *path, const struct stat *found, const char *input)
{
    struct stat of_input;
    char name[NAME_MAX + 1];
    if (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &of_input) : stat(input, &of_input))
        return PR_EXIT_DONE;
    if (S_ISREG(found->st_mode) && is_same(&of_input, found)) {
        pr_say("the output %s is the input itself", path);
        return PR_EXIT_USAGE;
    }
    if (S_ISREG(found->st_mode) && S_ISDIR(of_input.st_mode) && is_of_folder(input, found, name)) {
        pr_say("the output %s is a file of the input: %s in %s", path, name, input);
        return PR_EXIT_USAGE;
    }
    return PR_EXIT_DONE;
}

/* ---- what was left behind ---------------------------------------------------------------------------------------- */

static const char unfinished_name[] = ".profrender-XXXXXX";

static bool is_unfinished_name(const char *name)
{
    const size_t length = sizeof unfinished_name - 1, letters = 6;
    return strlen(name) == length && !memcmp(name, unfinished_name, length - letters) &&
           strspn(name + length - letters, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == letters;
}

/*
 * Removes NAME if it is a file that we left unfinished: it has such a name and only that, is the user's, has not been
 * written for a minute, and is not locked.
 */
static void remove_left(int folder, const char *name)
{
    enum { AGE_S = 60 };
    struct stat opened, named;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
        opened.st_nlink == 1 && opened.st_mtime + AGE_S < time(NULL) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&opened, &named))
        unlinkat(folder, name, 0);
    if (fd >= 0)
        close(fd);
}

void pr_output_clean(const char *path)
{
    enum { MOST_NAMES = 10000 }; /* a large folder is not worth the time */
    DIR *directory = opendir(path);
    const struct dirent *entry;
    for (unsigned i = 0; directory && i < MOST_NAMES && (entry = readdir(directory)); i++)
        if (is_unfinished_name(entry->d_name))
            remove_left(dirfd(directory), entry->d_name);
    if (directory)
        closedir(directory);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

int pr_output_check(const char *path, const char *input)
{
    char target[PATH_MAX], folder[PATH_MAX];
    struct stat found;
    bool exists;
    if (pr_output_is_standard(path))
        return PR_EXIT_DONE;
    if (!*path) {
        pr_say("the name of the output is empty");
        return PR_EXIT_USAGE;
    }
    int status = resolve(path, target, &found, &exists);
    if (status)
        return status;
    if (exists && input)
        status = check_apart(path, &found, input);
    if (status)
        return status;
    if (exists && !S_ISREG(found.st_mode))
        return access(target, W_OK) == 0 ? PR_EXIT_DONE : cannot_write(path, strerror(errno));
    if (!folder_of(target, folder))
        return cannot_write(path, strerror(ENAMETOOLONG));
    if (access(folder, W_OK | X_OK) != 0)
        return cannot_reach(path, errno);
    pr_output_clean(folder);
    return PR_EXIT_DONE;
}

/* The name of an open file that linkat() accepts from any user. */
static void name_of_descriptor(int fd, char name[32])
{
    snprintf(name, 32, "/proc/self/fd/%d", fd);
}

/*
 * A file in FOLDER without a name: an unfinished one vanishes, however the process ends. -1: the file system or the
 * kernel has none, or there is no /proc to give it a name with at the end.
 */
static int make_nameless(const char *folder)
{
    char name[32];
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    name_of_descriptor(fd, name);
    if (access(name, F_OK) == 0) {
        lock(fd);
        return fd;
    }
    close(fd);
    return -1;
}

/* Makes the file in the folder of the target, with the rights the target has or would get. */
static int open_beside(struct pr_output *out, const struct stat *found, bool exists)
{
    char folder[PATH_MAX];
    if (!folder_of(out->target, folder) || snprintf(out->temporary, sizeof out->temporary, "%s%s", folder,
                                                    unfinished_name) >= (int)sizeof out->temporary) {
        out->temporary[0] = '\0';
        return cannot_write(out->name, strerror(ENAMETOOLONG));
    }
    out->fd = make_nameless(folder);
    out->nameless = out->fd >= 0;
    if (!out->nameless)
        out->fd = make_unfinished(out->temporary);
    if (out->fd < 0)
        return cannot_reach(out->name, errno);
    mode_t mask = umask(0);
    umask(mask);
    /* Some file systems have no rights to change; a file with those of mkstemp is still the right file. */
    (void)!fchmod(out->fd, exists ? found->st_mode & 0777 : 0666 & ~mask);
    return PR_EXIT_DONE;
}

/* Gives a nameless file a short-lived name, for rename(): linkat() replaces nothing. Signals are blocked. */
static bool name_for_a_moment(struct pr_output *out, const char *descriptor)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    enum { TRIES = 100 };
    char *end = out->temporary + strlen(out->temporary) - 6;
    for (int i = 0; i < TRIES; i++) {
        unsigned char random[6];
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return false;
        for (size_t k = 0; k < sizeof random; k++)
            end[k] = letters[random[k] % (sizeof letters - 1)];
        if (linkat(AT_FDCWD, descriptor, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool put_nameless(struct pr_output *out)
{
    char descriptor[32];
    name_of_descriptor(out->fd, descriptor);
    if (linkat(AT_FDCWD, descriptor, AT_FDCWD, out->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST || !name_for_a_moment(out, descriptor))
        return false;
    if (rename(out->temporary, out->target) == 0)
        return true;
    const int error = errno;
    unlink(out->temporary);
    errno = error;
    return false;
}

/* The finished file gets the name of the target, whatever had it before. */
static bool put_in_place(struct pr_output *out)
{
    if (!out->nameless)
        return rename(out->temporary, out->target) == 0;
    sigset_t before = block_signals();
    const bool done = put_nameless(out);
    const int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

int pr_output_open(struct pr_output *out, const char *path)
{
    struct stat found;
    bool exists;
    *out = (struct pr_output){.name = path, .fd = -1};
    if (pr_output_is_standard(path)) {
        out->name = "standard output";
        out->is_stdout = true;
        out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0); /* closed at the end; there may be another one for it */
        return out->fd < 0 ? cannot_write(out->name, strerror(errno)) : PR_EXIT_DONE;
    }
    int status = resolve(path, out->target, &found, &exists);
    if (status)
        return status;
    if (!exists || S_ISREG(found.st_mode))
        return open_beside(out, &found, exists);
    out->target[0] = '\0';
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd < 0 ? cannot_write(path, strerror(errno)) : PR_EXIT_DONE;
}

int pr_output_open_append(struct pr_output *out, const char *path)
{
    if (pr_output_is_standard(path))
        return pr_output_open(out, path);
    *out = (struct pr_output){.name = path, .fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)};
    return out->fd < 0 ? cannot_write(path, strerror(errno)) : PR_EXIT_DONE;
}

static void fail(struct pr_output *out, int error)
{
    if (!out->error)
        out->error = error;
    out->reader_left = out->error == EPIPE;
}

static void flush(struct pr_output *out)
{
    for (size_t at = 0; at < out->used && !out->error;) {
        ssize_t count = write(out->fd, out->buffer + at, out->used - at);
        if (count >= 0)
            at += (size_t)count;
        else if (errno != EINTR)
            fail(out, errno);
    }
    out->written_bytes += out->used;
    out->used = 0;
}

void pr_output_add(struct pr_output *out, const void *bytes, size_t length)
{
    for (const char *at = bytes; length && !out->error;) {
        size_t room = sizeof out->buffer - out->used, part = length < room ? length : room;
        memcpy(out->buffer + out->used, at, part);
        out->used += part;
        at += part;
        length -= part;
        if (out->used == sizeof out->buffer)
            flush(out);
    }
}

void pr_output_text(struct pr_output *out, const char *text)
{
    pr_output_add(out, text, strlen(text));
}

void pr_output_byte(struct pr_output *out, char byte)
{
    pr_output_add(out, &byte, 1);
}

void pr_output_buf(struct pr_output *out, struct pr_buf *buf)
{
    pr_output_needs(out, buf);
    if (buf->length && !buf->failed)
        pr_output_add(out, buf->bytes, buf->length);
    pr_buf_clear(buf);
}

void pr_output_needs(struct pr_output *out, const struct pr_buf *buf)
{
    if (buf->failed)
        fail(out, ENOMEM);
}

void pr_output_printf(struct pr_output *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pr_output_text(out, text);
}

void pr_output_attach(struct pr_output *out, const char *name, int fd)
{
    out->name = name;
    out->fd = fd;
    out->error = 0;
    out->is_stdout = out->reader_left = out->nameless = false;
    out->target[0] = out->temporary[0] = '\0';
    out->written_bytes = 0;
    out->used = 0;
}

int pr_output_flush(struct pr_output *out)
{
    flush(out);
    const int error = out->error;
    out->error = 0;
    out->reader_left = false;
    return error;
}

static void close_output(struct pr_output *out)
{
    if (out->fd >= 0 && close(out->fd) != 0 && errno != EINTR)
        fail(out, errno);
    out->fd = -1;
}

void pr_output_cancel(struct pr_output *out)
{
    out->used = 0;
    if (!out->is_stdout)
        close_output(out);
    if (out->temporary[0] && !out->nameless)
        unlink(out->temporary);
    forget_unfinished(out);
}

int pr_output_finish(struct pr_output *out)
{
    flush(out);
    if (!out->error && out->temporary[0] && fsync(out->fd) != 0 && errno != EINVAL && errno != EROFS)
        fail(out, errno);
    if (!out->error && out->nameless && !put_in_place(out)) /* while it is open: it has no other name */
        fail(out, errno);
    close_output(out); /* also standard output: some file systems report only here that they are full */
    if (!out->error && out->temporary[0] && !out->nameless && !put_in_place(out))
        fail(out, errno);
    if (out->error && out->temporary[0] && !out->nameless)
        unlink(out->temporary);
    forget_unfinished(out);
    if (!out->error || out->reader_left)
        return PR_EXIT_DONE;
    return cannot_write(out->name, strerror(out->error));
}

int pr_output_write(const char *path, const void *bytes, size_t length)
{
    struct pr_output out;
    const int status = pr_output_open(&out, path);
    if (status != PR_EXIT_DONE)
        return status;
    pr_output_add(&out, bytes, length);
    return pr_output_finish(&out);
}
