/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a command ended: was it killed for memory, and where did its core go. Nothing is guessed: what the counters do
 * not show is called unknown.
 */
#ifndef PR_CLI_RECORD_RECORD_EVIDENCE_H
#define PR_CLI_RECORD_RECORD_EVIDENCE_H

#include "cli/record/record_child.h"
#include "cli/record/record_sampler.h"

enum pr_evidence_verdict {
    PR_VERDICT_NONE,    /* not killed by SIGKILL, and nothing of its group was killed for memory */
    PR_VERDICT_OOM,     /* the group's counter rose */
    PR_VERDICT_LIKELY,  /* no counter that shows it; but memory was at its limit, or the host killed for it */
    PR_VERDICT_UNKNOWN  /* SIGKILL from someone */
};

struct pr_evidence {
    enum pr_evidence_verdict verdict;
    uint64_t cgroup_oom_kills; /* since the start; PR_CGROUP_UNKNOWN: there is no counter */
    uint64_t host_oom_kills;   /* the same for the whole machine */
    uint64_t peak_bytes;       /* the highest that was seen of the group, or of the processes */
    uint64_t limit_bytes;      /* PR_CGROUP_UNKNOWN: none */
};

/* The machine's counter of processes killed for memory; PR_CGROUP_UNKNOWN: none. */
uint64_t pr_evidence_host_oom_kills(void);

/* HOST_BEFORE is the machine's counter before the start. */
struct pr_evidence pr_evidence_weigh(const struct pr_child *child, const struct pr_sampler *sampler,
                                     uint64_t host_before);

/* "oom", "likely", "unknown", or NULL. */
const char *pr_evidence_word(enum pr_evidence_verdict verdict);

/* Where a core of PID went, by the kernel's pattern: "a path" or "|a program"; "" when that cannot be known. */
void pr_evidence_core(int32_t pid, const char *command, int signal_number, char where[PATH_MAX]);

#endif
