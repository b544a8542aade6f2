/* SPDX-License-Identifier: Apache-2.0 */
/* File after file into pr_assemble. In the order of their names, so that the same files give the same profile. */
#include "capture/run_folder.h"

#include "capture/base/checked.h"
#include "profrender/assemble.h"
#include "capture/input/tar.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 4096 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), more = strlen(end);
    return length >= more && !strcmp(text + length - more, end);
}

const char *pr_run_format_of_name(const char *name)
{
    const char *file = last_part(name);
    if (ends_with(file, ".md"))
        return "notes";
    return strstr(file, "stderr") ? "stderr" : NULL;
}

bool pr_run_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What of a run is for people, not for us: the standard output, and pages made of it. */
static bool is_of_no_interest(const char *name)
{
    const char *file = last_part(name);
    return *file == '.' || ends_with(file, ".html") || strstr(file, "stdout");
}

static enum pr_status left_out(struct pr_assemble *join, const char *name, const struct pr_error *problem,
                               struct pr_error *err)
{
    if (problem->code == PR_ERR_MEMORY)
        return pr_fail_memory(err);
    if (problem->code == PR_ERR_EMPTY) /* a run that wrote nothing to its standard error */
        return PR_OK;
    return pr_assemble_leave_out(join, last_part(name), problem->text, err);
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

/* ---- a folder --------------------------------------------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_of_run(const char *name)
{
    static const char *const known[] = {"run.json", "timeline.jsonl", "stderr.log", "notes.md"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], name))
            return true;
    return false;
}

static enum pr_status add_file(struct pr_assemble *join, const char *path, const struct pr_load_options *options,
                               struct pr_error *err)
{
    struct pr_profile *profile = NULL;
    struct pr_error problem = {0};
    struct stat info;
    if (is_of_no_interest(path) || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return PR_OK;
    if (pr_load(path, options, &profile, &problem) == PR_FAILED)
        return left_out(join, path, &problem, err);
    return pr_assemble_add(join, profile, last_part(path), err);
}

static enum pr_status add_entries(struct pr_assemble *join, const char *folder, struct dirent *const *entries,
                                  int count, const struct pr_load_options *options, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    for (int i = 0; i < count && status == PR_OK; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
            return pr_fail_memory(err);
        status = add_file(join, path, options, err);
        free(path);
    }
    return status;
}

enum pr_status pr_run_load_folder(const char *path, const struct pr_load_options *options, struct pr_profile **profile,
                                  struct pr_error *err)
{
    struct dirent **entries = NULL;
    struct pr_assemble *join = NULL;
    const int count = scandir(path, &entries, NULL, by_name);
    bool is_run = false;
    enum pr_status status = PR_OK;
    if (count < 0)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be read: %s", strerror(errno));
    for (int i = 0; i < count; i++)
        is_run = is_run || is_of_run(entries[i]->d_name);
    if (!is_run)
        status = pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, NULL,
                         "a folder, and no run: it has none of run.json, timeline.jsonl, stderr.log, notes.md");
    else if (count > MAX_FILES)
        status = pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "a folder of more than %d files", MAX_FILES);
    else
        status = pr_assemble_new(&join, err);
    if (status == PR_OK)
        status = add_entries(join, path, entries, count, options, err);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return finish(join, status, profile, err);
}

/* ---- an archive ------------------------------------------------------------------------------------------------- */

static enum pr_status add_member(struct pr_assemble *join, struct pr_tar *tar, const struct pr_load_options *options,
                                 struct pr_error *err)
{
    struct pr_profile *profile = NULL;
    struct pr_error problem = {0};
    if (is_of_no_interest(tar->name))
        return PR_OK;
    struct pr_source *member = pr_tar_open(tar);
    if (!member)
        return pr_fail_memory(err);
    if (pr_source_peel(&member, &problem) == PR_FAILED ||
        pr_load_source(tar->name, member, options, &profile, &problem) == PR_FAILED)
        return left_out(join, tar->name, &problem, err);
    return pr_assemble_add(join, profile, last_part(tar->name), err);
}

enum pr_status pr_run_load_archive(struct pr_source *src, const struct pr_load_options *options,
                                   struct pr_profile **profile, struct pr_error *err)
{
    struct pr_tar tar = pr_tar_begin(src);
    struct pr_assemble *join = NULL;
    struct pr_error problem = {0};
    enum pr_status status = pr_assemble_new(&join, err), next = PR_OK;
    for (unsigned files = 0; status == PR_OK && (next = pr_tar_next(&tar, &problem)) == PR_OK && files < MAX_FILES;
         files++)
        status = add_member(join, &tar, options, err);
    status = finish(join, status, profile, err);
    if (status == PR_FAILED || next != PR_CUT)
        return status;
    (*profile)->complete = false;
    (*profile)->problem = problem;
    if (err && err->code == PR_ERR_NONE)
        *err = problem;
    return PR_CUT;
}
