/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_folder.h"

#include "capture/base/beneath.h"
#include "capture/base/text.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"
#include "cli/record/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* In front of the name of a file that is set aside. */
#define ASIDE ".earlier-"

enum { TRIES = 100, NAME_BYTES = 64, MIN_AGE_S = 60 };

const char *const pr_folder_files[] = {"timeline.jsonl",      "run.json", "stderr.log",   "memray.bin",
                                       "cpu.speedscope.json", "cpu.mojo", "cpu.perf.txt", "cpu.perf.data", NULL};

/* ---- rights ----------------------------------------------------------------------------------------------------- */

static mode_t file_mode(const struct pr_folder *folder)
{
    return folder->is_shared ? 0666 : 0600;
}

static mode_t folder_mode(const struct pr_folder *folder)
{
    return folder->is_shared ? 0777 : 0700;
}

static bool refuse(struct pr_folder *folder, const char *why)
{
    pr_say("cannot record into %s: %s", folder->path, why);
    pr_say_hint("the command runs without being recorded");
    pr_folder_close(folder);
    return false;
}

/* ---- an earlier run --------------------------------------------------------------------------------------------- */

/* The first value in a regular file of the folder; NULL: no such file, or not JSON. The caller frees it. */
static json_t *load_json(const struct pr_folder *folder, const char *name)
{
    const int fd = pr_open_beneath(folder->fd, name);
    json_t *first = fd < 0 ? NULL : json_loadfd(fd, JSON_DISABLE_EOF_CHECK, NULL);
    if (fd >= 0)
        close(fd);
    return first;
}

static bool has_text(const json_t *object, const char *key, const char *wanted)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && strcmp(text, wanted) == 0;
}

/* What is known of the run in the folder. */
struct earlier {
    json_t *about;     /* its run.json; NULL: it has none of ours */
    bool has_timeline; /* that begins as ours do */
};

static struct earlier look_at_earlier(const struct pr_folder *folder)
{
    struct earlier earlier = {.about = load_json(folder, "run.json")};
    json_t *start = load_json(folder, "timeline.jsonl");
    if (!has_text(earlier.about, "schema", "profrender/run/1")) {
        json_decref(earlier.about);
        earlier.about = NULL;
    }
    earlier.has_timeline = has_text(start, "type", "start");
    json_decref(start);
    return earlier;
}

static bool lists(const json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *text = json_string_value(json_array_get(names, i));
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* run.json says which files the run made; without it only those count that every recording has. */
static bool is_made_by(const struct earlier *earlier, const char *name)
{
    const json_t *names = json_object_get(earlier->about, "files");
    if (names)
        return lists(names, name);
    if (earlier->about)
        return true;
    return earlier->has_timeline && (strcmp(name, "timeline.jsonl") == 0 || strcmp(name, "stderr.log") == 0);
}

/* Whether one of our descriptors is that file: the shell has opened it for the command. */
static bool is_open(const struct stat *file)
{
    bool found = false;
    int32_t number = 0; /* the list of numbers leaves out 0 */
    struct pr_file_numbers all = pr_file_numbers_open("/proc/self/fd");
    do {
        struct stat other;
        found = found || (fstat(number, &other) == 0 && pr_is_same_file(&other, file));
        number = pr_file_numbers_next(&all);
    } while (number);
    return found;
}

/* Why FILE, which is there, may not be replaced; NULL: it may, or it stays as it is. */
static const char *why_not_ours(struct pr_folder *folder, const struct earlier *earlier, const char *file,
                                const struct stat *found)
{
    if (S_ISLNK(found->st_mode))
        return "is a link; remove it, or name another folder";
    if (!S_ISREG(found->st_mode))
        return "is not a file; name another folder";
    if (is_open(found)) {
        folder->has_their_log = strcmp(file, "stderr.log") == 0;
        return folder->has_their_log ? NULL : "is open as input or output of the command; name another file";
    }
    return is_made_by(earlier, file) ? NULL : "was not made by the recorder; name another folder";
}

static bool set_aside(struct pr_folder *folder, const char *file)
{
    char aside[NAME_BYTES];
    snprintf(aside, sizeof aside, ASIDE "%s", file);
    folder->has_earlier = true;
    return renameat(folder->fd, file, folder->fd, aside) == 0;
}

/* What a recorder that was killed at the wrong moment has left aside gets its name again, if that is free. */
static void put_back(const struct pr_folder *folder)
{
    for (const char *const *file = pr_folder_files; *file; file++) {
        char aside[NAME_BYTES];
        snprintf(aside, sizeof aside, ASIDE "%s", *file);
        if (faccessat(folder->fd, *file, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            renameat(folder->fd, aside, folder->fd, *file);
    }
}

/* Looks at all first: a folder that is refused is as it was. */
static bool clear_names(struct pr_folder *folder)
{
    bool is_there[sizeof pr_folder_files / sizeof *pr_folder_files] = {false};
    char why[NAME_BYTES + 64];
    const char *problem = NULL;
    struct earlier earlier = look_at_earlier(folder);
    for (size_t i = 0; pr_folder_files[i] && !problem; i++) {
        struct stat found;
        if (fstatat(folder->fd, pr_folder_files[i], &found, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        problem = why_not_ours(folder, &earlier, pr_folder_files[i], &found);
        is_there[i] = !(folder->has_their_log && strcmp(pr_folder_files[i], "stderr.log") == 0);
        if (problem)
            snprintf(why, sizeof why, "its %s %s", pr_folder_files[i], problem);
    }
    json_decref(earlier.about);
    if (problem)
        return refuse(folder, why);
    for (size_t i = 0; pr_folder_files[i]; i++)
        if (is_there[i] && !set_aside(folder, pr_folder_files[i]))
            return refuse(folder, strerror(errno));
    return true;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* run-20260131-142501-python3; a number after it where there is one already. */
static bool make_named(struct pr_folder *folder, const char *command)
{
    char stamp[32];
    struct tm local;
    const time_t now = time(NULL);
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    for (int i = 1; i <= TRIES; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        snprintf(folder->path, sizeof folder->path, "run-%s-%.60s%s", stamp, pr_path_last_part(command), number);
        if (mkdir(folder->path, folder_mode(folder)) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool open_path(struct pr_folder *folder)
{
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->fd >= 0 && faccessat(folder->fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
}

/*
 * Two runs at once would leave the end of one next to the timeline of the other. A recorder holds the folder until it
 * ends, however it ends; a file system without locks on folders, as NFS, tells nobody.
 */
static bool is_held(const struct pr_folder *folder)
{
    return flock(folder->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool pr_folder_open(struct pr_folder *folder, const char *path, const char *command)
{
    folder->fd = -1;
    if (!path)
        return (make_named(folder, command) && open_path(folder)) || refuse(folder, strerror(errno));
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    snprintf(folder->path, sizeof folder->path, "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX - 1), path);
    if (length >= PATH_MAX)
        return refuse(folder, strerror(ENAMETOOLONG));
    char failed[PATH_MAX];
    const int error = pr_make_folders(folder->path, folder_mode(folder), failed);
    if (error || !open_path(folder))
        return refuse(folder, strerror(error ? error : errno));
    if (is_held(folder))
        return refuse(folder, "another recorder is writing to it; name another folder");
    pr_unfinished_clean(folder->fd, MIN_AGE_S);
    put_back(folder);
    return clear_names(folder);
}

void pr_folder_settle(struct pr_folder *folder, bool started)
{
    if (folder->fd < 0 || !folder->has_earlier)
        return;
    for (const char *const *file = pr_folder_files; *file; file++) {
        char aside[NAME_BYTES];
        snprintf(aside, sizeof aside, ASIDE "%s", *file);
        if (started)
            unlinkat(folder->fd, aside, 0);
        else if (!folder->has_their_log || strcmp(*file, "stderr.log") != 0)
            unlinkat(folder->fd, *file, 0);
    }
    if (started)
        return;
    put_back(folder);
    pr_say_hint("the earlier run in %s is unchanged", folder->path);
    pr_folder_close(folder);
}

void pr_folder_close(struct pr_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = -1;
    folder->path[0] = '\0';
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

bool pr_folder_path(const struct pr_folder *folder, const char *file, char path[PATH_MAX])
{
    return folder->path[0] && snprintf(path, PATH_MAX, "%s/%s", folder->path, file) < PATH_MAX;
}

static void cannot_write(const struct pr_folder *folder, const char *file)
{
    pr_say("cannot write %s/%s: %s", folder->path, file, strerror(errno));
}

int pr_folder_create(const struct pr_folder *folder, const char *file)
{
    if (folder->fd < 0)
        return -1;
    if (unlinkat(folder->fd, file, 0) != 0 && errno != ENOENT) {
        cannot_write(folder, file);
        return -1;
    }
    const int fd = openat(folder->fd, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode(folder));
    if (fd < 0)
        cannot_write(folder, file);
    return fd;
}

bool pr_folder_begin(const struct pr_folder *folder, const char *file, struct pr_unfinished *unfinished)
{
    if (folder->fd < 0)
        return false;
    errno = pr_unfinished_open(unfinished, folder->fd, file_mode(folder));
    if (errno)
        cannot_write(folder, file);
    return !errno;
}

bool pr_folder_end(const struct pr_folder *folder, const char *file, struct pr_unfinished *unfinished, int error)
{
    errno = pr_unfinished_finish(unfinished, file, error);
    if (errno)
        cannot_write(folder, file);
    return !errno;
}

bool pr_folder_replace(const struct pr_folder *folder, const char *file, const char *bytes, size_t length)
{
    struct pr_unfinished unfinished;
    return pr_folder_begin(folder, file, &unfinished) &&
           pr_folder_end(folder, file, &unfinished, pr_local_file_write_fd(unfinished.fd, bytes, length));
}

void pr_folder_restrict(const struct pr_folder *folder, const char *file)
{
    struct stat found;
    if (folder->fd < 0 || folder->is_shared)
        return;
    const int fd = pr_open_beneath(folder->fd, file);
    if (fd >= 0 && fstat(fd, &found) == 0 && found.st_nlink == 1)
        fchmod(fd, file_mode(folder));
    if (fd >= 0)
        close(fd);
}
