/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that --baseline names: a file is one, a folder that holds a run (run.json or timeline.jsonl in it) is one,
 * in any other folder each file is one, in the order of their names.
 */
#ifndef PR_CLI_CHECK_BASELINES_H
#define PR_CLI_CHECK_BASELINES_H

#include <stdbool.h>
#include <stddef.h>

struct pr_baselines {
    char **path;      /* [count] owned */
    bool *is_found;   /* [count] found in a folder, not named: what is not a capture there is left out */
    size_t count, path_capacity, found_capacity;
};

enum pr_baseline_status { PR_BASELINE_FOUND, PR_BASELINE_NONE, PR_BASELINE_FAILED };

/* Adds those of PATH. NONE: there is nothing of that name, or nothing in it; FAILED: with the reason reported. */
enum pr_baseline_status pr_baselines_add(struct pr_baselines *baselines, const char *path);

/* Adds a file of a folder: if it is not a capture, it is left out. FOUND, or FAILED with the reason reported. */
enum pr_baseline_status pr_baselines_add_found(struct pr_baselines *baselines, const char *path);

/* Removes one. */
void pr_baselines_drop(struct pr_baselines *baselines, size_t index);
void pr_baselines_clear(struct pr_baselines *baselines);

#endif
