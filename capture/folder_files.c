/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file is read with a budget for itself. Where the files before it have spent so much that it might have gone over
 * the common one, it is read again when its turn comes; and where the process lacks files or memory for several at
 * once, the rest is read one by one.
 */
#include "capture/folder_files.h"

#include "capture/base/beneath.h"
#include "capture/read_ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* How a file was read. */
struct file {
    enum pr_folder_file what;
    int error;
    struct pr_unpack_budget budget;
};

struct pr_folder_files {
    int folder;
    char *const *names;
    pr_folder_reads *reads;
    const struct pr_load_options *options;
    struct pr_unpack_budget *budget;
    struct file *all; /* [count] */
    size_t given;
    struct pr_read_ahead *ahead; /* NULL: each is read in its turn */
};

static bool look_at(const struct pr_folder_files *files, size_t index, struct stat *info)
{
    return fstatat(files->folder, files->names[index], info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* For pr_read_ahead_inputs.size. */
static double size_of(void *context, size_t index)
{
    struct stat info;
    return look_at(context, index, &info) && S_ISREG(info.st_mode) ? (double)info.st_size : 0;
}

static enum pr_status read_file(const struct pr_folder_files *files, size_t index, struct pr_unpack_budget *budget,
                                const struct pr_load_options *options, struct pr_profile **profile,
                                struct pr_error *problem)
{
    const char *name = files->names[index];
    struct file *file = &files->all[index];
    struct pr_source *src;
    struct stat info;
    file->what = PR_FOLDER_FILE_IS_FOLDER;
    if (look_at(files, index, &info) && S_ISDIR(info.st_mode))
        return PR_FAILED;
    const int fd = pr_open_beneath(files->folder, name);
    file->what = fd < 0 ? PR_FOLDER_FILE_NOT_OPENED : PR_FOLDER_FILE_READ;
    file->error = errno;
    if (fd < 0 || pr_source_open_fd(fd, name, budget, &src, problem) == PR_FAILED)
        return PR_FAILED;
    return files->reads(name, src, options, profile, problem);
}

/* For pr_read_ahead_inputs.read. */
static enum pr_status read_alone(void *context, size_t index, const struct pr_load_options *options,
                                 struct pr_profile **profile, struct pr_error *problem)
{
    const struct pr_folder_files *files = context;
    struct pr_unpack_budget *own = &files->all[index].budget;
    *own = (struct pr_unpack_budget){.max_bytes = files->budget->max_bytes, .max_ratio = files->budget->max_ratio};
    return read_file(files, index, own, options, profile, problem);
}

/* What the process lacks while it reads several files it may have for one. */
static bool was_short(const struct file *file, const struct pr_error *problem)
{
    const bool few_files = file->error == EMFILE || file->error == ENFILE || file->error == ENOMEM;
    return problem->code == PR_ERR_MEMORY || (file->what == PR_FOLDER_FILE_NOT_OPENED && few_files);
}

struct pr_folder_files *pr_folder_files_new(int folder, char *const *names, size_t count, pr_folder_reads *reads,
                                            const struct pr_load_options *options, struct pr_unpack_budget *budget)
{
    struct pr_folder_files *files = malloc(sizeof *files);
    if (!files)
        return NULL;
    *files = (struct pr_folder_files){.folder = folder,
                                      .names = names,
                                      .reads = reads,
                                      .options = options,
                                      .budget = budget,
                                      .all = calloc(count + 1, sizeof *files->all)};
    const struct pr_read_ahead_inputs inputs = {
        .count = count, .context = files, .size = size_of, .read = read_alone};
    const size_t jobs = options->threads ? options->threads : pr_read_ahead_usual_jobs();
    files->ahead = files->all ? pr_read_ahead_new(&inputs, jobs, options) : NULL;
    if (files->ahead)
        return files;
    pr_folder_files_free(files);
    return NULL;
}

enum pr_folder_file pr_folder_files_next(struct pr_folder_files *files, struct pr_profile **profile,
                                         struct pr_error *problem, int *error)
{
    const size_t index = files->given++;
    struct file *file = &files->all[index];
    bool is_read = false;
    *profile = NULL;
    if (files->ahead) {
        pr_read_ahead_next(files->ahead, profile, problem);
        if (was_short(file, problem)) {
            pr_read_ahead_free(files->ahead);
            files->ahead = NULL;
        }
        is_read = files->ahead && problem->code != PR_ERR_UNPACKED &&
                  pr_unpack_budget_add(files->budget, &file->budget);
    }
    if (!is_read) {
        pr_profile_free(*profile);
        *profile = NULL;
        *problem = (struct pr_error){0};
        read_file(files, index, files->budget, files->options, profile, problem);
    }
    *error = file->error;
    return file->what;
}

void pr_folder_files_free(struct pr_folder_files *files)
{
    if (!files)
        return;
    pr_read_ahead_free(files->ahead);
    free(files->all);
    free(files);
}
