/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories in the order of a search path, and which of them a file lies below. A look-up takes one step for each
 * part of the path, however many directories there are: some build tools put thousands on sys.path.
 *
 *     struct pr_dirset set;
 *     pr_dirset_init(&set, err);
 *     pr_dirset_add(&set, folder, err);            // number 0: /usr/lib/python3.12
 *     pr_dirset_find(&set, file, &found, err);     // of /usr/lib/python3.12/json/decoder.py
 *     // found.number is 0, found.rest the offset of "json/decoder.py"
 *     pr_dirset_clear(&set);
 */
#ifndef PR_CAPTURE_MODEL_SEARCH_PATH_H
#define PR_CAPTURE_MODEL_SEARCH_PATH_H

#include "capture/base/idset.h"
#include "profrender/string_table.h"

struct pr_dirset {
    struct pr_strings parts;
    struct pr_idset nodes; /* of a tree of parts: (parent, part); the number of a node is one more, 0 is the top */
    uint32_t *number;      /* [nodes.count] lowest number of the directories that end at the node; PR_NO_ID = none */
    size_t capacity;
    uint32_t count;        /* directories added */
};

struct pr_dirset_found {
    uint32_t number; /* the first of the directories, in the order they were added; PR_NO_ID = below none of them */
    uint32_t rest;   /* offset in the path of what follows the directory, separators included */
};

/* Owner: SET is cleared with pr_dirset_clear, even after an error. Errors of all three: PR_FAILED, out of memory. */
enum pr_status pr_dirset_init(struct pr_dirset *set, struct pr_error *err);
enum pr_status pr_dirset_add(struct pr_dirset *set, struct pr_text directory, struct pr_error *err);

/* SET remembers the parts that it looked up, so it is not const. */
enum pr_status pr_dirset_find(struct pr_dirset *set, struct pr_text path, struct pr_dirset_found *found,
                              struct pr_error *err);

void pr_dirset_clear(struct pr_dirset *set);

#endif
