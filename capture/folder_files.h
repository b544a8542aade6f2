/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a folder, several read at once, as if one were read after the other.
 *
 *     struct pr_folder_files *files = pr_folder_files_new(folder, names, count, reads, options, &budget);
 *     while (...)
 *         what = pr_folder_files_next(files, &profile, &problem, &error);     // count times, or fewer
 *     pr_folder_files_free(files);
 */
#ifndef PR_CAPTURE_FOLDER_FILES_H
#define PR_CAPTURE_FOLDER_FILES_H

#include "capture/input/source.h"
#include "profrender/load.h"

#include <stddef.h>

struct pr_folder_files;

/* What a file is read by, on any thread; takes SRC over and closes it. As pr_load. */
typedef enum pr_status pr_folder_reads(const char *name, struct pr_source *src, const struct pr_load_options *options,
                                       struct pr_profile **profile, struct pr_error *err);

/*
 * Begins to read COUNT files beneath FOLDER by READS, as pr_open_beneath opens them: up to OPTIONS.threads at once, 0:
 * as many as help. Each has its share of BUDGET in the order of NAMES. All is borrowed until pr_folder_files_free.
 * NULL: out of memory. Owned: pr_folder_files_free.
 */
struct pr_folder_files *pr_folder_files_new(int folder, char *const *names, size_t count, pr_folder_reads *reads,
                                            const struct pr_load_options *options, struct pr_unpack_budget *budget);

enum pr_folder_file {
    PR_FOLDER_FILE_READ,       /* *PROFILE, owned, or NULL; PROBLEM is why it is not, or not complete */
    PR_FOLDER_FILE_IS_FOLDER,  /* which is no file */
    PR_FOLDER_FILE_NOT_OPENED, /* *ERROR is that of pr_open_beneath */
};

/* The next file. */
enum pr_folder_file pr_folder_files_next(struct pr_folder_files *files, struct pr_profile **profile,
                                         struct pr_error *problem, int *error);
void pr_folder_files_free(struct pr_folder_files *files);

#endif
