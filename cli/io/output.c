/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/output.h"

#include "capture/base/text.h"
#include "cli/io/exit.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"
#include "cli/io/system.h"
#include "profrender/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    pr_say("cannot write %s: the folder %s does not exist", path, missing);
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
    if (*exists ? !pr_system_real_path(path, target) : snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX)
        return cannot_write(path, *exists ? strerror(errno) : strerror(ENAMETOOLONG));
    if (*exists && S_ISDIR(found->st_mode))
        return cannot_write(path, "it is a folder; name a file in it");
    return PR_EXIT_DONE;
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
                 S_ISREG(file.st_mode) && pr_is_same_file(&file, found);
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
    if (S_ISREG(found->st_mode) && pr_is_same_file(&of_input, found)) {
        pr_say("the output %s is the input itself", path);
        return PR_EXIT_USAGE;
    }
    if (S_ISREG(found->st_mode) && S_ISDIR(of_input.st_mode) && is_of_folder(input, found, name)) {
        pr_say("the output %s is a file of the input: %s in %s", path, name, input);
        return PR_EXIT_USAGE;
    }
    return PR_EXIT_DONE;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Removes what killed runs left where the output will be. */
static void clean(const char *folder)
{
    enum { MIN_AGE_S = 60 }; /* younger ones may be in use, on a file system without locks */
    const int fd = pr_system_open_folder(folder);
    if (fd >= 0)
        pr_unfinished_clean(fd, MIN_AGE_S);
    if (fd >= 0)
        close(fd);
}

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
    clean(folder);
    return PR_EXIT_DONE;
}

static void close_folder(struct pr_output *out)
{
    if (out->folder_fd >= 0)
        close(out->folder_fd);
    out->folder_fd = -1;
}

/* Opens the file that will be TARGET, with the rights that has or would get. */
static int open_whole(struct pr_output *out, const char *target, const struct stat *found, bool exists)
{
    char folder[PATH_MAX];
    const char *last = pr_path_last_part(target);
    if (!folder_of(target, folder) || strlen(last) > NAME_MAX)
        return cannot_write(out->name, strerror(ENAMETOOLONG));
    out->folder_fd = pr_system_open_folder(folder);
    int error = out->folder_fd < 0 ? errno : pr_unfinished_open(&out->file, out->folder_fd, 0666);
    if (error) {
        close_folder(out);
        return cannot_reach(out->name, error);
    }
    if (exists)
        pr_system_set_rights(out->file.fd, found->st_mode & 0777);
    snprintf(out->target, sizeof out->target, "%s", last);
    out->fd = out->file.fd;
    return PR_EXIT_DONE;
}

int pr_output_open(struct pr_output *out, const char *path)
{
    char target[PATH_MAX];
    struct stat found;
    bool exists;
    *out = (struct pr_output){.name = path, .fd = -1, .folder_fd = -1};
    if (pr_output_is_standard(path)) {
        out->name = "standard output";
        out->is_stdout = true;
        out->fd = pr_system_open_stdout(); /* closed at the end; there may be another one for it */
        return out->fd < 0 ? cannot_write(out->name, strerror(errno)) : PR_EXIT_DONE;
    }
    int status = resolve(path, target, &found, &exists);
    if (status)
        return status;
    if (!exists || S_ISREG(found.st_mode))
        return open_whole(out, target, &found, exists);
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd < 0 ? cannot_write(path, strerror(errno)) : PR_EXIT_DONE;
}

int pr_output_open_append(struct pr_output *out, const char *path)
{
    if (pr_output_is_standard(path))
        return pr_output_open(out, path);
    *out = (struct pr_output){
        .name = path, .fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666), .folder_fd = -1};
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
    const int error = out->error ? 0 : pr_local_file_write_fd(out->fd, out->buffer, out->used);
    if (error)
        fail(out, error);
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
    out->folder_fd = -1;
    out->target[0] = '\0';
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

/* Gives a whole file its name, or with an error removes it. */
static void finish_whole(struct pr_output *out, int error)
{
    const int failed = pr_unfinished_finish(&out->file, out->target, error);
    if (failed)
        fail(out, failed);
    close_folder(out);
    out->target[0] = '\0';
}

static int close_direct(const struct pr_output *out)
{
    if (out->is_stdout)
        return pr_system_close_stdout(out->fd);
    return close(out->fd) != 0 && errno != EINTR ? errno : 0; /* the file system may be full */
}

static void close_output(struct pr_output *out)
{
    const int error = out->target[0] || out->fd < 0 ? 0 : close_direct(out);
    if (out->target[0])
        finish_whole(out, out->error);
    else if (error)
        fail(out, error);
    out->fd = -1;
}

void pr_output_cancel(struct pr_output *out)
{
    out->used = 0;
    if (out->target[0])
        finish_whole(out, ECANCELED);
    else if (!out->is_stdout)
        close_output(out);
}

int pr_output_finish(struct pr_output *out)
{
    flush(out);
    close_output(out);
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
