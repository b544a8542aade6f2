/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: what the command uses at a moment, and what it used since the sample before. The caller has the clock and
 * says when; a sample allocates no memory.
 *
 *     pr_sampler_init(&sampler, &log, pid, helper, folder);    // before the command begins
 *     pr_sampler_start(&sampler, now_ns);                      // it has begun
 *     while (...)
 *         pr_sampler_take(&sampler, now_ns);
 *     pr_sampler_clear(&sampler);
 *
 * Names and units of the fields are those of the Metaflow profile card, where it has one; "mb" are MiB.
 */
#ifndef PR_CLI_RECORD_RECORD_SAMPLER_H
#define PR_CLI_RECORD_RECORD_SAMPLER_H

#include "cli/record/record_cgroup.h"
#include "cli/record/record_gpu.h"
#include "cli/record/record_log.h"
#include "cli/record/record_processes.h"

/* Counters at one moment. */
struct pr_sampler_counters {
    int64_t at_ns;
    struct pr_processes_totals tree;
    struct pr_cgroup_counters cgroup;
    bool has_net;
    uint64_t received_bytes, sent_bytes;
};

struct pr_sampler {
    struct pr_log *log;
    struct pr_processes tree;
    struct pr_cgroup cgroup;
    struct pr_gpus *gpus;
    int32_t pid;              /* of the command; 0 when it has ended */
    bool follows_cgroup;      /* the command's own, wherever it goes */
    int64_t start_ns;
    int64_t thorough_due_ns;  /* when the slow files may be read again */
    uint32_t samples;
    uint32_t since_thorough;  /* samples */
    struct pr_sampler_counters first, last; /* first: since the command is in its control group */
    uint64_t told_wait_us; /* of the waits for a processor, likewise */
    uint64_t told_cpu_us; /* of the processor time, in the lines so far */
    uint64_t peak_resident_bytes;
    uint32_t most_left_out;
    struct pr_file_text text;
};

/*
 * Takes the counters to compare with. HELPER_PID is another child of the recorder, or 0; CGROUP_FOLDER is NULL for the
 * command's own control group. False: out of memory.
 */
bool pr_sampler_init(struct pr_sampler *sampler, struct pr_log *log, int32_t pid, int32_t helper_pid,
                     const char *cgroup_folder);
void pr_sampler_clear(struct pr_sampler *sampler);

/* NOW_NS is ts 0. Writes the first line. */
void pr_sampler_start(struct pr_sampler *sampler, int64_t now_ns);

/* Writes a line. */
void pr_sampler_take(struct pr_sampler *sampler, int64_t now_ns);

#endif
