/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of two machines are the same: numbers for files, wherever Python and the project were installed.
 *
 *     struct pr_samefile same;
 *     pr_samefile_init(&same, &err);
 *     const uint32_t *number = pr_samefile_add(&same, profile, &err);     // [profile->strings.count], by file
 *
 * A library file is named by its path below site-packages, a standard library file by that below lib/pythonX.Y, your
 * code by that below the folder of sys.path it was imported from. What is left are files below another folder than in
 * earlier profiles: of all folders that could be the same, the pair that explains most files is taken.
 */
#ifndef PR_CAPTURE_COMPOSE_FILE_IDENTITY_H
#define PR_CAPTURE_COMPOSE_FILE_IDENTITY_H

#include "capture/base/textmap.h"
#include "profrender/profile.h"

struct pr_samefile {
    struct pr_strings keys; /* names of the files of all profiles */
    uint32_t *file;         /* [keys.count] the number of the file: that of its first key */
    size_t capacity;
};

enum pr_status pr_samefile_init(struct pr_samefile *same, struct pr_error *err);
void pr_samefile_clear(struct pr_samefile *same);

/* The number of each file that a frame of PROFILE has, by its string. Owned: free(3). NULL: no memory, ERR says so. */
uint32_t *pr_samefile_add(struct pr_samefile *same, const struct pr_profile *profile, struct pr_error *err);

#endif
