/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control group that the command lives in, version 1 or 2: memory and its limit, how often the kernel killed for
 * it, and the time for which the command was held back.
 *
 *     struct pr_cgroup cgroup;
 *     pr_cgroup_find(&cgroup, pid);            // or pr_cgroup_open(&cgroup, folder)
 *     struct pr_cgroup_counters now;
 *     pr_cgroup_read(&cgroup, &now);
 *     pr_cgroup_close(&cgroup);
 */
#ifndef PR_CLI_RECORD_RECORD_CGROUP_H
#define PR_CLI_RECORD_RECORD_CGROUP_H

#include "cli/record/record_file.h"

#include <limits.h>

#define PR_CGROUP_UNKNOWN UINT64_MAX /* of a counter; as a limit: no limit */

struct pr_cgroup {
    int memory_fd, cpu_fd;            /* folders; -1: not found */
    bool memory_is_v1, cpu_is_v1;
    char pressure[3][PATH_MAX];       /* files: of the processor, memory, input and output; "" = none */
    bool is_of_host[3];               /* the group has none: the file is that of the whole machine */
    uint64_t memory_limit_bytes;      /* the tightest of the group and those above it */
    uint64_t cpu_limit_millis;        /* thousandths of a processor */
    uint32_t names_hash;              /* of what /proc/PID/cgroup said */
    struct pr_file_text text;
};

struct pr_cgroup_counters {
    uint64_t memory_bytes;    /* in use, without file pages that the kernel would drop first */
    uint64_t peak_bytes;      /* of all pages */
    uint64_t oom_kills;
    uint64_t throttled_us;
    uint64_t pressure_us[3];  /* as `pressure` */
};

/* Finds that of a process, or of the caller with 0. Nothing found: every counter is unknown. */
void pr_cgroup_find(struct pr_cgroup *cgroup, int32_t pid);

/* Whether PID has moved to another group since then. */
bool pr_cgroup_has_moved(struct pr_cgroup *cgroup, int32_t pid);

/* Takes FOLDER as the group: one that is mounted elsewhere, or was copied. */
void pr_cgroup_open(struct pr_cgroup *cgroup, const char *folder);

/* Whether anything was found. */
static inline bool pr_cgroup_is_known(const struct pr_cgroup *cgroup)
{
    return cgroup->memory_fd >= 0 || cgroup->cpu_fd >= 0;
}

void pr_cgroup_read(struct pr_cgroup *cgroup, struct pr_cgroup_counters *counters);
void pr_cgroup_close(struct pr_cgroup *cgroup);

#endif
