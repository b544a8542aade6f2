/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.json: what ran, when, what schedulers call it, and which files of the folder the recording made.
 *
 *     struct pr_recorded_run run = {.names = {.flow = "nightly"}};
 *     pr_recorded_run_name(&run, argv);
 *     pr_recorded_run_makes(&run, "timeline.jsonl");
 *     pr_recorded_run_write(&run, &folder);                 // again at the end with end_ms
 */
#ifndef PR_CLI_RECORD_RECORD_RUN_H
#define PR_CLI_RECORD_RECORD_RUN_H

#include "cli/record/record_folder.h"

#include <stdint.h>

/* What people and schedulers call it; NULL = nothing. */
struct pr_run_names {
    const char *name, *flow, *run, *step, *task, *attempt;
    const char *commit; /* the version of its code, as a pipeline names it */
};

struct pr_recorded_run {
    struct pr_run_names names;
    char name[160];           /* what `names.name` points to, unless it was given */
    int64_t start_ms, end_ms; /* since the epoch; 0 = not yet */
    unsigned makes;           /* a bit for each of pr_folder_files */
};

/* Names that were not given come from the environment of Airflow, GitHub, GitLab and Slurm, or from ARGV. */
void pr_recorded_run_name(struct pr_recorded_run *run, const char *const *argv);

/* The recording makes FILE, one of pr_folder_files. */
void pr_recorded_run_makes(struct pr_recorded_run *run, const char *file);

/* Writes run.json. */
void pr_recorded_run_write(const struct pr_recorded_run *run, const struct pr_folder *folder);

int64_t pr_recorded_run_now_ms(void);

#endif
