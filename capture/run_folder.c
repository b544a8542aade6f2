/* SPDX-License-Identifier: Apache-2.0 */
/* File after file into pr_assemble. In the order of their names, so that the same files give the same profile. */
#include "capture/run_folder.h"

#include "capture/base/beneath.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "profrender/assemble.h"
#include "capture/folder_files.h"
#include "capture/foreign.h"
#include "capture/input/tar.h"
#include "capture/load_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 4096 };

bool pr_run_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The other files of a run are for people: the standard output, and pages made of it. */
bool pr_run_reads(const char *name)
{
    const char *file = pr_path_last_part(name);
    return *file != '.' && !pr_string_ends(file, ".html") && !strstr(file, "stdout");
}

static enum pr_status left_out(struct pr_assemble *join, const char *name, const struct pr_error *problem,
                               struct pr_error *err)
{
    if (problem->code == PR_ERR_MEMORY)
        return pr_fail_memory(err);
    if (problem->code == PR_ERR_UNPACKED)
        return pr_fail(err, problem->code, PR_NO_OFFSET, NULL, "%s: %s", pr_path_last_part(name), problem->text);
    if (problem->code == PR_ERR_EMPTY) /* a run that wrote nothing to its standard error */
        return PR_OK;
    return pr_assemble_leave_out(join, pr_path_last_part(name), problem->text, err);
}

/*
 * Adds what was read of a file, PROFILE, or leaves it out because of PROBLEM, where that is NULL. Nothing more can be
 * unpacked once one file was over the limit, and a run of which only the first files count would be a different one.
 */
static enum pr_status add_loaded(struct pr_assemble *join, struct pr_profile *profile, const char *name,
                                 const struct pr_error *problem, struct pr_error *err)
{
    if (profile && problem->code != PR_ERR_UNPACKED)
        return pr_assemble_add(join, profile, pr_path_last_part(name), err);
    pr_profile_free(profile);
    return left_out(join, name, problem, err);
}

static enum pr_status finish(struct pr_assemble *join, enum pr_status status, struct pr_profile **profile,
                             struct pr_error *err)
{
    if (status == PR_OK)
        status = pr_assemble_finish(join, profile, err);
    pr_assemble_free(join);
    if (status != PR_OK || (*profile)->complete)
        return status;
    if (err && err->code == PR_ERR_NONE)
        *err = (*profile)->problem;
    return PR_CUT;
}

static enum pr_status too_many(const char *what, struct pr_error *err)
{
    return pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "%s of more than %d files", what, MAX_FILES);
}

/* ---- a folder --------------------------------------------------------------------------------------------------- */

/* The names in a folder; at most one more than allowed. */
struct names {
    char **name; /* owned */
    size_t count, capacity;
};

static void clear_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

static bool add_name(struct names *names, const char *name)
{
    char *copy = strdup(name);
    if (!copy || !pr_grow(&names->name, &names->capacity, names->count + 1, sizeof *names->name)) {
        free(copy);
        return false;
    }
    names->name[names->count++] = copy;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const char *const *one = a, *const *other = b;
    return strcmp(*one, *other);
}

static enum pr_status cannot_read(struct pr_error *err)
{
    return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be read: %s", strerror(errno));
}

/* Names of what may be files of the run, sorted. FOLDER stays open. */
static enum pr_status list_names(int folder, struct names *names, struct pr_error *err)
{
    const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry = NULL;
    bool done = true;
    if (!directory) {
        cannot_read(err);
        if (own >= 0)
            close(own);
        return PR_FAILED;
    }
    for (errno = 0; done && names->count <= MAX_FILES && (entry = readdir(directory)); errno = 0)
        done = !pr_run_reads(entry->d_name) || add_name(names, entry->d_name);
    enum pr_status status = !done ? pr_fail_memory(err) : !entry && errno ? cannot_read(err) : PR_OK;
    closedir(directory);
    if (names->count)
        qsort(names->name, names->count, sizeof *names->name, by_name);
    return status;
}

static bool is_of_run(const struct names *names)
{
    static const char *const known[] = {"run.json", "timeline.jsonl", "stderr.log", "notes.md"};
    for (size_t i = 0; i < names->count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strcmp(known[k], names->name[i]))
                return true;
    return false;
}

/* A file that cannot be read is left out; what this process lacks is not a property of the file. */
static enum pr_status not_opened(struct pr_assemble *join, const char *name, int error, struct pr_error *err)
{
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "%s cannot be opened: %s", name, strerror(error));
    return pr_assemble_leave_out(join, name, pr_beneath_why(error), err);
}

static enum pr_status add_file(struct pr_assemble *join, struct pr_folder_files *files, const char *name,
                               struct pr_error *err)
{
    struct pr_profile *profile;
    struct pr_error problem = {0};
    int error;
    switch (pr_folder_files_next(files, &profile, &problem, &error)) {
    case PR_FOLDER_FILE_READ:
        return add_loaded(join, profile, name, &problem, err);
    case PR_FOLDER_FILE_NOT_OPENED:
        return not_opened(join, name, error, err);
    default:
        return PR_OK;
    }
}

/* Parts of a run are put together fact by fact. */
static struct pr_load_options options_of_part(const struct pr_load_options *options)
{
    struct pr_load_options of_part = options ? *options : pr_load_options_default();
    of_part.unneeded &= ~(unsigned)(PR_UNNEEDED_PEAKS | PR_UNNEEDED_TEMPORARY);
    return of_part;
}

static enum pr_status add_files(struct pr_assemble *join, int folder, const struct names *names,
                                const struct pr_load_options *options, struct pr_unpack_budget *budget,
                                struct pr_error *err)
{
    const struct pr_load_options of_part = options_of_part(options);
    struct pr_folder_files *files =
        pr_folder_files_new(folder, names->name, names->count, pr_load_opened, &of_part, budget);
    enum pr_status status = files ? PR_OK : pr_fail_memory(err);
    for (size_t i = 0; i < names->count && status == PR_OK; i++)
        status = add_file(join, files, names->name[i], err);
    pr_folder_files_free(files);
    return status;
}

/* What another tool's folder is, by its name or that of a file in it; NULL: unknown. PATH: NULL if it is not known. */
static const struct pr_foreign *foreign_folder(const struct names *names, const char *path)
{
    const struct pr_foreign *found = pr_foreign_named(path, PR_FOREIGN_FOLDER);
    for (size_t i = 0; !found && i < names->count; i++)
        found = pr_foreign_named(names->name[i], PR_FOREIGN_MEMBER);
    return found;
}

static enum pr_status check_names(const struct names *names, const char *path, struct pr_error *err)
{
    if (names->count > MAX_FILES)
        return too_many("a folder", err);
    if (is_of_run(names))
        return PR_OK;
    const struct pr_foreign *foreign = foreign_folder(names, path);
    if (foreign)
        return pr_foreign_fail(foreign, err);
    return pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, NULL,
                   "a folder, but not that of a run: it has none of run.json, timeline.jsonl, stderr.log, notes.md");
}

static enum pr_status load_folder(int folder, const char *path, const struct pr_load_options *options,
                                  struct pr_unpack_budget *budget, struct pr_profile **profile, struct pr_error *err)
{
    struct names names = {0};
    struct pr_assemble *join = NULL;
    enum pr_status status = list_names(folder, &names, err);
    if (status == PR_OK)
        status = check_names(&names, path, err);
    if (status == PR_OK)
        status = pr_assemble_new(&join, err);
    if (status == PR_OK)
        status = add_files(join, folder, &names, options, budget, err);
    clear_names(&names);
    return finish(join, status, profile, err);
}

enum pr_status pr_run_load_opened_folder(int folder, const struct pr_load_options *options,
                                         struct pr_unpack_budget *budget, struct pr_profile **profile,
                                         struct pr_error *err)
{
    return load_folder(folder, NULL, options, budget, profile, err);
}

enum pr_status pr_run_load_folder(const char *path, const struct pr_load_options *options,
                                  struct pr_unpack_budget *budget, struct pr_profile **profile, struct pr_error *err)
{
    const int folder = pr_beneath_open_folder(path);
    if (folder < 0)
        return cannot_read(err);
    const enum pr_status status = load_folder(folder, path, options, budget, profile, err);
    close(folder);
    return status;
}

/* ---- an archive ------------------------------------------------------------------------------------------------- */

static enum pr_status add_member(struct pr_assemble *join, struct pr_tar *tar, const struct pr_load_options *options,
                                 struct pr_error *err)
{
    struct pr_profile *profile = NULL;
    struct pr_error problem = {0};
    const struct pr_load_options of_part = options_of_part(options);
    struct pr_source *member = pr_tar_open(tar);
    if (!member)
        return pr_fail_memory(err);
    if (pr_source_peel(&member, &problem) != PR_FAILED)
        pr_load_source(tar->name, member, &of_part, &profile, &problem);
    return add_loaded(join, profile, tar->name, &problem, err);
}

/* All members. *NEXT is how the archive ended, PR_CUT with PROBLEM. */
static enum pr_status add_members(struct pr_assemble *join, struct pr_tar *tar, const struct pr_load_options *options,
                                  enum pr_status *next, struct pr_error *problem, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    for (unsigned files = 0; status == PR_OK;) {
        *next = pr_tar_next(tar, problem);
        if (*next != PR_OK && *next != PR_SKIPPED)
            break;
        if (!pr_run_reads(tar->name))
            continue;
        if (++files > MAX_FILES)
            status = too_many("an archive", err);
        else if (*next == PR_SKIPPED)
            status = pr_assemble_leave_out(join, pr_path_last_part(tar->name),
                                           "it is not a file, but a link or a device", err);
        else
            status = add_member(join, tar, options, err);
    }
    return status;
}

enum pr_status pr_run_load_archive(struct pr_source *src, const struct pr_load_options *options,
                                   struct pr_profile **profile, struct pr_error *err)
{
    struct pr_tar tar = pr_tar_begin(src);
    struct pr_assemble *join = NULL;
    struct pr_error problem = {0};
    enum pr_status status = pr_assemble_new(&join, err), next = PR_OK;
    if (status == PR_OK)
        status = add_members(join, &tar, options, &next, &problem, err);
    status = finish(join, status, profile, err);
    if (status == PR_FAILED || next != PR_CUT)
        return status;
    (*profile)->complete = false;
    (*profile)->problem = problem;
    if (err && err->code == PR_ERR_NONE)
        *err = problem;
    return PR_CUT;
}

/* ---- either ------------------------------------------------------------------------------------------------------ */

enum pr_status pr_load_opened(const char *name, struct pr_source *src, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err)
{
    if (!pr_tar_is_one(src))
        return pr_load_source(name, src, options, profile, err);
    enum pr_status status = pr_run_load_archive(src, options, profile, err);
    pr_source_close(src);
    pr_error_name(err, name);
    return status;
}
