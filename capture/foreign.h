/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats that no reader takes but that people have: what they are called, and what turns them into one that is read.
 * Asked only when no reader recognises an input, so it cannot change what is recognised, and costs nothing before.
 */
#ifndef PR_CAPTURE_FOREIGN_H
#define PR_CAPTURE_FOREIGN_H

#include "capture/input/source.h"

struct pr_foreign {
    const char *title;  /* "a Go execution trace"; follows "it looks like" */
    const char *remedy; /* "perf script -i FILE >FILE.txt", or a sentence; NULL: nothing converts it */
};

/* The format that SRC most likely has, by its first 64 KiB; NULL: none of these. Static. Only peeks. */
const struct pr_foreign *pr_foreign_find(struct pr_source *src);

enum pr_foreign_place {
    PR_FOREIGN_FILE,
    PR_FOREIGN_FOLDER,
    PR_FOREIGN_MEMBER /* a file in the folder that is asked about */
};

/* What has that NAME most likely is, by its end. NULL: unknown. Static. */
const struct pr_foreign *pr_foreign_named(const char *name, enum pr_foreign_place place);

/* Fails with what it is, and how it is converted. */
enum pr_status pr_foreign_fail(const struct pr_foreign *foreign, struct pr_error *err);

#endif
