/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/output.h"

#include "cli/io/exit.h"
#include "cli/io/say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The unfinished file, for the signal handler: the one thing that only a global can reach. "" = none. */
static char unfinished[PATH_MAX];

/* Signals that became ours, and what they were before: a program that is started must find them so. */
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
        const bool ends = signals[i] != SIGPIPE && signals[i] != SIGXFSZ; /* write() says EPIPE and EFBIG */
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

/* mkostemp of TEMPLATE; there is no moment at which a signal would leave the new file behind. */
static int make_unfinished(char *template)
{
    sigset_t before = block_signals();
    int fd = mkostemp(template, O_CLOEXEC);
    int error = errno;
    if (fd >= 0)
        snprintf(unfinished, sizeof unfinished, "%s", template);
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

/* Where a file called PATH really lies: a link stays a link, its target is replaced. */
static int resolve(const char *path, char target[PATH_MAX], struct stat *found, bool *exists)
{
    *exists = stat(path, found) == 0;
    if (*exists ? !realpath(path, target) : snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return cannot_write(path, *exists ? strerror(errno) : strerror(ENAMETOOLONG));
    if (*exists && S_ISDIR(found->st_mode))
        return cannot_write(path, "it is a folder; name a file in it");
    return PR_EXIT_DONE;
}

int pr_output_check(const char *path, const char *input)
{
    char target[PATH_MAX], folder[PATH_MAX];
    struct stat found, of_input;
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
    if (exists && strcmp(input, "-") != 0 && stat(input, &of_input) == 0 && S_ISREG(found.st_mode) &&
        of_input.st_dev == found.st_dev && of_input.st_ino == found.st_ino) {
        pr_say("the output %s is the input itself", path);
        return PR_EXIT_USAGE;
    }
    if (exists && !S_ISREG(found.st_mode))
        return access(target, W_OK) == 0 ? PR_EXIT_DONE : cannot_write(path, strerror(errno));
    if (!folder_of(target, folder))
        return cannot_write(path, strerror(ENAMETOOLONG));
    return access(folder, W_OK | X_OK) == 0 ? PR_EXIT_DONE : cannot_write(path, strerror(errno));
}

/* Makes the file beside the target, with the rights the target has or would get. */
static int open_beside(struct pr_output *out, const struct stat *found, bool exists)
{
    static const char name[] = ".profrender-XXXXXX";
    char folder[PATH_MAX];
    if (!folder_of(out->target, folder) ||
        snprintf(out->temporary, sizeof out->temporary, "%s%s", folder, name) >= (int)sizeof out->temporary) {
        out->temporary[0] = '\0';
        return cannot_write(out->name, strerror(ENAMETOOLONG));
    }
    out->fd = make_unfinished(out->temporary);
    if (out->fd < 0)
        return cannot_write(out->name, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    /* Some file systems have no rights to change; a file with those of mkstemp is still the right file. */
    (void)!fchmod(out->fd, exists ? found->st_mode & 0777 : 0666 & ~mask);
    return PR_EXIT_DONE;
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
    out->is_stdout = out->reader_left = false;
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
    if (out->temporary[0])
        unlink(out->temporary);
    forget_unfinished(out);
}

int pr_output_finish(struct pr_output *out)
{
    flush(out);
    if (!out->error && out->temporary[0] && fsync(out->fd) != 0 && errno != EINVAL && errno != EROFS)
        fail(out, errno);
    close_output(out); /* also standard output: some file systems say only here that they are full */
    if (!out->error && out->temporary[0] && rename(out->temporary, out->target) != 0)
        fail(out, errno);
    if (out->error && out->temporary[0])
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
