/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run: timeline.jsonl, stderr.log, captures, and run.json, which says what ran and when.
 *
 *     struct pr_run_folder run = {.names = {.flow = "nightly"}};
 *     pr_run_folder_open(&run, "run/", argv);      // says what speaks against it; the command runs all the same
 *     int fd = pr_run_folder_create(&run, "timeline.jsonl");
 *     pr_run_folder_write(&run);                   // run.json, again at the end with end_ms
 */
#ifndef PR_CLI_RECORD_RECORD_RUN_H
#define PR_CLI_RECORD_RECORD_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What people and schedulers call it; NULL = nothing. */
struct pr_run_names {
    const char *name, *flow, *run, *step, *task, *attempt;
};

struct pr_run_folder {
    struct pr_run_names names;
    char folder[PATH_MAX]; /* without a slash at the end; "" = there is none */
    char name[160];        /* what `names.name` points to, unless it was given */
    int64_t start_ms, end_ms; /* since the epoch; 0 = not yet */
};

/*
 * Makes FOLDER, or with NULL one that is named after time and command, and takes the files of an earlier recording out
 * of it. Names that were not given come from the environment of Airflow, GitHub, GitLab and Slurm. False: there is no
 * folder; why was said.
 */
bool pr_run_folder_open(struct pr_run_folder *run, const char *folder, const char *const *argv);

/* PATH of a file of the run. False: there is no folder, or the path is too long. */
bool pr_run_folder_path(const struct pr_run_folder *run, const char *file, char path[PATH_MAX]);

/* An empty file of the run, to be written; -1: there is none, why was said. */
int pr_run_folder_create(const struct pr_run_folder *run, const char *file);

/* Writes run.json. */
void pr_run_folder_write(const struct pr_run_folder *run);

int64_t pr_run_folder_now_ms(void);

#endif
