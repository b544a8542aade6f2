/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/site_baselines.h"

#include "capture/base/ascii.h"
#include "capture/base/beneath.h"
#include "cli/io/exit.h"
#include "cli/io/say.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "baselines"

enum { HEAD_BYTES = 256 };

bool pr_site_baselines_is_site(const char *folder)
{
    static const char schema[] = "\"profrender/runs/";
    char head[HEAD_BYTES];
    const int folder_fd = pr_beneath_open_folder(folder);
    const int fd = folder_fd < 0 ? -1 : pr_open_beneath(folder_fd, "runs.json");
    const ssize_t got = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (folder_fd >= 0)
        close(folder_fd);
    return got > 0 && memmem(head, (size_t)got, schema, sizeof schema - 1);
}

bool pr_site_baselines_folder(char name[NAME_MAX], const char *branch)
{
    int length = snprintf(name, NAME_MAX, FOLDER "/");
    for (const unsigned char *c = (const unsigned char *)branch; *c; c++) {
        const bool is_plain = pr_is_letter((char)*c) || pr_is_digit(*c) || *c == '_' || *c == '-' ||
                              (*c == '.' && c > (const unsigned char *)branch);
        if (length > NAME_MAX - 4)
            return false;
        length += snprintf(name + length, (size_t)(NAME_MAX - length), is_plain ? "%c" : "%%%02X", *c);
    }
    return *branch;
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    const int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)end, folder, name);
    return length > 0 && length < PATH_MAX;
}

/* As --update-baseline names a run. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".prz") == 0 &&
           strspn(name, "0123456789abcdefTZ:.-") >= length - 3;
}

static enum pr_baseline_status fail(const char *path, int error)
{
    pr_say("%s: %s", path, error == ELOOP ? "it is a link, and links of a site are not followed" : strerror(error));
    return PR_BASELINE_FAILED;
}

/* All of FD, which is the folder PATH. */
static enum pr_baseline_status add_all(struct pr_baselines *baselines, int fd, const char *path)
{
    struct dirent **entries;
    enum pr_baseline_status status = PR_BASELINE_NONE;
    const int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return fail(path, errno);
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        const int file_fd = is_name(entries[i]->d_name) ? pr_open_beneath(fd, entries[i]->d_name) : -1;
        if (file_fd >= 0 && status != PR_BASELINE_FAILED && join(file, path, entries[i]->d_name))
            status = pr_baselines_add_found(baselines, file);
        if (file_fd >= 0)
            close(file_fd);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum pr_baseline_status pr_site_baselines_add(struct pr_baselines *baselines, const char *site, const char *branch)
{
    char name[NAME_MAX], path[PATH_MAX];
    if (!pr_site_baselines_folder(name, branch) || !join(path, site, name))
        return fail(branch, ENAMETOOLONG);
    const int site_fd = pr_beneath_open_folder(site);
    if (site_fd < 0)
        return errno == ENOENT ? PR_BASELINE_NONE : fail(site, errno);
    const int fd = pr_open_folder_beneath(site_fd, name);
    const int error = errno;
    close(site_fd);
    if (fd < 0)
        return error == ENOENT ? PR_BASELINE_NONE : fail(path, error);
    const enum pr_baseline_status status = add_all(baselines, fd, path);
    close(fd);
    return status;
}

int pr_site_baselines_make(char path[PATH_MAX], const char *site, const char *branch)
{
    char name[NAME_MAX];
    int error = pr_site_baselines_folder(name, branch) && join(path, site, FOLDER) ? 0 : ENAMETOOLONG;
    if (!error && mkdir(site, 0777) && errno != EEXIST)
        error = errno;
    if (!error && mkdir(path, 0777) && errno != EEXIST)
        error = errno;
    if (!error && join(path, site, name) && mkdir(path, 0777) && errno != EEXIST)
        error = errno;
    const int site_fd = error ? -1 : pr_beneath_open_folder(site);
    const int fd = site_fd < 0 ? -1 : pr_open_folder_beneath(site_fd, name);
    if (!error && fd < 0)
        error = errno;
    if (fd >= 0)
        close(fd);
    if (site_fd >= 0)
        close(site_fd);
    if (!error)
        return PR_EXIT_DONE;
    fail(path, error);
    return PR_EXIT_OUTPUT;
}
