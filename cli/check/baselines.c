/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/baselines.h"

#include "capture/base/checked.h"
#include "cli/io/say.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum pr_baseline_status fail(const char *path, int error)
{
    pr_say("%s: %s", path, strerror(error));
    return PR_BASELINE_FAILED;
}

static enum pr_baseline_status add(struct pr_baselines *baselines, const char *path, bool is_found)
{
    const size_t need = baselines->count + 1;
    char *copy = strdup(path);
    if (!copy || !pr_grow(&baselines->path, &baselines->path_capacity, need, sizeof *baselines->path) ||
        !pr_grow(&baselines->is_found, &baselines->found_capacity, need, sizeof *baselines->is_found)) {
        free(copy);
        return fail(path, ENOMEM);
    }
    baselines->is_found[baselines->count] = is_found;
    baselines->path[baselines->count++] = copy;
    return PR_BASELINE_FOUND;
}

enum pr_baseline_status pr_baselines_add_found(struct pr_baselines *baselines, const char *path)
{
    return add(baselines, path, true);
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    int length = snprintf(path, PATH_MAX, "%.*s/%s", (int)end, folder, name);
    return length > 0 && length < PATH_MAX;
}

static bool is_run(const char *folder)
{
    static const char *const names[] = {"run.json", "timeline.jsonl"};
    struct stat st;
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (join(path, folder, names[i]) && stat(path, &st) == 0)
            return true;
    return false;
}

static enum pr_baseline_status add_folder(struct pr_baselines *baselines, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    enum pr_baseline_status status = PR_BASELINE_NONE;
    if (count < 0)
        return fail(folder, errno);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct stat st;
        if (status != PR_BASELINE_FAILED && entries[i]->d_name[0] != '.' && join(path, folder, entries[i]->d_name) &&
            stat(path, &st) == 0 && S_ISREG(st.st_mode))
            status = add(baselines, path, true);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum pr_baseline_status pr_baselines_add(struct pr_baselines *baselines, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? PR_BASELINE_NONE : fail(path, errno);
    return S_ISDIR(st.st_mode) && !is_run(path) ? add_folder(baselines, path) : add(baselines, path, false);
}

void pr_baselines_drop(struct pr_baselines *baselines, size_t index)
{
    free(baselines->path[index]);
    for (size_t i = index; i + 1 < baselines->count; i++) {
        baselines->path[i] = baselines->path[i + 1];
        baselines->is_found[i] = baselines->is_found[i + 1];
    }
    baselines->count--;
}

void pr_baselines_clear(struct pr_baselines *baselines)
{
    for (size_t i = 0; i < baselines->count; i++)
        free(baselines->path[i]);
    free(baselines->path);
    free(baselines->is_found);
    *baselines = (struct pr_baselines){.count = 0};
}
